package org.isoloss.model;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The epsilons of a model's norms, found in its graph: one positive constant that is added to a sum of squares over some axes, times
 * any factor, before its root is taken, or to that root before it divides.
 */
public final class NormEpsilons {
    private final Model model;
    private final SequencedMap<Value, Added> found = new LinkedHashMap<>();

    /**
     * A sum with an epsilon.
     *
     * @param rest what it is added to
     * @param factor of the rest
     * @param epsilon as it is added
     */
    private record Added(Value rest, double factor, double epsilon) {}

    private NormEpsilons(Model model) {
        this.model = model;
    }

    /**
     * Finds them.
     *
     * @param model any
     * @return those on the way to its outputs
     */
    public static NormEpsilons of(Model model) {
        NormEpsilons epsilons = new NormEpsilons(model);
        for (Value value : Execution.order(List.copyOf(model.outputs().values()), Set.of())) {
            if (exponent(value) == 0.5 || exponent(value) == -0.5) {
                epsilons.add(unshaped(value.argument(0)), false);
            } else if (exponent(value) == -1) {
                epsilons.add(unshaped(value.argument(0)), true);
            }
        }
        return epsilons;
    }

    /** {@return what is added, in the order of computation; empty where no norm has one} */
    public List<Double> numbers() {
        return found.values().stream().map(Added::epsilon).toList();
    }

    /** {@return the model with each of them 0, of the same parameters, inputs and names of outputs} */
    public Model without() {
        ModelBuilder builder = model.extended();
        Map<Value, Value> replaced = new LinkedHashMap<>();
        found.forEach(
                (sum, added) -> { // in the order of computation, so that a norm of what is normed is built on its copy
                    Value rest =
                            builder.replacing(List.of(added.rest()), replaced).getFirst();
                    replaced.put(
                            sum, builder.stretched(builder.sum(List.of(added.factor()), List.of(rest)), sum.shape()));
                });
        SequencedMap<String, Value> outputs = new LinkedHashMap<>();
        model.outputs()
                .forEach((name, output) -> outputs.put(
                        name, builder.replacing(List.of(output), replaced).getFirst()));
        return model.observing(outputs, builder);
    }

    private void add(Value value, boolean ofRoot) {
        if (!(value.operation() instanceof Sum sum) || value.arguments().size() != 2) {
            return;
        }
        for (int i = 0; i < 2; i++) {
            double epsilon = sum.factors().get(i) * positive(value.argument(i));
            Value rest = unshaped(value.argument(1 - i));
            boolean isNorm = ofRoot
                    ? exponent(rest) == 0.5 && isSumOfSquares(rest.argument(0), false)
                    : isSumOfSquares(rest, false);
            if (epsilon > 0 && sum.factors().get(1 - i) > 0 && isNorm) {
                found.put(value, new Added(value.argument(1 - i), sum.factors().get(1 - i), epsilon));
            }
        }
    }

    /** The exponent where a value is a power of another; 0 elsewhere. */
    private static double exponent(Value value) {
        return value.operation() instanceof Application application
                        && application.function() instanceof Power power
                        && power.factor() > 0
                ? power.exponent()
                : 0;
    }

    /** The one number that a constant is everywhere, where it is positive; 0 elsewhere. */
    private static double positive(Value value) {
        Value leaf = unshaped(value);
        if (!ModelBuilder.isConstant(leaf)) {
            return 0;
        }
        double[] numbers = ((Leaf) leaf.operation()).numbers().asFloat64();
        return numbers.length > 0 && numbers[0] > 0 && Arrays.stream(numbers).allMatch(number -> number == numbers[0])
                ? numbers[0]
                : 0;
    }

    /** What is only written in another shape. */
    private static Value unshaped(Value value) {
        Value at = value;
        while (at.operation() instanceof Reshape || at.operation() instanceof Rearrangement) {
            at = at.argument(0);
        }
        return at;
    }

    /** Whether a value is made of squares by sums with positive factors, over more than one entry somewhere. */
    private static boolean isSumOfSquares(Value value, boolean isSummed) {
        Value at = unshaped(value);
        Value inner = within(at);
        if (inner != null) {
            return isSumOfSquares(
                    inner, isSummed || inner.shape().count() > at.shape().count());
        }
        return switch (at.operation()) {
            case Product _ -> isSummed && at.argument(0) == at.argument(1);
            case Application _ -> isSummed && exponent(at) == 2;
            case Contraction product ->
                at.argument(0) == at.argument(1)
                        && product.left().equals(product.right())
                        && at.argument(0).shape().count() > at.shape().count();
            default -> false;
        };
    }

    /** What a value is a sum or a positive multiple of. */
    private static @Nullable Value within(Value value) {
        return switch (value.operation()) {
            case Reduction reduction -> reduction.largest() ? null : value.argument(0);
            case Sum sum -> sum.factors().size() == 1 && sum.factors().getFirst() > 0 ? value.argument(0) : null;
            case Product _ ->
                positive(value.argument(0)) > 0
                        ? value.argument(1)
                        : positive(value.argument(1)) > 0 ? value.argument(0) : null;
            default -> null;
        };
    }
}
