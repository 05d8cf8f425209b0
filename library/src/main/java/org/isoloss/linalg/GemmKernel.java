package org.isoloss.linalg;

import java.util.Optional;

/**
 * What computes the float32 matrix products of a training. Two kernels may differ in the last bits of a product; one gives the
 * same bits at every run, so a result's provenance names it, and an interrupted training goes on with the one it began with.
 */
public interface GemmKernel {
    /**
     * {@return the kernel of this process, chosen at its first use: OpenBLAS, or the library that the environment variable
     * {@code ISOLOSS_BLAS} names, if its products are right}
     */
    static GemmKernel chosen() {
        return KernelChoice.AT_START.kernel();
    }

    /** {@return why {@link #chosen} is not the kernel that was asked for, in one line; nothing where it is} */
    static Optional<String> notice() {
        return KernelChoice.AT_START.notice();
    }

    /** {@return what it is called in provenance and in states of a training} */
    String name();

    /**
     * Binds a float32 product {@code C = A B}.
     *
     * @param a holds A, shape (m, k)
     * @param ofA where
     * @param b holds B, shape (k, n)
     * @param ofB where
     * @param c holds C, shape (m, n); apart from A and B
     * @param ofC where; not transposed
     * @param m rows of C
     * @param n columns of C
     * @param k the summed dimension
     * @return the product, to be run as often as wanted
     */
    BoundGemm bind(float[] a, Placement ofA, float[] b, Placement ofB, float[] c, Placement ofC, int m, int n, int k);

    /**
     * Binds a float64 product {@code C = A B}, of OpenBLAS whatever the kernel.
     *
     * @param a holds A, shape (m, k)
     * @param ofA where
     * @param b holds B, shape (k, n)
     * @param ofB where
     * @param c holds C, shape (m, n); apart from A and B
     * @param ofC where; not transposed
     * @param m rows of C
     * @param n columns of C
     * @param k the summed dimension
     * @return the product, to be run as often as wanted
     */
    default BoundGemm bind(
            double[] a, Placement ofA, double[] b, Placement ofB, double[] c, Placement ofC, int m, int n, int k) {
        return TiledGemm.of(
                ofA,
                ofB,
                m,
                n,
                k,
                (row, column, rows, columns) -> Blas.gemm(
                        a, ofA.part(row, 0), b, ofB.part(0, column), c, ofC.part(row, column), rows, columns, k));
    }
}
