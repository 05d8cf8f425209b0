package org.isoloss.linalg;

/** The projection that takes away what vectors have along the vector of ones: their means. */
public final class Centring {
    private Centring() {}

    /**
     * Centres vectors in place.
     *
     * @param rows one vector of n entries after the other; modified
     * @param count how many
     * @param n entries of each
     */
    public static void apply(double[] rows, int count, int n) {
        for (int row = 0; row < count; row++) {
            int at = row * n;
            double mean = 0;
            for (int i = 0; i < n; i++) {
                mean += rows[at + i] / n;
            }
            for (int i = 0; i < n; i++) {
                rows[at + i] -= mean;
            }
        }
    }

    /**
     * Centres the rows of a matrix.
     *
     * @param rows one vector each; not modified
     * @return the rows without their means
     */
    public static Matrix of(Matrix rows) {
        Matrix centred = rows.copy();
        apply(centred.entries(), centred.rows(), centred.columns());
        return centred;
    }
}
