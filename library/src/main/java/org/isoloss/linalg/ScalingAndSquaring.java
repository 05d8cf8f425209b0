package org.isoloss.linalg;

/**
 * The exponential of a square matrix and its Fréchet derivative: the diagonal Padé approximant of degree 13 of a power
 * of two of the matrix, squared back. The derivative carries the slope of every intermediate matrix along.
 *
 * <p>The matrix is first shifted by a multiple of the identity and balanced. Powers of two are taken out of the squares,
 * so that only an exponential that is itself beyond the largest double overflows. A norm beyond 1e15 is refused: squaring
 * would multiply rounding errors by more than that. Work space is made once.
 *
 * @param <S> the precision
 * @see "Higham, The scaling and squaring method for the matrix exponential revisited, 2005"
 * @see "Al-Mohy and Higham, Computing the Fréchet derivative of the matrix exponential, 2009"
 */
final class ScalingAndSquaring<S extends Square<S>> {
    /** Coefficients of the numerator; those of the denominator alternate in sign. Higham (2005), section 2. */
    private static final double[] PADE = {
        64764752532480000.0,
        32382376266240000.0,
        7771770303897600.0,
        1187353796428800.0,
        129060195264000.0,
        10559470521600.0,
        670442572800.0,
        33522128640.0,
        1323241920.0,
        40840800.0,
        960960.0,
        16380.0,
        182.0,
        1.0
    };

    private static final int GUARD = -64; // sums of magnitudes must not overflow
    private static final double LARGEST_NORM = 1e15;
    private static final double LARGE = 0x1p200; // squares of magnitudes up to its root are safe

    private final int n;
    private final double radius;
    private final Balancing balancing;
    private final ScalarShift shift;
    private final Dual<S> a;
    private final Dual<S> a2;
    private final Dual<S> a4;
    private final Dual<S> a6;
    private final Dual<S> u;
    private final Dual<S> v;
    private Dual<S> w;
    private Dual<S> x;
    private double valueExponent; // the exponential of the balanced matrix is x.value * 2^valueExponent
    private double slopeExponent;

    /** A matrix and its derivative along the direction. */
    private static final class Dual<S extends Square<S>> {
        private final S value;
        private final S slope;

        Dual(S kind) {
            value = kind.like();
            slope = kind.like();
        }
    }

    ScalingAndSquaring(int n, S kind, ScalarShift shift) {
        this.n = n;
        this.radius = kind.padeRadius();
        this.balancing = new Balancing(n);
        this.shift = shift;
        a = new Dual<>(kind);
        a2 = new Dual<>(kind);
        a4 = new Dual<>(kind);
        a6 = new Dual<>(kind);
        u = new Dual<>(kind);
        v = new Dual<>(kind);
        w = new Dual<>(kind);
        x = new Dual<>(kind);
    }

