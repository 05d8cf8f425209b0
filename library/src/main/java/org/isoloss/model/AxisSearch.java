package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.autodiff.Precision;
import org.isoloss.model.AxisLinks.Span;
import org.isoloss.model.AxisNode.Limit;
import org.isoloss.model.AxisNode.Ref;
import org.jspecify.annotations.Nullable;

/**
 * Gives every axis of every value of a model an unknown change of basis, and joins those that must be the same: what each operation
 * allows becomes limits of the nodes and equations between scales and signs.
 */
final class AxisSearch {
    private final Model model;
    private final List<Value> order;
    private final Map<Value, List<Value>> readers = new HashMap<>();
    private final Set<Value> varying = new HashSet<>();
    private final Set<Value> parametric = new HashSet<>();
    private final Map<Value, List<Ref>> axes = new LinkedHashMap<>();
    private final AxisLinks links = new AxisLinks((value, axis) -> axesOf(value).get(axis));
    private final Map<Value, Composite> rotary = new HashMap<>();
    private final Map<Value, Integer> selectors = new HashMap<>(); // the axis that is sliced into single entries
    private final Map<Ref, List<int[]>> turned = new LinkedHashMap<>();
    private final Set<Value> absorbing = new LinkedHashSet<>();
    private final Set<Value> absorbed = new HashSet<>(); // what is only read by those
    private final Map<Value, Bond> bonds;
    private final List<Scaling> scalings = new ArrayList<>();

    /** How channels are bound to what they become when a weight multiplies each by a factor. */
    enum Bond {
        /** They are changed apart: what reads them makes up for it. */
        FREE,
        /** They stay, and what they become keeps its order. */
        ORDERED,
        /** They share their order. */
        SAME
    }

    /**
     * A weight that multiplies channels.
     *
     * @param source the channels
     * @param sourceAxis of them
     * @param factors the weight
     * @param product of both
     * @param axis of it
     */
    record Scaling(Value source, int sourceAxis, Value factors, Value product, int axis) {}

    /**
     * Searches.
     *
     * @param model any
     * @param bonds of products with a weight, where they are not free
     */
    AxisSearch(Model model, Map<Value, Bond> bonds) {
        this.model = model;
        this.bonds = bonds;
        this.order = Execution.order(List.copyOf(model.outputs().values()), Set.of());
        for (Value value : order) {
            value.arguments().stream()
                    .distinct()
                    .forEach(argument -> readers.computeIfAbsent(argument, _ -> new ArrayList<>())
                            .add(value));
            boolean varies = model.inputs().containsValue(value)
                    || value.arguments().stream().anyMatch(varying::contains);
            if (varies) {
                varying.add(value);
            } else if (model.parameters().containsValue(value)
                    || value.arguments().stream().anyMatch(parametric::contains)) {
                parametric.add(value);
            }
        }
        Set<Value> inside = new HashSet<>();
        for (Composite composite : model.composites()) {
            if (composite.role() == Composite.Role.ROTARY && varying.contains(composite.result())) {
                rotary.put(composite.result(), composite);
                inside.addAll(Execution.order(
                        List.of(composite.result()), Set.copyOf(composite.arguments())));
                inside.remove(composite.result());
                inside.removeAll(composite.arguments());
            }
        }
        findAbsorbing();
        for (Value value : order) {
            if (absorbed.contains(value)) {
                axes.put(value, fresh(value));
            } else if (!isFixed(value) && !inside.contains(value)) {
                visit(value);
            }
        }
        model.outputs().values().forEach(output -> axesOf(output).forEach(axis -> axis.limit(Limit.PINNED)));
    }

    private boolean isFixed(Value value) {
        return !varying.contains(value) && !parametric.contains(value);
    }

    private List<Ref> axesOf(Value value) {
        return Objects.requireNonNull(axes.get(value), value::toString);
    }

    private Ref axis(Value value, int axis) {
        return axesOf(value).get(axis);
    }

