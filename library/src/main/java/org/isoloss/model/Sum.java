package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The sum of scaled tensors, each stretched to the common shape.
 *
 * @see Dimensions#broadcast
 */
final class Sum extends Operation {
    private final List<Double> factors;

    /** One factor an argument. */
    Sum(List<Double> factors) {
        this.factors = List.copyOf(factors);
    }

    List<Double> factors() {
        return factors;
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        return Dimensions.broadcast(arguments);
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        List<List<T>> wide = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            wide.add(Elements.stretched(arguments.get(i), self.argument(i).shape(), self.shape()));
        }
        List<T> scales = factors.stream().map(algebra::constant).toList();
        return Elements.filled(self.shape().count(), at -> {
            T sum = null;
            for (int i = 0; i < wide.size(); i++) {
                T term = wide.get(i).get(at);
                T scaled = factors.get(i) == 1 ? term : algebra.times(scales.get(i), term);
                sum = sum == null ? scaled : algebra.plus(sum, scaled);
            }
            return Objects.requireNonNull(sum);
        });
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.sum(
                self,
                self.arguments(),
                factors.stream().mapToDouble(Double::doubleValue).toArray());
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        List<Value> moving = new ArrayList<>();
        List<Double> scales = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            Value change = changes.get(i);
            if (change != null) {
                moving.add(change);
                scales.add(factors.get(i));
            }
        }
        return builder.stretched(builder.sum(scales, moving), self.shape());
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        List<@Nullable Value> gradients = new ArrayList<>();
        for (int i = 0; i < factors.size(); i++) {
            gradients.add(builder.scaled(
                    factors.get(i), builder.summedTo(upstream, self.argument(i).shape())));
        }
        return gradients;
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        return builder.sum(factors, batching.aligned(builder, self, arguments));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Sum sum && sum.factors.equals(factors);
    }

    @Override
    public int hashCode() {
        return factors.hashCode();
    }
}
