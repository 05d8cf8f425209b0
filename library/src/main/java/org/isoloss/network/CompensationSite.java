package org.isoloss.network;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * A place in a two-layer or gated block where moving units C change their incoming weights and k compensating units B change their
 * outgoing weights, so that the output on a protected batch of k inputs stays (section
 * {@code sec:small-subnetworks-sufficient} of the paper). Everything else is fixed.
 */
public final class CompensationSite {
    /**
     * What one unit does on the batch.
     *
     * @param unit from 0
     * @param contribution norm of its contribution {@code u sigma(v X)} to the output
     * @param sensitivity least singular value of the derivative of the contribution by the visible changes of v, over the
     *     norm of the contribution; 0 where the unit moves without effect
     */
    public record UnitEffect(int unit, double contribution, double sensitivity) {}

    private final SiteBlock block;
    private final Matrix augmented;
    private final OrthonormalBasis visible;
    private final int[] moving;
    private final int[] compensators;
    private final CompensatorFeatures features;

    private CompensationSite(
            SiteBlock block, Matrix augmented, OrthonormalBasis visible, int[] moving, int[] compensators) {
        this.block = block;
        this.augmented = augmented;
        this.visible = visible;
        this.moving = moving;
        this.compensators = compensators;
        this.features = CompensatorFeatures.of(block.features(augmented, compensators), "CompensationSite");
    }

    /**
     * Chooses the compensating units by QR with column pivoting of the transposed features, over all units but those given
     * to move, then the moving units among the rest.
     *
     * @param block the layers
     * @param inputs the protected batch, shape (k, n), finite, rows all different; not modified
     * @param movingUnits how the moving units are chosen
     * @return the site
     * @throws IllegalArgumentException when there are too few units, or no choice of compensators is independent enough
     */
    public static CompensationSite choose(SiteBlock block, Matrix inputs, MovingUnits movingUnits) {
        return choose(
                block, inputs, movingUnits, IntStream.range(0, block.units()).toArray());
    }

    /**
     * Chooses the compensating units among given ones, otherwise as {@link #choose(SiteBlock, Matrix, MovingUnits)}.
     *
     * @param block the layers
     * @param inputs the protected batch, shape (k, n), finite, rows all different; not modified
     * @param movingUnits how the moving units are chosen
     * @param allowed units that may compensate, all different, from 0; those given to move do not; not modified
     * @return the site
     * @throws IllegalArgumentException when there are too few units, or no choice of compensators is independent enough
     */
    public static CompensationSite choose(SiteBlock block, Matrix inputs, MovingUnits movingUnits, int... allowed) {
        Matrix augmented = block.augmented(inputs);
        int count = movingUnits.number();
        requireRoom(block.units(), inputs.rows(), count);
        requireDifferent(inputs);
        OrthonormalBasis visible = visible(augmented);
        List<Integer> given = movingUnits instanceof MovingUnits.Given named ? named.units() : List.of();
        requireUnits(block, given);
        requireUnits(block, Arrays.stream(allowed).boxed().toList());
        int[] candidates = Arrays.stream(allowed)
                .distinct()
                .filter(unit -> !given.contains(unit))
                .toArray();
        int[] all = without(block.units(), List.of());
        int[] compensators = CompensatorChoice.of(block.features(augmented, all), candidates, "CompensationSite");
        int[] moving = given.stream().mapToInt(Integer::intValue).toArray();
        if (given.isEmpty()) {
            int[] rest =
                    without(block.units(), Arrays.stream(compensators).boxed().toList());
            moving = strongest(effects(block, augmented, visible, rest), movingUnits, count);
        }
        return new CompensationSite(block, augmented, visible, moving, compensators);
    }

