package org.isoloss.model;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A place where a model bends: a piecewise linear function with what it is applied to.
 *
 * @param argument of the function
 * @param function such as ReLU
 */
public record Kink(Value argument, PiecewiseLinear function) {
    /**
     * Finds all kinks on the way to the outputs of a model.
     *
     * @param model any
     * @return in the order of computation
     */
    public static List<Kink> of(Model model) {
        return Execution.order(List.copyOf(model.outputs().values()), Set.of()).stream()
                .flatMap(value -> value.operation() instanceof Application application
                                && application.function() instanceof PiecewiseLinear function
                        ? Stream.of(new Kink(value.argument(0), function))
                        : Stream.empty())
                .distinct()
                .toList();
    }
}
