package org.isoloss.stream;

import org.isoloss.linalg.Matrix;

/** An orthogonal map of n channels. */
interface Rotation {
    /** The number of channels. */
    int width();

    /**
     * Turns vectors in place.
     *
     * @param rows one vector after the other; modified
     * @param count how many
     * @param back whether they are turned back, by the transpose
     */
    void turn(double[] rows, int count, boolean back);

    /** The matrix Q that takes a vector v to Q v, shape (n, n). */
    default Matrix matrix() {
        int n = width();
        double[] columns = Matrix.identity(n).entries().clone();
        turn(columns, n, false); // each unit vector to a column of Q
        return Matrix.over(n, n, columns).transpose();
    }
}
