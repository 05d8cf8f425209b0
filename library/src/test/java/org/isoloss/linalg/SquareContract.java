package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the exponential asks of a precision, against exact arithmetic. */
abstract class SquareContract<S extends Square<S>> {
    private static final int N = 6;

    abstract S make(int n);

    /** Bound of the relative rounding error of one operation. */
    abstract double roundoff();

    static LongStream seeds() {
        return LongStream.range(0, 10);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void productsAndSumsAreExactToTheRoundoff(long seed) {
        var rng = new SplittableRandom(seed);
        S a = draw(rng);
        S b = draw(rng);
        S product = make(N);
        product.setProduct(a, b);
        product.addProduct(b, a);
        product.addScaled(-3, a);
        product.addToDiagonal(0.75);
        product.scale(-5);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                BigDecimal exact = BigDecimal.valueOf(i == j ? 0.75 : 0);
                for (int k = 0; k < N; k++) {
                    exact = exact.add(at(a, i, k).multiply(at(b, k, j)))
                            .add(at(b, i, k).multiply(at(a, k, j)));
                }
                exact = exact.subtract(at(a, i, j).multiply(BigDecimal.valueOf(3)))
                        .divide(BigDecimal.valueOf(32));
                // at most 2 N + 4 terms of magnitude at most 3, over 32
                double bound = (2 * N + 4) * 3 * roundoff();
                assertThat(at(product, i, j).subtract(exact).abs().doubleValue())
                        .isLessThan(bound);
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void solvingUndoesMultiplying(long seed) {
        var rng = new SplittableRandom(seed);
        S a = draw(rng);
        a.addToDiagonal(seed % 2 == 0 ? 4 : 0); // with and without swapped rows
        S x = draw(rng);
        S right = make(N);
        right.setProduct(a, x);
        double condition = Svd.of(rounded(a)).condition();
        a.factor();
        a.solve(right);
        right.addScaled(-1, x);
        assertThat(right.largestMagnitude()).isLessThan(100 * condition * roundoff());
    }

    private S draw(SplittableRandom rng) {
        S matrix = make(N);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                matrix.set(i, j, rng.nextDouble(-1, 1), 0);
            }
        }
        S square = matrix.like();
        square.setProduct(matrix, matrix); // so that low parts are at work
        square.scale(-3);
        return square;
    }

    private static Matrix rounded(Square<?> square) {
        Matrix matrix = Matrix.zeros(N, N);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                matrix.set(i, j, square.high(i, j));
            }
        }
        return matrix;
    }

    private static BigDecimal at(Square<?> square, int i, int j) {
        return new BigDecimal(square.high(i, j)).add(new BigDecimal(square.low(i, j)));
    }
}
