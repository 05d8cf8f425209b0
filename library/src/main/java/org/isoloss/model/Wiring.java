package org.isoloss.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.isoloss.autodiff.Pointwise;
import org.jspecify.annotations.Nullable;

/**
 * What a small model computes, number by number. A node is an input, or a sum with the function that is applied to it; a
 * connection carries a node, times a parameter or as it is, into another one. A bias is a parameter without a node.
 */
public final class Wiring {
    private static final long MOST_STEPS = 300_000;

    private final List<SeenPath.Step> nodes = new ArrayList<>();
    private final List<List<Connection>> incoming = new ArrayList<>();
    private final Map<Value, List<Form>> forms = new HashMap<>();
    private final Map<Term, Integer> targets = new HashMap<>();

    /**
     * One term of a node.
     *
     * @param source a node before the target; -1 for a bias
     * @param target the node
     * @param parameter the factor; null where there is none
     */
    public record Connection(int source, int target, SeenPath.@Nullable Step parameter) {}

    /** A connection whose target is not known yet; each is itself and equal to no other. */
    private static final class Term {
        private final int source;
        private final SeenPath.@Nullable Step parameter;

        Term(int source, SeenPath.@Nullable Step parameter) {
            this.source = source;
            this.parameter = parameter;
        }

        boolean isNode() {
            return parameter == null;
        }

        boolean isParameter() {
            return source < 0;
        }
    }

    /** A sum of terms: one, or those of two others, or a constant where there is neither. */
    private record Form(
            @Nullable Term term,
            @Nullable Form left,
            @Nullable Form right,
            double number) {
        static Form of(Term term) {
            return new Form(term, null, null, Double.NaN);
        }

        boolean isConstant() {
            return term == null && left == null;
        }

        Set<Term> terms() {
            Set<Term> terms = new LinkedHashSet<>();
            List<Form> open = new ArrayList<>(List.of(this));
            while (!open.isEmpty()) {
                Form form = open.removeLast();
                if (form.term != null) {
                    terms.add(form.term);
                }
                if (form.left != null && form.right != null) {
                    open.add(form.right);
                    open.add(form.left);
                }
            }
            return terms;
        }
    }

    private Wiring() {}

    /**
     * Describes a model of which each input has one axis at most, so that it is no batch.
     *
     * @param model any
     * @return nothing where the model is too large, takes a batch, or looks up what its inputs choose
     */
    public static Optional<Wiring> of(Model model) {
        List<Value> outputs = List.copyOf(model.outputs().values());
        List<Value> order = Execution.order(outputs, Set.of());
        long steps = order.stream()
                .mapToLong(value -> value.operation() instanceof Contraction contraction
                        ? contraction.products(value)
                        : value.shape().count())
                .sum();
        boolean batched =
                model.inputs().values().stream().anyMatch(input -> input.shape().rank() > 1);
        if (batched || steps > MOST_STEPS) {
            return Optional.empty();
        }
        var wiring = new Wiring();
        model.inputs().values().forEach(wiring::addInput);
        try {
            for (Value value : order) {
                if (!wiring.forms.containsKey(value)) {
                    wiring.add(value, outputs.contains(value) || !isSummand(value, order));
                }
            }
        } catch (UnsupportedOperationException e) {
            return Optional.empty();
        }
        return Optional.of(wiring);
    }

    /** Whether a value only goes into one sum, whatever its shape there. */
    private static boolean isSummand(Value value, List<Value> order) {
        List<Value> uses = order.stream()
                .flatMap(user -> user.arguments().stream()
                        .filter(argument -> argument == value)
                        .map(_ -> user))
                .toList();
        return uses.size() == 1
                && (uses.getFirst().operation() instanceof Sum
                        || uses.getFirst().operation() instanceof Reshape
                        || uses.getFirst().operation() instanceof Rearrangement
                        || uses.getFirst().operation() instanceof Concatenation);
    }

    private void addInput(Value input) {
        forms.put(input, Elements.filled(input.shape().count(), i -> node(input, i, List.of())));
    }