    /**
     * Computes the exponential.
     *
     * @param matrix holds A from {@code offset}, row by row, finite; not modified
     * @param result modified from {@code resultOffset}; an entry is infinite if it overflows
     */
    void exponential(double[] matrix, int offset, double[] result, int resultOffset) {
        int squarings = load(matrix, offset);
        approximate(false);
        square(squarings, false);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                result[resultOffset + i * n + j] =
                        shift.apply(x.value.high(i, j), x.value.low(i, j), valueExponent - balancing.exponent(i, j));
            }
        }
    }

    /**
     * Computes the Fréchet derivative L(A, E), or the transpose of L(A, E^T), which is L(A^T, E).
     *
     * @param matrix holds A from {@code offset}, row by row, finite; not modified
     * @param direction holds E from {@code directionOffset}, row by row, finite; not modified
     * @param transposed whether to take the second
     * @param result modified from {@code resultOffset}; an entry is infinite if it overflows
     */
    void derivative(
            double[] matrix,
            int offset,
            double[] direction,
            int directionOffset,
            boolean transposed,
            double[] result,
            int resultOffset) {
        int squarings = load(matrix, offset);
        loadDirection(direction, directionOffset, transposed, squarings);
        approximate(true);
        square(squarings, true);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                result[resultOffset + (transposed ? j * n + i : i * n + j)] =
                        shift.apply(x.slope.high(i, j), x.slope.low(i, j), slopeExponent - balancing.exponent(i, j));
            }
        }
    }

    /** Loads the shifted, balanced and scaled matrix, and returns how often the scaling halved it. */
    private int load(double[] matrix, int offset) {
        shift.choose(matrix, offset, n);
        balancing.find(matrix, offset, shift.value());
        double norm = 0;
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int i = 0; i < n; i++) {
                double entry = Math.scalb(matrix[offset + i * n + j], balancing.exponent(i, j));
                double difference = i == j ? entry - shift.value() : entry;
                double part = difference - entry;
                double lost = i == j ? (entry - (difference - part)) - (shift.value() + part) : 0;
                a.value.set(i, j, difference, lost);
                sum += Math.scalb(Math.abs(difference), GUARD);
            }
            norm = Math.max(norm, sum);
        }
        if (!(norm <= Math.scalb(LARGEST_NORM, GUARD))) {
            throw new ArithmeticException(("MatrixExponential: the norm is %.1e when shifted and balanced;"
                            + " beyond %.0e, rounding of the entries alone decides every digit")
                    .formatted(norm * Math.scalb(1.0, -GUARD), LARGEST_NORM));
        }
        int squarings = norm == 0 ? 0 : Math.max(0, Scaled.exponentAbove(norm / radius) - GUARD);
        a.value.scale(-squarings);
        valueExponent = 0;
        return squarings;
    }

    private void loadDirection(double[] direction, int offset, boolean transposed, int squarings) {
        int top = Integer.MIN_VALUE;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double entry = direction[offset + (transposed ? j * n + i : i * n + j)];
                if (entry != 0) {
                    top = Math.max(top, Scaled.exponentAbove(Math.abs(entry)) + balancing.exponent(i, j));
                }
            }
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double entry = direction[offset + (transposed ? j * n + i : i * n + j)];
                a.slope.set(i, j, entry == 0 ? 0 : Math.scalb(entry, balancing.exponent(i, j) - top), 0);
            }
        }
        slopeExponent = top == Integer.MIN_VALUE ? 0 : (double) top - squarings;
    }

    /** Puts the approximant of a into x. Higham (2005), equations 2.13 and 3.6. */
    private void approximate(boolean sloped) {
        multiply(a2, a, a, sloped);
        multiply(a4, a2, a2, sloped);
        multiply(a6, a2, a4, sloped);
        combine(w, 13, 11, 9, sloped);
        multiply(x, a6, w, sloped);
        addCombination(x, 7, 5, 3, sloped);
        x.value.addToDiagonal(PADE[1]);
        multiply(u, a, x, sloped);
        combine(w, 12, 10, 8, sloped);
        multiply(v, a6, w, sloped);
        addCombination(v, 6, 4, 2, sloped);
        v.value.addToDiagonal(PADE[0]);

        addMultiple(clear(x, sloped), 1, v, sloped);
        addMultiple(x, 1, u, sloped);
        addMultiple(clear(w, sloped), 1, v, sloped);
        addMultiple(w, -1, u, sloped);
        w.value.factor();
        w.value.solve(x.value);
        if (sloped) { // of Q X = P: Q X' = P' - Q' X
            u.value.setProduct(w.slope, x.value);
            x.slope.addScaled(-1, u.value);
            w.value.solve(x.slope);
        }
    }

    private void square(int times, boolean sloped) {
        for (int i = 0; i < times; i++) {
            multiply(w, x, x, sloped);
            Dual<S> old = x;
            x = w;
            w = old;
            slopeExponent += valueExponent + takeExponent(x.slope, sloped);
            valueExponent += valueExponent + takeExponent(x.value, true);
        }
    }

    /** Scales a matrix that has grown large or small to about 1 and returns the exponent of what it was divided by. */
    private int takeExponent(S matrix, boolean wanted) {
        double largest = wanted ? matrix.largestMagnitude() : 0;
        if (largest == 0 || (largest < LARGE && largest > 1 / LARGE)) {
            return 0;
        }
        int exponent = Scaled.exponentAbove(largest);
        matrix.scale(-exponent);
        return exponent;
    }

    private void multiply(Dual<S> product, Dual<S> left, Dual<S> right, boolean sloped) {
        product.value.setProduct(left.value, right.value);
        if (sloped) {
            product.slope.setProduct(left.slope, right.value);
            product.slope.addProduct(left.value, right.slope);
        }
    }

    private void combine(Dual<S> sum, int of6, int of4, int of2, boolean sloped) {
        addCombination(clear(sum, sloped), of6, of4, of2, sloped);
    }

    private void addCombination(Dual<S> sum, int of6, int of4, int of2, boolean sloped) {
        addMultiple(sum, PADE[of6], a6, sloped);
        addMultiple(sum, PADE[of4], a4, sloped);
        addMultiple(sum, PADE[of2], a2, sloped);
    }

    private Dual<S> clear(Dual<S> matrix, boolean sloped) {
        matrix.value.clear();
        if (sloped) {
            matrix.slope.clear();
        }
        return matrix;
    }

    private void addMultiple(Dual<S> sum, double factor, Dual<S> term, boolean sloped) {
        sum.value.addScaled(factor, term.value);
        if (sloped) {
            sum.slope.addScaled(factor, term.slope);
        }
    }
}
