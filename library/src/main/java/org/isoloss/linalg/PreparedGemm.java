package org.isoloss.linalg;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A matrix product bound once to its arrays and run many times: {@link #run} allocates nothing once compiled. Made by
 * {@link Blas#gemm(float[], int, int, boolean, float[], int, int, boolean, float[], int, int, int, int, int)}.
 */
public final class PreparedGemm implements BoundGemm {
    static final MethodHandle SGEMM =
            OpenBlas.function("cblas_sgemm", routine(JAVA_FLOAT), Linker.Option.critical(true));

    static final MethodHandle DGEMM =
            OpenBlas.function("cblas_dgemm", routine(JAVA_DOUBLE), Linker.Option.critical(true));

    private final boolean single;
    private final MethodHandle routine;
    private final int orderA;
    private final int orderB;
    private final int m;
    private final int n;
    private final int k;
    private final MemorySegment a;
    private final int lda;
    private final MemorySegment b;
    private final int ldb;
    private final MemorySegment c;
    private final int ldc;

    PreparedGemm(
            boolean single,
            MethodHandle routine,
            int orderA,
            int orderB,
            int m,
            int n,
            int k,
            MemorySegment a,
            int lda,
            MemorySegment b,
            int ldb,
            MemorySegment c,
            int ldc) {
        this.single = single;
        this.routine = routine;
        this.orderA = orderA;
        this.orderB = orderB;
        this.m = m;
        this.n = n;
        this.k = k;
        this.a = a;
        this.lda = lda;
        this.b = b;
        this.ldb = ldb;
        this.c = c;
        this.ldc = ldc;
    }

    /**
     * Computes {@code C = alpha op(A) op(B) + beta C} from what the arrays hold now.
     *
     * @param alpha factor of the product; rounded to float32 if the arrays are float32
     * @param beta factor of the old C; 0 overwrites it, NaN included; rounded as {@code alpha}
     */
    public void run(double alpha, double beta) {
        if (m == 0 || n == 0) {
            return;
        }
        try {
            if (single) {
                routine.invokeExact(
                        Blas.ROW_MAJOR, orderA, orderB, m, n, k, (float) alpha, a, lda, b, ldb, (float) beta, c, ldc);
            } else {
                routine.invokeExact(Blas.ROW_MAJOR, orderA, orderB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
            }
        } catch (Throwable failure) {
            throw OpenBlas.unexpected(failure);
        }
    }

    @Override
    public void run(boolean accumulate) {
        run(1, accumulate ? 1 : 0);
    }

    @Override
    public long flops() {
        return 2L * m * n * k;
    }

    /** What {@code cblas_?gemm} takes. */
    static FunctionDescriptor routine(ValueLayout number) {
        return FunctionDescriptor.ofVoid(
                JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, number, ADDRESS, JAVA_INT, ADDRESS,
                JAVA_INT, number, ADDRESS, JAVA_INT);
    }
}
