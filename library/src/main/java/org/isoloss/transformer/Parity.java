package org.isoloss.transformer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.linalg.Matrix;

/**
 * How far this forward pass is from the numbers of another program, place by place in the order of computation.
 *
 * @param places case by case, each from the first layer to the output
 */
public record Parity(List<Place> places) {
    /** Differences of a float64 pass up to this are rounding. */
    public static final double FLOAT64_TOLERANCE = 1e-12;
    /** Differences of a float32 pass up to this are rounding. */
    public static final double FLOAT32_TOLERANCE = 3e-6;

    /** What is compared. */
    public enum Kind {
        /** What enters a feed-forward block. */
        FEED_FORWARD_INPUT("ffn_input"),
        /** What leaves one. */
        FEED_FORWARD_OUTPUT("ffn_output"),
        /** Logits or last hidden states. */
        OUTPUT("output");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** {@return the name in tables, as golden files call it} */
        public String label() {
            return label;
        }
    }

    /**
     * One comparison.
     *
     * @param caseName whose tokens were run
     * @param kind what was compared
     * @param layer from 0; the number of layers for the output
     * @param float64 largest difference of the float64 pass from the golden numbers, relative to the largest golden number;
     *     infinite when one is not finite
     * @param float32 the same of the float32 pass
     */
    public record Place(String caseName, Kind kind, int layer, double float64, double float32) {
        /** {@return whether the pass departs here by more than rounding: whether a tolerance is exceeded} */
        public boolean departs() {
            return !(float64 <= FLOAT64_TOLERANCE && float32 <= FLOAT32_TOLERANCE);
        }
    }

    /**
     * Runs a model in both arithmetics and compares.
     *
     * @param model open
     * @param cases what to run and what should come
     * @return all comparisons
     * @throws IOException when the model cannot be read
     */
    public static Parity measure(StoredTransformer model, List<GoldenCase> cases) throws IOException {
        return measure(Transformer.of(model, Arithmetic.FLOAT64), Transformer.of(model, Arithmetic.FLOAT32), cases);
    }

    static Parity measure(Transformer exact, Transformer single, List<GoldenCase> cases) {
        var places = new ArrayList<Place>();
        for (GoldenCase golden : cases) {
            places.addAll(measure(exact, single, golden));
        }
        return new Parity(places);
    }

    private static List<Place> measure(Transformer exact, Transformer single, GoldenCase golden) {
        var inputs = golden.feedForwardInputs();
        var outputs = golden.feedForwardOutputs();
        int[] layers = inputs.keySet().stream().mapToInt(layer -> layer).toArray();
        var passes = List.of(exact.run(golden.tokens(), layers), single.run(golden.tokens(), layers));
        var places = new ArrayList<Place>();
        for (int layer : layers) {
            List<Matrix> input = inputs.getOrDefault(layer, List.of());
            places.add(place(
                    golden,
                    Kind.FEED_FORWARD_INPUT,
                    layer,
                    passes,
                    input,
                    pass -> each(golden, sequence -> pass.feedForwardInput(layer, sequence))));
            List<Matrix> output = outputs.getOrDefault(layer, List.of());
            places.add(place(
                    golden,
                    Kind.FEED_FORWARD_OUTPUT,
                    layer,
                    passes,
                    output,
                    pass -> each(golden, sequence -> pass.feedForwardOutput(layer, sequence))));
        }
        places.add(place(
                golden,
                Kind.OUTPUT,
                exact.config().layers(),
                passes,
                golden.outputs(),
                pass -> each(golden, pass::output)));
        return places;
    }

    private static List<Matrix> each(GoldenCase golden, Function<Integer, Matrix> one) {
        var all = new ArrayList<Matrix>();
        for (int sequence = 0; sequence < golden.tokens().sequences(); sequence++) {
            all.add(one.apply(sequence));
        }
        return all;
    }

    private static Place place(
            GoldenCase golden,
            Kind kind,
            int layer,
            List<ForwardPass> passes,
            List<Matrix> expected,
            Function<ForwardPass, List<Matrix>> found) {
        String where = "case '%s', layer %d, %s".formatted(golden.name(), layer, kind.label());
        return new Place(
                golden.name(),
                kind,
                layer,
                difference(where, found.apply(passes.get(0)), expected),
                difference(where, found.apply(passes.get(1)), expected));
    }

    /** Returns the largest difference over all sequences, relative to the largest expected number. */
    static double difference(String where, List<Matrix> found, List<Matrix> expected) {
        if (found.size() != expected.size()) {
            throw new IllegalArgumentException(
                    "%s: %d sequences are expected, but %d were run".formatted(where, expected.size(), found.size()));
        }
        double worst = 0;
        double scale = 0;
        for (int sequence = 0; sequence < found.size(); sequence++) {
            Matrix ours = found.get(sequence);
            Matrix theirs = expected.get(sequence);
            if (ours.rows() != theirs.rows() || ours.columns() < theirs.columns()) {
                throw new IllegalArgumentException(
                        "%s: the golden numbers have shape (%d, %d), the model gives (%d, %d)"
                                .formatted(where, theirs.rows(), theirs.columns(), ours.rows(), ours.columns()));
            }
            scale = Math.max(scale, theirs.largestMagnitude());
            for (int row = 0; row < theirs.rows(); row++) {
                for (int column = 0; column < theirs.columns(); column++) {
                    worst = Math.max(worst, Math.abs(ours.get(row, column) - theirs.get(row, column)));
                }
            }
        }
        double relative = worst == 0 ? 0 : worst / scale;
        return Double.isNaN(relative) ? Double.POSITIVE_INFINITY : relative;
    }

    /**
     * {@return where the pass first departs by more than rounding: the earliest place, over all cases; nothing when all agree}
     */
    public Optional<Place> firstDeparture() {
        return places.stream().filter(Place::departs).reduce((earliest, next) -> {
            boolean sooner = next.layer() < earliest.layer()
                    || (next.layer() == earliest.layer() && next.kind().compareTo(earliest.kind()) < 0);
            return sooner ? next : earliest;
        });
    }
}
