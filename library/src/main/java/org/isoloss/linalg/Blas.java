package org.isoloss.linalg;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Matrix products of OpenBLAS on arrays of the Java heap, without copies, on the calling thread.
 *
 * <p>A product holds back garbage collection until it returns, which for the sizes of this library is well under a
 * millisecond. Every method throws an {@link IllegalStateException} that says what to do when the native library is
 * missing.
 */
public final class Blas {
    static final int ROW_MAJOR = 101;
    private static final int AS_IS = 111;
    private static final int TRANSPOSED = 112;

    private static final MethodHandle DGEMV = OpenBlas.function(
            "cblas_dgemv",
            FunctionDescriptor.ofVoid(
                    JAVA_INT,
                    JAVA_INT,
                    JAVA_INT,
                    JAVA_INT,
                    JAVA_DOUBLE,
                    ADDRESS,
                    JAVA_INT,
                    ADDRESS,
                    JAVA_INT,
                    JAVA_DOUBLE,
                    ADDRESS,
                    JAVA_INT),
            Linker.Option.critical(true));

    private Blas() {}

    /**
     * Prepares the float32 product {@code C = alpha op(A) op(B) + beta C} of regions of arrays, row by row, where
     * {@code op} transposes or does nothing. The arrays are read and written at each run; they are not copied.
     *
     * @param a holds A; not modified
     * @param aOffset index of A's first entry
     * @param lda entries from one row of A to the next, at least A's columns
     * @param transposeA whether A is stored as (k, m) in place of (m, k)
     * @param b holds B; not modified
     * @param bOffset index of B's first entry
     * @param ldb entries from one row of B to the next, at least B's columns
     * @param transposeB whether B is stored as (n, k) in place of (k, n)
     * @param c holds C, shape (m, n); modified at each run; its region must not touch those of A and B
     * @param cOffset index of C's first entry
     * @param ldc entries from one row of C to the next, at least n
     * @param m rows of C, at least 0
     * @param n columns of C, at least 0
     * @param k the summed dimension, at least 0
     * @return the product, to be run as often as wanted
     */
    public static PreparedGemm gemm(
            float[] a,
            int aOffset,
            int lda,
            boolean transposeA,
            float[] b,
            int bOffset,
            int ldb,
            boolean transposeB,
            float[] c,
            int cOffset,
            int ldc,
            int m,
            int n,
            int k) {
        return gemm(
                PreparedGemm.SGEMM,
                a,
                new Placement(aOffset, lda, transposeA),
                b,
                new Placement(bOffset, ldb, transposeB),
                c,
                new Placement(cOffset, ldc, false),
                m,
                n,
                k);
    }

    /** The same by the {@code cblas_sgemm} of any library. */
    static PreparedGemm gemm(
            MethodHandle routine,
            float[] a,
            Placement ofA,
            float[] b,
            Placement ofB,
            float[] c,
            Placement ofC,
            int m,
            int n,
            int k) {
        requireSizes(m, n, k);
        Region left = ofA.region("a", m, k).in(a.length);
        Region right = ofB.region("b", k, n).in(b.length);
        Region product = ofC.region("c", m, n).in(c.length);
        requireApart(product, c, left, a);
        requireApart(product, c, right, b);
        return new PreparedGemm(
                true,
                routine,
                order(ofA),
                order(ofB),
                m,
                n,
                k,
                MemorySegment.ofArray(a).asSlice((long) Float.BYTES * ofA.offset()),
                ofA.stride(),
                MemorySegment.ofArray(b).asSlice((long) Float.BYTES * ofB.offset()),
                ofB.stride(),
                MemorySegment.ofArray(c).asSlice((long) Float.BYTES * ofC.offset()),
                ofC.stride());
    }

    /**
     * Prepares the float64 product {@code C = alpha op(A) op(B) + beta C} of regions of arrays, row by row, where
     * {@code op} transposes or does nothing. The arrays are read and written at each run; they are not copied.
     *
     * @param a holds A; not modified
     * @param aOffset index of A's first entry
     * @param lda entries from one row of A to the next, at least A's columns
     * @param transposeA whether A is stored as (k, m) in place of (m, k)
     * @param b holds B; not modified
     * @param bOffset index of B's first entry
     * @param ldb entries from one row of B to the next, at least B's columns
     * @param transposeB whether B is stored as (n, k) in place of (k, n)
     * @param c holds C, shape (m, n); modified at each run; its region must not touch those of A and B
     * @param cOffset index of C's first entry
     * @param ldc entries from one row of C to the next, at least n
     * @param m rows of C, at least 0
     * @param n columns of C, at least 0
     * @param k the summed dimension, at least 0
     * @return the product, to be run as often as wanted
     */
    public static PreparedGemm gemm(
            double[] a,
            int aOffset,
            int lda,
            boolean transposeA,
            double[] b,
            int bOffset,
            int ldb,
            boolean transposeB,
            double[] c,
            int cOffset,
            int ldc,
            int m,
            int n,
            int k) {
        return gemm(
                a,
                new Placement(aOffset, lda, transposeA),
                b,
                new Placement(bOffset, ldb, transposeB),
                c,
                new Placement(cOffset, ldc, false),
                m,
                n,
                k);
    }

