package org.isoloss.model;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.isoloss.autodiff.Pointwise;
import org.jspecify.annotations.Nullable;

/**
 * The layers of a model that is nothing but affine maps of its one input and functions of one variable between them, as its
 * graph shows them, whatever it was made from.
 */
public final class DenseChain {
    /**
     * An affine map.
     *
     * @param received what it reads, shape (inputs, n)
     * @param weight shape (m, n), or (n, m) where it is transposed
     * @param transposed whether it is
     * @param bias shape (m); null for none
     * @param sums what it computes, shape (inputs, m)
     * @param function what is applied to that; null for nothing
     */
    public record Layer(
            Value received,
            Value weight,
            boolean transposed,
            @Nullable Value bias,
            Value sums,
            @Nullable Pointwise function) {
        /** {@return n} */
        public int inputs() {
            return received.shape().size(1);
        }

        /** {@return m} */
        public int outputs() {
            return sums.shape().size(1);
        }

        private int tensors() {
            return bias == null ? 1 : 2;
        }
    }

    private DenseChain() {}

    /**
     * Reads the layers of a model.
     *
     * @param model any
     * @return from the input on; nothing where it has anything else, or a tensor that is used twice or not at all
     */
    public static Optional<List<Layer>> of(Model model) {
        List<Layer> layers = new ArrayList<>();
        Value value = model.outputs().firstEntry().getValue();
        Set<Value> tensors = new HashSet<>();
        while (!isInput(value)) {
            Pointwise function = null;
            if (value.operation() instanceof Application application) {
                function = application.function();
                value = value.argument(0);
            }
            Layer layer = layer(value, function);
            if (layer == null) {
                return Optional.empty();
            }
            layers.addFirst(layer);
            tensors.add(layer.weight);
            if (layer.bias != null) {
                tensors.add(layer.bias);
            }
            value = layer.received;
        }
        int used = layers.stream().mapToInt(Layer::tensors).sum();
        boolean all = used == tensors.size() && used == model.parameters().size();
        return all && !layers.isEmpty() && model.outputs().size() == 1 ? Optional.of(layers) : Optional.empty();
    }

    private static boolean isInput(Value value) {
        Value flat = value.operation() instanceof Reshape ? value.argument(0) : value;
        return value.shape().rank() == 2
                && flat.operation() instanceof Leaf leaf
                && leaf.kind() == Leaf.Kind.INPUT
                && flat.shape().size(0) == value.shape().size(0);
    }

    private static boolean isParameter(Value value, int rank) {
        return value.shape().rank() == rank
                && value.operation() instanceof Leaf leaf
                && leaf.kind() == Leaf.Kind.PARAMETER;
    }

    private static @Nullable Layer layer(Value sums, @Nullable Pointwise function) {
        if (sums.operation() instanceof Sum sum
                && sum.factors().equals(List.of(1.0, 1.0))
                && sums.shape().rank() == 2) {
            for (int i = 0; i < 2; i++) {
                Value bias = sums.argument(i);
                if (isParameter(bias, 1) && bias.shape().size(0) == sums.shape().size(1)) {
                    return layer(sums.argument(1 - i), bias, sums, function);
                }
            }
        }
        return layer(sums, null, sums, function);
    }

    private static @Nullable Layer layer(
            Value product, @Nullable Value bias, Value sums, @Nullable Pointwise function) {
        if (!(product.operation() instanceof Contraction contraction)
                || contraction.result().length() != 2
                || !product.shape().equals(sums.shape())) {
            return null;
        }
        for (int i = 0; i < 2; i++) {
            Value factor = product.argument(i);
            Value received = product.argument(1 - i);
            String ofFactor = i == 0 ? contraction.left() : contraction.right();
            String ofReceived = i == 0 ? contraction.right() : contraction.left();
            boolean turned = isTransposition(factor);
            Value weight = turned ? factor.argument(0) : factor;
            if (isParameter(weight, 2)
                    && ofReceived.length() == 2
                    && ofReceived.charAt(0) == contraction.result().charAt(0)) {
                boolean second = ofFactor.charAt(1) == contraction.result().charAt(1);
                return new Layer(received, weight, second != turned, bias, sums, function);
            }
        }
        return null;
    }

    private static boolean isTransposition(Value value) {
        return value.operation() instanceof Rearrangement rearrangement
                && value.shape().rank() == 2
                && rearrangement
                        .map()
                        .equals(IndexMap.transposed(rearrangement.map().source(), 1, 0));
    }
}
