package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.isoloss.model.AxisNode.Ref;

/**
 * How the scales and signs of channels at different axes depend on each other: linear equations between their logarithms, and between
 * signs as numbers modulo 2. A channel has an unknown of each kind at every axis that carries it.
 */
final class AxisLinks {
    private final BiFunction<Value, Integer, Ref> axes;
    private final List<List<Term>> scales = new ArrayList<>();
    private final List<List<Term>> signs = new ArrayList<>();

    /**
     * Some neighbouring channels of an axis.
     *
     * @param value whose axis it is
     * @param axis from 0
     * @param begin the first channel
     * @param size how many
     */
    record Span(Value value, int axis, int begin, int size) {}

    /** Spans after each other, times a factor. */
    record Term(List<Span> spans, double factor) {}

    AxisLinks(BiFunction<Value, Integer, Ref> axes) {
        this.axes = axes;
    }

    private Span whole(Value value, int axis) {
        return new Span(value, axis, 0, axes.apply(value, axis).size());
    }

    private Term term(Value value, int axis, double factor) {
        return new Term(List.of(whole(value, axis)), factor);
    }

    /** The channels of two axes change alike. */
    void same(Value left, int leftAxis, Value right, int rightAxis) {
        power(left, leftAxis, right, rightAxis, 1, true);
    }

    /** What one axis is multiplied by, the other is divided by. */
    void dual(Value left, int leftAxis, Value right, int rightAxis) {
        scales.add(List.of(term(left, leftAxis, 1), term(right, rightAxis, 1)));
        signs.add(List.of(term(left, leftAxis, 1), term(right, rightAxis, 1)));
    }

    /** Scales go to a power of themselves; signs are kept, or forgotten. */
    void power(Value from, int fromAxis, Value to, int toAxis, double exponent, boolean isOdd) {
        scales.add(List.of(term(from, fromAxis, exponent), term(to, toAxis, -1)));
        Term after = term(to, toAxis, 1);
        signs.add(isOdd ? List.of(term(from, fromAxis, 1), after) : List.of(after));
    }

    /** Scales and signs are multiplied. */
    void product(Value left, int leftAxis, Value right, int rightAxis, Value result, int resultAxis) {
        scales.add(List.of(term(left, leftAxis, 1), term(right, rightAxis, 1), term(result, resultAxis, -1)));
        signs.add(List.of(term(left, leftAxis, 1), term(right, rightAxis, 1), term(result, resultAxis, 1)));
    }

    void unscaled(Value value, int axis) {
        scales.add(List.of(term(value, axis, 1)));
    }

    void unsigned(Value value, int axis) {
        signs.add(List.of(term(value, axis, 1)));
    }

    /** Axes after each other, or parts of them, are the same channels in the same order. */
    void rearranged(List<Span> left, List<Span> right) {
        scales.add(List.of(new Term(left, 1), new Term(right, -1)));
        signs.add(List.of(new Term(left, 1), new Term(right, 1)));
    }

    /** The scales and signs that channels have at axes, as vectors over those that are free. */
    final class Solution {
        private final Map<Value, List<int[]>> unknowns = new HashMap<>();
        private final LinearRelations logarithms;
        private final LinearRelations parities;
        private int count;

        private Solution(Collection<Value> values) {
            values.stream().filter(value -> value.shape().rank() > 0).forEach(value -> of(value, 0));
            this.logarithms = new LinearRelations(count, false);
            this.parities = new LinearRelations(count, true);
            scales.forEach(equation -> add(logarithms, equation));
            signs.forEach(equation -> add(parities, equation));
        }

        private void add(LinearRelations relations, List<Term> equation) {
            List<List<Integer>> columns =
                    equation.stream().map(term -> unknowns(term.spans)).toList();
            double[] factors = equation.stream().mapToDouble(Term::factor).toArray();
            add(relations, columns, factors);
        }

        private static void add(LinearRelations relations, List<List<Integer>> columns, double[] factors) {
            int length = columns.getFirst().size();
            if (columns.stream().anyMatch(column -> column.size() != length)) {
                columns.forEach(column -> column.forEach(relations::zero)); // not told apart alike: pinned by then
                return;
            }
            for (int i = 0; i < length; i++) {
                int row = i;
                relations.add(
                        columns.stream().mapToInt(column -> column.get(row)).toArray(), factors);
            }
        }

        /** The unknowns of the leaves of an axis, from the first to the last. */
        int[] of(Value value, int axis) {
            List<int[]> own = unknowns.computeIfAbsent(value, _ -> {
                List<int[]> all = new ArrayList<>();
                for (int i = 0; i < value.shape().rank(); i++) {
                    int[] ids = new int[leaves(axes.apply(value, i)).size()];
                    Arrays.setAll(ids, _ -> count++);
                    all.add(ids);
                }
                return all;
            });
            return own.get(axis);
        }

        private List<Integer> unknowns(List<Span> spans) {
            List<Integer> ids = new ArrayList<>();
            for (Span span : spans) {
                int[] own = of(span.value, span.axis);
                Ref ref = axes.apply(span.value, span.axis);
                if (span.begin == 0 && span.size == ref.size()) {
                    Arrays.stream(own).forEach(ids::add);
                    continue;
                }
                int at = 0;
                int leaf = 0;
                for (Ref part : ref.kind() == AxisNode.Kind.JOIN ? ref.parts() : List.<Ref>of()) {
                    int some = leaves(part).size();
                    for (int i = 0; i < some && at >= span.begin && at < span.begin + span.size; i++) {
                        ids.add(own[leaf + i]);
                    }
                    leaf += some;
                    at += part.size();
                }
            }
            return ids;
        }

        LinearRelations logarithms() {
            return logarithms;
        }

        LinearRelations parities() {
            return parities;
        }
    }

    /** Those that can change at all. */
    static List<Ref> leaves(Ref axis) {
        return axis.leaves().stream().filter(leaf -> leaf.size() > 1).toList();
    }

    /** Solves the equations between the axes of some values, which are all that have any. */
    Solution solved(Collection<Value> values) {
        return new Solution(values);
    }
}
