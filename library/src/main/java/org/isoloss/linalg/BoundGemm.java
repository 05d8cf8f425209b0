package org.isoloss.linalg;

/** A matrix product {@code C = op(A) op(B)} bound once to its arrays, to be run many times on one thread; allocates nothing. */
public interface BoundGemm {
    /**
     * Computes the product from what the arrays hold now.
     *
     * @param accumulate whether it is added to C, which it otherwise overwrites, NaN included
     */
    void run(boolean accumulate);

    /** {@return the floating-point operations of one run: a multiplication and an addition each; {@code 2 m n k}} */
    long flops();
}
