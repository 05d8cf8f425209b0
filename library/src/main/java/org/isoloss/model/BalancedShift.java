package org.isoloss.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.isoloss.model.FreeShift.Balanced;
import org.isoloss.model.ParameterUse.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Follows what is added to a bias, or to all rows of a table, through linear steps until other biases take it away: a bias that products
 * with biases of their own read, a shift of values that softmax mixes, biases that are added to the same sum.
 */
final class BalancedShift {
    private final Model model;
    private final List<ParameterUse> uses;
    private final UnseenEntries graph;
    private final FreeShiftSearch search;
    private final ConstantSteps steps;

    BalancedShift(Model model, List<ParameterUse> uses, UnseenEntries graph, FreeShiftSearch search) {
        this.model = model;
        this.uses = uses;
        this.graph = graph;
        this.search = search;
        this.steps = new ConstantSteps(model, graph);
    }

    /**
     * A parameter that adds to a value.
     *
     * @param tensor its name
     * @param factor with which it counts
     * @param places for each entry of what is added that of the parameter
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Source(String tensor, double factor, int[] places) {}

    /** What a use adds: a bias, whole or in part, or what a bias of its own makes it; null where it is something else. */
    private @Nullable Source source(ParameterUse use) {
        if (use.kind() == Kind.TABLE) {
            StoredView view = StoredView.of(use.weight());
            return view != null && search.isUsedOnce(view.name())
                    ? new Source(view.name(), 1, FreeShiftSearch.stored(view))
                    : null;
        }
        if (use.kind() != Kind.SHIFT) {
            return null;
        }
        double factor = use.factor(use.weight());
        Value at = use.weight();
        while (at.operation() instanceof Reshape
                && graph.readers(at.argument(0)).size() == 1) {
            at = at.argument(0);
        }
        if (at.operation() instanceof Sum sum) { // that a parameter of its own makes whatever it must be
            for (int i = 0; i < sum.factors().size(); i++) {
                Value own = at.argument(i);
                if (own.operation() instanceof Leaf leaf
                        && leaf.kind() == Leaf.Kind.PARAMETER
                        && own.shape().count() == at.shape().count()
                        && search.isUsedOnce(leaf.label())) {
                    int[] places = IndexMap.broadcast(own.shape(), own.shape()).table();
                    return new Source(leaf.label(), factor * sum.factors().get(i), places);
                }
            }
        }
        StoredView view = StoredView.of(use.weight());
        return view != null && search.isUsedOnce(view.name())
                ? new Source(view.name(), factor, FreeShiftSearch.stored(view))
                : null;
    }

    /** All that may be added at a use, for each part of what comes out that goes its own way. */
    List<Balanced> from(ParameterUse use, Predicate<String> isWritten) {
        Source source = source(use);
        if (source == null) {
            return List.of();
        }
        Dimensions shape = model.parameter(source.tensor).shape();
        Value result = use.result();
        int width = result.shape().size(result.shape().rank() - 1);
        if (use.kind() == Kind.TABLE
                || (shape.rank() == 2
                        && shape.size(0) == result.shape().size(result.shape().rank() - 2))) {
            boolean isRow = shape.rank() == 2 && shape.size(1) == width && width > 1;
            Balanced balanced = isRow
                    ? new Way(source, List.of(), ones(result, result.shape().rank() - 1, width))
                            .from(use, result, isWritten)
                    : null;
            return balanced == null ? List.of() : List.of(balanced);
        }
        int[] places = Arrays.stream(use.weightPlaces())
                .map(place -> source.places[place])
                .toArray();
        List<Balanced> all = new ArrayList<>();
        parts(result, places).forEach((part, own) -> {
            Dimensions varying = varying(part.shape(), own);
            int[] first = Elements.places(varying, strides(part.shape(), varying));
            List<Integer> entries = Arrays.stream(first).mapToObj(at -> own[at]).toList();
            if (entries.stream().distinct().count() == entries.size()) {
                Balanced balanced = new Way(source, entries, varying).from(use, part, isWritten);
                if (balanced != null) {
                    all.add(balanced);
                }
            }
        });
        return all;
    }