    /** The same, of matrices that lie where placements say. */
    static PreparedGemm gemm(
            double[] a, Placement ofA, double[] b, Placement ofB, double[] c, Placement ofC, int m, int n, int k) {
        requireSizes(m, n, k);
        Region left = ofA.region("a", m, k).in(a.length);
        Region right = ofB.region("b", k, n).in(b.length);
        Region product = ofC.region("c", m, n).in(c.length);
        requireApart(product, c, left, a);
        requireApart(product, c, right, b);
        return new PreparedGemm(
                false,
                PreparedGemm.DGEMM,
                order(ofA),
                order(ofB),
                m,
                n,
                k,
                MemorySegment.ofArray(a).asSlice((long) Double.BYTES * ofA.offset()),
                ofA.stride(),
                MemorySegment.ofArray(b).asSlice((long) Double.BYTES * ofB.offset()),
                ofB.stride(),
                MemorySegment.ofArray(c).asSlice((long) Double.BYTES * ofC.offset()),
                ofC.stride());
    }

    /**
     * Returns the product of two matrices, each transposed or not.
     *
     * @param a shape (m, k), or (k, m) if transposed; not modified
     * @param transposeA whether to use the transpose of {@code a}
     * @param b shape (k, n), or (n, k) if transposed; not modified
     * @param transposeB whether to use the transpose of {@code b}
     * @return shape (m, n)
     */
    public static Matrix gemm(Matrix a, boolean transposeA, Matrix b, boolean transposeB) {
        int m = transposeA ? a.columns() : a.rows();
        int k = transposeA ? a.rows() : a.columns();
        int n = transposeB ? b.rows() : b.columns();
        int right = transposeB ? b.columns() : b.rows();
        if (k != right) {
            throw new IllegalArgumentException(
                    "Blas.gemm: op(a) has shape (%d, %d) and op(b) (%d, %d); %d must equal %d"
                            .formatted(m, k, right, n, k, right));
        }
        Matrix product = Matrix.zeros(m, n);
        gemm(
                        a.entries(),
                        0,
                        stride(a),
                        transposeA,
                        b.entries(),
                        0,
                        stride(b),
                        transposeB,
                        product.entries(),
                        0,
                        stride(product),
                        m,
                        n,
                        k)
                .run(1, 0);
        return product;
    }

    /**
     * Returns the product of a matrix, transposed or not, and a vector.
     *
     * @param a shape (m, n), or (n, m) if transposed; not modified
     * @param transposeA whether to use the transpose of {@code a}
     * @param x length n; not modified
     * @return length m
     */
    public static double[] gemv(Matrix a, boolean transposeA, double[] x) {
        int m = transposeA ? a.columns() : a.rows();
        int n = transposeA ? a.rows() : a.columns();
        if (x.length != n) {
            throw new IllegalArgumentException("Blas.gemv: x has length %d, expected %d, the columns of op(a) (%d, %d)"
                    .formatted(x.length, n, m, n));
        }
        double[] product = new double[m];
        if (m == 0 || n == 0) {
            return product;
        }
        try {
            DGEMV.invokeExact(
                    ROW_MAJOR,
                    order(transposeA),
                    a.rows(),
                    a.columns(),
                    1.0,
                    MemorySegment.ofArray(a.entries()),
                    stride(a),
                    MemorySegment.ofArray(x),
                    1,
                    0.0,
                    MemorySegment.ofArray(product),
                    1);
        } catch (Throwable failure) {
            throw OpenBlas.unexpected(failure);
        }
        return product;
    }

    /**
     * {@return the name of the processor core whose kernels OpenBLAS runs: it decides the last bits of a product, so a result's
     * provenance names it; such as {@code SkylakeX}}
     */
    public static String coreName() {
        return OpenBlas.text("openblas_get_corename");
    }

    /** {@return OpenBLAS's own description of its build, version and options} */
    public static String configuration() {
        return OpenBlas.text("openblas_get_config");
    }

    private static int stride(Matrix matrix) {
        return Math.max(1, matrix.columns());
    }

    private static int order(Placement placement) {
        return order(placement.transposed());
    }

    private static int order(boolean transpose) {
        return transpose ? TRANSPOSED : AS_IS;
    }

    private static void requireSizes(int m, int n, int k) {
        if (m < 0 || n < 0 || k < 0) {
            throw new IllegalArgumentException(
                    "Blas.gemm: sizes m %d, n %d, k %d; none may be negative".formatted(m, n, k));
        }
    }

    @SuppressWarnings("ReferenceEquality") // the identity of the arrays is meant
    private static void requireApart(Region written, Object writtenArray, Region read, Object readArray) {
        if (writtenArray == readArray && written.touches(read)) {
            throw new IllegalArgumentException(
                    "Blas.gemm: c and %s overlap in one array; write the product elsewhere".formatted(read.name()));
        }
    }
}
