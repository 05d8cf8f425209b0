package org.isoloss.source;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.checkpoint.OnnxBlock;
import org.isoloss.checkpoint.OnnxFile;
import org.isoloss.checkpoint.OnnxNode;
import org.isoloss.checkpoint.OnnxTensor;
import org.isoloss.checkpoint.OnnxValue;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.jspecify.annotations.Nullable;

/** Walks once through a graph and adds what its nodes compute to a model. */
final class OnnxTranslation {
    private static final int OLDEST = 6;

    private final OnnxFile file;
    private final Bindings bindings;
    private final Set<String> settled;
    private final int opset;
    private final ModelBuilder builder = Model.builder();
    private final Map<String, TypedValue> tensors = new HashMap<>();
    private final Map<String, OnnxNode> unmade = new HashMap<>();
    private final Set<String> needed = new LinkedHashSet<>();
    private final Set<String> statistics = new HashSet<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * Prepares a walk.
     *
     * @param settled inputs and parameters whose numbers are taken as constants
     */
    OnnxTranslation(OnnxFile file, Bindings bindings, Set<String> settled) {
        this.file = file;
        this.bindings = bindings;
        this.settled = settled;
        this.opset = Math.toIntExact(file.opsets().getOrDefault("", 1L));
        if (opset < OLDEST) {
            throw wrong("was written for opset %d of ONNX; %d and later are read".formatted(opset, OLDEST));
        }
    }

    ModelBuilder builder() {
        return builder;
    }

    List<String> notes() {
        return notes;
    }

    /** Adds everything; returns the types of the outputs. */
    Map<String, TensorType> run() {
        OnnxBlock graph = file.graph();
        need(graph);
        for (OnnxNode node : graph.nodes()) {
            if (node.outputs().stream().anyMatch(needed::contains)) {
                at(node.toString(), () -> Operators.find(node.domain(), node.operation()));
            }
        }
        InputShapes shapes = at("inputs", () -> new InputShapes(graph.inputs(), bindings));
        for (OnnxValue input : graph.inputs()) {
            if (needed.contains(input.name())) {
                String reader = graph.nodes().stream()
                        .filter(node -> node.inputs().contains(input.name()))
                        .findFirst()
                        .map(" of %s"::formatted)
                        .orElse("");
                tensors.put(
                        input.name(), at("input '%s'%s".formatted(input.name(), reader), () -> input(input, shapes)));
            }
        }
        addInitialisers(graph);
        walk(graph);
        Map<String, TensorType> types = new HashMap<>();
        for (OnnxValue output : graph.outputs()) {
            String maker = graph.nodes().stream()
                    .filter(node -> node.outputs().contains(output.name()))
                    .findFirst()
                    .map(" of %s"::formatted)
                    .orElse("");
            builder.at("output '%s'".formatted(output.name()));
            TypedValue tensor = at("output '%s'%s".formatted(output.name(), maker), () -> {
                TypedValue made = find(output.name());
                made.value();
                return made;
            });
            builder.output(output.name(), tensor.value());
            types.put(output.name(), tensor.type());
        }
        return types;
    }

    private TypedValue input(OnnxValue input, InputShapes shapes) {
        if (input.type() == 0) {
            throw new IllegalArgumentException("is no tensor; sequences, maps and optional values are not read");
        }
        TensorType type = TensorType.of(input.type());
        List<Integer> sizes = shapes.of(input);
        if (sizes.contains(0)) {
            return TypedValue.empty(type, sizes);
        }
        double[] numbers = bindings.numbers().get(input.name());
        return TypedValue.of(
                type,
                settled.contains(input.name()) && numbers != null
                        ? builder.constant(new Dimensions(sizes), Numbers.of(numbers))
                        : builder.input(
                                input.name(),
                                sizes.stream().mapToInt(Integer::intValue).toArray()));
    }

    private void addInitialisers(OnnxBlock block) {
        if (block.isSparse()) {
            throw wrong("has sparse initialisers, which are not read; store them as dense tensors");
        }
        for (OnnxTensor stored : block.initialisers().values()) {
            if (!needed.contains(stored.name())) {
                notes.add("the initialiser '%s' is left aside: no output depends on it".formatted(stored.name()));
                continue;
            }
            builder.at("initialiser '%s'".formatted(stored.name()));
            tensors.put(stored.name(), at("initialiser '%s'".formatted(stored.name()), () -> initialiser(stored)));
        }
    }

    private TypedValue initialiser(OnnxTensor stored) {
        boolean moves = stored.type().filter(type -> type.isFloat()).isPresent()
                && !settled.contains(stored.name())
                && !statistics.contains(stored.name());
        return moves ? stored(stored, true) : constant(stored);
    }

