package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.isoloss.autodiff.Arithmetic.Operand;
import org.isoloss.autodiff.Arithmetic.Product;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;

/** A weight matrix W (m, n) with the bases of its rows, together Q_L (m, m), and of its columns, Q_R (n, n). */
final class RotatedMatrix {
    /** Share of the second moments that a new gradient leaves; the factor of new ones is immaterial and left out. */
    private static final double DECAY = 0.95;

    private final Tensor weights;
    private final Tensor scratch;
    private final List<SideBasis> ofRows;
    private final List<SideBasis> ofColumns;
    private final List<SideBasis> bases;

    /** Records the bases, those of runs no longer than {@code block}. */
    RotatedMatrix(Graph graph, Tensor weights, int block) {
        this.weights = weights;
        scratch = graph.input(weights.rows(), weights.columns());
        ofRows = SideBasis.of(graph, weights.rows(), block);
        ofColumns = SideBasis.of(graph, weights.columns(), block);
        bases = Stream.concat(ofRows.stream(), ofColumns.stream()).toList();
    }

    Tensor weights() {
        return weights;
    }

    List<Tensor> state() {
        return bases.stream()
                .flatMap(side -> Stream.of(side.moment(), side.basis()))
                .toList();
    }

    Kernel bind(Program program) {
        return new Kernel(program);
    }

    /** The matrix in the memory of one program. */
    final class Kernel {
        private final Program program;
        private final List<Product> samples = new ArrayList<>();
        private final List<Product> rotateRows = new ArrayList<>();
        private final List<Product> rotateColumns = new ArrayList<>();
        private final List<Product> returnRows = new ArrayList<>();
        private final List<Product> returnColumns = new ArrayList<>();

        Kernel(Program program) {
            this.program = program;
            Operand between = Operand.value(scratch);
            Operand values = Operand.value(weights);
            Operand gradient = Operand.gradient(weights);
            int columns = weights.columns();
            for (SideBasis side : ofRows) {
                Operand part = rowsOf(gradient, side);
                Operand basis = Operand.value(side.basis());
                int size = side.size();
                samples.add(program.product(part, part.transpose(), Operand.value(side.moment()), size, size, columns));
                rotateRows.add(program.product(basis.transpose(), part, rowsOf(between, side), size, columns, size));
                returnRows.add(program.product(basis, part, rowsOf(between, side), size, columns, size));
            }
            int height = weights.rows();
            for (SideBasis side : ofColumns) {
                Operand part = columnsOf(gradient, side);
                Operand basis = Operand.value(side.basis());
                int size = side.size();
                samples.add(program.product(part.transpose(), part, Operand.value(side.moment()), size, size, height));
                rotateColumns.add(program.product(columnsOf(between, side), basis, part, height, size, size));
                returnColumns.add(program.product(
                        columnsOf(between, side), basis.transpose(), columnsOf(values, side), height, size, size));
            }
        }

        /** Adds the gradient to the second moments. */
        void sample() {
            bases.forEach(side -> program.scaleValues(side.moment(), DECAY));
            samples.forEach(product -> product.run(true));
        }

        /** Turns the gradient into the bases. */
        void rotate() {
            rotateRows.forEach(product -> product.run(false));
            rotateColumns.forEach(product -> product.run(false));
        }

        /** Adds the steps that stand in place of the gradient, turned back, to the weights. */
        void add() {
            returnRows.forEach(product -> product.run(false));
            returnColumns.forEach(product -> product.run(true));
        }

        /** Turns the bases towards the eigenvectors of the second moments, and the first moments with them. */
        void turn(double[] firstMoments, boolean initial) {
            int size = weights.size();
            Matrix moments = Matrix.zeros(weights.rows(), weights.columns());
            System.arraycopy(firstMoments, weights.offset(), moments.entries(), 0, size);
            Matrix turned = turnRows(
                            ofColumns, turnRows(ofRows, moments, initial).transpose(), initial)
                    .transpose();
            System.arraycopy(turned.entries(), 0, firstMoments, weights.offset(), size);
        }

        private Matrix turnRows(List<SideBasis> sides, Matrix matrix, boolean initial) {
            Matrix turned = Matrix.zeros(matrix.rows(), matrix.columns());
            for (SideBasis side : sides) {
                Matrix rows = matrix.rows(side.first(), side.first() + side.size());
                Matrix result = Blas.gemm(side.turn(program, initial), false, rows, false);
                System.arraycopy(
                        result.entries(),
                        0,
                        turned.entries(),
                        side.first() * matrix.columns(),
                        result.entries().length);
            }
            return turned;
        }
    }

    private static Operand rowsOf(Operand matrix, SideBasis rows) {
        return matrix.part(rows.first(), 0);
    }

    private static Operand columnsOf(Operand matrix, SideBasis columns) {
        return matrix.part(0, columns.first());
    }
}
