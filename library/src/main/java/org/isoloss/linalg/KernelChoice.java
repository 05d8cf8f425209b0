package org.isoloss.linalg;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Which kernel a process uses.
 *
 * @param kernel gives right products
 * @param notice why it is not the one that was asked for, in one line
 */
record KernelChoice(GemmKernel kernel, Optional<String> notice) {
    /** Names a library, or OpenBLAS, which is what an absent or empty one means. */
    static final String VARIABLE = "ISOLOSS_BLAS";

    static final KernelChoice AT_START = of(System.getenv(VARIABLE));

    /** Of a sum of at most 40 products of numbers below 1. */
    private static final double ROUNDING = 1e-5;

    static KernelChoice of(@Nullable String named) {
        if (named == null || named.isBlank() || named.toLowerCase(Locale.ROOT).equals("openblas")) {
            return new KernelChoice(new OpenBlasKernel(), Optional.empty());
        }
        try {
            GemmKernel kernel = NamedBlasKernel.of(Path.of(named));
            return isRight(kernel)
                    ? new KernelChoice(kernel, Optional.empty())
                    : instead(named, "its products are wrong; it must take 32-bit integers");
        } catch (IllegalArgumentException failure) { // also of a path that is none
            return instead(named, String.valueOf(failure.getMessage()));
        }
    }

    private static KernelChoice instead(String named, String reason) {
        return new KernelChoice(
                new OpenBlasKernel(),
                Optional.of("OpenBLAS multiplies in place of %s=%s: %s".formatted(VARIABLE, named, reason)));
    }

    /** Compares products of all kinds with plain loops. */
    static boolean isRight(GemmKernel kernel) {
        for (int[] size : new int[][] {{13, 117, 9}, {2, 16, 1}, {6, 64, 40}, {5, 3, 7}}) {
            for (int transposed = 0; transposed < 4; transposed++) {
                if (!isRight(kernel, size[0], size[1], size[2], transposed % 2 == 1, transposed > 1)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isRight(GemmKernel kernel, int m, int n, int k, boolean transposeA, boolean transposeB) {
        SplittableRandom random = new SplittableRandom(1);
        float[] a = random(random, m * k);
        float[] b = random(random, k * n);
        float[] c = random(random, m * n);
        float[] before = c.clone();
        Placement ofA = new Placement(0, transposeA ? m : k, transposeA);
        Placement ofB = new Placement(0, transposeB ? k : n, transposeB);
        Placement ofC = new Placement(0, n, false);
        kernel.bind(a, ofA, b, ofB, c, ofC, m, n, k).run(true);
        for (int row = 0; row < m; row++) {
            for (int column = 0; column < n; column++) {
                double sum = before[ofC.at(row, column)];
                for (int i = 0; i < k; i++) {
                    sum += (double) a[ofA.at(row, i)] * b[ofB.at(i, column)];
                }
                if (!(Math.abs(sum - c[ofC.at(row, column)]) <= ROUNDING)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static float[] random(SplittableRandom random, int count) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextDouble(-1, 1);
        }
        return numbers;
    }
}
