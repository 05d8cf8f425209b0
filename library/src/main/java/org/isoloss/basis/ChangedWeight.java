package org.isoloss.basis;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.Value;

/** What an element makes of the numbers of one weight. */
final class ChangedWeight {
    private final Value weight;
    private final List<Block> blocks;
    private final BasisElement element;
    private final Map<Value, double[]> factors;
    private final Role role;
    private final Map<List<Object>, BasisMap> maps = new HashMap<>();

    /** What is changed. */
    enum Role {
        /** The numbers of the weight. */
        WEIGHT,
        /** Derivatives in them. */
        GRADIENT,
        /** Mean squares of derivatives that do not correlate. */
        SQUARES
    }

    /**
     * Prepares a change of the numbers of a weight.
     *
     * @param weight of the model
     * @param blocks that it is made of
     * @param element that acts
     * @param factors the numbers of the weights of scaled classes
     */
    ChangedWeight(Value weight, List<Block> blocks, BasisElement element, Map<Value, double[]> factors) {
        this(weight, blocks, element, factors, Role.WEIGHT);
    }

    /**
     * Prepares a change.
     *
     * @param weight of the model
     * @param blocks that it is made of
     * @param element that acts
     * @param factors the numbers of the weights of scaled classes
     * @param role what is changed
     */
    ChangedWeight(Value weight, List<Block> blocks, BasisElement element, Map<Value, double[]> factors, Role role) {
        this.role = role;
        this.weight = weight;
        this.blocks = blocks;
        this.element = element;
        this.factors = factors;
    }

    /** Whether anything may change. */
    boolean isMoved() {
        return blocks.stream().flatMap(block -> block.factors().stream()).anyMatch(this::isMoved);
    }

    private boolean isMoved(Factor factor) {
        AxisClass channels = factor.channels();
        return channels != null
                && (element.of(channels).isMoved(scales(factor), signs(factor))
                        || (channels.factors() != weight && isFollowedMoved(channels)));
    }

    private boolean isFollowedMoved(AxisClass channels) {
        AxisClass followed = channels.followed();
        return followed != null
                && (element.of(followed).isMoved(channels.followedScales(), channels.followedSigns())
                        || isFollowedMoved(followed));
    }

    private static double[] scales(Factor factor) {
        return isScaled(factor) ? new double[] {1} : factor.scales();
    }

    private static double[] signs(Factor factor) {
        return isScaled(factor) ? new double[] {1} : factor.signs();
    }

    private static boolean isScaled(Factor factor) {
        AxisClass channels = factor.channels();
        return channels != null && channels.kind() == AxisClass.Kind.SCALED;
    }

    /**
     * Requires that moments of a weight do not mix with those of factors of a norm, as they do where what these multiply changes.
     *
     * @param name of the parameter, for the message
     * @throws IllegalArgumentException when they do
     */
    void requireApart(String name) {
        boolean isMixed = blocks.stream()
                .flatMap(block -> block.factors().stream())
                .map(Factor::channels)
                .anyMatch(channels ->
                        channels != null && channels.kind() == AxisClass.Kind.SCALED && isFollowedMoved(channels));
        if (isMixed) {
            throw new IllegalArgumentException(
                    "the moments of '%s' mix with those of the factors of a norm where the stream before it changes; choose families that leave the stream, with --family"
                            .formatted(name));
        }
    }

    /**
     * Changes the numbers.
     *
     * @param numbers row-major; modified
     */
    void apply(double[] numbers) {
        for (Block block : blocks) {
            block.factors().forEach(factor -> change(numbers, block, factor, false));
            block.factors().stream()
                    .filter(factor -> factor.channels() != null)
                    .sorted(Comparator.comparingInt(ChangedWeight::depth).reversed()) // those that others number last
                    .forEach(factor -> change(numbers, block, factor, true));
        }
    }

    private static int depth(Factor factor) {
        return factor.channels() == null ? 0 : factor.channels().index().size();
    }

    private void change(double[] numbers, Block block, Factor factor, boolean isOrder) {
        AxisClass channels = factor.channels();
        if (channels == null || !isMoved(factor)) {
            return;
        }
        for (int number = 0; number < channels.count(); number++) {
            BasisMap map = isOrder ? element.of(channels).order(number) : map(factor, channels, number);
            if (!map.isIdentity()) {
                along(numbers, new FactorVectors(block, factor, channels.index(), number), map);
            }
        }
    }

    private BasisMap map(Factor factor, AxisClass channels, int number) {
        List<Object> key = List.of(channels, number, factor.dual(), listed(factor.scales()), listed(factor.signs()));
        return maps.computeIfAbsent(key, _ -> made(factor, channels, number));
    }

    private static List<Double> listed(double[] powers) {
        return Arrays.stream(powers).boxed().toList();
    }

    private BasisMap made(Factor factor, AxisClass channels, int number) {
        BasisMap own = element.of(channels).fixedOrder(number, scales(factor), signs(factor));
        AxisClass followed = channels.followed();
        Value made = channels.factors();
        if (isScaled(factor) && followed != null && made != null && made != weight && isFollowedMoved(channels)) {
            var by = BasisMap.Monomial.scaled(Objects.requireNonNull(factors.get(made)));
            ClassElement before = element.of(followed);
            boolean isMonomial = followed.kind() == AxisClass.Kind.MONOMIAL;
            BasisMap change = before.fixedOrder(0, channels.followedScales(), channels.followedSigns())
                    .then(before.order(0));
            own = by.inverse()
                    .then(channels.followsDual() && !isMonomial ? change.dual() : change)
                    .then(by)
                    .then(own);
        }
        boolean isDual = factor.dual() && channels.kind() != AxisClass.Kind.MONOMIAL;
        BasisMap map = isDual ? own.dual() : own;
        return switch (role) {
            case WEIGHT -> map;
            case GRADIENT -> map.dual();
            case SQUARES -> map.dual().squared();
        };
    }

    /** Maps all vectors along a factor. */
    private static void along(double[] numbers, FactorVectors vectors, BasisMap map) {
        vectors.inParts((first, some) -> {
            double[] rows = vectors.rows(numbers, first, some).entries();
            map.apply(rows, some);
            vectors.scatter(rows, first, some, numbers);
        });
    }
}
