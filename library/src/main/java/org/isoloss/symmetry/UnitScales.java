package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.DoubleStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * Scales and shifts of units that make the weights short. Scales, which commute up to shifts, are balanced on the numbers that no
 * shift touches; then the shifts are chosen by least squares. So the result does not depend on where it starts, though scales
 * and shifts together are no reductive group.
 */
final class UnitScales {
    private static final double ZERO = 1e-10;
    private static final double NEAR = 1e-7;
    private static final int SHIFT_ROUNDS = 3;
    private static final int MOST_SHIFTS = 20000;

    private final Map<Value, GaugePoint> points;
    private final GaugeAction action;
    private final Map<Value, Affine> before;
    private final List<LinkAlgebra.Block> blocks;
    private final List<Shift> shifts = new ArrayList<>();
    private Map<Value, Affine> elements = Map.of();
    private int unbounded;

    /** A shift of a block's channels. */
    private record Shift(LinkAlgebra.Block block, Map<Value, Matrix> map) {}

    /**
     * Finds them.
     *
     * @param blocks all with diagonal maps
     * @param others of which the shifts alone are chosen
     * @param points all values that may be moved
     * @param action what maps do to parameters
     * @param before maps that come first
     */
    UnitScales(
            List<LinkAlgebra.Block> blocks,
            List<LinkAlgebra.Block> others,
            Map<Value, GaugePoint> points,
            GaugeAction action,
            Map<Value, Affine> before) {
        this.points = points;
        this.action = action;
        this.before = before;
        this.blocks = blocks;
        blocks.forEach(this::addShifts);
        others.forEach(this::addShifts);
        if (shifts.size() > MOST_SHIFTS) {
            throw new IllegalArgumentException(
                    "the units have %d shifts, and at most %d are chosen".formatted(shifts.size(), MOST_SHIFTS));
        }
        double[] factors = new double[shifts.size()];
        double[] logarithms = balanced();
        for (int round = 0; round < SHIFT_ROUNDS && !shifts.isEmpty(); round++) {
            double[] more = directions(factors, logarithms).factors();
            for (int k = 0; k < factors.length; k++) {
                factors[k] += more[k];
            }
        }
        this.elements = maps(factors, logarithms);
    }

    /** Whether no map of a block mixes its channels. */
    static boolean isDiagonal(LinkAlgebra.Block block) {
        for (Map<Value, Matrix> element : block.basis()) {
            for (Matrix map : element.values()) {
                for (int i = 0; i < map.rows(); i++) {
                    for (int j = 0; j < map.rows(); j++) {
                        if (i != j && Math.abs(map.get(i, j)) > ZERO) {
                            return false;
                        }
                    }
                }
            }
        }
        return true;
    }

    /** The combinations of a block's basis that scale nothing. */
    private void addShifts(LinkAlgebra.Block block) {
        int count = block.basis().size();
        List<double[]> matrices = new ArrayList<>();
        for (Map<Value, Matrix> element : block.basis()) {
            matrices.add(block.channels().keySet().stream()
                    .flatMapToDouble(value -> matrix(element.get(value)))
                    .toArray());
        }
        int rows = Math.max(count, matrices.getFirst().length);
        Matrix linear = Matrix.zeros(rows, count);
        for (int k = 0; k < count; k++) {
            for (int i = 0; i < matrices.get(k).length; i++) {
                linear.set(i, k, matrices.get(k)[i]);
            }
        }
        Matrix none = linear.largestMagnitude() <= ZERO
                ? Matrix.identity(count)
                : Svd.of(linear).nullSpace(ZERO);
        for (int column = 0; column < none.columns(); column++) {
            Map<Value, Matrix> map = new LinkedHashMap<>();
            for (int k = 0; k < count; k++) {
                double factor = none.get(k, column);
                block.basis().get(k).forEach((value, own) -> map.merge(value, own.scaled(factor), Matrix::plus));
            }
            shifts.add(new Shift(block, map));
        }
    }

    private static DoubleStream matrix(@Nullable Matrix map) {
        return map == null
                ? DoubleStream.empty()
                : Arrays.stream(Affine.of(map).matrix().entries());
    }