    /** The slices of a value, if slices of it alone are read, and the value itself otherwise, with what stands at each entry. */
    private Map<Value, int[]> parts(Value value, int[] places) {
        Map<Value, int[]> parts = new LinkedHashMap<>();
        List<Value> reading = graph.readers(value);
        boolean isSliced = !reading.isEmpty()
                && !model.outputs().containsValue(value)
                && reading.stream()
                        .allMatch(reader -> reader.operation() instanceof Rearrangement arranged
                                && arranged.map().target().count() < places.length);
        boolean isReshaped = reading.size() == 1
                && !model.outputs().containsValue(value)
                && reading.getFirst().operation() instanceof Reshape;
        if (isReshaped) {
            Map<Value, int[]> inner = parts(reading.getFirst(), places);
            return inner.size() > 1 ? inner : Map.of(value, places);
        }
        if (!isSliced) {
            return Map.of(value, places);
        }
        Set<Integer> taken = new HashSet<>();
        for (Value reader : reading) {
            int[] table = ((Rearrangement) reader.operation()).map().table();
            int[] own = Arrays.stream(table).map(at -> at < 0 ? -1 : places[at]).toArray();
            Set<Integer> distinct = new HashSet<>();
            Arrays.stream(own).forEach(distinct::add);
            if (distinct.contains(-1) || !Collections.disjoint(taken, distinct)) {
                return Map.of(value, places); // such as one time after the other
            }
            taken.addAll(distinct);
            parts.put(reader, own);
        }
        return parts;
    }

    /** The shape of a value with a size of 1 along each axis along which numbers are the same. */
    private static Dimensions varying(Dimensions shape, int[] numbers) {
        int[] strides = shape.strides();
        int[] sizes = shape.toArray();
        for (int axis = 0; axis < sizes.length; axis++) {
            boolean varies = false;
            for (int i = 0; i < numbers.length && !varies; i++) {
                varies = i / strides[axis] % sizes[axis] > 0 && numbers[i] != numbers[i - strides[axis]];
            }
            if (!varies) {
                sizes[axis] = 1;
            }
        }
        return Dimensions.of(sizes);
    }

    private static int[] strides(Dimensions shape, Dimensions varying) {
        int[] strides = shape.strides();
        for (int axis = 0; axis < strides.length; axis++) {
            strides[axis] = varying.size(axis) == 1 ? 0 : strides[axis];
        }
        return strides;
    }

    /** One shift on its way. */
    private final class Way {
        private final Source source;
        private final List<Integer> entries;
        private final Dimensions shape;
        private final ModelBuilder builder = model.extended();
        private final Value start;
        private final Map<Value, Value> shifts = new LinkedHashMap<>();
        private final Deque<Value> waiting = new ArrayDeque<>();
        private final Map<String, Value> absorbed = new LinkedHashMap<>();
        private final Map<String, FreeShift.Turned> turned = new LinkedHashMap<>();

        Way(Source source, List<Integer> entries, Dimensions shape) {
            this.source = source;
            this.entries = entries;
            this.shape = shape;
            this.start = builder.input("shift", shape.count());
        }

        @Nullable
        Balanced from(ParameterUse use, Value part, Predicate<String> isWritten) {
            Value first = builder.scaled(source.factor, builder.reshape(start, shape));
            // the sum may have another bias that takes it away at once
            boolean isAbsorbed = use.kind() == Kind.SHIFT
                    && part == use.result()
                    && absorb(builder, part, use.weight(), first, absorbed);
            if (!isAbsorbed) {
                add(part, first);
            }
            while (!waiting.isEmpty()) {
                Value value = waiting.removeFirst();
                if (model.outputs().containsValue(value) || graph.readers(value).isEmpty()) {
                    return null;
                }
                for (Value reader : graph.readers(value)) {
                    if (shifts.containsKey(reader) || !pass(value, Objects.requireNonNull(shifts.get(value)), reader)) {
                        return null;
                    }
                }
            }
            String tensor = source.tensor;
            if ((absorbed.isEmpty() && turned.isEmpty())
                    || absorbed.containsKey(tensor)
                    || turned.containsKey(tensor)) {
                return null;
            }
            boolean isShared = isWritten.test(tensor)
                    && absorbed.size() == 1
                    && absorbed.keySet().stream().allMatch(isWritten);
            return new Balanced(tensor, entries, shape.count(), start, absorbed, turned, isShared ? 1 : 0);
        }

        private void add(Value value, Value shift) {
            shifts.put(value, shift);
            waiting.add(value);
        }

        private boolean pass(Value value, Value shift, Value reader) {
            if (reader.operation() instanceof Sum sum
                    && reader.arguments().stream().filter(value::equals).count() == 1) {
                Value scaled =
                        builder.scaled(sum.factors().get(reader.arguments().indexOf(value)), shift);
                if (!absorb(builder, reader, value, scaled, absorbed)) {
                    add(reader, scaled);
                }
                return true;
            }
            Value after = steps.through(builder, value, shift, reader);
            if (after == null) {
                return false;
            }
            if (!turn(value, reader, after)) {
                add(reader, after);
            }
            return true;
        }

