package org.isoloss.decomposition;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * The map {@code psi = Phi phi_b phi_a^-1 Phi^-1} in output coordinates, with the partial maps of the proof of theorem
 * {@code thm:subnet-map-generation}: {@code Q_j} takes the first j components of z from psi and leaves the others.
 */
final class Increment {
    /** Central differences of a map of unit scale err by about 1e-10 with it. */
    private static final double STEP = Math.cbrt(Math.ulp(1.0));

    private static final int MOST_ITERATIONS = 200;

    /** Changes of an iteration at most this, relative to 1 and the coordinates, are rounding. */
    private static final double ROUNDING = 4 * Math.ulp(1.0);

    /** Changes up to here may stop shrinking: the arithmetic of the family is no better. */
    private static final double ARITHMETIC = 1e-12;

    private final OutputCoordinates coordinates;
    private final OutputPreservingFamily family;
    private final double from;
    private final double to;

    Increment(OutputCoordinates coordinates, OutputPreservingFamily family, double from, double to) {
        this.coordinates = coordinates;
        this.family = family;
        this.from = from;
        this.to = to;
    }

    double from() {
        return from;
    }

    double to() {
        return to;
    }

    OutputCoordinates coordinates() {
        return coordinates;
    }

    /** psi, extended by the identity to all of Euclidean space. Y is kept as given. */
    double[] value(double[] x) {
        if (!coordinates.contains(x)) {
            return x.clone();
        }
        double[] before = coordinates.toParameters(x);
        double[] carried = coordinates.from(family.carry(from, to, before));
        System.arraycopy(x, 0, carried, 0, coordinates.outputCount());
        return carried;
    }

    /** The norm of {@code D(psi - id)} at a point, by central differences. */
    double derivativeNorm(double[] x) {
        int outputs = coordinates.outputCount();
        Matrix columns = Matrix.zeros(x.length, x.length - outputs);
        for (int i = 0; i < x.length; i++) {
            double h = STEP * Math.max(1, Math.abs(x[i]));
            double[] up = x.clone();
            double[] down = x.clone();
            up[i] += h;
            down[i] -= h;
            double[] above = value(up);
            double[] below = value(down);
            for (int j = outputs; j < x.length; j++) {
                double slope = (above[j] - below[j]) / (up[i] - down[i]);
                columns.set(i, j - outputs, i == j ? slope - 1 : slope);
            }
        }
        return largestSingularValue(columns);
    }

    /** Leaves out the components that stay: of a twist all but two. */
    private static double largestSingularValue(Matrix columns) {
        Matrix rows = columns.transpose();
        double[][] changing = IntStream.range(0, rows.rows())
                .mapToObj(rows::row)
                .filter(row -> Arrays.stream(row).anyMatch(slope -> slope != 0))
                .toArray(double[][]::new);
        Matrix changes = Matrix.zeros(Math.max(1, changing.length), rows.columns());
        for (int i = 0; i < changing.length; i++) {
            System.arraycopy(changing[i], 0, changes.entries(), i * rows.columns(), rows.columns());
        }
        return Svd.valuesOf(changes)[0];
    }

    /** {@code Q_count^-1(eta)}, the fixed point of {@code x = eta - (Q_count(x) - x)}. */
    double[] partialInverse(int count, double[] eta) {
        double[] x = eta.clone();
        if (count == 0) {
            return x;
        }
        int first = coordinates.outputCount();
        double scale = 1 + Arrays.stream(eta).map(Math::abs).max().orElse(0);
        double last = Double.POSITIVE_INFINITY;
        for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
            double[] image = value(x);
            double change = 0;
            for (int i = first; i < first + count; i++) {
                double next = eta[i] - (image[i] - x[i]);
                change += (next - x[i]) * (next - x[i]);
                x[i] = next;
            }
            change = Math.sqrt(change);
            if (change <= ROUNDING * scale || (change >= last && change <= ARITHMETIC * scale)) {
                return x;
            }
            if (!(change < last)) {
                break;
            }
            last = change;
        }
        throw new ArithmeticException(
                "Decomposition: the increment from t = %s to %s is no contraction everywhere: a fixed-point iteration for %d of %d coordinates stopped shrinking at %.2e; check its derivative at more points"
                        .formatted(from, to, count, coordinates.movingCount(), last));
    }
}
