package org.isoloss.action;

import java.util.List;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Tensor;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;

/**
 * The fixed action of a matrix group in the coordinates w of a {@link ConjugatedAction}. It moves the first few of them and
 * obeys every law; what the network learns is only where these coordinates lie.
 */
public sealed interface LatentAction {
    /** {@return the rows of the group matrices, at least 1} */
    int matrixSize();

    /** {@return the number of coordinates that move: at least 1; there must be as many parameters} */
    int moving();

    /**
     * Records {@code g w} for each row.
     *
     * @param graph receives the operations
     * @param elements group elements g, shape (n, s * s)
     * @param coordinates w, shape (n, p)
     * @return shape (n, p)
     */
    Tensor moved(Graph graph, Tensor elements, Tensor coordinates);

    /**
     * Records the tangent of {@code g w} along a tangent at g, for each row: linear in the direction, whatever g.
     *
     * @param graph receives the operations
     * @param directions tangent matrices, shape (n, s * s)
     * @param coordinates w, shape (n, p)
     * @return shape (n, p)
     */
    Tensor tangents(Graph graph, Tensor directions, Tensor coordinates);

    /**
     * Records the tangent of {@code g w} along a tangent at w, for each row: linear in it, whatever w.
     *
     * @param graph receives the operations
     * @param elements group elements g, shape (n, s * s)
     * @param velocities tangents at w, shape (n, p)
     * @return shape (n, p)
     */
    Tensor carried(Graph graph, Tensor elements, Tensor velocities);

    /**
     * Refuses rows that are no elements, or no tangents, of the group.
     *
     * @param elements shape (n, s * s); not modified
     * @param directions shape (n, s * s); not modified
     */
    void require(Matrix elements, Matrix directions);

    /**
     * Translations {@code w_i + stride x_i} by the additive group of matrices {@code [[I, x], [0, 1]]}: that is the affine
     * action of these matrices on the first coordinates with a homogeneous coordinate 1, so no point is near a singular
     * orbit, there is none.
     *
     * @param dimension length of x, at least 1
     * @param stride length of the step by x of length 1, positive
     */
    record Translation(int dimension, double stride) implements LatentAction {
        /** Refuses numbers out of range. */
        public Translation {
            if (dimension < 1 || !(stride > 0) || Double.isInfinite(stride)) {
                throw new IllegalArgumentException(
                        "LatentAction.Translation: dimension %d must be at least 1 and stride %s positive"
                                .formatted(dimension, stride));
            }
        }

        /**
         * Returns the generators of translations.
         *
         * @param dimension at least 1
         * @return as many matrices, of size {@code dimension + 1}
         */
        public static Generators generators(int dimension) {
            return new AdditiveGroup(dimension).generators();
        }

        @Override
        public int matrixSize() {
            return dimension + 1;
        }

        @Override
        public int moving() {
            return dimension;
        }

        @Override
        public Tensor moved(Graph graph, Tensor elements, Tensor coordinates) {
            return graph.add(coordinates, 1, tangents(graph, elements, coordinates));
        }

        @Override
        public Tensor tangents(Graph graph, Tensor directions, Tensor coordinates) {
            Matrix steps = Matrix.zeros((dimension + 1) * (dimension + 1), coordinates.columns());
            for (int i = 0; i < dimension; i++) {
                steps.set(i * (dimension + 1) + dimension, i, stride);
            }
            return graph.product(directions, graph.constant(steps));
        }

        @Override
        public Tensor carried(Graph graph, Tensor elements, Tensor velocities) {
            return velocities;
        }

        @Override
        public void require(Matrix elements, Matrix directions) {
            AdditiveGroup group = new AdditiveGroup(dimension);
            for (int row = 0; row < elements.rows(); row++) {
                group.vector(elements, row);
                group.tangent(directions, row);
            }
        }
    }

    /**
     * Any matrix group, acting on the vector {@code z = offset + (w_1 .. w_s)}. The origin of z is a fixed point. It cannot
     * be excluded, because a compact group that acts on all of R^p always has a fixed point, but the offset places it away
     * from where parameters are sampled.
     *
     * @param offset s numbers, not all zero; copied
     */
    record Linear(List<Double> offset) implements LatentAction {
        /** Refuses an offset of zero. */
        public Linear {
            offset = List.copyOf(offset);
            double norm = 0;
            for (double entry : offset) {
                norm = Math.hypot(norm, entry);
            }
            if (!(norm > 0) || Double.isInfinite(norm)) {
                throw new IllegalArgumentException(
                        "LatentAction.Linear: the offset %s must be finite and not zero, since zero is a singular point"
                                .formatted(offset));
            }
        }

        @Override
        public int matrixSize() {
            return offset.size();
        }

        @Override
        public int moving() {
            return offset.size();
        }

        @Override
        public Tensor moved(Graph graph, Tensor elements, Tensor coordinates) {
            return shifted(graph, elements, coordinates, vector(graph, coordinates));
        }

        @Override
        public Tensor carried(Graph graph, Tensor elements, Tensor velocities) {
            return shifted(graph, elements, velocities, chosen(graph, velocities));
        }

        /** Adds {@code g z - z} to the first coordinates. */
        private Tensor shifted(Graph graph, Tensor elements, Tensor coordinates, Tensor vectors) {
            Tensor shift = graph.add(image(graph, elements, vectors), -1, vectors);
            return graph.add(coordinates, 1, graph.product(shift, graph.constant(first(coordinates.columns(), true))));
        }

        @Override
        public Tensor tangents(Graph graph, Tensor directions, Tensor coordinates) {
            Tensor image = image(graph, directions, vector(graph, coordinates));
            return graph.product(image, graph.constant(first(coordinates.columns(), true)));
        }

        /** The product of each row's matrix and vector. */
        private Tensor image(Graph graph, Tensor matrices, Tensor vectors) {
            int size = offset.size();
            Matrix spread = Matrix.zeros(size, size * size);
            Matrix sums = Matrix.zeros(size * size, size);
            for (int i = 0; i < size; i++) {
                for (int j = 0; j < size; j++) {
                    spread.set(j, i * size + j, 1);
                    sums.set(i * size + j, i, 1);
                }
            }
            Tensor factors = graph.product(vectors, graph.constant(spread));
            return graph.product(graph.times(matrices, factors), graph.constant(sums));
        }

        private Tensor vector(Graph graph, Tensor coordinates) {
            Tensor chosen = chosen(graph, coordinates);
            Matrix row = Matrix.zeros(1, offset.size());
            for (int i = 0; i < offset.size(); i++) {
                row.set(0, i, offset.get(i));
            }
            int rows = coordinates.rows();
            return graph.combine(
                    Graph.Term.of(1, chosen, Graph.range(0, rows)),
                    Graph.Term.of(1, graph.constant(row), Graph.repeat(0, rows)));
        }

        private Tensor chosen(Graph graph, Tensor coordinates) {
            return graph.product(coordinates, graph.constant(first(coordinates.columns(), false)));
        }

        /** The first columns of an identity matrix, or its first rows. */
        private Matrix first(int columns, boolean transposed) {
            Matrix first = transposed ? Matrix.zeros(offset.size(), columns) : Matrix.zeros(columns, offset.size());
            for (int i = 0; i < offset.size(); i++) {
                first.set(i, i, 1);
            }
            return first;
        }

        @Override
        public void require(Matrix elements, Matrix directions) {
            // every matrix acts
        }
    }
}