    /** The logarithms of the elements of all bases. */
    private double[] balanced() {
        double[] origin = action.moved(before);
        Set<Value> values = new LinkedHashSet<>();
        blocks.forEach(block -> values.addAll(block.channels().keySet()));
        var channels = new WeightChannels(values, points, action, before, origin);
        List<Map<Integer, Double>> exponents = new ArrayList<>();
        for (LinkAlgebra.Block block : blocks) {
            block.basis().forEach(element -> exponents.add(exponents(block, element, channels)));
        }
        if (!shifts.isEmpty()) {
            origin = unshifted(directions(new double[shifts.size()], new double[exponents.size()]), exponents);
        }
        var balance = new ScaleBalance(origin, exponents);
        unbounded = balance.unbounded();
        return balance.logarithms();
    }

    /**
     * The parameters as far as no shift changes them: without their part along a shift, where scales leave its direction, and zero
     * where they turn it.
     */
    private static double[] unshifted(LeastShift least, List<Map<Integer, Double>> exponents) {
        Map<Integer, Map<Integer, Double>> byPlace = new HashMap<>();
        for (int k = 0; k < exponents.size(); k++) {
            int scale = k;
            exponents.get(k).forEach((place, exponent) -> {
                if (exponent != 0) {
                    byPlace.computeIfAbsent(place, _ -> new HashMap<>()).put(scale, exponent);
                }
            });
        }
        Set<Integer> turned = new LinkedHashSet<>();
        Set<Integer> lost = new LinkedHashSet<>();
        for (int k = 0; k < least.count(); k++) {
            int[] places = least.places(k);
            if (!isAlike(places, byPlace)) {
                turned.add(k);
                Arrays.stream(places).forEach(lost::add);
            }
        }
        double[] left = least.without(turned).shortest();
        lost.forEach(place -> left[place] = 0);
        return left;
    }

    private static boolean isAlike(int[] places, Map<Integer, Map<Integer, Double>> byPlace) {
        Map<Integer, Double> first = places.length == 0 ? Map.of() : byPlace.getOrDefault(places[0], Map.of());
        return Arrays.stream(places).allMatch(place -> {
            Map<Integer, Double> own = byPlace.getOrDefault(place, Map.of());
            return own.keySet().equals(first.keySet())
                    && own.entrySet().stream()
                            .allMatch(entry ->
                                    Math.abs(entry.getValue() - first.getOrDefault(entry.getKey(), 0.0)) <= NEAR);
        });
    }

    private static Map<Integer, Double> exponents(
            LinkAlgebra.Block block, Map<Value, Matrix> element, WeightChannels channels) {
        Map<Integer, Double> exponents = new HashMap<>();
        element.forEach((value, map) -> {
            int[] own = Objects.requireNonNull(block.channels().get(value));
            for (int i = 0; i < own.length; i++) {
                double exponent = map.get(i, i);
                if (Math.abs(exponent) > ZERO) {
                    channels.of(value, own[i])
                            .forEach(entry -> exponents.merge(entry.place(), entry.sign() * exponent, Double::sum));
                }
            }
        });
        // what the noise of a basis leaves of an exponent that is none
        exponents.replaceAll((_, exponent) -> Math.abs(exponent) > ZERO ? exponent : 0.0);
        return exponents;
    }

    private LeastShift directions(double[] factors, double[] logarithms) {
        double[] origin = action.moved(Affine.then(before, maps(factors, logarithms)));
        double size = 0;
        for (double number : origin) {
            size = Math.max(size, Math.abs(number));
        }
        LeastShift least = new LeastShift(origin);
        for (int k = 0; k < factors.length; k++) {
            double[] shifted = factors.clone();
            shifted[k]++;
            least.add(action.moved(Affine.then(before, maps(shifted, logarithms))), ZERO * size);
        }
        return least;
    }

    /** The shifts, then the scales. */
    private Map<Value, Affine> maps(double[] factors, double[] logarithms) {
        var maps = new BlockMaps(points);
        for (int k = 0; k < factors.length; k++) {
            if (factors[k] != 0) {
                maps.add(shifts.get(k).block().channels(), shifts.get(k).map(), factors[k]);
            }
        }
        int at = 0;
        for (LinkAlgebra.Block block : blocks) {
            Map<Value, Matrix> near = new LinkedHashMap<>();
            for (Map<Value, Matrix> element : block.basis()) {
                double length = logarithms[at++];
                element.forEach((value, map) -> near.merge(value, map.scaled(length), Matrix::plus));
            }
            if (near.values().stream().anyMatch(map -> map.largestMagnitude() != 0)) {
                maps.add(block.channels(), near, 1);
            }
        }
        return maps.elements(action);
    }

    /** The maps of the values that move. */
    Map<Value, Affine> elements() {
        return elements;
    }

    /** How many scales have on one side nothing but zeros and what shifts turn, so that they stay. */
    int unbounded() {
        return unbounded;
    }
}
