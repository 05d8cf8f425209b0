package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** Draws elements of products of groups: of each Lie group one, then of each finite group one. */
final class ElementDraw {
    private final Map<Value, GaugePoint> points;
    private final GaugeAction action;
    private final double least;

    /**
     * Prepares draws.
     *
     * @param points the values
     * @param action what maps of values do to parameters
     * @param least how long elements of Lie groups are at least, as a share of a change of scales by a factor of two
     */
    ElementDraw(Map<Value, GaugePoint> points, GaugeAction action, double least) {
        this.least = least;
        this.points = points;
        this.action = action;
    }

    /**
     * Draws an element.
     *
     * @param some the groups
     * @param seed of the draws
     * @return the maps of the values that move
     */
    Map<Value, Affine> of(List<GroupFactor> some, long seed) {
        var random = new SplittableRandom(seed);
        var maps = new BlockMaps(points);
        for (GroupFactor factor : some) {
            if (factor instanceof GroupFactor.Lie lie) {
                lie.draw(
                        random.split(),
                        own -> GroupFactor.REACH * (least + (1 - least) * own.nextDouble()),
                        points,
                        maps);
            }
        }
        Map<Value, Affine> elements = maps.elements(action);
        for (GroupFactor factor : some) {
            if (factor instanceof GroupFactor.Permutations permutations) {
                permutations
                        .sources(
                                GroupFactor.Permutations.cycle(
                                        permutations.things().size(), random.split()),
                                points)
                        .forEach((value, sources) -> elements.compute(
                                value, (_, map) -> identity(map, sources.length).rows(sources)));
            } else if (factor instanceof GroupFactor.Signs signs) {
                SplittableRandom own = random.split();
                List<? extends Map<Value, int[]>> turned = signs.channels().stream()
                        .filter(channels -> own.nextBoolean()
                                || channels.equals(signs.channels().getFirst()))
                        .toList(); // never none
                signs.pattern().forEach((value, sign) -> {
                    double[] factors =
                            new double[Objects.requireNonNull(points.get(value)).width()];
                    Arrays.fill(factors, 1);
                    turned.forEach(channels -> factors[Objects.requireNonNull(channels.get(value))[0]] = sign);
                    elements.compute(
                            value, (_, map) -> identity(map, factors.length).scaled(factors));
                });
            }
        }
        return elements;
    }

    private static Affine identity(@Nullable Affine map, int width) {
        return map == null ? Affine.identity(width) : map;
    }
}
