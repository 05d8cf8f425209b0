package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A step of a model that combines what depends on the inputs with what depends on parameters alone: a weight that is contracted
 * with it, a bias that is added, a scale that multiplies it, a table that is read. Between such steps a model computes functions
 * without parameters.
 *
 * @param kind how they are combined
 * @param result what comes out
 * @param data the arguments that depend on the inputs; the whole numbers of a lookup among them
 * @param weight the argument that depends on parameters alone
 */
public record ParameterUse(Kind kind, Value result, List<Value> data, Value weight) {
    /** How parameters are used. */
    public enum Kind {
        /** Products summed over axes. */
        CONTRACTION,
        /** A product entry by entry. */
        SCALE,
        /** A sum. */
        SHIFT,
        /** Rows of a table. */
        TABLE,
        /** Any other way, such as a row put before others. */
        OTHER
    }

    /** Copies the list. */
    public ParameterUse {
        data = List.copyOf(data);
    }

    /**
     * Finds all uses of parameters that outputs depend on.
     *
     * @param model any
     * @return in the order of computation
     */
    public static List<ParameterUse> of(Model model) {
        Set<Value> varying = new HashSet<>(model.inputs().values());
        Set<Value> parametric = new HashSet<>(model.parameters().values());
        List<ParameterUse> uses = new ArrayList<>();
        for (Value value : Execution.order(List.copyOf(model.outputs().values()), Set.of())) {
            List<Value> data = new ArrayList<>();
            List<Value> weights = new ArrayList<>();
            for (Value argument : value.arguments()) {
                if (varying.contains(argument)) {
                    data.add(argument);
                } else if (parametric.contains(argument)) {
                    weights.add(argument);
                }
            }
            if (!data.isEmpty()) {
                varying.add(value);
                weights.forEach(weight -> uses.add(new ParameterUse(kind(value, weights), value, data, weight)));
            } else if (!weights.isEmpty()) {
                parametric.add(value);
            }
        }
        return uses;
    }

    private static Kind kind(Value value, List<Value> weights) {
        if (weights.size() > 1) {
            return Kind.OTHER;
        }
        return switch (value.operation()) {
            case Contraction _ -> Kind.CONTRACTION;
            case Product _ -> Kind.SCALE;
            case Sum _ -> Kind.SHIFT;
            case Lookup _ -> value.argument(0) == weights.getFirst() ? Kind.TABLE : Kind.OTHER;
            default -> Kind.OTHER;
        };
    }

    /**
     * Tells whether a value only carries an axis along from the inputs, as that of the batch or of the tokens.
     *
     * @param value of the model
     * @param axis of it
     * @param channels for some values the axes that do not come from the inputs
     * @return false also where the axis cannot be followed
     */
    public static boolean carries(Value value, int axis, Map<Value, Set<Integer>> channels) {
        Set<Integer> known = channels.getOrDefault(value, Set.of());
        if (!known.isEmpty()) {
            return !known.contains(axis);
        }
        if (value.operation() instanceof Leaf leaf) {
            return leaf.kind() == Leaf.Kind.INPUT;
        }
        AxisTracks tracks = AxisTracks.of(value);
        for (int argument = 0; tracks != null && argument < value.arguments().size(); argument++) {
            int track = tracks.track(axis, argument);
            if (track != AxisTracks.ABSENT && carries(value.argument(argument), track, channels)) {
                return true;
            }
        }
        return false;
    }

    /** {@return the names of the parameters that the weight is made of} */
    public Set<String> tensors() {
        Set<String> names = new LinkedHashSet<>();
        for (Value value : Execution.order(List.of(weight), Set.of())) {
            if (value.operation() instanceof Leaf leaf && leaf.kind() == Leaf.Kind.PARAMETER) {
                names.add(leaf.label());
            }
        }
        return names;
    }

    /** {@return the axes of the result along which the weight has numbers of its own} */
    public Set<Integer> channelsOfResult() {
        return switch (result.operation()) {
            case Contraction contraction -> labelled(contraction.result(), labels(weight));
            case Product _, Sum _ -> stretched(result.shape());
            case Lookup lookup -> lookupChannels(lookup);
            default -> Set.of();
        };
    }