        /** Lets a weight without a bias make up for a shift by how it reads what is always the same. */
        private boolean turn(Value value, Value reader, Value after) {
            for (ParameterUse use : search.uses()) {
                if (use.result() == reader && use.kind() == Kind.CONTRACTION) {
                    var contraction = (Contraction) reader.operation();
                    boolean isLeft = reader.argument(0) == value;
                    String own = isLeft ? contraction.left() : contraction.right();
                    String theirs = isLeft ? contraction.right() : contraction.left();
                    int axis = value.shape().rank() - 1;
                    FreeShiftSearch.Centred centred = search.centred(value, axis);
                    int there = theirs.indexOf(own.charAt(axis));
                    StoredAxis place = there < 0 ? null : StoredAxis.of(use.weight(), there);
                    Value added = centred == null ? null : centred.added();
                    if (centred != null
                            && added != null
                            && place != null
                            && place.offset() == 0
                            && search.isUsedOnce(place.tensor())
                            && FreeShiftSearch.isWhole(use.weight())
                            && search.bias(use, there) == null) {
                        turned.put(place.tensor(), new FreeShift.Turned(after, place.axis(), centred.factors(), added));
                        return true;
                    }
                }
            }
            return false;
        }
    }

    private static Dimensions ones(Value value, int axis, int width) {
        int[] sizes = new int[value.shape().rank()];
        Arrays.fill(sizes, 1);
        sizes[axis] = width;
        return Dimensions.of(sizes);
    }

    /** Lets a bias of a sum take away what another argument of it brings; false where it has none after that argument. */
    private boolean absorb(ModelBuilder builder, Value sum, Value from, Value shift, Map<String, Value> absorbed) {
        var operation = (Sum) sum.operation();
        List<Value> arguments = sum.arguments();
        for (int i = arguments.indexOf(from) + 1; i < arguments.size(); i++) {
            Absorber absorber =
                    absorber(arguments.get(i), sum, operation.factors().get(i));
            if (absorber == null || absorbed.containsKey(absorber.source.tensor)) {
                continue;
            }
            if (absorber.fits(shift, model)) {
                absorbed.put(
                        absorber.source.tensor, builder.scaled(-1 / absorber.factor, absorber.flat(builder, shift)));
                return true;
            }
        }
        return false;
    }

    /**
     * What can take something away.
     *
     * @param source a bias, or a table
     * @param factor with which it counts
     * @param weight as it is added
     * @param isTable whether all rows take the same
     */
    private record Absorber(Source source, double factor, Value weight, boolean isTable) {
        /** Whether it can take away whatever a shift may be: it is a whole parameter, with numbers at the same axes. */
        boolean fits(Value shift, Model model) {
            Dimensions shape = model.parameter(source.tensor).shape();
            Dimensions sizes = shift.shape();
            if (isTable
                    || (shape.rank() == 2
                            && weight.shape().rank() == 2
                            && weight.shape().size(0) > 1)) {
                int width = shape.size(shape.rank() - 1);
                return shape.rank() == 2 && sizes.count() == width && sizes.size(sizes.rank() - 1) == width;
            }
            boolean fits = shape.count() == sizes.count() && weight.shape().count() == sizes.count();
            for (int axis = 0; axis < sizes.rank(); axis++) {
                int own = axis - sizes.rank() + weight.shape().rank();
                fits &= sizes.size(axis) == (own < 0 ? 1 : weight.shape().size(own));
            }
            for (int i = 0; i < source.places.length && fits; i++) {
                fits = source.places[i] == i;
            }
            return fits;
        }

        Value flat(ModelBuilder builder, Value shift) {
            return builder.reshape(shift, Dimensions.of(shift.shape().count()));
        }
    }

    /** A bias among the arguments of a sum, or added on the way to one of them. */
    private @Nullable Absorber absorber(Value argument, Value sum, double factor) {
        for (ParameterUse use : uses) {
            boolean isHere = use.kind() == Kind.SHIFT && use.result() == sum && use.weight() == argument;
            boolean isBefore = use.result() == argument
                    && graph.readers(argument).size() == 1
                    && !model.outputs().containsValue(argument)
                    && (use.kind() == Kind.SHIFT || use.kind() == Kind.TABLE);
            Source source = isHere || isBefore ? source(use) : null;
            if (source != null) {
                double own = isHere ? source.factor : factor * source.factor;
                return new Absorber(source, own, use.weight(), use.kind() == Kind.TABLE);
            }
        }
        if (argument.operation() instanceof Sum inner
                && graph.isVarying(argument)
                && graph.readers(argument).size() == 1
                && !model.outputs().containsValue(argument)) {
            for (int i = 0; i < inner.factors().size(); i++) {
                Absorber absorber = absorber(
                        argument.argument(i), argument, factor * inner.factors().get(i));
                if (absorber != null) {
                    return absorber;
                }
            }
        }
        return null;
    }
}