    private Form node(Value value, int entry, Iterable<Term> terms) {
        int node = nodes.size();
        nodes.add(new SeenPath.Step(value, entry));
        List<Connection> connections = new ArrayList<>();
        for (Term term : terms) {
            connections.add(new Connection(term.source, node, term.parameter));
            targets.put(term, node);
        }
        incoming.add(connections);
        return Form.of(new Term(node, null));
    }

    private void add(Value value, boolean ends) {
        if (value.operation() instanceof Leaf leaf && leaf.kind() == Leaf.Kind.PARAMETER) {
            forms.put(
                    value,
                    Elements.filled(value.shape().count(), i -> Form.of(new Term(-1, new SeenPath.Step(value, i)))));
            return;
        }
        List<List<Form>> arguments = new ArrayList<>();
        value.arguments().forEach(argument -> arguments.add(forms.getOrDefault(argument, List.of())));
        List<Form> results = value.operation().over(new Sums(), value, arguments);
        forms.put(value, Elements.filled(results.size(), i -> {
            Form form = results.get(i);
            boolean itself = form.term != null && (form.term.isNode() || form.term.isParameter());
            return !ends || itself || form.isConstant() ? form : node(value, i, form.terms());
        }));
    }

    /** {@return the nodes, each after those that it is made of} */
    public List<SeenPath.Step> nodes() {
        return List.copyOf(nodes);
    }

    /**
     * Returns the terms of a node.
     *
     * @param node from 0
     * @return in the order of the sum
     */
    public List<Connection> incoming(int node) {
        return List.copyOf(incoming.get(node));
    }

    /**
     * Finds the node that an entry of a value is, or is part of.
     *
     * @param step an entry of a value
     * @return the node; -1 where it is none, such as a parameter
     */
    public int node(SeenPath.Step step) {
        List<Form> entries = forms.getOrDefault(step.value(), List.of());
        if (step.entry() < 0 || step.entry() >= entries.size()) {
            return -1;
        }
        Form form = entries.get(step.entry());
        if (form.term != null && form.term.isNode()) {
            return form.term.source;
        }
        return form.terms().stream()
                .mapToInt(term -> targets.getOrDefault(term, -1))
                .findFirst()
                .orElse(-1);
    }

    /** Adds up terms; what is not a sum or a multiple by a parameter has all of its terms as they are. */
    private static final class Sums implements Algebra<Form> {
        private static Form joined(Form left, Form right) {
            return left.isConstant() ? right : right.isConstant() ? left : new Form(null, left, right, Double.NaN);
        }

        @Override
        public Form constant(double value) {
            return new Form(null, null, null, value);
        }

        private Form mixed(Form left, Form right, double number) {
            return left.isConstant() && right.isConstant() ? constant(number) : joined(left, right);
        }

        @Override
        public Form plus(Form left, Form right) {
            return mixed(left, right, left.number + right.number);
        }

        @Override
        public Form times(Form left, Form right) {
            if ((left.isConstant() && left.number == 0) || (right.isConstant() && right.number == 0)) {
                return constant(0);
            }
            Term one = left.term;
            Term other = right.term;
            if (one != null && other != null) {
                if (one.isParameter() && other.isNode()) {
                    return Form.of(new Term(other.source, one.parameter));
                }
                if (one.isNode() && other.isParameter()) {
                    return Form.of(new Term(one.source, other.parameter));
                }
            }
            return mixed(left, right, left.number * right.number);
        }

        @Override
        public Form apply(Pointwise function, Form argument) {
            return argument.isConstant() ? constant(function.value(argument.number)) : argument;
        }

        @Override
        public double number(Form element) {
            if (!element.isConstant()) {
                throw new UnsupportedOperationException("a choice that is no sum");
            }
            return element.number;
        }

        @Override
        public Form larger(Form left, Form right) {
            return mixed(left, right, Math.max(left.number, right.number));
        }

        @Override
        public Form chosen(Form mask, Form chosen, Form other) {
            return mask.isConstant() ? mask.number != 0 ? chosen : other : joined(mask, joined(chosen, other));
        }

        @Override
        public Form compared(Comparison.Kind kind, Form left, Form right) {
            return mixed(left, right, kind.holds(left.number, right.number) ? 1 : 0);
        }

        @Override
        public boolean decides(Form element) {
            return element.isConstant();
        }
    }
}
