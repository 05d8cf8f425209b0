package org.isoloss.source;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.checkpoint.ForeignTensor;
import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.checkpoint.Tying;
import org.isoloss.model.Dimensions;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;

/**
 * The tensors of a file as parameters of one model, under their stored names. Each is used, or a buffer that its family names,
 * or the file is refused.
 */
final class HuggingFaceTensors {
    private static final Pattern LAYER = Pattern.compile("\\.(\\d{1,9})\\.");

    private final HuggingFaceConfig config;
    private final HuggingFaceWeights weights;
    private final ModelBuilder builder;
    private final Set<String> there;
    private final Map<String, Value> used = new LinkedHashMap<>();
    private final Set<String> copies = new HashSet<>();
    private final List<String> notes = new ArrayList<>();

    HuggingFaceTensors(HuggingFaceConfig config, HuggingFaceWeights weights, ModelBuilder builder) {
        this.config = config;
        this.weights = weights;
        this.builder = builder;
        this.there = new HashSet<>(weights.names());
        if (config.layers() > there.size()) { // before a name is made for every layer that is claimed
            throw wrong("holds %d tensors, too few for the %d layers of the configuration"
                    .formatted(there.size(), config.layers()));
        }
    }

    /** Numbers of the file, widened when they are asked for. */
    private record Stored(StoredTensor tensor) implements Numbers {
        @Override
        public double[] asFloat64() {
            return tensor.toDoubles();
        }

        @Override
        public float[] asFloat32() {
            return tensor.toFloats();
        }

        @Override
        public boolean isReadInParts() {
            return true;
        }

        @Override
        public void read(int from, float[] target, int at, int count) {
            tensor.read(from, target, at, count);
        }

        @Override
        public void read(int from, double[] target, int at, int count) {
            tensor.read(from, target, at, count);
        }
    }

    /** Returns what a tensor is called in the file, where it is there. */
    Optional<String> storedName(String name) {
        return spellings(name).filter(there::contains).findFirst();
    }

