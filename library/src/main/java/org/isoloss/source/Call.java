package org.isoloss.source;

import com.google.errorprone.annotations.FormatMethod;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.OnnxBlock;
import org.isoloss.checkpoint.OnnxNode;
import org.isoloss.checkpoint.OnnxTensor;
import org.isoloss.model.Convolutions;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Execution;
import org.isoloss.model.Layers;
import org.isoloss.model.Leaf;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** One node with its arguments and attributes, as an operator's rule sees it. Every attribute must be asked for. */
final class Call {
    private final OnnxNode node;
    private final List<@Nullable TypedValue> arguments;
    private final int opset;
    private final OnnxTranslation translation;
    private final Set<String> asked = new HashSet<>();

    Call(OnnxNode node, List<@Nullable TypedValue> arguments, int opset, OnnxTranslation translation) {
        this.node = node;
        this.arguments = arguments;
        this.opset = opset;
        this.translation = translation;
    }

    int opset() {
        return opset;
    }

    ModelBuilder builder() {
        return translation.builder();
    }

    Layers layers() {
        return new Layers(builder());
    }

    Convolutions convolutions() {
        return new Convolutions(builder());
    }

    String operator() {
        return node.operation();
    }

    /** Whether somebody names a result. */
    boolean wants(int result) {
        return result < node.outputs().size() && !node.outputs().get(result).isEmpty();
    }

    int results() {
        return node.outputs().size();
    }

    int arguments() {
        return arguments.size();
    }

    boolean has(int place) {
        return place < arguments.size() && arguments.get(place) != null;
    }

    TypedValue tensor(int place) {
        TypedValue tensor = place < arguments.size() ? arguments.get(place) : null;
        if (tensor == null) {
            throw new IllegalArgumentException("input %d is missing".formatted(place));
        }
        return tensor;
    }

    Value value(int place) {
        return tensor(place).value();
    }

    @Nullable
    Value optional(int place) {
        return has(place) ? value(place) : null;
    }

    TensorType type() {
        return tensor(0).type();
    }

    TypedValue same(Value value) {
        return TypedValue.of(type(), value);
    }

    TypedValue truth(Value value) {
        return TypedValue.of(TensorType.BOOL, value);
    }

    Value constant(double number) {
        return builder().constant(number);
    }

    Value constant(List<Integer> sizes, double... numbers) {
        return builder().constant(new Dimensions(sizes), Numbers.of(numbers));
    }

    /** Whole numbers along one axis; none are an empty tensor. */
    TypedValue list(double... numbers) {
        return numbers.length == 0
                ? TypedValue.empty(TensorType.INT64, List.of(0))
                : TypedValue.of(TensorType.INT64, constant(List.of(numbers.length), numbers));
    }

    /** The numbers of an argument that have to be known now. */
    double[] known(int place) {
        TypedValue tensor = tensor(place);
        if (tensor.isEmpty()) {
            return new double[0];
        }
        Value value = tensor.value();
        Set<String> names = sources(value);
        if (!names.isEmpty()) {
            throw new NotKnownException(
                    "input %d ('%s') has to be known when the model is opened, but depends on %s"
                            .formatted(place, node.inputs().get(place), String.join(", ", names)),
                    names);
        }
        return numbersOf(value);
    }

    /** The numbers of a constant. */
    double[] numbersOf(Value value) {
        if (value.operation() instanceof Leaf leaf) {
            return leaf.numbers().asFloat64();
        }
        Execution execution = Execution.of(Precision.FLOAT64, List.of(value));
        execution.run();
        return execution.get(value);
    }

    int[] wholes(int place) {
        return Arrays.stream(known(place)).mapToInt(number -> (int) number).toArray();
    }

    double number(int place) {
        double[] numbers = known(place);
        if (numbers.length != 1) {
            throw new IllegalArgumentException("input %d has %d numbers, expected 1".formatted(place, numbers.length));
        }
        return numbers[0];
    }

    /** The inputs and parameters that a value depends on, by name. */
    static Set<String> sources(Value value) {
        Set<String> names = new TreeSet<>();
        Set<Value> seen = new HashSet<>(Set.of(value));
        List<Value> open = new ArrayList<>(seen);
        while (!open.isEmpty()) {
            Value next = open.removeLast();
            if (next.operation() instanceof Leaf leaf && leaf.kind() != Leaf.Kind.CONSTANT) {
                names.add(leaf.label());
            }
            next.arguments().stream().filter(seen::add).forEach(open::add);
        }
        return names;
    }

