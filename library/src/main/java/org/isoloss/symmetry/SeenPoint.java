package org.isoloss.symmetry;

import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Value;

/** What outputs see of a value that may be moved, and which affine maps explain its motions as far as they see them. */
final class SeenPoint {
    /** Singular values below this share of the largest are taken for zeros. */
    private static final double RANK = 1e-9;

    private final GaugePoint point;
    private final Matrix seen;
    private final boolean[] read;
    private final AffineFit functions;

    /**
     * Finds out what is seen.
     *
     * @param point the value
     * @param gradients of some outputs in the value, each of its shape, on some samples, one a row
     */
    SeenPoint(GaugePoint point, Matrix gradients) {
        this.point = point;
        Matrix seenBy = point.arranged(gradients.entries());
        this.read = new boolean[point.carried()];
        double largest = gradients.largestMagnitude();
        for (int row = 0; row < seenBy.rows(); row++) {
            for (double entry : seenBy.row(row)) {
                read[row % read.length] |= Math.abs(entry) > RANK * largest;
            }
        }
        this.seen = rowSpace(seenBy);
        this.functions = AffineFit.of(readRows(point.numbers()));
    }

    /** Orthonormal columns that span the rows: what is seen. */
    private static Matrix rowSpace(Matrix rows) {
        Svd svd = Svd.of(rows);
        int rank = svd.singularValues().length == 0 || svd.singularValues()[0] == 0 ? 0 : svd.rank(RANK);
        return AffineFit.columns(svd.right(), rank);
    }

    private Matrix readRows(Matrix all) {
        int count = 0;
        for (int row = 0; row < all.rows(); row++) {
            count += read[row % read.length] ? 1 : 0;
        }
        Matrix kept = Matrix.zeros(count, all.columns());
        int next = 0;
        for (int row = 0; row < all.rows(); row++) {
            if (read[row % read.length]) {
                System.arraycopy(
                        all.entries(), row * all.columns(), kept.entries(), next++ * all.columns(), all.columns());
            }
        }
        return kept;
    }

    GaugePoint point() {
        return point;
    }

    Value value() {
        return point.value();
    }

    /** An orthonormal basis of the directions of the channels that some output sees, one a column. */
    Matrix seen() {
        return seen;
    }

    /** How many numbers {@link Fit#motion} has. */
    int sizeOfMotion() {
        return functions.functions().columns() * seen.columns();
    }

    /**
     * Computes what is seen of the motion that a map of some channels makes, as {@link Fit#motion} has it.
     *
     * @param channels that the map moves, n of them
     * @param map of these channels, shape (n, n + 1)
     */
    double[] motion(int[] channels, Matrix map) {
        Matrix own = Matrix.zeros(channels.length, seen.columns());
        for (int i = 0; i < channels.length; i++) {
            System.arraycopy(
                    seen.entries(), channels[i] * seen.columns(), own.entries(), i * seen.columns(), seen.columns());
        }
        return functions.moved(channels, map).times(own).entries();
    }

    /**
     * Explains a motion of the value by an affine map of its channels.
     *
     * @param motion of the value on all samples, one sample after the other
     * @return what the map makes and what it leaves
     */
    Fit fit(double[] motion) {
        Matrix all = point.arranged(motion);
        Matrix moved = readRows(all);
        Matrix inner = functions.coordinates(moved);
        return new Fit(
                inner.times(seen).entries(),
                functions.residual(moved).times(seen).entries(),
                all.frobeniusNorm() / functions.size());
    }

    /**
     * A motion as far as an affine map of the channels makes it.
     *
     * @param motion coordinates of what is seen of the motion that the map makes, in an orthonormal basis, over the value's size
     * @param residual what the map leaves of the motion that is seen, over the value's size
     * @param distance how far the value moves, seen or not, over its size
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Fit(double[] motion, double[] residual, double distance) {}
}
