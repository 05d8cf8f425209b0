package org.isoloss.affine;

import java.util.List;
import java.util.function.Supplier;

/**
 * What a recovery will cost, counted before it begins. Time goes with the cubes of the block sizes: one singular value
 * decomposition of each block a seed, and one elimination modulo a prime for the proof. The two rates were measured on one core of
 * a server, on ReLU networks with 100 to 800 parameters; they are within a factor of three on others.
 *
 * @param parameters p
 * @param unknowns p (p + 1) coefficients
 * @param largestBlock unknowns that are solved at once, or a lower bound for that where counting would itself take long
 * @param exact whether the largest block was counted, not bounded
 * @param seconds of one core, estimated
 * @param bytes of memory, estimated: two rows an unknown, with the copies that a decomposition makes
 */
public record RecoveryWork(
        int parameters, long unknowns, long largestBlock, boolean exact, double seconds, double bytes) {
    /** What is begun without asking. */
    public static final double MOST_SECONDS = 400;

    private static final double SECONDS_PER_CUBE = 1.5e-9;
    private static final double SECONDS_PER_CUBE_PROVED = 3.5e-9;
    private static final int BYTES_PER_SQUARE = 8 * 12;

    /**
     * Counts.
     *
     * @param architecture the network
     * @param solver dense or by blocks
     * @param seeds how many extractions are made, at least 1
     */
    static RecoveryWork of(Architecture architecture, ConstraintSolver solver, int seeds) {
        return of(
                architecture.parameterCount(),
                solver,
                seeds,
                () -> Grading.of(architecture).orbits().stream()
                        .map(orbit -> (long) orbit.first().size())
                        .toList());
    }

    /**
     * Counts.
     *
     * @param p the number of parameters
     * @param solver dense or by blocks
     * @param seeds how many extractions are made, at least 1
     * @param blocks the sizes of all blocks that are solved
     */
    static RecoveryWork of(int p, ConstraintSolver solver, int seeds, Supplier<List<Long>> blocks) {
        long unknowns = p * (p + 1L);
        double rate = SECONDS_PER_CUBE * seeds + SECONDS_PER_CUBE_PROVED;
        if (solver == ConstraintSolver.DENSE) {
            return of(p, unknowns, List.of(unknowns), true, rate);
        }
        // The diagonal of A has weight 0, so that one block has at least p unknowns; all pairs need not be sorted for
        // that.
        return rate * cube(p) > MOST_SECONDS
                ? of(p, unknowns, List.of((long) p), false, rate)
                : of(p, unknowns, blocks.get(), true, rate);
    }

    private static RecoveryWork of(int p, long unknowns, List<Long> blocks, boolean exact, double rate) {
        long largest = blocks.stream().mapToLong(Long::longValue).max().orElseThrow();
        double cubes = blocks.stream().mapToDouble(RecoveryWork::cube).sum();
        return new RecoveryWork(
                p, unknowns, largest, exact, rate * cubes, BYTES_PER_SQUARE * (double) largest * largest);
    }

    /** The same with more time. */
    RecoveryWork taking(double moreSeconds) {
        return new RecoveryWork(parameters, unknowns, largestBlock, exact, seconds + moreSeconds, bytes);
    }

    private static double cube(double n) {
        return n * n * n;
    }

    /** {@return whether this is begun without asking: false above {@link #MOST_SECONDS}} */
    public boolean isAffordable() {
        return seconds <= MOST_SECONDS;
    }

    /**
     * Says what it is.
     *
     * @return a phrase with unknowns, time and memory
     */
    public String words() {
        return "%s%d unknowns at once of %d in all, %s%s of one core and %.1f GB"
                .formatted(
                        exact ? "" : "at least ",
                        largestBlock,
                        unknowns,
                        exact ? "about " : "at least ",
                        seconds < 120
                                ? "%.0f seconds".formatted(seconds)
                                : seconds < 7_200
                                        ? "%.0f minutes".formatted(seconds / 60)
                                        : "%.0f hours".formatted(seconds / 3_600),
                        bytes / 1e9);
    }
}
