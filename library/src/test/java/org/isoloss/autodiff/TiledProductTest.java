package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.isoloss.autodiff.Arithmetic.Operand;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.GemmKernel;
import org.isoloss.linalg.Placement;
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
        "101, 256, 97, true, false",
        "160, 256, 256, false, true",
        "5, 3, 2, true, true",
    })
    void hasTheBitsOfTheWhole(int m, int n, int k, boolean transposedA, boolean transposedB) {
        Factors factors = new Factors(m, n, k, transposedA, transposedB);
        float[] singles = new float[factors.numbers.length];
        for (int i = 0; i < singles.length; i++) {
            singles[i] = (float) factors.numbers[i];
        }
        Operand a = factors.a;
        Operand b = factors.b;
        Operand c = factors.c;
        float[] factorsInSingle = singles.clone();
        Blas.gemm(
                        factorsInSingle,
                        a.place().offset(),
                        a.place().stride(),
                        transposedA,
                        factorsInSingle,
                        b.place().offset(),
                        b.place().stride(),
                        transposedB,
                        singles,
                        c.place().offset(),
                        c.place().stride(),
                        m,
                        n,
                        k)
                .run(1, 0);
        factors.assertProduct(new Float32(singles.length, GemmKernel.chosen()), i -> singles[i]);

        double[] doubles = factors.numbers.clone();
        Blas.gemm(
                        factors.numbers,
                        a.place().offset(),
                        a.place().stride(),
                        transposedA,
                        factors.numbers,
                        b.place().offset(),
                        b.place().stride(),
                        transposedB,
                        doubles,
                        c.place().offset(),
                        c.place().stride(),
                        m,
                        n,
                        k)
                .run(1, 0);
        factors.assertProduct(new Float64(doubles.length, GemmKernel.chosen()), i -> doubles[i]);
    }

    /** Two factors and the place of their product in one array, with gaps. */
    private static final class Factors {
        final Operand a;
        final Operand b;
        final Operand c;
        final double[] numbers;
        private final int m;
        private final int n;
        private final int k;

        Factors(int m, int n, int k, boolean transposedA, boolean transposedB) {
            this.m = m;
            this.n = n;
            this.k = k;
            int strideA = GAP + (transposedA ? m : k);
            int strideB = GAP + (transposedB ? k : n);
            int atB = GAP + strideA * (transposedA ? k : m);
            int atC = atB + strideB * (transposedB ? n : k);
            a = new Operand(false, new Placement(GAP, strideA, transposedA));
            b = new Operand(false, new Placement(atB, strideB, transposedB));
            c = new Operand(false, new Placement(atC, GAP + n, false));
            SplittableRandom random = new SplittableRandom(5);
            numbers = random.doubles(atC + (long) (GAP + n) * m, -1, 1).toArray();
        }

        void assertProduct(Arithmetic arithmetic, IntToDoubleFunction expected) {
            arithmetic.setValues(0, numbers, 0, numbers.length);
            arithmetic.product(a, b, c, m, n, k).run(false);
            for (int i = 0; i < numbers.length; i++) {
                assertThat(arithmetic.value(i)).as("entry %d", i).isEqualTo(expected.applyAsDouble(i));
            }
        }
    }
}
