package org.isoloss.autodiff;

import java.util.List;
import org.isoloss.autodiff.Arithmetic.Operand;
import org.isoloss.autodiff.Arithmetic.Product;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Orthonormal;
import org.isoloss.linalg.Svd;

/**
 * A block of a weight matrix with the second moments of its gradient on both sides, up to a factor, and their
 * eigenvectors, one a column.
 */
final class RotatedBlock {
    /** Share of the second moments that a new gradient leaves; the factor of new ones is immaterial and left out. */
    private static final double DECAY = 0.95;

    private final Tensor matrix;
    private final Tensor scratch;
    private final int at;
    private final int rows;
    private final int columns;
    private final Tensor leftMoment;
    private final Tensor leftBasis;
    private final Tensor rightMoment;
    private final Tensor rightBasis;

    RotatedBlock(Graph graph, Tensor matrix, Tensor scratch, int top, int first, int rows, int columns) {
        this.matrix = matrix;
        this.scratch = scratch;
        at = top * matrix.columns() + first;
        this.rows = rows;
        this.columns = columns;
        leftMoment = graph.input(rows, rows);
        leftBasis = graph.input(rows, rows);
        rightMoment = graph.input(columns, columns);
        rightBasis = graph.input(columns, columns);
    }

    List<Tensor> state() {
        return List.of(leftMoment, leftBasis, rightMoment, rightBasis);
    }

    private Operand values(Tensor tensor) {
        return new Operand(false, tensor.offset() + at, tensor.columns(), false);
    }

    private Operand gradient() {
        return new Operand(true, matrix.offset() + at, matrix.columns(), false);
    }

    Kernel bind(Program program) {
        return new Kernel(program);
    }

    /** The block in the memory of one program. */
    final class Kernel {
        private final Program program;
        private final Product leftSample;
        private final Product rightSample;
        private final Product rotateLeft;
        private final Product rotateRight;
        private final Product returnLeft;
        private final Product returnRight;

        Kernel(Program program) {
            this.program = program;
            Operand left = Operand.value(leftBasis);
            Operand right = Operand.value(rightBasis);
            Operand between = values(scratch);
            leftSample =
                    program.product(gradient(), gradient().transpose(), Operand.value(leftMoment), rows, rows, columns);
            rightSample = program.product(
                    gradient().transpose(), gradient(), Operand.value(rightMoment), columns, columns, rows);
            rotateLeft = program.product(left.transpose(), gradient(), between, rows, columns, rows);
            rotateRight = program.product(between, right, gradient(), rows, columns, columns);
            returnLeft = program.product(left, gradient(), between, rows, columns, rows);
            returnRight = program.product(between, right.transpose(), values(matrix), rows, columns, columns);
        }

        /** Adds the gradient to the second moments. */
        void sample() {
            program.scaleValues(leftMoment, DECAY);
            program.scaleValues(rightMoment, DECAY);
            leftSample.run(true);
            rightSample.run(true);
        }

        /** Turns the gradient into the bases. */
        void rotate() {
            rotateLeft.run(false);
            rotateRight.run(false);
        }

        /** Adds the steps that stand in place of the gradient, turned back, to the weights. */
        void add() {
            returnLeft.run(false);
            returnRight.run(true);
        }

        /**
         * Turns the bases to the eigenvectors of the second moments the first time, then towards them by a step of
         * orthogonal iteration, and the first moments with them.
         */
        void turn(double[] firstMoments, boolean first) {
            Matrix oldLeft = program.get(leftBasis);
            Matrix oldRight = program.get(rightBasis);
            Matrix newLeft = next(program.get(leftMoment), oldLeft, first);
            Matrix newRight = next(program.get(rightMoment), oldRight, first);
            program.set(leftBasis, newLeft.entries());
            program.set(rightBasis, newRight.entries());
            Matrix moments = Matrix.zeros(rows, columns);
            for (int i = 0; i < rows; i++) {
                System.arraycopy(firstMoments, place(i), moments.entries(), i * columns, columns);
            }
            Matrix plain = Blas.gemm(Blas.gemm(oldLeft, false, moments, false), false, oldRight, true);
            Matrix turned = Blas.gemm(Blas.gemm(newLeft, true, plain, false), false, newRight, false);
            for (int i = 0; i < rows; i++) {
                System.arraycopy(turned.entries(), i * columns, firstMoments, place(i), columns);
            }
        }

        private int place(int row) {
            return matrix.offset() + at + row * matrix.columns();
        }
    }

    private static Matrix next(Matrix moment, Matrix basis, boolean first) {
        return first ? Svd.of(moment).left() : Orthonormal.basis(Blas.gemm(moment, false, basis, false));
    }
}
