package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import org.isoloss.autodiff.Precision;
import org.isoloss.evaluation.OutputComparison.OutputDifference;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Float32Outputs;

/**
 * Whether two networks compute the same function on given inputs, in float64 and in float32. What they are made of may
 * differ; the numbers of inputs and outputs may not.
 *
 * <p>They do when no output differs by more than the tolerance times the largest magnitude of this output. A small
 * difference of large numbers carries the rounding of those: an output may therefore also differ by {@value #ROUNDINGS}
 * times what float32 moves it in either network, in float64 only up to the tolerance times the largest magnitude of all
 * outputs.
 */
public final class FunctionCheck {
    /** The tolerance of a verdict where none is asked for: a hundred times the rounding of float32. */
    public static final double TOLERANCE = 1e-5;

    private static final double ROUNDINGS = 16;

    /** What a network computes on some inputs. */
    public interface Outputs {
        /**
         * Computes.
         *
         * @param precision of all numbers
         * @return one output vector a row
         */
        Matrix in(Precision precision);
    }

    /**
     * A network with the name that messages give it.
     *
     * @param name such as the file
     * @param widths of a dense network; empty for another
     * @param outputs by the name of the inputs
     */
    public record Side(String name, List<Integer> widths, SequencedMap<String, Outputs> outputs) {
        /**
         * Takes a dense network.
         *
         * @param name such as the file
         * @param network with its own weights
         * @param data inputs by the name that they are reported under, one input a row, finite
         * @return what it computes
         */
        public static Side of(String name, DenseNetwork network, SequencedMap<String, Matrix> data) {
            SequencedMap<String, Outputs> outputs = new LinkedHashMap<>();
            data.forEach((key, inputs) -> outputs.put(
                    key,
                    precision -> precision == Precision.FLOAT32
                            ? Float32Outputs.of(network, inputs)
                            : network.outputs(network.parameters(), inputs)));
            return new Side(name, network.widths(), outputs);
        }
    }

    /**
     * One comparison.
     *
     * @param data the name of the inputs
     * @param precision of both networks
     * @param outputs what came out
     * @param allowed how far each output may differ
     */
    public record Part(String data, Precision precision, OutputComparison outputs, List<Double> allowed) {
        /** Keeps its own list. */
        public Part {
            allowed = List.copyOf(allowed);
        }

        /** {@return whether every output differs by no more than it may, the verdict of this part} */
        public boolean same() {
            return excess(farthest()) <= 1;
        }

        /** The output that is farthest apart, relative to what it may be. */
        OutputDifference farthest() {
            OutputDifference farthest = outputs.outputs().getFirst();
            for (OutputDifference output : outputs.outputs()) {
                farthest = excess(output) > excess(farthest) ? output : farthest;
            }
            return farthest;
        }

        private double excess(OutputDifference output) {
            return output.max() == 0 ? 0 : output.max() / allowed.get(output.output());
        }

        boolean isRounding(double tolerance) {
            return same() && outputs.worst().relative() > tolerance;
        }

        /** Such as {@code data, float32}. */
        String words() {
            return "%s, %s".formatted(data, precision == Precision.FLOAT64 ? "float64" : "float32");
        }
    }

    private final double tolerance;
    private final double rounding;
    private final List<Part> parts;

    private FunctionCheck(double tolerance, double rounding, List<Part> parts) {
        this.tolerance = tolerance;
        this.rounding = rounding;
        this.parts = List.copyOf(parts);
    }