    /**
     * Takes the units named.
     *
     * @param block the layers
     * @param inputs the protected batch, shape (k, n), finite, rows all different; not modified
     * @param moving at least one unit, all different, from 0; copied
     * @param compensators k units, all different and none of them moving; copied
     * @return the site
     * @throws IllegalArgumentException when the compensators are not independent enough on the batch
     */
    public static CompensationSite of(SiteBlock block, Matrix inputs, int[] moving, int[] compensators) {
        Matrix augmented = block.augmented(inputs);
        requireRoom(block.units(), inputs.rows(), moving.length);
        requireDifferent(inputs);
        List<Integer> all = IntStream.concat(Arrays.stream(moving), Arrays.stream(compensators))
                .boxed()
                .toList();
        requireUnits(block, all);
        if (moving.length == 0 || all.stream().distinct().count() != all.size()) {
            throw new IllegalArgumentException(
                    "CompensationSite: moving units %s and compensating units %s, expected at least one moving unit and no unit twice"
                            .formatted(Arrays.toString(moving), Arrays.toString(compensators)));
        }
        return new CompensationSite(block, augmented, visible(augmented), moving.clone(), compensators.clone());
    }

    private static OrthonormalBasis visible(Matrix augmented) {
        return OrthonormalBasis.of(
                augmented, "CompensationSite: every protected input is zero, so no incoming weight has an effect");
    }

    private static void requireRoom(int units, int inputs, int moving) {
        if (inputs + moving > units) {
            throw new IllegalArgumentException(
                    "CompensationSite: %d protected inputs need %d compensating units beside %d moving, but the layer has %d hidden units; protect at most %d inputs"
                            .formatted(inputs, inputs, moving, units, Math.max(units - moving, 0)));
        }
    }

    private static void requireDifferent(Matrix inputs) {
        for (int i = 0; i < inputs.rows(); i++) {
            for (int j = 0; j < i; j++) {
                if (Arrays.equals(inputs.row(i), inputs.row(j))) {
                    throw new IllegalArgumentException(
                            "CompensationSite: inputs %d and %d (from 0) are equal here, so no unit tells them apart; protect inputs that differ"
                                    .formatted(j, i));
                }
            }
        }
    }

    private static void requireUnits(SiteBlock block, List<Integer> units) {
        for (int unit : units) {
            if (unit < 0 || unit >= block.units()) {
                throw new IllegalArgumentException(
                        "CompensationSite: unit %d does not exist, the layer has units 0 to %d"
                                .formatted(unit, block.units() - 1));
            }
        }
    }

    private static int[] without(int units, List<Integer> taken) {
        return IntStream.range(0, units).filter(unit -> !taken.contains(unit)).toArray();
    }

    private static int[] strongest(List<UnitEffect> effects, MovingUnits choice, int count) {
        double[] sorted =
                effects.stream().mapToDouble(UnitEffect::contribution).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        Comparator<UnitEffect> order = Comparator.comparingDouble(UnitEffect::contribution);
        if (choice instanceof MovingUnits.MostSensitive) {
            // with several moving units there may be fewer above the median than wanted: the rest follow those
            order = Comparator.<UnitEffect, Boolean>comparing(effect -> effect.contribution >= median)
                    .thenComparingDouble(UnitEffect::sensitivity);
        }
        return effects.stream()
                .sorted(order.reversed().thenComparingInt(UnitEffect::unit))
                .limit(count)
                .mapToInt(UnitEffect::unit)
                .toArray();
    }

    private static List<UnitEffect> effects(SiteBlock block, Matrix augmented, OrthonormalBasis visible, int[] units) {
        return Arrays.stream(units)
                .mapToObj(unit -> effect(block, augmented, visible.r(), unit))
                .toList();
    }