    private static List<Ref> fresh(Value value) {
        return new ArrayList<>(
                value.shape().sizes().stream().map(AxisNode::fresh).toList());
    }

    private void visit(Value value) {
        Composite turn = rotary.get(value);
        if (turn != null) {
            turn(value, turn.arguments().getFirst());
            return;
        }
        axes.put(value, fresh(value));
        if (absorbing.contains(value)) {
            return;
        }
        switch (value.operation()) {
            case Leaf leaf -> {
                if (leaf.kind() == Leaf.Kind.INPUT) {
                    pin(value);
                }
            }
            case Sum sum -> sum(value, sum);
            case Product _ -> product(value);
            case Application application -> apply(value, application.function());
            case Contraction contraction -> contract(value, contraction);
            case Reduction reduction -> reduce(value, reduction);
            case Reshape _ -> reshape(value);
            case Rearrangement rearrangement -> rearrange(value, rearrangement);
            case Concatenation concatenation -> concatenate(value, concatenation.axis());
            case Lookup lookup -> lookUp(value, lookup.axis());
            case Selection _ -> select(value);
            case Comparison _ -> compare(value);
            default -> {
                pin(value);
                value.arguments().forEach(this::pin);
            }
        }
    }

    private void pin(Value value) {
        if (!isFixed(value)) {
            axesOf(value).forEach(axis -> axis.limit(Limit.PINNED));
        }
    }

    /** Finds sums and products that a parameter of their own makes whatever they have to be. */
    private void findAbsorbing() {
        for (Value value : order.reversed()) {
            List<Value> reading = readers.getOrDefault(value, List.of());
            if (!parametric.contains(value)) {
                continue;
            }
            if (!reading.isEmpty()
                    && !model.outputs().containsValue(value)
                    && reading.stream().allMatch(reader -> absorbing.contains(reader) || absorbed.contains(reader))) {
                absorbed.add(value);
            } else if (own(value) != null) {
                absorbing.add(value);
            }
        }
    }

    /** The parameter that makes a sum or a product what it is: one with as many numbers, read by it alone; null where there is none. */
    @Nullable
    Value own(Value value) {
        boolean isMade = value.operation() instanceof Sum || value.operation() instanceof Product;
        return !isMade || value.arguments().size() < 2
                ? null
                : value.arguments().stream()
                        .filter(argument -> isParameter(argument)
                                && argument.shape().count() == value.shape().count()
                                && value.arguments().stream().filter(argument::equals).count() == 1
                                && readers.getOrDefault(argument, List.of()).size() == 1)
                        .findFirst()
                        .orElse(null);
    }

    private static boolean isParameter(Value value) {
        return value.operation() instanceof Leaf leaf && leaf.kind() == Leaf.Kind.PARAMETER;
    }

    /** Where an axis of an argument lies that is stretched to an axis of a value; -1 where it is the same all along it. */
    private static int aligned(Value value, int axis, Value argument) {
        int own = axis - (value.shape().rank() - argument.shape().rank());
        return own >= 0
                        && argument.shape().size(own) == value.shape().size(axis)
                        && value.shape().size(axis) > 1
                ? own
                : -1;
    }

