package org.isoloss.fields;

import java.util.Arrays;
import java.util.function.IntFunction;
import org.isoloss.action.FieldDerivative;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;

/**
 * The action of a group whose Lie algebra fields represent, by integrating them: {@code exp(t h_i)} moves a point along
 * {@code v_i} for the time t, a word along its factors one after the other, and a matrix near the identity along the field of
 * its logarithm. Where brackets hold exactly and flows are complete, this is the action of the simply connected group (the
 * theorem of Lie and Palais); for learned fields the laws hold as far as the brackets do, and are to be measured.
 *
 * <p>A word is a path, so words act for the simply connected group, whose elements the matrices need not tell apart: a whole turn
 * of so(3) may move points. Flows are those of Runge and Kutta of order 4, with steps of at most 1/{@value #STEPS_PER_UNIT} of a
 * generator of norm 1; with fields that change no faster than their group their error is about 1e-8.
 */
public final class IntegratedAction implements FieldDerivative {
    private static final int STEPS_PER_UNIT = 32;
    private static final int MOST_ITERATIONS = 50;
    private static final double LOGARITHM_TOLERANCE = 1e-12;
    private static final double RANK_TOLERANCE = 1e-9;

    private final LearnedFields fields;
    private final Generators generators;
    private final Matrix span;

    /**
     * Makes the action.
     *
     * @param fields r of them, one for each generator
     * @param generators independent matrices, whose brackets the fields have
     */
    public IntegratedAction(LearnedFields fields, Generators generators) {
        if (fields.shape().count() != generators.count()) {
            throw new IllegalArgumentException("IntegratedAction: %d fields for %d generators, expected one for each"
                    .formatted(fields.shape().count(), generators.count()));
        }
        this.fields = fields;
        this.generators = generators;
        int area = generators.size() * generators.size();
        span = Matrix.zeros(area, generators.count());
        for (int i = 0; i < generators.count(); i++) {
            for (int a = 0; a < area; a++) {
                span.set(a, i, generators.get(i).entries()[a]);
            }
        }
    }

    @Override
    public Generators generators() {
        return generators;
    }

    @Override
    public int parameterCount() {
        return fields.shape().parameterCount();
    }

    /** Moves along the factors, one flow after the other. */
    @Override
    public double[] apply(GroupWord word, double[] point) {
        return along(word, Matrix.of(1, point.length, point)).row(0);
    }

    /**
     * Moves several points by one word: an ordered product of flows.
     *
     * @param word in the generators
     * @param points theta, shape (n, p); not modified
     * @return the moved points, shape (n, p)
     */
    public Matrix along(GroupWord word, Matrix points) {
        Matrix moved = points;
        for (GroupWord.Factor factor : word.factors()) {
            double[] coordinates = new double[generators.count()];
            coordinates[factor.generator()] = factor.coefficient();
            moved = flow(_ -> coordinates, moved);
        }
        return moved.copy();
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        require(elements, parameters);
        double[][] coordinates = new double[parameters.rows()][];
        for (int row = 0; row < coordinates.length; row++) {
            coordinates[row] = logarithm(Matrix.over(generators.size(), generators.size(), elements.row(row)));
        }
        return flow(row -> coordinates[row], parameters);
    }

