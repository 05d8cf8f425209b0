package org.isoloss.basis;

import java.util.SplittableRandom;
import org.isoloss.linalg.Centring;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;
import org.isoloss.linalg.RandomRotation;
import org.isoloss.linalg.Submatrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.AxisClass;

/** Draws what happens to one class of channels, far from the identity. */
final class ElementDraw {
    /** Scales change by a factor of two at most. */
    private static final double REACH = Math.log(2);

    private final AxisClass channels;
    private final SplittableRandom random;

    ElementDraw(AxisClass channels, SplittableRandom random) {
        this.channels = channels;
        this.random = random;
    }

    /** Adds what a factor of the group does. */
    ClassElement and(ClassElement before, Subgroup.Kind kind) {
        return switch (kind) {
            case BASIS -> before.withMatrices(matrices());
            case SCALES -> before.withScales(scales());
            case SIGNS -> before.withSigns(signs());
            case ORDERS -> before.withOrders(orders());
        };
    }

    private Matrix matrices() {
        int n = channels.size();
        Matrix all = Matrix.zeros(channels.count() * n, n);
        for (int index = 0; index < channels.count(); index++) {
            double[] one = switch (channels.kind()) {
                case ORTHOGONAL ->
                    RandomRotation.drawn(n, channels.keepsOnes(), random).entries();
                case COMMUTING -> commuting().entries();
                default ->
                    linear(n, channels.fixesOnes(), channels.fixesOnesDual()).entries();
            };
            System.arraycopy(one, 0, all.entries(), index * n * n, n * n);
        }
        return all;
    }

    /** The exponential of a matrix whose largest singular value is the reach. */
    private Matrix linear(int n, boolean fixesOnes, boolean fixesOnesDual) {
        Matrix field = Matrix.zeros(n, n);
        for (int i = 0; i < n * n; i++) {
            field.entries()[i] = random.nextGaussian();
        }
        field = fixesOnes ? Centring.of(field) : field;
        field = fixesOnesDual ? Centring.of(field.transpose()).transpose() : field;
        double length = n == 0 ? 0 : Svd.valuesOf(field)[0];
        return length == 0 ? Matrix.identity(n) : MatrixExponential.of(field.scaled(REACH / length));
    }

    private Matrix commuting() {
        int n = channels.size();
        Matrix matrix = Matrix.zeros(n, n);
        int[] still = channels.still();
        Submatrix.place(linear(still.length, false, false), matrix, still);
        for (int[] pair : channels.blocks()) {
            if (pair.length == 2) {
                double scale = Math.exp(REACH * (2 * random.nextDouble() - 1));
                double angle = 2 * Math.PI * random.nextDouble();
                matrix.set(pair[0], pair[0], scale * Math.cos(angle));
                matrix.set(pair[1], pair[1], scale * Math.cos(angle));
                matrix.set(pair[0], pair[1], -scale * Math.sin(angle));
                matrix.set(pair[1], pair[0], scale * Math.sin(angle));
            }
        }
        return matrix;
    }

    private Matrix scales() {
        Matrix scales = Matrix.zeros(channels.count() * channels.scales(), channels.scaled());
        for (int i = 0; i < scales.entries().length; i++) {
            scales.entries()[i] = REACH * (2 * random.nextDouble() - 1);
        }
        return scales;
    }

    /** Never all alike. */
    private Matrix signs() {
        Matrix signs = Matrix.zeros(channels.count() * channels.signs(), channels.scaled());
        for (int i = 0; i < signs.entries().length; i++) {
            signs.entries()[i] = i == 0 || random.nextBoolean() ? 1 : 0;
        }
        return signs;
    }

    /** One cycle through all channels. */
    private Matrix orders() {
        int n = channels.size();
        Matrix orders = Matrix.zeros(channels.count(), n);
        for (int index = 0; index < channels.count(); index++) {
            for (int i = 0; i < n; i++) {
                orders.set(index, i, i);
            }
            for (int i = n - 1; i > 0; i--) { // Sattolo's algorithm
                int j = random.nextInt(i);
                double kept = orders.get(index, i);
                orders.set(index, i, orders.get(index, j));
                orders.set(index, j, kept);
            }
        }
        return orders;
    }
}
