package org.isoloss.evaluation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Composite;
import org.isoloss.model.Execution;
import org.isoloss.model.Model;
import org.isoloss.model.Value;
import org.isoloss.source.Bindings;
import org.isoloss.source.NamedArrays;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;

/**
 * How far a model is from the numbers of another program, place by place in the order of computation.
 *
 * @param places case by case, each from the first layer to the output
 * @param notes what a reader should know about how the model was understood, one line each
 */
public record Parity(List<Place> places, List<String> notes) {
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
        private String key() {
            return GoldenCase.key(kind, layer);
        }

        /** {@return whether the pass departs here by more than rounding: whether a tolerance is exceeded} */
        public boolean departs() {
            return !(float64 <= FLOAT64_TOLERANCE && float32 <= FLOAT32_TOLERANCE);
        }
    }

    /** Keeps its own lists. */
    public Parity {
        places = List.copyOf(places);
        notes = List.copyOf(notes);
    }

    /**
     * Runs a model in both precisions and compares.
     *
     * @param model as {@link StoredModel#open} takes it
     * @param reading what its file does not say
     * @param cases what to run and what should come
     * @return all comparisons
     * @throws IOException when the model cannot be read
     */
    public static Parity measure(Path model, Reading reading, List<GoldenCase> cases) throws IOException {
        List<Place> places = new ArrayList<>();
        SequencedSet<String> notes = new LinkedHashSet<>();
        for (GoldenCase golden : cases) {
            NamedArrays given = golden.inputs().withTokenInputs(StoredModel.inputs(model));
            try (StoredModel opened = StoredModel.open(model, given.bind(Bindings.NONE), reading)) {
                notes.addAll(opened.notes());
                places.addAll(places(opened.model(), given.all(), golden));
            }
        }
        return new Parity(places, List.copyOf(notes));
    }

    private static List<Place> places(Model model, Map<String, double[]> given, GoldenCase golden) {
        SequencedMap<Place, Value> wanted = new LinkedHashMap<>();
        List<Composite> blocks = model.composites().stream()
                .filter(composite -> composite.role() == Composite.Role.FEED_FORWARD)
                .toList();
        for (int layer : golden.layers()) {
            if (layer < 0 || layer >= blocks.size()) {
                throw new IllegalArgumentException(
                        "case '%s' has numbers of layer %d, but the model has %d feed-forward blocks that are known, counted from 0"
                                .formatted(golden.name(), layer, blocks.size()));
            }
            Composite block = blocks.get(layer);
            wanted.put(
                    place(golden, Kind.FEED_FORWARD_INPUT, layer),
                    block.arguments().getFirst());
            wanted.put(place(golden, Kind.FEED_FORWARD_OUTPUT, layer), block.result());
        }
        wanted.keySet().removeIf(place -> !golden.expected().names().contains(place.key()));
        wanted.put(
                place(golden, Kind.OUTPUT, blocks.size()),
                model.outputs().firstEntry().getValue());
        Execution exact = run(model, Precision.FLOAT64, List.copyOf(wanted.values()), given);
        Execution narrow = run(model, Precision.FLOAT32, List.copyOf(wanted.values()), given);
        List<Place> places = new ArrayList<>();
        wanted.forEach((place, value) -> {
            String where = "case '%s', layer %d, %s".formatted(golden.name(), place.layer, place.kind.label());
            Matrix expected =
                    rows(golden.expected().sizes(place.key()), golden.expected().numbers(place.key()));
            places.add(new Place(
                    golden.name(),
                    place.kind,
                    place.layer,
                    difference(where, rows(value.shape().sizes(), exact.get(value)), expected),
                    difference(where, rows(value.shape().sizes(), narrow.get(value)), expected)));
        });
        return places;
    }

    private static Place place(GoldenCase golden, Kind kind, int layer) {
        return new Place(golden.name(), kind, layer, 0, 0);
    }

    private static Execution run(Model model, Precision precision, List<Value> values, Map<String, double[]> given) {
        Execution execution = Execution.of(precision, values);
        model.setInputs(execution, given);
        execution.run();
        return execution;
    }

    private static Matrix rows(List<Integer> sizes, double[] numbers) {
        int columns = sizes.getLast();
        return Matrix.over(columns == 0 ? 0 : numbers.length / columns, columns, numbers);
    }

    /** Returns the largest difference over all rows, relative to the largest expected number. */
    static double difference(String where, Matrix found, Matrix expected) {
        if (found.rows() != expected.rows() || found.columns() < expected.columns()) {
            throw new IllegalArgumentException("%s: the golden numbers have shape (%d, %d), the model gives (%d, %d)"
                    .formatted(where, expected.rows(), expected.columns(), found.rows(), found.columns()));
        }
        double worst = 0;
        for (int row = 0; row < expected.rows(); row++) {
            for (int column = 0; column < expected.columns(); column++) {
                worst = Math.max(worst, Math.abs(found.get(row, column) - expected.get(row, column)));
            }
        }
        double relative = worst == 0 ? 0 : worst / expected.largestMagnitude();
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
