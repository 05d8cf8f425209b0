package org.isoloss.flow;

import java.util.Optional;
import java.util.stream.IntStream;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;

/**
 * By products with the Jacobian and its transpose, where a decomposition at each point would take too long: {@code J J^T y = b} by
 * conjugate gradients, with the inverse at one point as the preconditioner for those around it. Rows are independent there.
 *
 * @see "Golub and Van Loan, Matrix Computations, 4th ed., section 11.5"
 */
final class ProductRows implements RowSpace {
    /** The reciprocal condition of {@code J J^T} at the one point from which on solving with it leaves only rounding. */
    private static final double WELL = 1e-11;

    private static final int TOGETHER = 512;
    private static final int MOST_ITERATIONS = 40;

    /** What an iteration leaves, relative to the right side, when it is at rounding. */
    private static final double SOLVED = 1e-15;

    /** What may be left; more is no solution. */
    private static final double LEFT = 1e-9;

    private final DifferentiableTarget target;
    private final double[] point;
    private final Matrix inverse;

    private ProductRows(DifferentiableTarget target, double[] point, Matrix inverse) {
        this.target = target;
        this.point = point;
        this.inverse = inverse;
    }

    /** Where conjugate gradients do not converge. */
    static final class Stalled extends ArithmeticException {
        private static final long serialVersionUID = 1;

        private Stalled() {
            super("conjugate gradients do not converge this far from where they are preconditioned");
        }
    }

    /**
     * Prepares the one point.
     *
     * @param jacobian there; not modified
     * @return nothing where its rows are near to dependent
     */
    static Optional<ProductRows> of(DifferentiableTarget target, double[] point, Matrix jacobian) {
        LinearSolve products = LinearSolve.of(products(jacobian));
        return products.reciprocalCondition() > WELL
                ? Optional.of(new ProductRows(target, point, products.solve(Matrix.identity(jacobian.rows()))))
                : Optional.empty();
    }

    /** The rows at a point nearby. */
    ProductRows at(double[] other) {
        return new ProductRows(target, other, inverse);
    }

    /** The products of all rows: blocks of them on all cores, those above the diagonal by symmetry. */
    private static Matrix products(Matrix jacobian) {
        int m = jacobian.rows();
        int p = jacobian.columns();
        Matrix products = Matrix.zeros(m, m);
        double[] rows = jacobian.entries();
        int blocks = (m + TOGETHER - 1) / TOGETHER;
        IntStream.range(0, blocks * blocks)
                .filter(pair -> pair % blocks <= pair / blocks)
                .parallel()
                .forEach(pair -> {
                    int first = pair / blocks * TOGETHER;
                    int second = pair % blocks * TOGETHER;
                    int height = Math.min(TOGETHER, m - first);
                    int width = Math.min(TOGETHER, m - second);
                    int at = first * m + second;
                    Blas.gemm(
                                    rows,
                                    first * p,
                                    p,
                                    false,
                                    rows,
                                    second * p,
                                    p,
                                    true,
                                    products.entries(),
                                    at,
                                    m,
                                    height,
                                    width,
                                    p)
                            .run(1, 0);
                });
        for (int i = 0; i < m; i++) {
            for (int j = i + 1; j < m; j++) {
                products.set(i, j, products.get(j, i));
            }
        }
        return products;
    }

    @Override
    public int rank() {
        return inverse.rows();
    }

    @Override
    public double largest() {
        return 0;
    }

    @Override
    public double[] kept(double[] direction) {
        return RowSpace.without(direction, rest -> leastStep(target.tangent(point, rest)));
    }

    @Override
    public double[] leastStep(double[] change) {
        return target.gradient(point, solved(change));
    }

    /** Conjugate gradients, until nothing more is gained. */
    private double[] solved(double[] wanted) {
        double[] solution = new double[wanted.length];
        double[] rest = wanted.clone();
        double[] best = solution;
        double size = Vectors.norm(wanted);
        double least = size;
        double[] direction = new double[0];
        double before = 0;
        for (int i = 0; i < MOST_ITERATIONS && least > SOLVED * size; i++) {
            double[] near = Blas.gemv(inverse, false, rest);
            double now = product(rest, near);
            direction = i == 0 ? near : Vectors.moved(near, now / before, direction);
            double[] there = target.tangent(point, target.gradient(point, direction));
            double step = now / product(direction, there);
            solution = Vectors.moved(solution, step, direction);
            rest = Vectors.moved(rest, -step, there);
            before = now;
            if (!(Vectors.norm(rest) < least)) {
                break;
            }
            least = Vectors.norm(rest);
            best = solution;
        }
        if (!(least <= LEFT * size)) {
            throw new Stalled();
        }
        return best;
    }

    private static double product(double[] left, double[] right) {
        double sum = 0;
        for (int i = 0; i < left.length; i++) {
            sum += left[i] * right[i];
        }
        return sum;
    }

    @Override
    public double change(RowSpace other) {
        return 0;
    }
}
