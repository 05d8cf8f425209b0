package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Orthonormal;
import org.isoloss.linalg.Svd;
import org.junit.jupiter.api.Test;

class SoapTest {
    private static final int BLOCK = 60;
    private static final double UNCLIPPED = Double.POSITIVE_INFINITY;

    private final SplittableRandom random = new SplittableRandom(5);

    /** A weight matrix whose gradient is whatever the input says, in float64. */
    private static final class Weights {
        private final Tensor weights;
        private final Tensor gradient;
        private final Tensor loss;
        private final Optimizer optimizer;
        private final Program program;

        Weights(Matrix start, boolean soap, double clipNorm) {
            this(start, soap, clipNorm, BLOCK);
        }

        Weights(Matrix start, boolean soap, double clipNorm, int block) {
            Graph graph = new Graph();
            weights = graph.parameter(start.rows(), start.columns());
            gradient = graph.input(start.rows(), start.columns());
            loss = graph.innerProduct(1, weights, gradient);
            optimizer = soap ? new Soap(graph, List.of(weights), clipNorm, block) : new Adam(clipNorm);
            program = graph.compile(Precision.FLOAT64);
            program.set(weights, start.entries());
        }

        double step(int number, double rate, Matrix gradients) {
            program.set(gradient, gradients.entries());
            program.forward();
            program.backward(loss);
            return optimizer.update(program, number, rate);
        }

        Matrix numbers() {
            return program.get(weights);
        }

        Matrix descend(int steps, double rate, UnaryOperator<Matrix> gradientAt) {
            for (int number = 1; number <= steps; number++) {
                step(number, rate, gradientAt.apply(numbers()));
            }
            return numbers();
        }
    }

    private Matrix normal(int rows, int columns) {
        Matrix matrix = Matrix.zeros(rows, columns);
        for (int i = 0; i < rows * columns; i++) {
            matrix.entries()[i] = random.nextGaussian();
        }
        return matrix;
    }

    private static Matrix product(Matrix... factors) {
        Matrix product = factors[0];
        for (int i = 1; i < factors.length; i++) {
            product = Blas.gemm(product, false, factors[i], false);
        }
        return product;
    }

    private static double distance(Matrix a, Matrix b) {
        double largest = 0;
        for (int i = 0; i < a.entries().length; i++) {
            largest = Math.max(largest, Math.abs(a.entries()[i] - b.entries()[i]));
        }
        return largest;
    }

    /** In the eigenbases a first gradient is diagonal and Adam's first step is its sign, so the step is orthogonal. */
    @Test
    void theFirstStepIsThePolarFactorOfTheGradient() {
        Matrix gradient = normal(6, 6);
        Weights weights = new Weights(Matrix.zeros(6, 6), true, UNCLIPPED);
        weights.step(1, 1e-2, gradient);
        Svd svd = Svd.of(gradient);
        Matrix polar = Blas.gemm(svd.left(), false, svd.right(), true);
        for (int i = 0; i < 36; i++) {
            polar.entries()[i] *= -1e-2;
        }
        assertThat(distance(weights.numbers(), polar)).isLessThan(1e-7);
    }

    /** The loss tr(W^T A W B) / 2, whose gradient is A W B. */
    private static UnaryOperator<Matrix> quadratic(Matrix a, Matrix b) {
        return w -> product(a, w, b);
    }

    private static Matrix definite(Matrix basis, double condition) {
        int n = basis.rows();
        Matrix scaled = Matrix.zeros(n, n);
        for (int i = 0; i < n * n; i++) {
            scaled.entries()[i] = basis.entries()[i] * Math.pow(condition, -(i % n) / (n - 1.0));
        }
        return Blas.gemm(scaled, false, basis, true);
    }

    private double departure(boolean soap) {
        Matrix a = definite(Orthonormal.basis(normal(5, 5)), 10);
        Matrix b = definite(Orthonormal.basis(normal(5, 5)), 10);
        Matrix start = normal(5, 5);
        Matrix p = Orthonormal.basis(normal(5, 5));
        Matrix q = Orthonormal.basis(normal(5, 5));
        Matrix pt = Blas.gemm(p, true, Matrix.identity(5), false);
        Matrix qt = Blas.gemm(q, true, Matrix.identity(5), false);
        Matrix plain = new Weights(start, soap, UNCLIPPED).descend(250, 1e-3, quadratic(a, b));
        Matrix turned = new Weights(product(p, start, qt), soap, UNCLIPPED)
                .descend(250, 1e-3, quadratic(product(p, a, pt), product(q, b, qt)));
        return distance(product(p, plain, qt), turned);
    }

    /** Turning both spaces of the weights turns the whole descent, across two turns of the bases. */
    @Test
    void stepsDoNotDependOnTheBases() {
        assertThat(departure(true)).isLessThan(1e-6);
    }

    @Test
    void thoseOfAdamDo() {
        assertThat(departure(false)).isGreaterThan(1e-2);
    }