    /** The names that published files use: with and without the prefix, and older ones of norms. */
    private Stream<String> spellings(String name) {
        String full = config.family().text("prefix") + name;
        if (!config.flag("olderNorms")) {
            return Stream.of(full, name);
        }
        return Stream.of(full, name)
                .flatMap(one ->
                        Stream.of(one, one.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")));
    }

    /**
     * Adds a parameter, or returns it where it was added before.
     *
     * @param name with or without the prefix of the family
     * @param sizes of its shape
     */
    Value parameter(String name, int... sizes) {
        String stored =
                storedName(name).orElseThrow(() -> missing(config.family().text("prefix") + name));
        return used.computeIfAbsent(stored, _ -> {
            StoredTensor tensor = tensor(stored);
            if (!tensor.type().isFloat()) {
                throw wrong("tensor %s has type %s, expected one of F64, F32, F16, BF16"
                        .formatted(quoted(stored), tensor.type()));
            }
            Shape expected =
                    new Shape(Arrays.stream(sizes).mapToObj(size -> (long) size).toList());
            if (!tensor.shape().equals(expected)) {
                throw wrong("tensor %s has shape %s, but the configuration asks for %s"
                        .formatted(quoted(weights.storedName(stored)), tensor.shape(), expected));
            }
            return builder.parameter(stored, Dimensions.of(sizes), new Stored(tensor));
        });
    }

    /**
     * Adds a parameter of its own with the numbers of a stored one.
     *
     * @param name that it gets
     * @param stored with or without the prefix of the family
     * @param sizes of its shape
     */
    Value copied(String name, String stored, int... sizes) {
        parameter(stored, sizes); // checks its shape
        StoredTensor tensor = tensor(storedName(stored).orElseThrow(() -> missing(stored)));
        return builder.parameter(name, Dimensions.of(sizes), new Stored(tensor));
    }

    CheckpointFormatException missing(String name) {
        return wrong("no tensor %s, which %s needs%s"
                .formatted(
                        quoted(name),
                        config,
                        ForeignTensor.instead(
                                weights.names(), name, config.family().has("gate"))));
    }

    /**
     * Tells whether the embedding makes the logits where the configuration ties the head to it and both are stored; the head is
     * then left aside. Where they differ the configuration is wrong, which is noted.
     *
     * @param name of the embedding
     * @param head its name in the file
     * @param tying which counts where they differ
     */
    boolean tied(String name, String head, Tying tying) {
        String embedding =
                storedName(name).orElseThrow(() -> missing(config.family().text("prefix") + name));
        StoredTensor one = tensor(embedding);
        StoredTensor other = tensor(head);
        boolean same = one.type() == other.type()
                && one.shape().equals(other.shape())
                && one.bytes().mismatch(other.bytes()) < 0;
        if (!same) {
            notes.add("%s: the configuration ties %s to %s, but both are stored and differ: %s"
                    .formatted(
                            weights.path(),
                            quoted(head),
                            quoted(embedding),
                            switch (tying) {
                                case AS_STORED, UNTIED ->
                                    "the stored head makes the logits, as in transformers since version 5";
                                case AS_CONFIGURED ->
                                    "the embedding makes the logits, as in transformers before version 5";
                            }));
        }
        if (same || tying == Tying.AS_CONFIGURED) {
            copies.add(head);
            return true;
        }
        return false;
    }

    /** Returns what a reader should know of how the file was understood, a line each. */
    List<String> notes() {
        return List.copyOf(notes);
    }

    private Shape storedShape(String name) {
        try {
            return weights.storedShape(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private StoredTensor tensor(String stored) {
        try {
            return weights.tensor(stored);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Refuses a tensor that is neither a parameter nor a buffer: the function in the file is then another than is computed. */
    void requireNothingElse() {
        List<String> others = new ArrayList<>();
        for (String name : weights.names()) {
            if (!used.containsKey(name) && !copies.contains(name) && !isBuffer(name)) {
                others.add(name);
            }
        }
        if (!others.isEmpty()) {
            String first = others.getFirst();
            String stored = weights.storedName(first);
            ForeignTensor foreign = ForeignTensor.of(stored, storedShape(first), config.layers(), config::biasKey);
            throw wrong("tensor %s is not used by %s%s; it looks like %s: %s"
                    .formatted(
                            quoted(stored),
                            config,
                            others.size() == 1 ? "" : ", nor are other tensors (%d in all)".formatted(others.size()),
                            foreign.what(),
                            foreign.advice()));
        }
    }

    /** Tells whether a tensor, no parameter, can be left aside: outputs do not go through it. */
    private boolean isBuffer(String name) {
        String prefix = config.family().text("prefix");
        String bare = name.startsWith(prefix) ? name.substring(prefix.length()) : name;
        Matcher layer = LAYER.matcher(bare);
        if (layer.find() && Integer.parseInt(layer.group(1)) >= config.layers()) {
            return false;
        }
        return config.family().words("buffers").stream()
                .map(buffer -> buffer.split("="))
                .anyMatch(buffer -> bare.matches(buffer[0]) && fits(buffer[1], tensor(name)));
    }

    private boolean fits(String form, StoredTensor tensor) {
        Shape shape = tensor.shape();
        return switch (form) {
            case "mask" ->
                shape.rank() == 4 && shape.size(0) == 1 && shape.size(1) == 1 && shape.size(2) == shape.size(3);
            case "number" -> shape.count() == 1;
            case "frequencies" -> {
                HuggingFaceRotary rotary = config.rotary(0);
                yield rotary != null && shape.equals(Shape.of(rotary.width() / 2));
            }
            case "whole" -> tensor.type().isWhole();
            default -> tensor.type().isFloat() && shape.rank() <= 2;
        };
    }

    CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(weights.path(), problem);
    }
}
