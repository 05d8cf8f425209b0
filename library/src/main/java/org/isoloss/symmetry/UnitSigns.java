package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.isoloss.model.Value;

/**
 * The signs of units: of the weights that change sign with a unit, the largest of the first tensor on the way becomes positive.
 * Units are taken in the order of those tensors, so that what goes into a unit is decided before it.
 */
final class UnitSigns {
    private final WeightChannels channels;
    private final double[] parameters;
    private final int[] ranks;
    private double gap = 1;

    /**
     * Prepares.
     *
     * @param channels which parameters they multiply
     * @param parameters numbers; not modified
     * @param ranks for each parameter when its tensor is first used, from 0
     */
    UnitSigns(WeightChannels channels, double[] parameters, int[] ranks) {
        this.channels = channels;
        this.parameters = parameters.clone();
        this.ranks = ranks;
    }

    /** A unit that can change its sign, with the parameters that change theirs. */
    private record Unit(Map<Value, Integer> pattern, Map<Value, int[]> channels, List<Integer> places, int rank) {}

    /**
     * Chooses signs.
     *
     * @param factors groups of signs
     * @param points all values that may be moved
     * @return the maps of the values that move
     */
    Map<Value, Affine> elements(List<GroupFactor.Signs> factors, Map<Value, GaugePoint> points) {
        Map<Value, double[]> signs = new LinkedHashMap<>();
        factors.stream()
                .flatMap(factor -> factor.channels().stream().map(own -> unit(factor.pattern(), own)))
                .sorted((one, other) -> Integer.compare(one.rank, other.rank))
                .filter(this::isTurned)
                .forEach(unit -> unit.pattern.forEach((value, sign) -> {
                    double[] all = signs.computeIfAbsent(value, _ -> ones(points, value));
                    all[Objects.requireNonNull(unit.channels.get(value))[0]] *= sign;
                }));
        Map<Value, Affine> elements = new LinkedHashMap<>();
        signs.forEach(
                (value, own) -> elements.put(value, Affine.identity(own.length).scaled(own)));
        return elements;
    }

    private static double[] ones(Map<Value, GaugePoint> points, Value value) {
        double[] ones = new double[Objects.requireNonNull(points.get(value)).width()];
        Arrays.fill(ones, 1);
        return ones;
    }

    private Unit unit(Map<Value, Integer> pattern, Map<Value, int[]> own) {
        Map<Integer, Boolean> odd = new HashMap<>();
        pattern.forEach((value, sign) -> {
            if (sign < 0) {
                channels.of(value, Objects.requireNonNull(own.get(value))[0])
                        .forEach(entry -> odd.merge(entry.place(), true, Boolean::logicalXor));
            }
        });
        List<Integer> places = odd.keySet().stream().filter(odd::get).sorted().toList();
        int rank = places.stream().mapToInt(place -> ranks[place]).min().orElse(Integer.MAX_VALUE);
        return new Unit(pattern, own, places, rank);
    }

    /** Whether a unit changes its sign; its parameters are changed. */
    private boolean isTurned(Unit unit) {
        double positive = 0;
        double negative = 0;
        for (int place : unit.places) {
            if (ranks[place] == unit.rank) {
                positive = Math.max(positive, parameters[place]);
                negative = Math.max(negative, -parameters[place]);
            }
        }
        double larger = Math.max(positive, negative);
        gap = larger == 0 ? gap : Math.min(gap, Math.abs(positive - negative) / larger);
        if (positive >= negative) {
            return false;
        }
        unit.places.forEach(place -> parameters[place] = -parameters[place]);
        return true;
    }

    /** The least relative difference between the largest positive and the largest negative number that decided. */
    double gap() {
        return gap;
    }
}
