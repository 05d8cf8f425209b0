package org.isoloss.network;

import java.util.Arrays;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;

/**
 * The features of moving units as a function of the sums in their moving rows, {@code P = P_0 + D R}: what makes one formula
 * of plain and gated blocks.
 */
sealed interface MovingFeatures {
    /**
     * Takes the rows of units that do not move as they are on the batch.
     *
     * @param augmented as {@link SiteBlock#augmented} returns it
     */
    static MovingFeatures of(SiteBlock block, Matrix augmented, int... units) {
        return switch (block) {
            case TwoLayerBlock plain -> new Activated(plain.activation());
            case GatedRows gated ->
                switch (gated.moving()) {
                    case GATE ->
                        new Scaled(
                                gated.activation(), gated.block().upRows(units).times(augmented));
                    case GATE_AND_UP -> new Multiplied(gated.activation());
                };
        };
    }

    /** What a function makes of every entry. */
    static Matrix values(Pointwise activation, Matrix sums) {
        Matrix values = sums.copy();
        Arrays.setAll(values.entries(), i -> activation.value(values.entries()[i]));
        return values;
    }

    /** The change of every entry times the slope there. */
    static Matrix slopes(Pointwise activation, Matrix sums, Matrix change) {
        Matrix slopes = change.copy();
        Arrays.setAll(slopes.entries(), i -> slopes.entries()[i] * activation.first(sums.entries()[i]));
        return slopes;
    }

    /** From sums, one moving row a row, to features, one unit a row. */
    Matrix values(Matrix sums);

    /** The derivative of the features when the sums change. */
    Matrix derivative(Matrix sums, Matrix change);

    /** {@link #values} in a model. */
    Value record(ModelBuilder builder, Value sums);

    /** {@code sigma(P)}. */
    record Activated(Pointwise activation) implements MovingFeatures {
        @Override
        public Matrix values(Matrix sums) {
            return MovingFeatures.values(activation, sums);
        }

        @Override
        public Matrix derivative(Matrix sums, Matrix change) {
            return MovingFeatures.slopes(activation, sums, change);
        }

        @Override
        public Value record(ModelBuilder builder, Value sums) {
            return builder.apply(activation, sums);
        }
    }

    /** {@code sigma(P) . N}, with the sums N of the up projection, which stay. */
    record Scaled(Pointwise activation, Matrix up) implements MovingFeatures {
        @Override
        public Matrix values(Matrix sums) {
            return GatedBlock.entryProduct(MovingFeatures.values(activation, sums), up);
        }

        @Override
        public Matrix derivative(Matrix sums, Matrix change) {
            return GatedBlock.entryProduct(MovingFeatures.slopes(activation, sums, change), up);
        }

        @Override
        public Value record(ModelBuilder builder, Value sums) {
            return builder.product(builder.apply(activation, sums), SiteCoordinates.constant(builder, up));
        }
    }

    /** {@code sigma(P_g) . P_u}, where the rows of P_g come first and those of P_u after them. */
    record Multiplied(Pointwise activation) implements MovingFeatures {
        @Override
        public Matrix values(Matrix sums) {
            return GatedBlock.entryProduct(MovingFeatures.values(activation, half(sums, 0)), half(sums, 1));
        }

        @Override
        public Matrix derivative(Matrix sums, Matrix change) {
            Matrix gate = half(sums, 0);
            Matrix byGate = MovingFeatures.slopes(activation, gate, half(change, 0));
            return GatedBlock.entryProduct(byGate, half(sums, 1))
                    .plus(GatedBlock.entryProduct(MovingFeatures.values(activation, gate), half(change, 1)));
        }

        @Override
        public Value record(ModelBuilder builder, Value sums) {
            int units = sums.shape().size(0) / 2;
            return builder.product(
                    builder.apply(activation, builder.slice(sums, 0, 0, units)), builder.slice(sums, 0, units, units));
        }

        private static Matrix half(Matrix sums, int which) {
            int half = sums.entries().length / 2;
            return Matrix.over(
                    sums.rows() / 2,
                    sums.columns(),
                    Arrays.copyOfRange(sums.entries(), which * half, (which + 1) * half));
        }
    }
}