    /** Whether an argument is a constant now: no input or parameter decides it. */
    boolean isConstant(int place) {
        return tensor(place).isEmpty()
                || (value(place).operation() instanceof Leaf leaf && leaf.kind() == Leaf.Kind.CONSTANT);
    }

    /** Whether an argument depends on no input, so that it may be asked for by {@link #known}. */
    boolean isStored(int place) {
        return tensor(place).isEmpty()
                || (value(place).operation() instanceof Leaf leaf && leaf.kind() != Leaf.Kind.INPUT)
                || sources(value(place)).isEmpty();
    }

    private OnnxNode.@Nullable Attribute attribute(String name) {
        asked.add(name);
        return node.attributes().get(name);
    }

    boolean hasAttribute(String name) {
        return attribute(name) != null;
    }

    /** An attribute that says nothing about the result. */
    void ignore(String... names) {
        asked.addAll(List.of(names));
    }

    long whole(String name, long usual) {
        OnnxNode.Attribute attribute = attribute(name);
        return attribute == null ? usual : attribute.whole();
    }

    boolean flag(String name, boolean usual) {
        return whole(name, usual ? 1 : 0) != 0;
    }

    double number(String name, double usual) {
        OnnxNode.Attribute attribute = attribute(name);
        return attribute == null ? usual : attribute.number();
    }

    String text(String name, String usual) {
        OnnxNode.Attribute attribute = attribute(name);
        return attribute == null ? usual : attribute.text();
    }

    List<String> texts(String name) {
        OnnxNode.Attribute attribute = attribute(name);
        return attribute == null ? List.of() : attribute.texts();
    }

    List<Float> numbers(String name) {
        OnnxNode.Attribute attribute = attribute(name);
        return attribute == null ? List.of() : attribute.numbers();
    }

    /** Whole numbers; null when they are not given. */
    @Nullable
    List<Integer> wholes(String name) {
        OnnxNode.Attribute attribute = attribute(name);
        return attribute == null
                ? null
                : attribute.wholes().stream()
                        .map(number -> Math.toIntExact(Math.clamp(number, Integer.MIN_VALUE, Integer.MAX_VALUE)))
                        .toList();
    }

    List<Integer> wholes(String name, List<Integer> usual) {
        List<Integer> given = wholes(name);
        return given == null ? usual : given;
    }

    TypedValue tensor(String name) {
        OnnxNode.Attribute attribute = attribute(name);
        OnnxTensor stored = attribute == null ? null : attribute.tensor().orElse(null);
        if (stored == null) {
            throw new IllegalArgumentException("the attribute %s is missing".formatted(name));
        }
        return translation.constant(stored);
    }

    OnnxBlock block(String name) {
        OnnxNode.Attribute attribute = attribute(name);
        OnnxBlock block = attribute == null ? null : attribute.block().orElse(null);
        if (block == null) {
            throw new IllegalArgumentException("the graph %s is missing".formatted(name));
        }
        return block;
    }

    List<TypedValue> run(OnnxBlock block) {
        return translation.branch(block);
    }

    /** An axis of the first argument. */
    int axis(String name, int usual) {
        return axis(whole(name, usual), tensor(0).rank());
    }

    static int axis(long axis, int rank) {
        if (axis < -rank || axis >= rank) {
            throw new IllegalArgumentException("axis %d of a tensor with %d axes".formatted(axis, rank));
        }
        return (int) (axis < 0 ? axis + rank : axis);
    }

    /** Refuses attributes that no rule has asked for: they may change the result. */
    void requireAllAsked() {
        for (Map.Entry<String, OnnxNode.Attribute> attribute : node.attributes().entrySet()) {
            if (!asked.contains(attribute.getKey())) {
                throw new IllegalArgumentException("its attribute %s is not read".formatted(attribute.getKey()));
            }
        }
    }

    @FormatMethod
    IllegalArgumentException refused(String message, Object... parts) {
        return new IllegalArgumentException(message.formatted(parts));
    }
}
