package org.isoloss.linalg;

/** The reflection that exchanges the first unit vector and the vector of ones over the root of n: what fixes one then fixes the other. */
public final class OnesReflection {
    private OnesReflection() {}

    /**
     * Reflects vectors in place.
     *
     * @param rows one vector of n entries after the other; modified
     * @param count how many
     * @param n entries of each
     */
    public static void apply(double[] rows, int count, int n) {
        double root = 1 / Math.sqrt(n);
        double square = 2 * (1 - root); // of e - 1 / root(n)
        if (square == 0) {
            return;
        }
        for (int row = 0; row < count; row++) {
            int at = row * n;
            double sum = 0;
            for (int i = 0; i < n; i++) {
                sum += rows[at + i];
            }
            double factor = 2 * (rows[at] - root * sum) / square;
            for (int i = 0; i < n; i++) {
                rows[at + i] += factor * root;
            }
            rows[at] -= factor;
        }
    }
}