    /**
     * Returns the axes of an argument along which the weight has numbers of its own.
     *
     * @param argument one of {@link #data}
     * @return from 0
     */
    public Set<Integer> channelsOf(Value argument) {
        return switch (result.operation()) {
            case Contraction _ -> labelled(labels(argument), labels(weight));
            case Product _, Sum _ -> stretched(argument.shape());
            default -> Set.of();
        };
    }

    /**
     * Returns the axis labels of an argument or the result of a contraction.
     *
     * @param value one of them
     * @return a letter for each axis; null for another kind of use
     */
    public @Nullable String axisLabels(Value value) {
        return result.operation() instanceof Contraction contraction
                ? value == result ? contraction.result() : labels(value)
                : null;
    }

    private String labels(Value argument) {
        var contraction = (Contraction) result.operation();
        return result.argument(0) == argument ? contraction.left() : contraction.right();
    }

    /**
     * Returns the factor of an argument of a sum.
     *
     * @param argument one of {@link #data}, or the weight
     * @return 1 where nothing is scaled
     */
    public double factor(Value argument) {
        return result.operation() instanceof Sum sum
                ? sum.factors().get(result.arguments().indexOf(argument))
                : 1;
    }

    /**
     * Tells which number of the weight stands at each place of the result, which it is added to or multiplied with.
     *
     * @return for each place of the result, row-major, that of the weight
     */
    public int[] weightPlaces() {
        return IndexMap.broadcast(weight.shape(), result.shape()).table();
    }

    private static Set<Integer> labelled(String labels, String wanted) {
        Set<Integer> axes = new TreeSet<>();
        for (int axis = 0; axis < labels.length(); axis++) {
            if (wanted.indexOf(labels.charAt(axis)) >= 0) {
                axes.add(axis);
            }
        }
        return axes;
    }

    private Set<Integer> stretched(Dimensions shape) {
        Set<Integer> axes = new TreeSet<>();
        int shift = shape.rank() - weight.shape().rank();
        for (int axis = Math.max(0, shift); axis < shape.rank(); axis++) {
            if (weight.shape().size(axis - shift) > 1) {
                axes.add(axis);
            }
        }
        return axes;
    }

    private Set<Integer> lookupChannels(Lookup lookup) {
        int indices = result.argument(1).shape().rank();
        Set<Integer> axes = new TreeSet<>();
        for (int axis = 0; axis < result.shape().rank(); axis++) {
            if (axis < lookup.axis() || axis >= lookup.axis() + indices) {
                axes.add(axis);
            }
        }
        return axes;
    }

    /**
     * Returns the size of the table that whole numbers choose from.
     *
     * @param model any
     * @param input one of its inputs
     * @return how many whole numbers it may be; 0 where it is no index
     */
    public static int choices(Model model, Value input) {
        Set<Value> same = new HashSet<>(Set.of(input));
        int choices = 0;
        for (Value value : Execution.order(List.copyOf(model.outputs().values()), Set.of())) {
            boolean moves = value.operation() instanceof Reshape || value.operation() instanceof Rearrangement;
            if ((moves && same.contains(value.argument(0))) || isFromTheEnd(value, same)) {
                same.add(value);
            }
            if (value.operation() instanceof Lookup lookup && same.contains(value.argument(1))) {
                int rows = value.argument(0).shape().size(lookup.axis());
                choices = choices == 0 ? rows : Math.min(choices, rows);
            }
        }
        return choices;
    }

    /** Whether a value is one of others where that is not below 0: what is below counts from the end of a table. */
    private static boolean isFromTheEnd(Value value, Set<Value> others) {
        if (!(value.operation() instanceof Selection) || !others.contains(value.argument(2))) {
            return false;
        }
        Value mask = value.argument(0);
        return mask.operation() instanceof Comparison comparison
                && comparison.kind() == Comparison.Kind.LESS
                && others.contains(mask.argument(0))
                && mask.argument(1).operation() instanceof Leaf leaf
                && leaf.kind() == Leaf.Kind.CONSTANT
                && Arrays.stream(leaf.numbers().asFloat64()).allMatch(number -> number == 0);
    }
}