    /** For one unit, R_U is the norm of u; for a plain one the derivative by D is {@code R_U diag(sigma'(P_0)) R^T}. */
    private static UnitEffect effect(SiteBlock block, Matrix augmented, Matrix visible, int unit) {
        Matrix sums = block.incoming(unit).times(augmented);
        MovingFeatures features = MovingFeatures.of(block, augmented, unit);
        double readout = block.outgoing(unit).frobeniusNorm();
        double contribution = readout * features.values(sums).frobeniusNorm();
        if (contribution == 0) {
            return new UnitEffect(unit, 0, 0);
        }
        int directions = visible.rows();
        Matrix derivative = Matrix.zeros(visible.columns(), sums.rows() * directions);
        for (int column = 0; column < derivative.columns(); column++) {
            Matrix change = Matrix.zeros(sums.rows(), sums.columns());
            double[] direction = visible.row(column % directions);
            System.arraycopy(direction, 0, change.entries(), column / directions * direction.length, direction.length);
            double[] slopes = features.derivative(sums, change).entries();
            for (int input = 0; input < slopes.length; input++) {
                derivative.set(input, column, readout * slopes[input]);
            }
        }
        double[] singularValues = Svd.valuesOf(derivative);
        return new UnitEffect(unit, contribution, singularValues[singularValues.length - 1] / contribution);
    }

    /** {@return the layers, the block} */
    public SiteBlock block() {
        return block;
    }

    /** {@return the protected batch as the augmented V takes it: shape (n or n + 1, k), one input a column; a copy} */
    public Matrix augmentedInputs() {
        return augmented.copy();
    }

    /** The basis of the directions that the batch sees, and the batch in it. */
    OrthonormalBasis visible() {
        return visible;
    }

    /** {@return the number of protected inputs, which is the number of compensating units: k, at least 1} */
    public int inputCount() {
        return compensators.length;
    }

    /** {@return the moving units C: at least one, from 0; a copy} */
    public int[] moving() {
        return moving.clone();
    }

    /** {@return the compensating units B: k units from 0, in the order in which they were picked; a copy} */
    public int[] compensators() {
        return compensators.clone();
    }

    /** {@return the features of the compensating units on the batch, with their condition number: Z_B} */
    public CompensatorFeatures features() {
        return features;
    }

    /**
     * Returns what the moving units compute with other incoming weights.
     *
     * @param incoming their rows, as {@link SiteBlock#incoming} gives them; not modified
     * @return one unit a row, shape (c, k)
     */
    public Matrix movingFeatures(Matrix incoming) {
        return block.features(incoming, augmented, moving);
    }

    /**
     * Measures every unit that does not compensate.
     *
     * @return by unit, the moving ones among them
     */
    public List<UnitEffect> effects() {
        return effects(
                block,
                augmented,
                visible,
                without(block.units(), Arrays.stream(compensators).boxed().toList()));
    }

    /**
     * Returns where the site's plain coordinates lie in a dense network: first the outgoing weights U_B of the compensating
     * units, row by row, then each moving unit's incoming weights with its bias.
     *
     * @param layout of the network that the block was taken from
     * @param hiddenLayer of the block, from 0
     * @return the support; it reads and writes what {@link SiteCoordinates#toPlain} gives
     */
    public Support support(ParameterLayout layout, int hiddenLayer) {
        ParameterLayout.Entry first = layout.weight(hiddenLayer);
        ParameterLayout.Entry second = layout.weight(hiddenLayer + 1);
        if (!(block instanceof TwoLayerBlock layers)) {
            throw new IllegalArgumentException("CompensationSite: a gated block is no part of a dense network");
        }
        if (first.rows() != layers.units()
                || first.columns() != layers.inputWidth()
                || second.rows() != layers.outputWidth()
                || layout.bias(hiddenLayer).isPresent() != layers.biased()) {
            throw new IllegalArgumentException(
                    "CompensationSite: hidden layer %d is not the site's block of widths %d, %d, %d"
                            .formatted(hiddenLayer, layers.inputWidth(), layers.units(), layers.outputWidth()));
        }
        Support support = Support.columns(layout, second.name(), compensators);
        for (int unit : moving) {
            support = support.and(Support.rows(layout, first.name(), unit));
            if (layers.biased()) {
                support = support.and(Support.rows(
                        layout, layout.bias(hiddenLayer).orElseThrow().name(), unit));
            }
        }
        return support;
    }

    @Override
    public String toString() {
        return "CompensationSite(moving %s, compensators %s, condition %s)"
                .formatted(Arrays.toString(moving), Arrays.toString(compensators), features.condition());
    }
}
