package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Differentiation;
import org.isoloss.model.Execution;
import org.isoloss.model.Kink;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * The half-lines along which every unit that bends stays on its side, on all inputs, and moves away from the bend: a unit that no
 * input makes active may be pushed further down, and not up for ever. They make a cone, which has a dimension of its own.
 */
final class KinkCone {
    /** A motion below this share of the largest is rounding. */
    private static final double STILL = 1e-9;
    /** The least sine by which a cone is open in all dimensions. */
    private static final double OPEN = 1e-3;
    /** How far elements lie from the axis of the cone, as a share of what it is open. */
    private static final double INSIDE = 0.9;

    private static final int ROUNDS = 4000;

    private final Moving moving;
    private final List<Kink> kinks;
    private final List<Map<String, double[]>> samples;
    private final List<double[]> numbers;

    KinkCone(Moving moving, List<Map<String, double[]>> samples) {
        this.moving = moving;
        this.kinks = Kink.of(moving.model());
        this.samples = samples;
        this.numbers =
                moving.model().computed(kinks.stream().map(Kink::argument).toList(), samples);
    }

    /**
     * Draws half-lines out of a space of directions in which the outputs stay near here.
     *
     * @param directions orthonormal columns
     * @param count how many half-lines
     * @param random of the draws
     * @return one a column, of length 1; null where the cone is not open in all dimensions of the space
     */
    @Nullable
    Matrix drawn(Matrix directions, int count, SplittableRandom random) {
        if (kinks.isEmpty()) {
            return null;
        }
        Matrix rows = rows(directions);
        if (rows.rows() == 0) {
            return null;
        }
        double[] axis = axis(rows);
        double open = least(rows, axis);
        if (open < OPEN) {
            return null;
        }
        int k = directions.columns();
        Matrix drawn = Matrix.zeros(k, count);
        for (int column = 0; column < count; column++) {
            double[] off = random.doubles(k).map(_ -> random.nextGaussian()).toArray();
            double size = Matrix.over(1, k, off).frobeniusNorm();
            for (int i = 0; i < k; i++) {
                drawn.set(i, column, axis[i] + INSIDE * open * off[i] / size);
            }
        }
        return directions.times(drawn);
    }

    /** For each entry that the directions move, on each sample, how fast they move it away from its bend; rows of length 1. */
    private Matrix rows(Matrix directions) {
        int size =
                kinks.stream().mapToInt(kink -> kink.argument().shape().count()).sum();
        int k = directions.columns();
        Matrix motions = motions(directions, size);
        double bound = STILL * motions.largestMagnitude();
        Matrix rows = Matrix.zeros(samples.size() * size, k);
        int kept = 0;
        for (int sample = 0; sample < samples.size(); sample++) {
            int at = sample * size;
            for (int i = 0; i < kinks.size(); i++) {
                int count = kinks.get(i).argument().shape().count();
                for (int entry = 0; entry < count; entry++, at++) {
                    double norm = 0;
                    for (int j = 0; j < k; j++) {
                        norm = Math.hypot(norm, motions.get(j, at));
                    }
                    double side = numbers.get(i)[sample * count + entry] > 0 ? 1 : -1;
                    for (int j = 0; j < k && norm > bound; j++) {
                        rows.set(kept, j, side * motions.get(j, at) / norm);
                    }
                    kept += norm > bound ? 1 : 0;
                }
            }
        }
        return rows.rows(0, kept);
    }

    /** For each direction how it moves all arguments of kinks, on one sample after the other. */
    private Matrix motions(Matrix directions, int size) {
        Model model = moving.model();
        ModelBuilder builder = model.extended();
        Map<Value, Value> changes = new LinkedHashMap<>();
        moving.places().keySet().forEach(name -> {
            Value tensor = model.parameter(name);
            changes.put(
                    tensor, builder.input("change of " + name, tensor.shape().toArray()));
        });
        List<Value> moved = Differentiation.tangents(
                builder, kinks.stream().map(Kink::argument).toList(), changes);
        Execution execution = Execution.of(Precision.FLOAT64, moved);
        Matrix motions = Matrix.zeros(directions.columns(), samples.size() * size);
        for (int sample = 0; sample < samples.size(); sample++) {
            model.setInputs(execution, samples.get(sample));
            for (int j = 0; j < directions.columns(); j++) {
                int place = 0;
                for (Map.Entry<String, int[]> entry : moving.places().entrySet()) {
                    Value change = Objects.requireNonNull(changes.get(model.parameter(entry.getKey())));
                    double[] numbers = new double[change.shape().count()];
                    for (int at : entry.getValue()) {
                        numbers[at] = directions.get(place++, j);
                    }
                    if (execution.reads(change)) {
                        execution.set(change, numbers);
                    }
                }
                execution.run();
                int from = j * motions.columns() + sample * size;
                for (Value value : moved) {
                    execution.copy(value, motions.entries(), from);
                    from += value.shape().count();
                }
            }
        }
        return motions;
    }

    /**
     * The direction that is nearest to all rows: their hull's point nearest to 0, of length 1.
     *
     * @see "Wolfe, Finding the nearest point in a polytope, Math. Programming 11 (1976): here by single vertices"
     */
    private static double[] axis(Matrix rows) {
        double[] point = rows.row(0);
        for (int round = 0; round < ROUNDS; round++) {
            double[] vertex = rows.row(leastAt(rows, point));
            double cross = 0;
            double square = 0;
            for (int i = 0; i < point.length; i++) {
                cross += point[i] * (point[i] - vertex[i]);
                square += (point[i] - vertex[i]) * (point[i] - vertex[i]);
            }
            if (cross <= 1e-12 || square == 0) {
                break;
            }
            double share = Math.min(1, cross / square);
            Arrays.setAll(vertex, i -> share * (vertex[i] - point[i]));
            for (int i = 0; i < point.length; i++) {
                point[i] += vertex[i];
            }
        }
        double size = Matrix.over(1, point.length, point).frobeniusNorm();
        return Arrays.stream(point).map(x -> size == 0 ? 0 : x / size).toArray();
    }

    private static int leastAt(Matrix rows, double[] point) {
        int at = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int row = 0; row < rows.rows(); row++) {
            double product = product(rows, row, point);
            if (product < least) {
                least = product;
                at = row;
            }
        }
        return at;
    }

    private static double least(Matrix rows, double[] point) {
        return product(rows, leastAt(rows, point), point);
    }

    private static double product(Matrix rows, int row, double[] point) {
        double product = 0;
        for (int i = 0; i < point.length; i++) {
            product += rows.entries()[row * point.length + i] * point[i];
        }
        return product;
    }
}
