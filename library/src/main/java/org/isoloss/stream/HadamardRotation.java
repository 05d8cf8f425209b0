package org.isoloss.stream;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.OnesReflection;

/**
 * A Hadamard matrix over the root of its size, with random signs: every entry of it is as large as any other, so that no channel
 * stays larger than the rest. The matrix is the Kronecker product of one of Paley's and of Sylvester's, so that a vector is turned
 * in n log n steps.
 *
 * @see "Paley, On orthogonal matrices (1933)"
 * @see "Ashkboos et al., QuaRot: outlier-free 4-bit inference in rotated LLMs (2024)"
 */
final class HadamardRotation implements Rotation {
    private final int width;
    private final Matrix core;
    private final double[] signs;
    private final boolean fixesOnes;

    private HadamardRotation(int width, Matrix core, double[] signs, boolean fixesOnes) {
        this.width = width;
        this.core = core;
        this.signs = signs;
        this.fixesOnes = fixesOnes;
    }

    /**
     * Draws the signs: of the channels before they are mixed, or where ones are fixed, of all directions but that.
     *
     * @param n the number of channels
     * @param fixesOnes whether the vector of ones is kept
     * @param random source of the signs; advanced
     * @return the rotation
     * @throws IllegalArgumentException when no such matrix of this size is built here
     */
    static HadamardRotation drawn(int n, boolean fixesOnes, SplittableRandom random) {
        Matrix core = core(n);
        double[] signs = new double[n];
        Arrays.setAll(signs, _ -> random.nextBoolean() ? 1 : -1);
        if (fixesOnes) {
            signs[0] = 1;
        }
        return new HadamardRotation(n, core, signs, fixesOnes);
    }

    /** The smallest matrix of which the one of size n is a product with powers of two. */
    private static Matrix core(int n) {
        int odd = n >> Integer.numberOfTrailingZeros(n);
        for (int size = odd; size <= n && n % size == 0; size *= 2) {
            Matrix core = paley(size);
            if (core != null) {
                return core;
            }
        }
        throw new IllegalArgumentException(
                "no Hadamard matrix of size %d is built here: that takes a size of a power of two times 1, p + 1 or 2 (p + 1), p a prime; use random"
                        .formatted(n));
    }

    /** Sizes 1, p + 1 for primes p of the form 4 k + 3, and 2 (p + 1) for those of the form 4 k + 1. */
    private static @org.jspecify.annotations.Nullable Matrix paley(int size) {
        if (size == 1) {
            return Matrix.identity(1);
        }
        if (isPrime(size - 1) && size % 4 == 0) {
            return normalized(first(size - 1));
        }
        if (size % 4 == 0 && isPrime(size / 2 - 1) && (size / 2 - 1) % 4 == 1) {
            return normalized(second(size / 2 - 1));
        }
        return null;
    }

    private static boolean isPrime(int p) {
        if (p < 3) {
            return false;
        }
        for (int d = 2; d * d <= p; d++) {
            if (p % d == 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether differences are squares modulo p, with a border of ones: shape (p + 1, p + 1), zeros on the diagonal. */
    private static Matrix conference(int p, double below) {
        double[] character = new double[p];
        Arrays.fill(character, -1);
        character[0] = 0;
        for (long i = 1; i < p; i++) {
            character[(int) (i * i % p)] = 1;
        }
        Matrix conference = Matrix.zeros(p + 1, p + 1);
        for (int i = 0; i < p; i++) {
            conference.set(0, i + 1, 1);
            conference.set(i + 1, 0, below);
            for (int j = 0; j < p; j++) {
                conference.set(i + 1, j + 1, character[Math.floorMod(j - i, p)]);
            }
        }
        return conference;
    }

    private static Matrix first(int p) {
        Matrix matrix = conference(p, -1);
        for (int i = 0; i <= p; i++) {
            matrix.set(i, i, 1);
        }
        return matrix;
    }

    private static Matrix second(int p) {
        Matrix conference = conference(p, 1);
        int n = p + 1;
        Matrix matrix = Matrix.zeros(2 * n, 2 * n);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double one = i == j ? 1 : conference.get(i, j);
                double other = i == j ? -1 : conference.get(i, j);
                matrix.set(2 * i, 2 * j, one);
                matrix.set(2 * i, 2 * j + 1, other);
                matrix.set(2 * i + 1, 2 * j, other);
                matrix.set(2 * i + 1, 2 * j + 1, -one);
            }
        }
        return matrix;
    }

    /** With a first row of ones. */
    private static Matrix normalized(Matrix matrix) {
        for (int column = 0; column < matrix.columns(); column++) {
            double sign = matrix.get(0, column);
            for (int row = 0; row < matrix.rows(); row++) {
                matrix.set(row, column, sign * matrix.get(row, column));
            }
        }
        return matrix;
    }

    @Override
    public int width() {
        return width;
    }

    @Override
    public void turn(double[] rows, int count, boolean back) {
        if (fixesOnes && back) {
            OnesReflection.apply(rows, count, width);
        }
        if (fixesOnes == back) {
            sign(rows, count);
        }
        for (int row = 0; row < count; row++) {
            mix(rows, row * width, back);
        }
        if (fixesOnes != back) {
            sign(rows, count);
        }
        if (fixesOnes && !back) {
            OnesReflection.apply(rows, count, width);
        }
    }

    private void sign(double[] rows, int count) {
        for (int row = 0, at = 0; row < count; row++) {
            for (int i = 0; i < width; i++, at++) {
                rows[at] *= signs[i];
            }
        }
    }

    /** The core over blocks of channels, Sylvester's matrix within each. */
    private void mix(double[] rows, int at, boolean back) {
        int blocks = core.rows();
        int block = width / blocks;
        for (int begin = at; begin < at + width; begin += block) {
            for (int half = 1; half < block; half *= 2) {
                for (int i = begin; i < begin + block; i += 2 * half) {
                    for (int j = i; j < i + half; j++) {
                        double sum = rows[j] + rows[j + half];
                        rows[j + half] = rows[j] - rows[j + half];
                        rows[j] = sum;
                    }
                }
            }
        }
        double scale = 1 / Math.sqrt(width);
        double[] mixed = new double[blocks];
        for (int within = 0; within < block; within++) {
            for (int i = 0; i < blocks; i++) {
                double sum = 0;
                for (int j = 0; j < blocks; j++) {
                    sum += (back ? core.get(j, i) : core.get(i, j)) * rows[at + j * block + within];
                }
                mixed[i] = sum;
            }
            for (int i = 0; i < blocks; i++) {
                rows[at + i * block + within] = scale * mixed[i];
            }
        }
    }
}
