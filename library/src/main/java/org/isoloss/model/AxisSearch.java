package org.isoloss.model;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.model.AxisNode.Limit;
import org.isoloss.model.AxisNode.Ref;
import org.isoloss.model.AxisProducts.Bond;
import org.isoloss.model.AxisProducts.Scaling;

/**
 * Gives every axis of every value of a model an unknown change of basis, and joins those that must be the same: what each operation
 * allows becomes limits of the nodes and equations between scales and signs.
 */
final class AxisSearch {
    private final Model model;
    private final WeightedGraph graph;
    private final AxisBases bases;
    private final AxisProducts products;
    private final AxisMoves moves;
    private final Map<Ref, List<int[]>> turned = new LinkedHashMap<>();

    /**
     * Searches.
     *
     * @param model any
     * @param graph of it
     * @param bonds of products with a weight, where they are not free
     */
    AxisSearch(Model model, WeightedGraph graph, Map<Value, Bond> bonds) {
        this.model = model;
        this.graph = graph;
        this.bases = new AxisBases(graph);
        this.products = new AxisProducts(graph, bases, bonds);
        this.moves = new AxisMoves(graph, bases);
        Map<Value, Value> rotary = new HashMap<>();
        Set<Value> inside = new HashSet<>();
        for (Composite composite : model.composites()) {
            if (composite.role() == Composite.Role.ROTARY && graph.isVarying(composite.result())) {
                rotary.put(composite.result(), composite.arguments().getFirst());
                inside.addAll(Execution.order(List.of(composite.result()), Set.copyOf(composite.arguments())));
                inside.remove(composite.result());
                inside.removeAll(composite.arguments());
            }
        }
        for (Value value : graph.order()) {
            Value source = rotary.get(value);
            if (source != null) {
                turn(value, source);
            } else if (!graph.isFixed(value) && !inside.contains(value)) {
                bases.begin(value);
                if (!graph.isAbsorbed(value) && !graph.isAbsorbing(value)) {
                    visit(value);
                }
            }
        }
        model.outputs().values().forEach(bases::pin);
    }

    private void visit(Value value) {
        switch (value.operation()) {
            case Leaf leaf -> {
                if (leaf.kind() == Leaf.Kind.INPUT) {
                    bases.pin(value);
                }
            }
            case Sum sum -> sum(value, sum);
            case Product _ -> products.product(value);
            case Application application -> products.apply(value, application.function());
            case Contraction contraction -> products.contract(value, contraction);
            case Reduction reduction -> reduce(value, reduction);
            case Reshape _ -> moves.reshape(value);
            case Rearrangement rearrangement -> moves.rearrange(value, rearrangement);
            case Concatenation concatenation -> moves.concatenate(value, concatenation.axis());
            case Lookup lookup -> lookUp(value, lookup.axis());
            case Selection _ -> select(value);
            case Comparison _ -> compare(value);
            default -> {
                bases.pin(value);
                value.arguments().forEach(bases::pin);
            }
        }
    }

    private void sum(Value value, Sum sum) {
        boolean isScaled = sum.factors().size() == 1;
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            for (Value argument : value.arguments()) {
                int own = AxisBases.aligned(value, axis, argument);
                if (!graph.isFixed(argument)) {
                    if (own >= 0) {
                        bases.same(argument, own, value, axis);
                    } else if (value.shape().size(axis) > 1) {
                        bases.keepOnes(value, axis, Limit.ONES);
                    }
                } else if (!isScaled
                        && !AxisBases.isZero(argument)
                        && value.shape().size(axis) > 1) {
                    if (AxisBases.isUniform(argument, own)) {
                        bases.keepOnes(value, axis, Limit.ONES);
                    } else {
                        bases.axis(value, axis).limit(Limit.PINNED);
                    }
                }
            }
        }
    }

    private void reduce(Value value, Reduction reduction) {
        Value argument = value.argument(0);
        int next = 0;
        for (int axis = 0; axis < argument.shape().rank(); axis++) {
            if (argument.shape().size(axis) == 1) {
                next += reduction.axes().contains(axis) ? 0 : 1;
            } else if (!reduction.axes().contains(axis)) {
                if (reduction.largest()) {
                    bases.axis(argument, axis).limit(Limit.MONOMIAL);
                    bases.links().unsigned(argument, axis);
                }
                bases.same(argument, axis, value, next++);
            } else {
                bases.keepOnes(argument, axis, Limit.ONES_DUAL);
                if (reduction.largest()) {
                    bases.axis(argument, axis).limit(Limit.MONOMIAL);
                }
            }
        }
    }

    private void lookUp(Value value, int along) {
        Value table = value.argument(0);
        Value indices = value.argument(1);
        int rank = indices.shape().rank();
        bases.pin(indices);
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            if (axis >= along && axis < along + rank) {
                bases.axis(value, axis).limit(Limit.PINNED);
            } else {
                bases.carried(table, axis < along ? axis : axis - rank + 1, value, axis);
            }
        }
        if (!graph.isFixed(table)) {
            bases.axis(table, along).limit(Limit.PINNED);
        }
    }

    private void select(Value value) {
        Value mask = value.argument(0);
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            if (value.shape().size(axis) == 1) {
                continue;
            }
            int own = AxisBases.aligned(value, axis, mask);
            if (own >= 0 && graph.isFixed(mask) && !AxisBases.isUniform(mask, own)) {
                bases.axis(value, axis).limit(Limit.PINNED);
            } else if (own >= 0 && !graph.isFixed(mask)) {
                AxisNode.unite(bases.axis(mask, own), bases.axis(value, axis));
                bases.axis(value, axis).limit(Limit.MONOMIAL);
                bases.links().unscaled(mask, own);
                bases.links().unsigned(mask, own);
            }
            for (Value chosen : value.arguments().subList(1, 3)) {
                int there = AxisBases.aligned(value, axis, chosen);
                if (graph.isFixed(chosen)) {
                    if (!AxisBases.isUniform(chosen, there)) {
                        bases.axis(value, axis).limit(Limit.PINNED);
                    } else if (!AxisBases.isZero(chosen)) {
                        bases.keepOnes(value, axis, Limit.ONES);
                    }
                } else if (there >= 0) {
                    bases.same(chosen, there, value, axis);
                } else {
                    bases.keepOnes(value, axis, Limit.ONES);
                }
            }
        }
    }

    private void compare(Value value) {
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            for (Value argument : value.arguments()) {
                int own = AxisBases.aligned(value, axis, argument);
                if (own < 0) {
                    continue;
                }
                if (graph.isFixed(argument)) {
                    bases.axis(value, axis).limit(AxisBases.isUniform(argument, own) ? Limit.MONOMIAL : Limit.PINNED);
                } else {
                    AxisNode.unite(bases.axis(argument, own), bases.axis(value, axis));
                    bases.axis(value, axis).limit(Limit.MONOMIAL);
                    bases.links().unscaled(argument, own);
                    bases.links().unsigned(argument, own);
                }
            }
            bases.links().unscaled(value, axis);
            bases.links().unsigned(value, axis);
        }
    }

    private void turn(Value value, Value source) {
        bases.share(value, source);
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            bases.links().same(source, axis, value, axis);
        }
        turned.put(bases.axis(value, value.shape().rank() - 1), RotaryPairs.of(model, source, value));
    }

    AxisBases bases() {
        return bases;
    }

    /** The axes that rotations act on, with the pairs of channels that each turns. */
    Map<Ref, List<int[]>> turned() {
        return turned;
    }

    /** Products of channels with a weight that are not bound to them. */
    List<Scaling> scalings() {
        return products.scalings();
    }
}