    /**
     * Returns the coordinates of the element of the algebra whose exponential is a matrix, by Gauss and Newton from 0.
     *
     * @param element g, shape (s, s), near the identity; not modified
     * @return length r
     * @throws IllegalArgumentException when no such element is found
     */
    public double[] logarithm(Matrix element) {
        int count = generators.count();
        int area = span.rows();
        double[] coordinates = new double[count];
        for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
            Matrix exponent = combination(coordinates);
            Matrix gap = element.minus(MatrixExponential.of(exponent));
            if (gap.frobeniusNorm() <= LOGARITHM_TOLERANCE * element.frobeniusNorm()) {
                return coordinates;
            }
            Matrix slopes = Matrix.zeros(area, count);
            for (int i = 0; i < count; i++) {
                double[] slope = MatrixExponential.derivative(exponent, generators.get(i))
                        .entries();
                for (int a = 0; a < area; a++) {
                    slopes.set(a, i, slope[a]);
                }
            }
            double[] step = LeastSquares.of(slopes, Matrix.over(area, 1, gap.entries()), RANK_TOLERANCE)
                    .solution()
                    .entries();
            for (int i = 0; i < count; i++) {
                coordinates[i] += step[i];
            }
            if (!(Matrix.over(1, count, coordinates).frobeniusNorm() < Math.PI * count)) {
                break;
            }
        }
        throw new IllegalArgumentException(
                "IntegratedAction: the element %s has no logarithm near 0 among the generators; give a word, which is a path"
                        .formatted(Arrays.toString(element.entries())));
    }

    private void require(Matrix matrices, Matrix parameters) {
        int area = span.rows();
        if (matrices.rows() != parameters.rows()
                || matrices.columns() != area
                || parameters.columns() != parameterCount()) {
            throw new IllegalArgumentException(
                    "IntegratedAction: %d matrices of %d entries for %d points of %d parameters, expected one of %d for each, of %d"
                            .formatted(
                                    matrices.rows(),
                                    matrices.columns(),
                                    parameters.rows(),
                                    parameters.columns(),
                                    area,
                                    parameterCount()));
        }
    }

    private Matrix combination(double[] coordinates) {
        return Matrix.over(
                generators.size(),
                generators.size(),
                span.times(Matrix.over(coordinates.length, 1, coordinates)).entries());
    }

    /** Each point along the combination of its coordinates, for the time 1. */
    private Matrix flow(IntFunction<double[]> coordinates, Matrix from) {
        double longest = 0;
        for (int row = 0; row < from.rows(); row++) {
            double length = 0;
            for (int i = 0; i < generators.count(); i++) {
                length += Math.abs(coordinates.apply(row)[i]) * generators.norm(i);
            }
            longest = Math.max(longest, length);
        }
        int steps = Math.max(1, (int) Math.ceil(STEPS_PER_UNIT * longest));
        double h = 1.0 / steps;
        Matrix points = from;
        for (int step = 0; step < steps; step++) {
            Matrix k1 = combined(coordinates, points);
            Matrix k2 = combined(coordinates, points.plus(k1.scaled(h / 2)));
            Matrix k3 = combined(coordinates, points.plus(k2.scaled(h / 2)));
            Matrix k4 = combined(coordinates, points.plus(k3.scaled(h)));
            points = points.plus(k1.plus(k4).plus(k2.plus(k3).scaled(2)).scaled(h / 6));
        }
        return points;
    }

    private Matrix combined(IntFunction<double[]> coordinates, Matrix points) {
        return combined(coordinates, points.rows(), fields.at(points));
    }

    private Matrix combined(IntFunction<double[]> coordinates, int rows, Matrix all) {
        int p = parameterCount();
        Matrix sum = Matrix.zeros(rows, p);
        for (int row = 0; row < rows; row++) {
            double[] own = coordinates.apply(row);
            for (int i = 0; i < own.length; i++) {
                for (int a = 0; a < p; a++) {
                    sum.entries()[row * p + a] += own[i] * all.get(row, i * p + a);
                }
            }
        }
        return sum;
    }

    /** Coordinates of matrices that should be in the algebra: the nearest combination of generators. */
    private IntFunction<double[]> coordinates(Matrix directions) {
        Matrix solved = LeastSquares.of(span, directions.transpose(), RANK_TOLERANCE)
                .solution()
                .transpose();
        return solved::row;
    }

    @Override
    public Matrix field(Matrix directions, Matrix parameters) {
        require(directions, parameters);
        return combined(coordinates(directions), parameters);
    }

    @Override
    public Matrix fieldDerivative(Matrix directions, Matrix parameters, Matrix velocities) {
        return combined(coordinates(directions), parameters.rows(), fields.derivative(parameters, velocities));
    }

    /** Along {@code h g}: the field of h where g leads, which is the transport law. */
    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        int size = generators.size();
        Matrix right = Matrix.zeros(elements.rows(), size * size);
        for (int row = 0; row < elements.rows(); row++) {
            Matrix element = Matrix.over(size, size, elements.row(row));
            Matrix tangent = Matrix.over(size, size, directions.row(row));
            double[] quotient = LinearSolve.of(element.transpose())
                    .solve(tangent.transpose())
                    .transpose()
                    .entries();
            System.arraycopy(quotient, 0, right.entries(), row * size * size, size * size);
        }
        return field(right, apply(elements, parameters));
    }
}