    /**
     * Compares two networks.
     *
     * @param first the one that differences are relative to; at least one set of inputs
     * @param second on the same inputs, with as many outputs
     * @param tolerance the largest relative difference of an output that still counts as the same; 0 or more
     * @return the comparison
     * @throws IllegalArgumentException when the networks cannot be compared, or an output is not finite
     */
    public static FunctionCheck of(Side first, Side second, double tolerance) {
        if (!(tolerance >= 0 && tolerance < 1)) {
            throw new IllegalArgumentException("tolerance %s, expected at least 0 and below 1".formatted(tolerance));
        }
        if (!first.widths.isEmpty() && !second.widths.isEmpty()) {
            requireSame("inputs", first, first.widths.getFirst(), second, second.widths.getFirst());
            requireSame("outputs", first, first.widths.getLast(), second, second.widths.getLast());
        }
        List<Part> parts = new ArrayList<>();
        double rounding = 0;
        for (String name : first.outputs.keySet()) {
            Matrix exact = outputs(first, name, Precision.FLOAT64);
            Matrix narrow = outputs(first, name, Precision.FLOAT32);
            Matrix otherExact = outputs(second, name, Precision.FLOAT64);
            Matrix otherNarrow = outputs(second, name, Precision.FLOAT32);
            requireSame("outputs", first, exact.columns(), second, otherExact.columns());
            OutputComparison own = OutputComparison.of(exact, narrow);
            OutputComparison others = OutputComparison.of(otherExact, otherNarrow);
            OutputComparison inDoubles = OutputComparison.of(exact, otherExact);
            OutputComparison inFloats = OutputComparison.of(narrow, otherNarrow);
            double largest = Math.max(exact.largestMagnitude(), otherExact.largestMagnitude());
            List<Double> allowedExact = new ArrayList<>();
            List<Double> allowedNarrow = new ArrayList<>();
            for (int output = 0; output < exact.columns(); output++) {
                double noise = ROUNDINGS
                        * Math.max(
                                own.outputs().get(output).max(),
                                others.outputs().get(output).max());
                allowedExact.add(Math.max(
                        tolerance * inDoubles.outputs().get(output).scale(), Math.min(noise, tolerance * largest)));
                allowedNarrow.add(
                        Math.max(tolerance * inFloats.outputs().get(output).scale(), noise));
            }
            parts.add(new Part(name, Precision.FLOAT64, inDoubles, allowedExact));
            parts.add(new Part(name, Precision.FLOAT32, inFloats, allowedNarrow));
            rounding = Math.max(rounding, own.max() / Math.max(largest, Double.MIN_NORMAL));
        }
        return new FunctionCheck(tolerance, rounding, parts);
    }

    private static void requireSame(String what, Side first, int left, Side second, int right) {
        if (left != right) {
            throw new IllegalArgumentException(
                    "%s has %d %s and %s has %d, so they do not compute functions that can be compared%s"
                            .formatted(
                                    first.name,
                                    left,
                                    what,
                                    second.name,
                                    right,
                                    first.widths.isEmpty() || second.widths.isEmpty()
                                            ? ""
                                            : " (widths %s and %s)".formatted(first.widths, second.widths)));
        }
    }

    private static Matrix outputs(Side side, String data, Precision precision) {
        Matrix outputs = Objects.requireNonNull(side.outputs.get(data)).in(precision);
        for (int input = 0; input < outputs.rows(); input++) {
            for (int output = 0; output < outputs.columns(); output++) {
                if (!Double.isFinite(outputs.get(input, output))) {
                    throw new IllegalArgumentException(
                            "%s: output %d of input %d (%s) is %s in %s, so nothing can be said about it"
                                    .formatted(
                                            side.name,
                                            output,
                                            input,
                                            data,
                                            outputs.get(input, output),
                                            precision == Precision.FLOAT32 ? "float32" : "float64"));
                }
            }
        }
        return outputs;
    }

    /** {@return every comparison, for each set of inputs float64, then float32} */
    public List<Part> parts() {
        return parts;
    }

    /** {@return the tolerance of the verdict, as asked for} */
    public double tolerance() {
        return tolerance;
    }

    /**
     * {@return how far float32 alone moves the outputs of the first network from those in float64, the largest difference of an
     * output, over the largest magnitude of all outputs}
     */
    public double rounding() {
        return rounding;
    }

    /**
     * {@return whether the two compute the same function on all inputs given, in both precisions: whether no output differs by
     * more than it may}
     */
    public boolean same() {
        return parts.stream().allMatch(Part::same);
    }

    /** {@return the verdict for a reader, one line that says what was compared, how far it is apart, and the tolerance} */
    public String verdict() {
        if (same()) {
            Part worst = Collections.max(parts, Comparator.comparingDouble(FunctionCheck::worst));
            return "same function on these inputs: no output differs by more than %.1e of its largest magnitude (%s); tolerance %.0e%s"
                    .formatted(
                            worst(worst),
                            worst.words(),
                            tolerance,
                            parts.stream().anyMatch(part -> part.isRounding(tolerance))
                                    ? ", or what rounding to float32 explains"
                                    : "");
        }
        Part worst = Collections.max(
                parts.stream().filter(part -> !part.same()).toList(), Comparator.comparingDouble(FunctionCheck::worst));
        OutputDifference output = worst.farthest();
        List<String> alike =
                parts.stream().map(Part::data).distinct().filter(this::same).toList();
        return "different functions%s: output %d of input %d differs by %.2e, %.1e of its largest magnitude (%s); tolerance %.0e"
                .formatted(
                        alike.isEmpty() ? "" : ", the same only on " + String.join(" and ", alike),
                        output.output(),
                        output.worstInput(),
                        output.max(),
                        output.relative(),
                        worst.words(),
                        tolerance);
    }

    private static double worst(Part part) {
        return part.outputs.worst().relative();
    }

    private boolean same(String data) {
        return parts.stream().filter(part -> part.data.equals(data)).allMatch(Part::same);
    }
}