    /** A tensor of the file that is no parameter. */
    TypedValue constant(OnnxTensor stored) {
        return stored(stored, false);
    }

    private TypedValue stored(OnnxTensor stored, boolean moves) {
        StoredTensor tensor;
        try {
            tensor = file.read(stored);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        TensorType type = TensorType.of(tensor.type());
        List<Integer> sizes =
                tensor.shape().sizes().stream().map(Math::toIntExact).toList();
        if (sizes.contains(0)) {
            return TypedValue.empty(type, sizes);
        }
        Dimensions shape = new Dimensions(sizes);
        Numbers numbers = type.isFloat() ? new StoredNumbers(tensor) : wholes(tensor);
        return TypedValue.of(
                type, moves ? builder.parameter(stored.name(), shape, numbers) : builder.constant(shape, numbers));
    }

    /** Whole numbers as float64; the ends of the range stand for "as far as it goes" and may be rounded. */
    private static Numbers wholes(StoredTensor tensor) {
        long[] wholes = tensor.toLongs();
        double[] numbers = new double[wholes.length];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = wholes[i];
            if (Math.abs(numbers[i]) > 1L << 53 && Math.abs(numbers[i]) < 0x1p62) {
                throw new IllegalArgumentException(
                        "%d is beyond 2^53, up to which float64 holds every whole number".formatted(wholes[i]));
            }
        }
        return Numbers.of(numbers);
    }

    /** Notes the names that the outputs depend on, and which of them are statistics of norms. */
    private void need(OnnxBlock block) {
        block.outputs().forEach(output -> needed.add(output.name()));
        for (OnnxNode node : block.nodes().reversed()) {
            if (node.outputs().stream().anyMatch(needed::contains)) {
                needed.addAll(node.inputs());
                if (node.operation().equals("BatchNormalization")) {
                    statistics.addAll(node.inputs()
                            .subList(
                                    Math.min(3, node.inputs().size()),
                                    node.inputs().size()));
                }
                node.attributes()
                        .values()
                        .forEach(attribute -> attribute.block().ifPresent(this::need));
            }
        }
    }

    private void walk(OnnxBlock block) {
        for (OnnxNode node : block.nodes()) {
            if (node.outputs().stream().anyMatch(needed::contains)) {
                builder.at(node.toString());
                List<TypedValue> results = at(node.toString(), () -> results(node));
                for (int i = 0; i < node.outputs().size(); i++) {
                    String name = node.outputs().get(i);
                    if (i < results.size()) {
                        tensors.put(name, results.get(i));
                    } else {
                        unmade.put(name, node);
                    }
                }
            }
        }
    }

    private List<TypedValue> results(OnnxNode node) {
        Rule rule = Operators.find(node.domain(), node.operation());
        List<@Nullable TypedValue> arguments = new ArrayList<>();
        for (String name : node.inputs()) {
            arguments.add(name.isEmpty() ? null : find(name));
        }
        var call = new Call(node, arguments, opset, this);
        List<TypedValue> results = rule.apply(call);
        call.requireAllAsked();
        return results;
    }

    /** Runs a branch of a node, which sees all that was made before it. */
    List<TypedValue> branch(OnnxBlock block) {
        addInitialisers(block);
        walk(block);
        return block.outputs().stream().map(output -> find(output.name())).toList();
    }

    private TypedValue find(String name) {
        TypedValue tensor = tensors.get(name);
        if (tensor == null) {
            OnnxNode maker = unmade.get(name);
            throw new IllegalArgumentException(
                    maker == null
                            ? "'%s' is made by no node before it".formatted(name)
                            : "'%s' is made by %s, of which this result is not read".formatted(name, maker));
        }
        return tensor;
    }

    private interface Part<T> {
        T make();
    }

    /** Says where something is wrong; parts within parts say it once. */
    private <T> T at(String place, Part<T> part) {
        try {
            return part.make();
        } catch (NotKnownException e) {
            throw String.valueOf(e.getMessage()).startsWith("node ")
                    ? e
                    : new NotKnownException(place + ": " + e.getMessage(), e.names());
        } catch (OnnxModelException e) {
            throw e;
        } catch (IllegalArgumentException | ArithmeticException e) {
            String message = String.valueOf(e.getMessage());
            throw wrong(message.startsWith(place) ? message : place + ": " + message);
        }
    }

    private OnnxModelException wrong(String problem) {
        return new OnnxModelException(file.path(), problem);
    }

    /** Numbers that stay in the file until they are used. */
    private record StoredNumbers(StoredTensor tensor) implements Numbers {
        @Override
        public double[] asFloat64() {
            return tensor.toDoubles();
        }

        @Override
        public float[] asFloat32() {
            return tensor.toFloats();
        }
    }
}
