package org.isoloss.fields;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.jspecify.annotations.Nullable;

/** Fields {@code v_1 .. v_r} on p parameters as they were learned, in float64. Immutable. */
public final class LearnedFields {
    private final FieldShape shape;
    private final List<Matrix> weights = new ArrayList<>();
    private final List<Matrix> biases = new ArrayList<>();

    /**
     * Takes weights.
     *
     * @param shape of the fields
     * @param numbers weight (inputs, outputs) and bias of each layer, flattened, first layer first; copied
     */
    public LearnedFields(FieldShape shape, List<double[]> numbers) {
        this.shape = shape;
        for (int layer = 0; layer <= shape.depth(); layer++) {
            weights.add(Matrix.of(shape.inputs(layer), shape.outputs(layer), numbers.get(2 * layer)));
            biases.add(Matrix.of(1, shape.outputs(layer), numbers.get(2 * layer + 1)));
        }
    }

    /** {@return the form of the fields} */
    public FieldShape shape() {
        return shape;
    }

    /**
     * Returns all fields at points.
     *
     * @param points theta, shape (n, p); not modified
     * @return one field after the other in each row, shape (n, r p)
     */
    public Matrix at(Matrix points) {
        return through(points, null);
    }

    /**
     * Returns how all fields change along directions.
     *
     * @param points theta, shape (n, p); not modified
     * @param directions w, shape (n, p); not modified
     * @return {@code D v_i(theta) w}, one field after the other in each row, shape (n, r p)
     */
    public Matrix derivative(Matrix points, Matrix directions) {
        return through(points, directions);
    }

    private Matrix through(Matrix points, @Nullable Matrix directions) {
        Matrix values = points;
        Matrix tangents = directions;
        for (int layer = 0; layer <= shape.depth(); layer++) {
            values = values.times(weights.get(layer));
            double[] bias = biases.get(layer).entries();
            for (int i = 0; i < values.entries().length; i++) {
                values.entries()[i] += bias[i % bias.length];
            }
            tangents = tangents == null ? null : tangents.times(weights.get(layer));
            if (layer < shape.depth()) {
                int size = values.entries().length;
                double[] first = new double[size];
                Activation.SILU.evaluate(values.entries(), first, new double[size], 0, size);
                for (int i = 0; tangents != null && i < size; i++) {
                    tangents.entries()[i] *= first[i];
                }
            }
        }
        return tangents == null ? values : tangents;
    }

    /**
     * Takes one field out of rows of all.
     *
     * @param all as {@link #at} returns them, shape (n, r p); not modified
     * @param field from 0
     * @return shape (n, p)
     */
    public Matrix field(Matrix all, int field) {
        int p = shape.parameterCount();
        Matrix one = Matrix.zeros(all.rows(), p);
        for (int row = 0; row < all.rows(); row++) {
            System.arraycopy(all.entries(), row * all.columns() + field * p, one.entries(), row * p, p);
        }
        return one;
    }

    /**
     * Returns the bracket {@code [v_i, v_j] = D v_i [v_j] - D v_j [v_i]}: of linear fields {@code A theta} and {@code B theta} it
     * is {@code (A B - B A) theta}, so that the constants of matrices are those of their fields.
     *
     * @param points theta, shape (n, p); not modified
     * @param i from 0
     * @param j from 0
     * @return shape (n, p)
     */
    public Matrix bracket(Matrix points, int i, int j) {
        return changeAlong(points, i, j).minus(changeAlong(points, j, i));
    }

    /** {@code D v_i [v_j]}. */
    Matrix changeAlong(Matrix points, int i, int j) {
        return field(derivative(points, field(at(points), j)), i);
    }
}
