package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The product of two tensors entry by entry, each stretched to the common shape. */
final class Product extends Operation {
    static final Product INSTANCE = new Product();

    private Product() {}

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        return Dimensions.broadcast(arguments);
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        List<T> left = Elements.stretched(arguments.get(0), self.argument(0).shape(), self.shape());
        List<T> right = Elements.stretched(arguments.get(1), self.argument(1).shape(), self.shape());
        return Elements.filled(left.size(), i -> algebra.times(left.get(i), right.get(i)));
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.product(self, self.argument(0), self.argument(1));
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        List<Value> terms = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Value change = changes.get(i);
            if (change != null) {
                terms.add(builder.stretched(builder.product(change, self.argument(1 - i)), self.shape()));
            }
        }
        return builder.sum(terms);
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        List<@Nullable Value> gradients = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            gradients.add(builder.summedTo(
                    builder.product(upstream, self.argument(1 - i)),
                    self.argument(i).shape()));
        }
        return gradients;
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        List<Value> aligned = batching.aligned(builder, self, arguments);
        return builder.product(aligned.get(0), aligned.get(1));
    }
}
