package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;

/**
 * The rank of the Jacobian of outputs in parameters, as far as its singular values decide it, each row divided by its norm. They count as zeros below 1e-9 of the
 * largest, or further down where they fall without a step there and by a factor of 10,000 at once below. Where there is no such step at all, the rank is
 * undecided.
 */
public final class JacobianRank {
    /** The share of the heap that a Jacobian may take: its decomposition works on copies. */
    private static final int SHARE = 4;

    private static final long MEGABYTE = 1 << 20;

    private final double[] spectrum;
    private final int parameters;

    private JacobianRank(double[] spectrum, int parameters) {
        this.spectrum = spectrum;
        this.parameters = parameters;
    }

    /**
     * Takes singular values.
     *
     * @param singular values of a Jacobian, largest first, finite; copied
     * @param parameters the number of its columns
     * @return what they decide
     */
    public static JacobianRank of(double[] singular, int parameters) {
        double largest = singular.length == 0 || singular[0] == 0 ? 1 : singular[0];
        return new JacobianRank(
                Arrays.stream(singular).map(value -> value / largest).toArray(), parameters);
    }

    /**
     * Computes the Jacobian of all outputs on a batch, every entry of every output by itself, and decomposes it.
     *
     * @param moving the parameters in which it is taken, at the model's own numbers
     * @param batches one after the other, the numbers of every input; not modified
     * @return what its singular values decide
     * @throws IllegalArgumentException when the Jacobian would take more than a quarter of the memory
     */
    public static JacobianRank of(Moving moving, List<Map<String, double[]>> batches) {
        requireRoom(moving, batches.size());
        ModelTarget target = ModelTarget.of(moving, batches);
        Matrix jacobian = target.jacobian(target.origin());
        jacobian.requireFinite("the Jacobian of the outputs on the data");
        return of(Svd.valuesOf(SymmetrySpace.normalised(jacobian)), moving.count());
    }

    /**
     * Refuses a Jacobian that would take more than a quarter of the memory, before anything is computed.
     *
     * @param moving the parameters in which it would be taken
     * @param batches how many there are of the model's inputs
     * @throws IllegalArgumentException with how large it is, and how much room there is
     */
    public static void requireRoom(Moving moving, int batches) {
        long outputs = (long) batches
                * moving.model().outputs().values().stream()
                        .mapToLong(output -> output.shape().count())
                        .sum();
        requireRoom(outputs, moving.count(), Runtime.getRuntime().maxMemory() / SHARE);
    }

    static void requireRoom(long outputs, int parameters, long room) {
        long bytes = Double.BYTES * outputs * parameters;
        if (bytes > room) {
            throw new IllegalArgumentException(
                    "the data give %d outputs, whose Jacobian in %d parameters takes %d MB, and there is room for %d MB; take fewer inputs or parameters"
                            .formatted(outputs, parameters, bytes / MEGABYTE, room / MEGABYTE));
        }
    }

    /** {@return the number of parameters} */
    public int parameters() {
        return parameters;
    }

    /** {@return the rank; empty where the singular values fall without a step} */
    public OptionalInt rank() {
        return isDecided() ? OptionalInt.of(kept()) : OptionalInt.empty();
    }

    /** {@return the number of independent changes of the parameters that change no output to first order; empty where undecided} */
    public OptionalInt nullity() {
        return isDecided() ? OptionalInt.of(parameters - kept()) : OptionalInt.empty();
    }

    private boolean isDecided() {
        return gap() >= SymmetrySpace.CLEAR;
    }

    /** How many singular values would count. */
    private int kept() {
        int kept = SymmetrySpace.faint(spectrum);
        for (double value : spectrum) {
            kept += value > SymmetrySpace.NULL ? 1 : 0;
        }
        return kept;
    }

    /**
     * {@return how clear the rank is: the least singular value that counts over the largest that does not, or over the rounding of the largest where that is
     * more; infinite for a Jacobian of zeros}
     */
    public double gap() {
        int kept = kept();
        double next = kept < spectrum.length ? spectrum[kept] : 0;
        return kept == 0 ? Double.POSITIVE_INFINITY : spectrum[kept - 1] / Math.max(next, SymmetrySpace.EPSILON);
    }

    /** {@return the least singular value that counts, over the largest; 0 where none counts} */
    public double leastKept() {
        int kept = kept();
        return kept == 0 ? 0 : spectrum[kept - 1];
    }

    /**
     * Counts singular values.
     *
     * @param tolerance relative to the largest
     * @return how many are larger than it
     */
    public int effective(double tolerance) {
        return (int) Arrays.stream(spectrum).filter(value -> value > tolerance).count();
    }

    /** {@return the singular values over the largest, largest first; a copy} */
    public double[] spectrum() {
        return spectrum.clone();
    }
}
