package org.isoloss.checkpoint;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Runs a graph on a short text whose words and weights are not known: every value gets its shape, and what follows from
 * constants, shapes and the attention mask its numbers. So masks, positions and shapes are known however a graph makes them. What an
 * operation that is not known here gives, and all that depends on it, is not known.
 */
final class OnnxProbe {
    /** Tokens of a text, unless the graph says how many it takes. */
    private static final int TOKENS = 16;

    private static final int TEXTS = 2;
    private static final int MOST_AXES = 8;

    private final OnnxFile file;
    private final Map<String, OnnxArray> values = new HashMap<>();
    private int texts = TEXTS;
    private int tokens;

    private OnnxProbe(OnnxFile file, int positions) {
        this.file = file;
        this.tokens = Math.min(TOKENS, positions);
    }

    /**
     * Runs a graph.
     *
     * @param positions the longest text
     */
    static OnnxProbe run(OnnxFile file, int positions) throws IOException {
        var probe = new OnnxProbe(file, positions);
        probe.feed();
        for (OnnxNode node : file.nodes()) {
            List<Optional<OnnxArray>> inputs =
                    node.inputs().stream().map(probe::value).toList();
            Optional<OnnxArray> result = node.is("Constant") || node.is("ConstantOfShape")
                    ? filled(probe.constant(node), inputs)
                    : result(node, inputs);
            result.ifPresent(value -> probe.values.put(node.output(), value));
        }
        return probe;
    }

    /** Gives the inputs their values and reads the constants among the initialisers. */
    private void feed() throws IOException {
        for (OnnxValue input : file.inputs()) {
            if (input.sizes().size() == 2) {
                texts = input.sizes().get(0) > 0
                        ? Math.toIntExact(Math.min(input.sizes().get(0), TOKENS))
                        : texts;
                tokens = input.sizes().get(1) > 0
                        ? Math.toIntExact(Math.min(input.sizes().get(1), 512))
                        : tokens;
            }
        }
        for (OnnxValue input : file.inputs()) {
            if (input.sizes().size() == 2) {
                values.put(
                        input.name(),
                        isMask(input.name())
                                ? OnnxArray.of(new int[] {texts, tokens}, mask())
                                : OnnxArray.unknown(texts, tokens));
            }
        }
        for (String name : file.names()) {
            read(file.tensor(name), true).ifPresent(value -> values.put(name, value));
        }
    }

    static boolean isMask(String input) {
        return input.contains("mask");
    }

    /** Returns 1 for all tokens of the first text, and 0 for the last of the last one: some are padding. */
    private double[] mask() {
        double[] mask = new double[texts * tokens];
        Arrays.fill(mask, 1);
        Arrays.fill(mask, mask.length - Math.max(1, tokens / 3), mask.length, tokens > 1 ? 0 : 1);
        return mask;
    }

    /** Tells whether a token is there, not padding. */
    boolean isSeen(int text, int token) {
        return mask()[text * tokens + token] == 1;
    }

    int texts() {
        return texts;
    }

    int tokens() {
        return tokens;
    }

    /** Returns a value; empty when nothing is known of it. */
    Optional<OnnxArray> value(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** Returns the number that a value is, such as a factor. */
    Optional<Double> number(String name) {
        return value(name)
                .filter(array -> array.isKnown() && Arrays.stream(array.shape()).allMatch(size -> size == 1))
                .map(array -> array.values()[0]);
    }

    /** Computes what an operation gives when its first input is another. */
    Optional<OnnxArray> again(OnnxNode node, OnnxArray first) {
        List<Optional<OnnxArray>> inputs =
                new ArrayList<>(node.inputs().stream().map(this::value).toList());
        inputs.set(0, Optional.of(first));
        return result(node, inputs);
    }

    /** Reads a tensor; of weights among the initialisers only the shape. */
    private Optional<OnnxArray> read(StoredTensor tensor, boolean initialiser) {
        if (tensor.shape().rank() > MOST_AXES || tensor.shape().count() > Integer.MAX_VALUE) {
            return Optional.empty();
        }
        int[] shape = new int[tensor.shape().rank()];
        Arrays.setAll(shape, axis -> (int) tensor.shape().size(axis));
        boolean few = tensor.shape().count() <= 1 << 16;
        boolean weights =
                initialiser && tensor.type().isFloat() && tensor.shape().count() != 1 && shape.length < 3;
        if (!few || weights) {
            return Optional.of(OnnxArray.unknown(shape));
        }
        if (tensor.type() == ElementType.BOOL) {
            byte[] bytes = tensor.bytes().toArray(ValueLayout.JAVA_BYTE);
            return Optional.of(OnnxArray.of(
                    shape,
                    IntStream.range(0, bytes.length).mapToDouble(i -> bytes[i]).toArray()));
        }
        return Optional.of(OnnxArray.of(
                shape,
                tensor.type().isFloat()
                        ? tensor.toDoubles()
                        : Arrays.stream(tensor.toLongs()).asDoubleStream().toArray()));
    }

    private static Optional<OnnxArray> result(OnnxNode node, List<Optional<OnnxArray>> given) {
        List<OnnxArray> inputs = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            if (given.get(i).isPresent()) {
                inputs.add(given.get(i).orElseThrow());
            } else if (!node.input(i).isEmpty()) {
                return Optional.empty();
            }
        }
        if (inputs.isEmpty() || !node.domain().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(OnnxOperations.apply(node, inputs));
        } catch (IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException e) {
            return Optional.empty(); // inputs that do not fit the operation, or numbers that are not known
        }
    }

    /** Returns a constant, stretched to the shape that is the input where there is one. */
    private static Optional<OnnxArray> filled(Optional<OnnxArray> constant, List<Optional<OnnxArray>> inputs) {
        if (inputs.isEmpty()) {
            return constant;
        }
        OnnxArray number = constant.orElse(OnnxArray.of(new int[0], 0));
        try {
            return inputs.getFirst().map(shape -> number.reshaped().stretched(shape.wholes()));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return Optional.empty(); // no shape, or one that is not known
        }
    }

    private Optional<OnnxArray> constant(OnnxNode node) throws IOException {
        Optional<OnnxTensor> tensor = node.attribute("value").flatMap(OnnxNode.Attribute::tensor);
        if (tensor.isPresent()) {
            return read(file.read(tensor.get()), false);
        }
        return node.attribute("value_float")
                .map(given -> OnnxArray.of(new int[0], given.number()))
                .or(() -> node.attribute("value_int").map(given -> OnnxArray.of(new int[0], (double) given.whole())))
                .or(() -> node.attribute("value_ints")
                        .map(given -> OnnxArray.list(given.wholes().stream()
                                .mapToDouble(Long::doubleValue)
                                .toArray())));
    }
}
