package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.model.AxisNode.Limit;

/** What products, contractions and pointwise functions let through. */
final class AxisProducts {
    private final WeightedGraph graph;
    private final AxisBases bases;
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
     * Begins.
     *
     * @param graph of the model
     * @param bases of its axes
     * @param bonds of products with a weight, where they are not free
     */
    AxisProducts(WeightedGraph graph, AxisBases bases, Map<Value, Bond> bonds) {
        this.graph = graph;
        this.bases = bases;
        this.bonds = bonds;
    }

    /** Products of channels with a weight that are not bound to them. */
    List<Scaling> scalings() {
        return scalings;
    }

    void product(Value value) {
        Value left = value.argument(0);
        Value right = value.argument(1);
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            int inLeft = AxisBases.aligned(value, axis, left);
            int inRight = AxisBases.aligned(value, axis, right);
            boolean isScaled = left != right
                    && (scale(value, axis, left, inLeft, right, inRight)
                            || scale(value, axis, right, inRight, left, inLeft));
            if (left == right) {
                square(value, axis, left, inLeft);
            } else if (graph.isFixed(left)) {
                fixed(value, axis, left, inLeft, right, inRight);
            } else if (graph.isFixed(right)) {
                fixed(value, axis, right, inRight, left, inLeft);
            } else if (!isScaled && inLeft >= 0 && inRight >= 0) {
                multiply(left, inLeft, right, inRight, value, axis);
            } else if (!isScaled && inLeft >= 0) {
                bases.same(left, inLeft, value, axis);
            } else if (!isScaled && inRight >= 0) {
                bases.same(right, inRight, value, axis);
            }
        }
    }

    /** Fixed numbers multiply channels: where they differ along an axis, nothing mixes and no order changes. */
    private void fixed(Value value, int axis, Value fixed, int inFixed, Value other, int own) {
        if (own >= 0) {
            bases.same(other, own, value, axis);
        } else if (value.shape().size(axis) > 1) {
            bases.keepOnes(value, axis, Limit.ONES);
        }
        if (!AxisBases.isUniform(fixed, inFixed)) {
            bases.axis(value, axis).limit(Limit.MONOMIAL);
            bases.axis(value, axis).limit(Limit.ORDERED);
        }
    }

    /** Whether a weight of its own multiplies channels, and does not bind them to what they become. */
    private boolean scale(Value value, int axis, Value source, int sourceAxis, Value factors, int own) {
        Bond bond = bonds.getOrDefault(value, Bond.FREE);
        boolean is = bond != Bond.SAME
                && own >= 0
                && sourceAxis >= 0
                && graph.isVarying(source)
                && graph.isWeight(factors)
                && factors.shape().count() == factors.shape().size(own)
                && graph.readers(factors).size() == 1;
        if (is) {
            scalings.add(new Scaling(source, sourceAxis, factors, value, axis));
            bases.same(factors, own, value, axis);
            if (bond == Bond.ORDERED) {
                bases.axis(value, axis).limit(Limit.MONOMIAL);
                bases.axis(value, axis).limit(Limit.ORDERED);
            }
        }
        return is;
    }

    private void multiply(Value left, int leftAxis, Value right, int rightAxis, Value value, int axis) {
        boolean isWeighted = graph.isVarying(left) != graph.isVarying(right);
        if (isWeighted && bonds.getOrDefault(value, Bond.ORDERED) != Bond.SAME) { // as long as what is multiplied stays
            boolean isLeft = graph.isVarying(left);
            scalings.add(new Scaling(
                    isLeft ? left : right, isLeft ? leftAxis : rightAxis, isLeft ? right : left, value, axis));
            bases.same(isLeft ? right : left, isLeft ? rightAxis : leftAxis, value, axis);
            bases.axis(value, axis).limit(Limit.MONOMIAL);
            bases.axis(value, axis).limit(Limit.ORDERED);
            return;
        }
        AxisNode.unite(bases.axis(left, leftAxis), bases.axis(value, axis));
        AxisNode.unite(bases.axis(right, rightAxis), bases.axis(value, axis));
        bases.axis(value, axis).limit(Limit.MONOMIAL);
        bases.links().product(left, leftAxis, right, rightAxis, value, axis);
    }

    /** Squares that are only added up keep rotations. */
    private void square(Value squares, int axis, Value value, int own) {
        boolean isSummed = !graph.isOutput(squares)
                && graph.readers(squares).stream()
                        .allMatch(reader -> reader.operation() instanceof Reduction reduction
                                && !reduction.largest()
                                && reduction.axes().contains(axis));
        if (isSummed && own >= 0) {
            bases.axis(value, own).limit(Limit.ORTHOGONAL);
            bases.links().unscaled(value, own);
            bases.axis(squares, axis).limit(Limit.PINNED); // which only says that nothing else comes of them
            bases.links().unscaled(squares, axis);
            bases.links().unsigned(squares, axis);
        } else if (own >= 0) {
            raise(value, own, squares, axis, 2, false);
        }
    }

    private void raise(Value from, int fromAxis, Value to, int toAxis, double exponent, boolean isOdd) {
        AxisNode.unite(bases.axis(from, fromAxis), bases.axis(to, toAxis));
        bases.axis(to, toAxis).limit(Limit.MONOMIAL);
        bases.links().power(from, fromAxis, to, toAxis, exponent, isOdd);
    }

    void apply(Value value, Pointwise function) {
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
                    bases.links().unscaled(argument, axis);
                    bases.links().unscaled(value, axis);
                }
                if (kind.parity() == Homogeneity.Parity.NONE) {
                    bases.links().unsigned(argument, axis);
                }
            }
        }
    }

    void contract(Value value, Contraction contraction) {
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
                bases.carried(left, axis, value, inResult);
            } else if (inResult < 0) {
                summed(left, axis, right, inRight);
            } else if (graph.isFixed(left) || graph.isFixed(right)) {
                Value fixed = graph.isFixed(left) ? left : right;
                bases.carried(fixed == left ? right : left, fixed == left ? inRight : axis, value, inResult);
                if (!AxisBases.isUniform(fixed, fixed == left ? axis : inRight)) {
                    bases.axis(value, inResult).limit(Limit.PINNED);
                }
            } else {
                multiply(left, axis, right, inRight, value, inResult);
            }
        }
        for (int axis = 0; axis < right.shape().rank(); axis++) {
            char label = contraction.right().charAt(axis);
            if (contraction.left().indexOf(label) < 0 && right.shape().size(axis) > 1) {
                bases.carried(right, axis, value, contraction.result().indexOf(label));
            }
        }
    }

    private void summed(Value left, int leftAxis, Value right, int rightAxis) {
        if (graph.isFixed(left) || graph.isFixed(right)) {
            Value other = graph.isFixed(left) ? right : left;
            int own = graph.isFixed(left) ? rightAxis : leftAxis;
            if (AxisBases.isUniform(graph.isFixed(left) ? left : right, graph.isFixed(left) ? leftAxis : rightAxis)) {
                bases.keepOnes(other, own, Limit.ONES_DUAL);
            } else {
                bases.axis(other, own).limit(Limit.PINNED);
            }
            return;
        }
        AxisNode.unite(bases.axis(left, leftAxis), bases.axis(right, rightAxis).flipped());
        bases.links().dual(left, leftAxis, right, rightAxis);
    }
}
