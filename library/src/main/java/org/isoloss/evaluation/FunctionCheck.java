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
import org.isoloss.source.ComputedOutputs;

/**
 * Whether two networks compute the same function on given inputs, in float64 and in float32, output by output. What they are made
 * of may differ; the numbers of inputs and outputs may not.
 *
 * <p>They do when no output differs by more than the tolerance times the largest magnitude of this output, or of all numbers of
 * its kind. A small difference of large numbers carries the rounding of those: an output may therefore also differ by
 * {@value #ROUNDINGS} times what float32 moves it in either network, in float64 only up to the tolerance times the largest
 * magnitude of all outputs of its name.
 *
 * @see ComputedOutputs#isOfOneKind
 */
public final class FunctionCheck {
    /** The tolerance of a verdict where none is asked for: a hundred times the rounding of float32. */
    public static final double TOLERANCE = 1e-5;

    private static final double ROUNDINGS = 16;

    /**
     * A network with the name that messages give it.
     *
     * @param name such as the file
     * @param outputs by the name of the inputs
     */
    public record Side(String name, SequencedMap<String, ComputedOutputs> outputs) {}

    /**
     * One comparison.
     *
     * @param data the name of the inputs
     * @param name of the output; empty where the networks have one
     * @param precision of both networks
     * @param outputs what came out
     * @param allowed how far each output may differ
     */
    public record Part(String data, String name, Precision precision, OutputComparison outputs, List<Double> allowed) {
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

        /** {@return the inputs and the output, such as {@code data} or {@code data, logits}} */
        public String label() {
            return name.isEmpty() ? data : data + ", " + name;
        }

        /** Such as {@code data, float32}. */
        String words() {
            return "%s, %s".formatted(label(), precision == Precision.FLOAT64 ? "float64" : "float32");
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
        List<Part> parts = new ArrayList<>();
        double rounding = 0;
        for (String data : first.outputs.keySet()) {
            ComputedOutputs left = Objects.requireNonNull(first.outputs.get(data));
            ComputedOutputs right = Objects.requireNonNull(second.outputs.get(data));
            SequencedMap<String, String> names = paired(first.name, left, second.name, right);
            for (String name : names.keySet()) {
                String other = Objects.requireNonNull(names.get(name));
                Matrix exact = outputs(first.name, left, name, data, Precision.FLOAT64);
                Matrix narrow = outputs(first.name, left, name, data, Precision.FLOAT32);
                Matrix otherExact = outputs(second.name, right, other, data, Precision.FLOAT64);
                Matrix otherNarrow = outputs(second.name, right, other, data, Precision.FLOAT32);
                requireSame("outputs", first.name, exact.columns(), second.name, otherExact.columns(), "");
                requireSame("rows of outputs", first.name, exact.rows(), second.name, otherExact.rows(), "");
                boolean ofOneKind = left.isOfOneKind(name) || right.isOfOneKind(other);
                OutputComparison inDoubles = OutputComparison.of(exact, otherExact, ofOneKind);
                OutputComparison inFloats = OutputComparison.of(narrow, otherNarrow, ofOneKind);
                double[] own = left.noise(name);
                double[] others = right.noise(other);
                double largest = Math.max(exact.largestMagnitude(), otherExact.largestMagnitude());
                List<Double> allowedExact = new ArrayList<>();
                List<Double> allowedNarrow = new ArrayList<>();
                for (int output = 0; output < exact.columns(); output++) {
                    double noise = ROUNDINGS * Math.max(own[output], others[output]);
                    allowedExact.add(Math.max(
                            tolerance * inDoubles.outputs().get(output).scale(), Math.min(noise, tolerance * largest)));
                    allowedNarrow.add(
                            Math.max(tolerance * inFloats.outputs().get(output).scale(), noise));
                    rounding = Math.max(rounding, own[output] / Math.max(largest, Double.MIN_NORMAL));
                }
                String shown = names.size() == 1 ? "" : name;
                parts.add(new Part(data, shown, Precision.FLOAT64, inDoubles, allowedExact));
                parts.add(new Part(data, shown, Precision.FLOAT32, inFloats, allowedNarrow));
            }
        }
        return new FunctionCheck(tolerance, rounding, parts);
    }

    /** Which output is held against which: those of one name, or the only ones. */
    private static SequencedMap<String, String> paired(
            String first, ComputedOutputs left, String second, ComputedOutputs right) {
        List<String> names = left.names();
        List<String> others = right.names();
        boolean single = names.size() == 1 && others.size() == 1;
        if (!single && !(names.size() == others.size() && names.containsAll(others))) {
            throw new IllegalArgumentException(
                    "%s has the outputs %s and %s has %s, so they do not compute functions that can be compared"
                            .formatted(first, String.join(", ", names), second, String.join(", ", others)));
        }
        SequencedMap<String, String> paired = new LinkedHashMap<>();
        names.forEach(name -> paired.put(name, single ? others.getFirst() : name));
        return paired;
    }

    /**
     * Refuses two networks of dense layers whose inputs or outputs do not match.
     *
     * @param first the name of one
     * @param left its widths
     * @param second the name of the other
     * @param right its widths
     * @throws IllegalArgumentException when their functions cannot be compared
     */
    public static void requireComparable(String first, List<Integer> left, String second, List<Integer> right) {
        String widths = " (widths %s and %s)".formatted(left, right);
        requireSame("inputs", first, left.getFirst(), second, right.getFirst(), widths);
        requireSame("outputs", first, left.getLast(), second, right.getLast(), widths);
    }

    private static void requireSame(String what, String first, int left, String second, int right, String more) {
        if (left != right) {
            throw new IllegalArgumentException(
                    "%s has %d %s and %s has %d, so they do not compute functions that can be compared%s"
                            .formatted(first, left, what, second, right, more));
        }
    }

    private static Matrix outputs(
            String side, ComputedOutputs computed, String name, String data, Precision precision) {
        Matrix outputs = computed.rows(name, precision);
        for (int i = 0; i < outputs.entries().length; i++) {
            if (!Double.isFinite(outputs.entries()[i])) {
                throw new IllegalArgumentException(
                        "%s: output %d of input %d (%s) is %s in %s, so nothing can be said about it"
                                .formatted(
                                        side,
                                        i % outputs.columns(),
                                        i / outputs.columns(),
                                        data,
                                        outputs.entries()[i],
                                        precision == Precision.FLOAT32 ? "float32" : "float64"));
            }
        }
        return outputs;
    }

    /** {@return every comparison, for each set of inputs and each output float64, then float32} */
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
            return "same function on %s: no output differs by more than %.1e of its largest magnitude (%s); tolerance %.0e%s"
                    .formatted(
                            worst.data.equals("text") ? "this text" : "these inputs",
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
