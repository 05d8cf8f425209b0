package org.isoloss.linalg;

/** The rows and columns of a square matrix that some indices choose. */
public final class Submatrix {
    private Submatrix() {}

    /**
     * Copies a principal submatrix.
     *
     * @param matrix square; not modified
     * @param some which rows and columns
     * @return shape (some, some)
     */
    public static Matrix of(Matrix matrix, int... some) {
        Matrix part = Matrix.zeros(some.length, some.length);
        for (int i = 0; i < some.length; i++) {
            for (int j = 0; j < some.length; j++) {
                part.set(i, j, matrix.get(some[i], some[j]));
            }
        }
        return part;
    }

    /**
     * Puts a principal submatrix back.
     *
     * @param part shape (some, some)
     * @param into square; modified
     * @param some which rows and columns
     */
    public static void place(Matrix part, Matrix into, int... some) {
        for (int i = 0; i < some.length; i++) {
            for (int j = 0; j < some.length; j++) {
                into.set(some[i], some[j], part.get(i, j));
            }
        }
    }
}
