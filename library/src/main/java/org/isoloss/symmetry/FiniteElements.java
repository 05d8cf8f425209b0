package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;

/** Random elements of families, far from the identity. */
final class FiniteElements {
    /** A change of scales by a factor of two. */
    static final double REACH = Math.log(2);

    /** Entries of a map below this share of the largest are what rounding left of zeros. */
    private static final double NOISE = 1e-9;

    /** How far from the identity, as a share of the reach, the beginning of a motion is measured. */
    private static final double NEAR = 1e-4;

    /** The same for a rule of five points, whose error is of the fourth order. */
    private static final double AWAY = 1e-3;

    /** A motion slower than this share of the parameters is rounding. */
    private static final double STILL = 1e-7;

    private final SymmetrySpace space;
    private final GaugeAction action;
    private final ValueCut cut;
    private final Moving moving;

    /**
     * Prepares elements.
     *
     * @param space the directions
     * @param action what maps of values do to parameters
     * @param cut the values between the uses of parameters
     * @param moving the parameters
     */
    FiniteElements(SymmetrySpace space, GaugeAction action, ValueCut cut, Moving moving) {
        this.space = space;
        this.action = action;
        this.cut = cut;
        this.moving = moving;
    }

    /**
     * Draws an element, and of what moves along lines its inverse too: one that holds on one side alone is no element of a group.
     *
     * @param family what it is drawn from
     * @param random of the draws
     * @return the parameters that each makes
     */
    List<double[]> drawn(FamilySearch.Found family, SplittableRandom random) {
        double[] weights = new double[family.combinations().columns()];
        Arrays.setAll(weights, _ -> random.nextGaussian());
        Matrix combination = family.combinations().times(Matrix.over(weights.length, 1, weights));
        return family.values().isEmpty()
                ? List.of(translated(combination, 1), translated(combination, -1))
                : List.of(element(family, combination, 1));
    }

    /**
     * Computes what a family does to the parameters near the identity, from its elements on both sides of it.
     *
     * @param family any
     * @return for each of its combinations the direction in which the parameters begin to move, of length 1, one a column; those
     *     that do not move are left out
     */
    Matrix fields(FamilySearch.Found family) {
        Matrix fields = Matrix.zeros(moving.count(), 0);
        for (int column = 0; column < family.combinations().columns(); column++) {
            Matrix combination = Matrix.over(
                    family.combinations().rows(), 1, family.combinations().column(column));
            double[] ahead = element(family, combination, NEAR);
            double[] behind = element(family, combination, -NEAR);
            Arrays.setAll(ahead, i -> ahead[i] - behind[i]);
            Matrix field = Matrix.over(ahead.length, 1, ahead);
            double norm = field.frobeniusNorm();
            if (norm > STILL * NEAR * Matrix.over(1, behind.length, behind).frobeniusNorm()) {
                fields = FamilySearch.beside(fields, field.scaled(1 / norm));
            }
        }
        return fields;
    }

    /**
     * Computes what {@link #fields} does, to about eleven digits, from twice as many elements.
     *
     * @param family any
     * @return the same, one a column
     * @see "Abramowitz and Stegun, Handbook of Mathematical Functions, 25.3.21: five points"
     */
    Matrix generators(FamilySearch.Found family) {
        Matrix generators = Matrix.zeros(moving.count(), 0);
        for (int column = 0; column < family.combinations().columns(); column++) {
            Matrix combination = Matrix.over(
                    family.combinations().rows(), 1, family.combinations().column(column));
            double[] ahead = element(family, combination, AWAY);
            double[] behind = element(family, combination, -AWAY);
            double[] twiceAhead = element(family, combination, 2 * AWAY);
            double[] twiceBehind = element(family, combination, -2 * AWAY);
            Matrix field = Matrix.zeros(moving.count(), 1);
            Arrays.setAll(field.entries(), i -> 8 * (ahead[i] - behind[i]) - (twiceAhead[i] - twiceBehind[i]));
            double norm = field.frobeniusNorm();
            if (norm > 6 * STILL * AWAY * Matrix.over(1, behind.length, behind).frobeniusNorm()) {
                generators = FamilySearch.beside(generators, field.scaled(1 / norm));
            }
        }
        return generators;
    }

    /**
     * Makes an element.
     *
     * @param family it is of
     * @param combination of the directions of the symmetry space, one column
     * @param share how far it is from the identity; at 1 as a change of scales by a factor of two
     * @return the parameters that it makes
     */
    double[] element(FamilySearch.Found family, Matrix combination, double share) {
        return family.values().isEmpty()
                ? translated(combination, share)
                : action.moved(exponential(family, combination, share));
    }

    /** Along a direction in which the function is constant, as far as so many typical parameters are long. */
    private double[] translated(Matrix combination, double share) {
        Matrix direction = space.directions().times(combination);
        double[] parameters = moving.origin();
        double step = share * reach(parameters, direction) / direction.frobeniusNorm();
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] += step * direction.get(i, 0);
        }
        return parameters;
    }

    /** How far is far from the identity: as long as so many typical parameters as move. */
    static double reach(double[] parameters, Matrix direction) {
        double largest = direction.largestMagnitude();
        double own = 0;
        double all = 0;
        int moved = 0;
        for (int i = 0; i < parameters.length; i++) {
            boolean moves = Math.abs(direction.get(i, 0)) > NOISE * largest;
            all += parameters[i] * parameters[i] / parameters.length;
            own += moves ? parameters[i] * parameters[i] : 0;
            moved += moves ? 1 : 0;
        }
        return Math.sqrt(Math.max(own, moved * all));
    }

    private Map<Value, Affine> exponential(FamilySearch.Found family, Matrix combination, double share) {
        Map<Value, Matrix> maps = maps(cut.linked(family.values()), combination);
        double largest = 0;
        double shift = 0;
        for (GaugePoint point : space.gaugePoints()) {
            Matrix map = maps.get(point.value());
            if (map != null) {
                largest = Math.max(largest, Affine.norm(map));
                double rms = point.numbers().frobeniusNorm()
                        / Math.sqrt(point.numbers().entries().length);
                for (double entry : Affine.of(map).shift()) {
                    shift = Math.max(shift, Math.abs(entry) / Math.max(rms, Double.MIN_NORMAL));
                }
            }
        }
        double scale = share * REACH / Math.max(largest, shift);
        Map<Value, Affine> elements = new LinkedHashMap<>();
        maps.forEach((value, map) -> elements.put(value, Affine.exponential(map.scaled(scale))));
        action.throughScales(maps, scale, elements);
        return elements;
    }

    /** The maps near the identity that a combination of directions makes of values. */
    Map<Value, Matrix> maps(Set<Value> values, Matrix combination) {
        Map<Value, Matrix> maps = new LinkedHashMap<>();
        for (Value value : values) {
            maps.put(value, space.maps(value).combined(combination).whole().getFirst());
        }
        double largest = maps.values().stream()
                .mapToDouble(Matrix::largestMagnitude)
                .max()
                .orElse(0);
        maps.values()
                .forEach(map -> Arrays.setAll(
                        map.entries(), i -> Math.abs(map.entries()[i]) <= NOISE * largest ? 0 : map.entries()[i]));
        return maps;
    }
}