    /** Whether fixed numbers are the same all along an axis. */
    private static boolean isUniform(Value value, int axis) {
        if (axis < 0 || value.shape().size(axis) == 1) {
            return true;
        }
        if (value.operation() instanceof Leaf leaf) {
            double[] numbers = leaf.numbers().asFloat64();
            int stride = value.shape().strides()[axis];
            int size = value.shape().size(axis);
            for (int i = 0; i < numbers.length; i++) {
                if (i / stride % size > 0 && numbers[i] != numbers[i - stride]) {
                    return false;
                }
            }
            return true;
        }
        AxisTracks tracks = AxisTracks.of(value);
        for (int i = 0; i < value.arguments().size(); i++) {
            if (tracks == null || !tracks.follows(axis) || !isUniform(value.argument(i), tracks.track(axis, i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isZero(Value value) {
        return switch (value.operation()) {
            case Leaf leaf -> {
                for (double number : leaf.numbers().asFloat64()) {
                    if (number != 0) {
                        yield false;
                    }
                }
                yield true;
            }
            case Rearrangement rearrangement -> rearrangement.fill() == 0 && isZero(value.argument(0));
            case Reshape _ -> isZero(value.argument(0));
            default -> false;
        };
    }

    private void same(Value left, int leftAxis, Value right, int rightAxis) {
        AxisNode.unite(axis(left, leftAxis), axis(right, rightAxis));
        links.same(left, leftAxis, right, rightAxis);
    }

    private void keepOnes(Value value, int axis, Limit limit) {
        axis(value, axis).limit(limit);
        links.unscaled(value, axis);
        links.unsigned(value, axis);
    }

    private void sum(Value value, Sum sum) {
        boolean isScaled = sum.factors().size() == 1;
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            for (Value argument : value.arguments()) {
                int own = aligned(value, axis, argument);
                if (!isFixed(argument)) {
                    if (own >= 0) {
                        same(argument, own, value, axis);
                    } else if (value.shape().size(axis) > 1) {
                        keepOnes(value, axis, Limit.ONES);
                    }
                } else if (!isScaled && !isZero(argument) && value.shape().size(axis) > 1) {
                    if (isUniform(argument, own)) {
                        keepOnes(value, axis, Limit.ONES);
                    } else {
                        axis(value, axis).limit(Limit.PINNED);
                    }
                }
            }
        }
    }

    private void product(Value value) {
        Value left = value.argument(0);
        Value right = value.argument(1);
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            int inLeft = aligned(value, axis, left);
            int inRight = aligned(value, axis, right);
            if (left == right) {
                square(value, axis, left, inLeft);
            } else if (scale(value, axis, left, inLeft, right, inRight)
                    || scale(value, axis, right, inRight, left, inLeft)) {
                continue;
            } else if (isFixed(left) || isFixed(right)) {
                Value fixed = isFixed(left) ? left : right;
                Value other = fixed == left ? right : left;
                int own = fixed == left ? inRight : inLeft;
                if (own >= 0) {
                    same(other, own, value, axis);
                } else if (value.shape().size(axis) > 1) {
                    keepOnes(value, axis, Limit.ONES);
                }
                if (!isUniform(fixed, fixed == left ? inLeft : inRight)) {
                    axis(value, axis).limit(Limit.MONOMIAL);
                    axis(value, axis).limit(Limit.ORDERED);
                }
            } else if (inLeft >= 0 && inRight >= 0) {
                multiply(left, inLeft, right, inRight, value, axis);
            } else if (inLeft >= 0) {
                same(left, inLeft, value, axis);
            } else if (inRight >= 0) {
                same(right, inRight, value, axis);
            }
        }
    }

    /** Whether a weight of its own multiplies channels, and does not bind them to what they become. */
    private boolean scale(Value value, int axis, Value source, int sourceAxis, Value factors, int own) {
        Bond bond = bonds.getOrDefault(value, Bond.FREE);
        boolean is = bond != Bond.SAME
                && own >= 0
                && sourceAxis >= 0
                && varying.contains(source)
                && isWeight(factors)
                && factors.shape().count() == factors.shape().size(own)
                && readers.getOrDefault(factors, List.of()).size() == 1;
        if (is) {
            scalings.add(new Scaling(source, sourceAxis, factors, value, axis));
            same(factors, own, value, axis);
            if (bond == Bond.ORDERED) {
                axis(value, axis).limit(Limit.MONOMIAL);
                axis(value, axis).limit(Limit.ORDERED);
            }
        }
        return is;
    }

    private void multiply(Value left, int leftAxis, Value right, int rightAxis, Value value, int axis) {
        boolean isWeighted = varying.contains(left) != varying.contains(right);
        if (isWeighted && bonds.getOrDefault(value, Bond.ORDERED) != Bond.SAME) { // as long as what is multiplied stays
            boolean isLeft = varying.contains(left);
            scalings.add(new Scaling(
                    isLeft ? left : right, isLeft ? leftAxis : rightAxis, isLeft ? right : left, value, axis));
            same(isLeft ? right : left, isLeft ? rightAxis : leftAxis, value, axis);
            axis(value, axis).limit(Limit.MONOMIAL);
            axis(value, axis).limit(Limit.ORDERED);
            return;
        }
        AxisNode.unite(axis(left, leftAxis), axis(value, axis));
        AxisNode.unite(axis(right, rightAxis), axis(value, axis));
        axis(value, axis).limit(Limit.MONOMIAL);
        links.product(left, leftAxis, right, rightAxis, value, axis);
    }

    /** Squares that are only added up keep rotations. */
    private void square(Value squares, int axis, Value value, int own) {
        boolean isSummed = !model.outputs().containsValue(squares)
                && readers.getOrDefault(squares, List.of()).stream()
                        .allMatch(reader -> reader.operation() instanceof Reduction reduction
                                && !reduction.largest()
                                && reduction.axes().contains(axis));
        if (isSummed && own >= 0) {
            axis(value, own).limit(Limit.ORTHOGONAL);
            links.unscaled(value, own);
            axis(squares, axis).limit(Limit.PINNED); // which only says that nothing else comes of them
            links.unscaled(squares, axis);
            links.unsigned(squares, axis);
        } else if (own >= 0) {
            raise(value, own, squares, axis, 2, false);
        }
    }

    private void raise(Value from, int fromAxis, Value to, int toAxis, double exponent, boolean isOdd) {
        AxisNode.unite(axis(from, fromAxis), axis(to, toAxis));
        axis(to, toAxis).limit(Limit.MONOMIAL);
        links.power(from, fromAxis, to, toAxis, exponent, isOdd);
    }

    private void apply(Value value, Pointwise function) {
        Value argument = value.argument(0);
        Homogeneity kind = Homogeneity.of(function);
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            if (value.shape().size(axis) == 1) {
                continue;
            }
            if (Power.SQUARE.equals(function)) {
                square(value, axis, argument, axis);
            } else {
                raise(argument, axis, value, axis, kind.degree(), kind.parity() == Homogeneity.Parity.ODD);
                if (!kind.isHomogeneous()) {
                    links.unscaled(argument, axis);
                    links.unscaled(value, axis);
                }
                if (kind.parity() == Homogeneity.Parity.NONE) {
                    links.unsigned(argument, axis);
                }
            }
        }
    }

    private void contract(Value value, Contraction contraction) {
        Value left = value.argument(0);
        Value right = value.argument(1);
        for (int axis = 0; axis < left.shape().rank(); axis++) {
            char label = contraction.left().charAt(axis);
            int inRight = contraction.right().indexOf(label);
            int inResult = contraction.result().indexOf(label);
            if (left.shape().size(axis) == 1) {
                continue;
            }
            if (inRight < 0) {
                carried(left, axis, value, inResult);
            } else if (inResult < 0) {
                summed(left, axis, right, inRight);
            } else if (isFixed(left) || isFixed(right)) {
                Value fixed = isFixed(left) ? left : right;
                carried(fixed == left ? right : left, fixed == left ? inRight : axis, value, inResult);
                if (!isUniform(fixed, fixed == left ? axis : inRight)) {
                    axis(value, inResult).limit(Limit.PINNED);
                }
            } else {
                multiply(left, axis, right, inRight, value, inResult);
            }
        }
        for (int axis = 0; axis < right.shape().rank(); axis++) {
            char label = contraction.right().charAt(axis);
            if (contraction.left().indexOf(label) < 0 && right.shape().size(axis) > 1) {
                carried(right, axis, value, contraction.result().indexOf(label));
            }
        }
    }

    private void carried(Value argument, int axis, Value value, int there) {
        if (isFixed(argument)) {
            axis(value, there).limit(Limit.PINNED);
        } else {
            same(argument, axis, value, there);
        }
    }

    private void summed(Value left, int leftAxis, Value right, int rightAxis) {
        if (isFixed(left) || isFixed(right)) {
            Value other = isFixed(left) ? right : left;
            int own = isFixed(left) ? rightAxis : leftAxis;
            if (isUniform(isFixed(left) ? left : right, isFixed(left) ? leftAxis : rightAxis)) {
                keepOnes(other, own, Limit.ONES_DUAL);
            } else {
                axis(other, own).limit(Limit.PINNED);
            }
            return;
        }
        AxisNode.unite(axis(left, leftAxis), axis(right, rightAxis).flipped());
        links.dual(left, leftAxis, right, rightAxis);
    }

    private void reduce(Value value, Reduction reduction) {
        Value argument = value.argument(0);
        int next = 0;
        for (int axis = 0; axis < argument.shape().rank(); axis++) {
            if (argument.shape().size(axis) == 1) {
                next += reduction.axes().contains(axis) ? 0 : 1;
            } else if (!reduction.axes().contains(axis)) {
                if (reduction.largest()) {
                    axis(argument, axis).limit(Limit.MONOMIAL);
                    links.unsigned(argument, axis);
                }
                same(argument, axis, value, next++);
            } else {
                keepOnes(argument, axis, Limit.ONES_DUAL);
                if (reduction.largest()) {
                    axis(argument, axis).limit(Limit.MONOMIAL);
                }
            }
        }
    }

    private void reshape(Value value) {
        Value source = value.argument(0);
        List<Ref> own = axesOf(value);
        int selector = selector(value);
        List<Ref> factors = new ArrayList<>();
        axesOf(source).forEach(axis -> factors.addAll(axis.factors()));
        for (int axis = 0; axis < own.size(); axis++) {
            if (axis == selector) {
                int count = value.shape().size(axis);
                int size = value.shape().size(axis + 1);
                List<Ref> whole = AxisNode.taken(factors, count * size);
                if (whole.isEmpty()) {
                    pin(source);
                    pin(value);
                    return;
                }
                List<Ref> members = new ArrayList<>();
                for (int member = 0; member < count; member++) {
                    members.add(AxisNode.fresh(size));
                }
                AxisNode.unite(AxisNode.product(whole), AxisNode.join(members));
                own.set(axis, AxisNode.fresh(1));
                own.set(axis + 1, AxisNode.product(whole));
                selectors.put(value, axis);
                axis++;
                continue;
            }
            List<Ref> taken = AxisNode.taken(factors, value.shape().size(axis));
            if (taken.isEmpty() && value.shape().size(axis) > 1) {
                pin(source);
                pin(value);
                return;
            }
            own.set(axis, taken.isEmpty() ? AxisNode.fresh(1) : AxisNode.product(taken));
        }
        links.rearranged(spans(source), spans(value));
    }

    private List<Span> spans(Value value) {
        List<Span> spans = new ArrayList<>();
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            spans.add(new Span(value, axis, 0, axis(value, axis).size()));
        }
        return spans;
    }

    /** The axis that all readers slice into single entries, and that is not the last; -1 where there is none. */
    private int selector(Value value) {
        for (int axis = 0; axis + 1 < value.shape().rank(); axis++) {
            int size = value.shape().size(axis);
            int at = axis;
            if (size > 1
                    && readers.getOrDefault(value, List.of()).stream()
                            .allMatch(reader -> reader.operation() instanceof Rearrangement arranged
                                    && isSingle(arranged.map(), at))) {
                return axis;
            }
        }
        return -1;
    }

    /** Whether a map takes one entry of an axis, and all of the others as they are. */
    private static boolean isSingle(IndexMap map, int axis) {
        boolean is = map.target().rank() == map.source().rank() && map.target().size(axis) == 1;
        for (int other = 0; is && other < map.source().rank(); other++) {
            is = other == axis
                    || (map.only(other) == other && map.target().size(other) == map.source().size(other))
                    || map.source().size(other) == 1;
        }
        return is;
    }

    private void rearrange(Value value, Rearrangement rearrangement) {
        Value source = value.argument(0);
        IndexMap map = rearrangement.map();
        Integer selector = selectors.get(source);
        List<Ref> own = axesOf(value);
        boolean[] known = new boolean[value.shape().rank()];
        for (int axis = 0; axis < source.shape().rank(); axis++) {
            if (selector != null && (axis == selector || axis == selector + 1)) {
                if (axis == selector + 1) {
                    int size = value.shape().size(axis);
                    int begin = map.base().get(selector) * size;
                    own.set(axis, AxisNode.sliced(axis(source, axis), begin, size));
                    links.rearranged(
                            List.of(new Span(source, axis, begin, size)), List.of(new Span(value, axis, 0, size)));
                    known[axis] = true;
                }
                continue;
            }
            follow(value, source, axis, map, known);
        }
        for (int axis = 0; axis < known.length; axis++) {
            if (!known[axis] && value.shape().size(axis) > 1) {
                boolean isRepeated = isRepeated(map, axis);
                if (isRepeated) {
                    keepOnes(value, axis, Limit.ONES);
                } else {
                    axis(value, axis).limit(Limit.PINNED);
                }
            }
        }
    }

    private static boolean isRepeated(IndexMap map, int along) {
        return map.steps().stream().allMatch(row -> row.get(along) == 0);
    }

    /** Where one axis of a source goes, if it goes as it is or in part. */
    private void follow(Value value, Value source, int axis, IndexMap map, boolean[] known) {
        int size = source.shape().size(axis);
        if (size == 1) {
            return;
        }
        List<Integer> steps = map.steps().get(axis);
        int there = -1;
        int count = 0;
        for (int along = 0; along < steps.size(); along++) {
            if (steps.get(along) != 0 && map.target().size(along) > 1) {
                there = along;
                count++;
            }
        }
        int to = there;
        boolean isAlone = count == 1
                && steps.get(there) == 1
                && map.steps().stream()
                                .filter(row -> row.get(to) != 0)
                                .count()
                        == 1;
        int begin = map.base().get(axis);
        if (!isAlone || begin < 0 || begin + map.target().size(there) > size) {
            axis(source, axis).limit(Limit.PINNED);
            return;
        }
        int some = map.target().size(there);
        axesOf(value).set(there, AxisNode.sliced(axis(source, axis), begin, some));
        links.rearranged(List.of(new Span(source, axis, begin, some)), List.of(new Span(value, there, 0, some)));
        known[there] = true;
    }

    private void concatenate(Value value, int along) {
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            if (axis == along) {
                continue;
            }
            for (Value argument : value.arguments()) {
                if (!isFixed(argument)) {
                    same(argument, axis, value, axis);
                } else if (!isZero(argument)) {
                    axis(value, axis).limit(Limit.PINNED);
                }
            }
        }
        List<Ref> parts = new ArrayList<>();
        List<Span> spans = new ArrayList<>();
        boolean isKnown = true;
        for (Value argument : value.arguments()) {
            int size = argument.shape().size(along);
            isKnown &= !isFixed(argument) && size > 1;
            parts.add(isFixed(argument) ? AxisNode.pinned(size) : axis(argument, along));
            spans.add(new Span(argument, along, 0, size));
        }
        axesOf(value).set(along, AxisNode.join(parts));
        if (isKnown) {
            links.rearranged(spans, List.of(new Span(value, along, 0, value.shape().size(along))));
        } else {
            links.unscaled(value, along);
            links.unsigned(value, along);
            value.arguments().stream().filter(argument -> !isFixed(argument)).forEach(argument -> {
                links.unscaled(argument, along);
                links.unsigned(argument, along);
            });
        }
    }