    /** Adam's steps of one size along axes that mix directions of all curvatures go slowly along the flat ones. */
    @Test
    void aBadlyConditionedQuadraticIsDescendedFurtherThanByAdam() {
        Matrix a = definite(Orthonormal.basis(normal(8, 8)), 1000);
        Matrix b = definite(Orthonormal.basis(normal(8, 8)), 1000);
        Matrix start = normal(8, 8);
        assertThat(loss(a, b, new Weights(start, true, UNCLIPPED).descend(600, 1e-2, quadratic(a, b))))
                .isLessThan(0.2 * loss(a, b, new Weights(start, false, UNCLIPPED).descend(600, 1e-2, quadratic(a, b))));
    }

    private static double loss(Matrix a, Matrix b, Matrix w) {
        Matrix gradient = product(a, w, b);
        double sum = 0;
        for (int i = 0; i < gradient.entries().length; i++) {
            sum += gradient.entries()[i] * w.entries()[i];
        }
        return sum / 2;
    }

    /** The same rows twice, the second time upside down: each half moves as if it were alone, unless they share a basis. */
    @Test
    void longSidesHaveSeveralBases() {
        assertThat(departureFromAHalf(BLOCK)).isLessThan(1e-8);
        assertThat(departureFromAHalf(2 * BLOCK)).isGreaterThan(1e-2);
    }

    private double departureFromAHalf(int block) {
        Matrix start = normal(BLOCK, BLOCK);
        Matrix gradient = normal(BLOCK, BLOCK);
        Weights whole = new Weights(mirrored(start), true, UNCLIPPED, block);
        Weights half = new Weights(start, true, UNCLIPPED);
        for (int step = 1; step <= 120; step++) {
            whole.step(step, 1e-3, mirrored(gradient));
            half.step(step, 1e-3, gradient);
            gradient.entries()[step] += step;
        }
        return distance(whole.numbers(), mirrored(half.numbers()));
    }

    private static Matrix mirrored(Matrix matrix) {
        int rows = matrix.rows();
        Matrix both = Matrix.zeros(2 * rows, matrix.columns());
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < matrix.columns(); j++) {
                both.set(i, j, matrix.get(i, j));
                both.set(2 * rows - 1 - i, j, matrix.get(i, j));
            }
        }
        return both;
    }

    @Test
    void rowsAndOtherParametersTakeStepsOfAdam() {
        Matrix start = normal(1, 7);
        Weights soap = new Weights(start, true, 10);
        Weights adam = new Weights(start, false, 10);
        for (int step = 1; step <= 12; step++) {
            Matrix gradient = normal(1, 7);
            gradient.entries()[0] *= 10 * step;
            assertThat(soap.step(step, 1e-2, gradient)).isEqualTo(adam.step(step, 1e-2, gradient));
        }
        assertThat(distance(soap.numbers(), adam.numbers())).isLessThan(1e-15);
        assertThat(soap.optimizer.state()).isEmpty();
    }

    /** A gradient ten times as long as allowed does what its tenth does. */
    @Test
    void longGradientsAreClippedBeforeTheyAreRemembered() {
        Matrix start = normal(4, 3);
        Weights clipped = new Weights(start, true, 1);
        Weights expected = new Weights(start, true, UNCLIPPED);
        for (int step = 1; step <= 30; step++) {
            Matrix gradient = normal(4, 3);
            double norm = Math.sqrt(loss(Matrix.identity(4), Matrix.identity(3), gradient) * 2);
            for (int i = 0; i < 12; i++) {
                gradient.entries()[i] /= norm;
            }
            expected.step(step, 1e-2, gradient);
            for (int i = 0; i < 12; i++) {
                gradient.entries()[i] *= 10;
            }
            assertThat(Math.abs(clipped.step(step, 1e-2, gradient) - 10)).isLessThan(1e-12);
        }
        assertThat(distance(clipped.numbers(), expected.numbers())).isLessThan(1e-9);
    }

    @Test
    void aGradientThatIsNotFiniteChangesNothing() {
        Weights weights = new Weights(normal(3, 3), true, 10);
        weights.step(1, 1e-3, normal(3, 3));
        Matrix before = weights.numbers();
        Matrix basis = weights.program.get(weights.optimizer.state().getFirst());
        Matrix broken = normal(3, 3);
        broken.entries()[4] = Double.NaN;
        assertThat(weights.step(2, 1e-3, broken)).isNaN();
        assertThat(weights.numbers().entries()).isEqualTo(before.entries());
        assertThat(weights.program.get(weights.optimizer.state().getFirst()).entries())
                .isEqualTo(basis.entries());
    }

    @Test
    void withoutAGradientNothingMoves() {
        Matrix start = normal(3, 2);
        Matrix end = new Weights(start, true, 10).descend(210, 1, w -> Matrix.zeros(3, 2));
        assertThat(distance(start, end)).isLessThan(1e-15);
    }

    @Test
    void aLimitThatIsNotPositiveIsRefused() {
        assertThatThrownBy(() -> new Soap(new Graph(), List.of(), 0, BLOCK))
                .hasMessage("Soap: clipNorm must be positive, got 0.0");
        assertThatThrownBy(() -> new Soap(new Graph(), List.of(), 1, 0))
                .hasMessage("Soap: a basis needs at least 1 row or column, got 0");
    }
}
