package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlasTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @ParameterizedTest(name = "{0} x {1} x {2}, transpose {3} {4}")
    @CsvSource({
        "3, 4, 5, false, false",
        "3, 4, 5, true, false",
        "3, 4, 5, false, true",
        "3, 4, 5, true, true",
        "1, 4, 5, false, true",
        "3, 1, 5, true, false",
        "3, 4, 1, false, false",
        "70, 65, 33, true, true",
        "3, 4, 0, false, true",
        "0, 4, 2, false, false",
        "4, 0, 2, true, true",
    })
    void preparedProductsAgreeWithTheDefinition(int m, int n, int k, boolean transposeA, boolean transposeB) {
        var rng = new SplittableRandom(m + 100L * n + 10_000L * k);
        Region a = new Region("a", 2, (transposeA ? m : k) + 3, transposeA ? k : m, transposeA ? m : k);
        Region b = new Region("b", 5, (transposeB ? k : n) + 1, transposeB ? n : k, transposeB ? k : n);
        Region c = new Region("c", 1, n + 2, m, n);
        double[] left = draw(rng, a);
        double[] right = draw(rng, b);
        double[] old = draw(rng, c);
        for (double beta : new double[] {0, 1, -0.5}) {
            double[] expected = old.clone();
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < n; j++) {
                    double sum = 0;
                    for (int l = 0; l < k; l++) {
                        sum += left[a.offset() + (transposeA ? l * a.stride() + i : i * a.stride() + l)]
                                * right[b.offset() + (transposeB ? j * b.stride() + l : l * b.stride() + j)];
                    }
                    int at = c.offset() + i * c.stride() + j;
                    expected[at] = 1.5 * sum + beta * old[at];
                }
            }
            double[] product = old.clone();
            Blas.gemm(
                            left,
                            a.offset(),
                            a.stride(),
                            transposeA,
                            right,
                            b.offset(),
                            b.stride(),
                            transposeB,
                            product,
                            c.offset(),
                            c.stride(),
                            m,
                            n,
                            k)
                    .run(1.5, beta);
            // entries are at most 1, sums at most k + 2: k + 2 roundings of at most eps (k + 2) each
            assertThat(product).containsExactly(expected, within((k + 2) * (k + 2) * Math.ulp(1.0)));

            float[] narrow = narrow(old);
            Blas.gemm(
                            narrow(left),
                            a.offset(),
                            a.stride(),
                            transposeA,
                            narrow(right),
                            b.offset(),
                            b.stride(),
                            transposeB,
                            narrow,
                            c.offset(),
                            c.stride(),
                            m,
                            n,
                            k)
                    .run(1.5f, (float) beta);
            assertThat(narrow).containsExactly(narrow(expected), within((k + 2) * (k + 4) * Math.ulp(1f)));
        }
    }

    @Test
    void betaZeroOverwritesNaN() {
        double[] c = {Double.NaN, Double.NaN};
        Blas.gemm(new double[] {2}, 0, 1, false, new double[] {3, 4}, 0, 2, false, c, 0, 2, 1, 2, 1)
                .run(1, 0);
        assertThat(c).containsExactly(6, 8);
        float[] none = {Float.NaN, Float.NaN};
        Blas.gemm(new float[0], 0, 1, false, new float[0], 0, 2, false, none, 0, 2, 1, 2, 0)
                .run(1, 0);
        assertThat(none).containsExactly(0, 0);
    }

    @Test
    void nanInAnOperandReachesTheProduct() {
        Matrix a = Matrix.of(1, 2, Double.NaN, 1);
        assertThat(Blas.gemm(a, false, Matrix.of(2, 1, 0, 1), false).get(0, 0)).isNaN();
        assertThat(Blas.gemv(a, false, new double[] {0, 1})[0]).isNaN();
    }

    @Test
    void aProductReadsTheArraysAtEachRun() {
        float[] a = {1};
        float[] b = {1};
        float[] c = {0};
        PreparedGemm product = Blas.gemm(a, 0, 1, false, b, 0, 1, false, c, 0, 1, 1, 1, 1);
        for (int i = 1; i <= 3; i++) {
            a[0] = i;
            product.run(1, 1);
        }
        assertThat(c[0]).isEqualTo(6);
        assertThat(product.flops()).isEqualTo(2);
    }

    @Test
    void aRunAllocatesNothing() {
        float[] a = new float[64 * 64];
        PreparedGemm single =
                Blas.gemm(a, 0, 64, false, new float[64 * 64], 0, 64, true, new float[64 * 64], 0, 64, 64, 64, 64);
        double[] d = new double[16];
        PreparedGemm wide = Blas.gemm(d, 0, 4, false, new double[16], 0, 4, true, new double[16], 0, 4, 4, 4, 4);
        assertThat(bytesOf(1_000, single, wide)).isLessThan(100);
    }

    /** Bytes that so many runs allocate once compiled: the least of some rounds, since compilation takes its time. */
    private static long bytesOf(int runs, PreparedGemm... products) {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 200 && least >= 100; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < runs; i++) {
                for (PreparedGemm product : products) {
                    product.run(1, i % 2);
                }
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    @Test
    void matricesAndVectorsMultiply() {
        Matrix a = Matrix.of(2, 3, 1, 2, 3, 4, 5, 6);
        Matrix b = Matrix.of(2, 2, 1, -1, 2, 0);
        assertThat(Blas.gemm(a, true, b, false).entries())
                .containsExactly(a.transpose().times(b).entries());
        assertThat(Blas.gemm(b, false, a, false).entries())
                .containsExactly(b.times(a).entries());
        assertThat(Blas.gemm(b, true, a.transpose(), true).entries())
                .containsExactly(b.transpose().times(a).entries());
        assertThat(Blas.gemv(a, false, new double[] {1, 0, -1})).containsExactly(-2, -2);
        assertThat(Blas.gemv(a, true, new double[] {1, -1})).containsExactly(-3, -3, -3);
        assertThat(Blas.gemv(Matrix.zeros(2, 0), false, new double[0])).containsExactly(0, 0);
        assertThat(Blas.gemm(Matrix.zeros(2, 0), false, Matrix.zeros(0, 2), false)
                        .entries())
                .containsExactly(0, 0, 0, 0);
    }

    @Test
    void threadsGetTheSameBits() {
        Matrix a = SvdTest.draw(90, 70, 1);
        Matrix b = SvdTest.draw(70, 80, 2);
        double[] alone = Blas.gemm(a, false, b, false).entries();
        assertThat(IntStream.range(0, 200)
                        .parallel()
                        .mapToObj(i -> Blas.gemm(a, false, b, false).entries()))
                .allSatisfy(together -> assertThat(together).isEqualTo(alone));
    }

    @Test
    void theRunningKernelIsNamed() {
        assertThat(Blas.coreName()).matches("\\w+");
        assertThat(Blas.configuration()).startsWith("OpenBLAS 0.3.");
    }

    @Test
    void wrongShapesAreRefused() {
        float[] six = new float[6];
        float[] other = new float[6];
        assertThatThrownBy(() -> Blas.gemm(six, 0, 3, false, six, 1, 2, false, other, 0, 2, 2, 2, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Blas.gemm: b is (3, 2) with row stride 2 from index 1, so it ends at 7;"
                        + " the array has 6 entries");
        assertThatThrownBy(() -> Blas.gemm(six, 0, 2, false, six, 0, 2, false, other, 0, 2, 2, 2, 3))
                .hasMessage("Blas.gemm: a has row stride 2, expected at least its columns, 3");
        assertThatThrownBy(() -> Blas.gemm(six, 0, 3, false, six, 0, 2, false, other, 0, 2, -1, 2, 3))
                .hasMessage("Blas.gemm: sizes m -1, n 2, k 3; none may be negative");
        assertThatThrownBy(() -> Blas.gemm(six, 0, 3, false, six, 0, 2, false, six, 0, 2, 2, 2, 3))
                .hasMessage("Blas.gemm: c and a overlap in one array; write the product elsewhere");
        assertThatThrownBy(() -> Blas.gemm(Matrix.zeros(2, 3), false, Matrix.zeros(4, 5), true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Blas.gemm: op(a) has shape (2, 3) and op(b) (5, 4); 3 must equal 5");
        assertThatThrownBy(() -> Blas.gemv(Matrix.zeros(2, 3), true, new double[3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Blas.gemv: x has length 3, expected 2, the columns of op(a) (3, 2)");
    }

    @Test
    void blocksOfColumnsOfOneArrayDoNotTouch() {
        Region left = new Region("c", 0, 5, 4, 2);
        assertThat(left.touches(new Region("a", 2, 5, 4, 3))).isFalse();
        assertThat(new Region("a", 2, 5, 4, 3).touches(left)).isFalse();
        assertThat(left.touches(new Region("a", 1, 5, 4, 3))).isTrue();
        assertThat(left.touches(new Region("a", 9, 5, 2, 2))).isTrue();
        assertThat(left.touches(new Region("a", 17, 5, 4, 5))).isFalse();
        assertThat(left.touches(new Region("a", 2, 3, 2, 2))).isTrue();
        assertThat(left.touches(new Region("a", 0, 5, 0, 2))).isFalse();
    }

    private static double[] draw(SplittableRandom rng, Region region) {
        int length = region.offset() + (region.rows() + 1) * region.stride();
        return rng.doubles(length, -1, 1).map(x -> (float) x).toArray();
    }

    private static float[] narrow(double[] wide) {
        float[] narrow = new float[wide.length];
        for (int i = 0; i < wide.length; i++) {
            narrow[i] = (float) wide[i];
        }
        return narrow;
    }
}