    private void lookUp(Value value, int along) {
        Value table = value.argument(0);
        Value indices = value.argument(1);
        int rank = indices.shape().rank();
        pin(indices);
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            if (axis >= along && axis < along + rank) {
                axis(value, axis).limit(Limit.PINNED);
            } else {
                carried(table, axis < along ? axis : axis - rank + 1, value, axis);
            }
        }
        if (!isFixed(table)) {
            axis(table, along).limit(Limit.PINNED);
        }
    }

    private void select(Value value) {
        Value mask = value.argument(0);
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            if (value.shape().size(axis) == 1) {
                continue;
            }
            int own = aligned(value, axis, mask);
            if (own >= 0 && isFixed(mask) && !isUniform(mask, own)) {
                axis(value, axis).limit(Limit.PINNED);
            } else if (own >= 0 && !isFixed(mask)) {
                AxisNode.unite(axis(mask, own), axis(value, axis));
                axis(value, axis).limit(Limit.MONOMIAL);
                links.unscaled(mask, own);
                links.unsigned(mask, own);
            }
            for (Value chosen : value.arguments().subList(1, 3)) {
                int there = aligned(value, axis, chosen);
                if (isFixed(chosen)) {
                    if (!isUniform(chosen, there)) {
                        axis(value, axis).limit(Limit.PINNED);
                    } else if (!isZero(chosen)) {
                        keepOnes(value, axis, Limit.ONES);
                    }
                } else if (there >= 0) {
                    same(chosen, there, value, axis);
                } else {
                    keepOnes(value, axis, Limit.ONES);
                }
            }
        }
    }

    private void compare(Value value) {
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            for (Value argument : value.arguments()) {
                int own = aligned(value, axis, argument);
                if (own < 0) {
                    continue;
                }
                if (isFixed(argument)) {
                    axis(value, axis).limit(isUniform(argument, own) ? Limit.MONOMIAL : Limit.PINNED);
                } else {
                    AxisNode.unite(axis(argument, own), axis(value, axis));
                    axis(value, axis).limit(Limit.MONOMIAL);
                    links.unscaled(argument, own);
                    links.unsigned(argument, own);
                }
            }
            links.unscaled(value, axis);
            links.unsigned(value, axis);
        }
    }

    private void turn(Value value, Value source) {
        axes.put(value, new ArrayList<>(axesOf(source)));
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            links.same(source, axis, value, axis);
        }
        int last = value.shape().rank() - 1;
        turned.put(axis(value, last), RotaryPairs.of(model, source, value));
    }

    /** The values that have axes, in the order of computation. */
    Map<Value, List<Ref>> axes() {
        return axes;
    }

    AxisLinks links() {
        return links;
    }

    /** The axes that rotations act on, with the pairs of channels that each turns. */
    Map<Ref, List<int[]>> turned() {
        return turned;
    }

    /** Whether no number of a weight is zero. */
    static boolean hasFactors(Value weight) {
        Execution execution = Execution.of(Precision.FLOAT64, List.of(weight));
        execution.run();
        return Arrays.stream(execution.get(weight)).allMatch(factor -> factor != 0);
    }

    /** Products of channels with a weight that are not bound to them. */
    List<Scaling> scalings() {
        return scalings;
    }

    /** The axes of one value. */
    List<Ref> axes(Value value) {
        return axesOf(value);
    }

    /** Whether a value is a parameter as it is used, or what a parameter of its own makes it. */
    boolean isWeight(Value value) {
        return absorbing.contains(value) || (isParameter(value) && !absorbed.contains(value));
    }

    boolean isVarying(Value value) {
        return varying.contains(value);
    }
}
