package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Arithmetic.Operand;
import org.isoloss.linalg.Blas;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products that are cut into tiles have the bits of the whole product, and write nowhere else. */
class TiledProductTest {
    /** Entries that belong to no factor, left of each row. */
    private static final int GAP = 3;

    @ParameterizedTest
    @CsvSource({
        "160, 256, 256, false, false",
        "97, 131, 211, false, false",
        "97, 144, 211, false, false",
        "256, 64, 64, false, false",
        "256, 256, 160, true, false",
        "64, 256, 64, true, false",
        "101, 251, 97, true, false",
        "160, 256, 256, false, true",
        "5, 3, 2, true, true",
    })
    void float32(int m, int n, int k, boolean transposedA, boolean transposedB) {
        Factors factors = new Factors(m, n, k, transposedA, transposedB);
        Float32 arithmetic = new Float32(factors.end);
        double[] whole = factors.drawn((at, value) -> arithmetic.setValue(at, value));
        float[] expected = new float[whole.length];
        Arrays.setAll(expected, i -> (float) whole[i]);
        Blas.gemm(
                        expected.clone(),
                        factors.a.offset(),
                        factors.a.stride(),
                        transposedA,
                        expected.clone(),
                        factors.b.offset(),
                        factors.b.stride(),
                        transposedB,
                        expected,
                        factors.c.offset(),
                        factors.c.stride(),
                        m,
                        n,
                        k)
                .run(1, 0);
        arithmetic.product(factors.a, factors.b, factors.c, m, n, k).run(false);
        for (int i = 0; i < expected.length; i++) {
            assertThat((float) arithmetic.value(i)).as("entry %d", i).isEqualTo(expected[i]);
        }
    }

    @ParameterizedTest
    @CsvSource({"160, 256, 256, false, false", "97, 131, 211, false, false", "256, 256, 160, true, false"})
    void float64(int m, int n, int k, boolean transposedA, boolean transposedB) {
        Factors factors = new Factors(m, n, k, transposedA, transposedB);
        Float64 arithmetic = new Float64(factors.end);
        double[] expected = factors.drawn((at, value) -> arithmetic.setValue(at, value));
        Blas.gemm(
                        expected.clone(),
                        factors.a.offset(),
                        factors.a.stride(),
                        transposedA,
                        expected.clone(),
                        factors.b.offset(),
                        factors.b.stride(),
                        transposedB,
                        expected,
                        factors.c.offset(),
                        factors.c.stride(),
                        m,
                        n,
                        k)
                .run(1, 0);
        arithmetic.product(factors.a, factors.b, factors.c, m, n, k).run(false);
        for (int i = 0; i < expected.length; i++) {
            assertThat(arithmetic.value(i)).as("entry %d", i).isEqualTo(expected[i]);
        }
    }

    private interface Sink {
        void set(int at, double value);
    }

    /** Two factors and the place of their product in one array, with gaps. */
    private static final class Factors {
        final Operand a;
        final Operand b;
        final Operand c;
        final int end;

        Factors(int m, int n, int k, boolean transposedA, boolean transposedB) {
            int strideA = GAP + (transposedA ? m : k);
            int strideB = GAP + (transposedB ? k : n);
            int atB = GAP + strideA * (transposedA ? k : m);
            int atC = atB + strideB * (transposedB ? n : k);
            a = new Operand(false, GAP, strideA, transposedA);
            b = new Operand(false, atB, strideB, transposedB);
            c = new Operand(false, atC, GAP + n, false);
            end = atC + (GAP + n) * m;
        }

        double[] drawn(Sink sink) {
            SplittableRandom random = new SplittableRandom(5);
            double[] numbers = new double[end];
            for (int i = 0; i < end; i++) {
                numbers[i] = random.nextGaussian();
                sink.set(i, numbers[i]);
            }
            return numbers;
        }
    }
}
