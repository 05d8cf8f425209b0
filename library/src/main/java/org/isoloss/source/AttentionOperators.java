package org.isoloss.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.isoloss.model.Composite;
import org.isoloss.model.Dimensions;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.jspecify.annotations.Nullable;

/** Attention as one operator, and rotations by the position. */
final class AttentionOperators {
    static final Map<String, Rule> RULES = Map.of(
            "Attention", call -> new Reading(call).results(), "RotaryEmbedding", Rule.same(AttentionOperators::rotary));

    private AttentionOperators() {}

    /** (batch, length, heads * size) as (batch, heads, length, size). */
    private static Value headed(ModelBuilder builder, Value value, int heads) {
        if (value.shape().rank() == 4) {
            return value;
        }
        List<Integer> sizes = value.shape().sizes();
        Value apart = builder.reshape(value, Dimensions.of(sizes.get(0), sizes.get(1), heads, sizes.get(2) / heads));
        return builder.transpose(apart, 0, 2, 1, 3);
    }

    private static Value joined(ModelBuilder builder, Value value) {
        List<Integer> sizes = value.shape().sizes();
        return builder.reshape(
                builder.transpose(value, 0, 2, 1, 3),
                Dimensions.of(sizes.get(0), sizes.get(2), sizes.get(1) * sizes.get(3)));
    }

    /** One node; each query head reads the key head of its group. */
    private static final class Reading {
        private final Call call;
        private final ModelBuilder builder;
        private final Value queries;
        private final Value keys;
        private final Value values;
        private final int groups;
        private final int past;

        Reading(Call call) {
            this.call = call;
            this.builder = call.builder();
            int heads = (int) call.whole("q_num_heads", 0);
            int keyHeads = (int) call.whole("kv_num_heads", 0);
            this.queries = headed(builder, call.value(0), heads);
            this.keys = later(4, headed(builder, call.value(1), keyHeads));
            this.values = later(5, headed(builder, call.value(2), keyHeads));
            this.past = keys.shape().size(2)
                    - headed(builder, call.value(1), keyHeads).shape().size(2);
            this.groups = keys.shape().size(1);
            if (queries.shape().size(1) % groups != 0) {
                throw call.refused(
                        "%d query heads for %d key heads", queries.shape().size(1), groups);
            }
            call.ignore("softmax_precision");
        }

        private Value later(int place, Value value) {
            return call.has(place) && !call.tensor(place).isEmpty()
                    ? builder.concatenate(List.of(call.value(place), value), 2)
                    : value;
        }

        List<TypedValue> results() {
            List<Integer> sizes = queries.shape().sizes();
            int each = sizes.get(1) / groups;
            Dimensions grouped = Dimensions.of(sizes.get(0), groups, each, sizes.get(2), sizes.get(3));
            Dimensions scoreShape = Dimensions.of(
                    sizes.get(0), sizes.get(1), sizes.get(2), keys.shape().size(2));
            double scale = call.number("scale", 1 / Math.sqrt(sizes.get(3)));
            double cap = call.number("softcap", 0);
            long mode = call.whole("qk_matmul_output_mode", 0);
            if (call.wants(3) && mode != 0 && mode != 3) {
                throw call.refused("qk_matmul_output_mode %d is not read, only 0 and 3", mode);
            }
            Value[] shown = new Value[1];
            Value result = builder.composite(Composite.Role.ATTENTION, List.of(queries, keys, values), () -> {
                Value products = builder.contract("abgtd,absd->abgts", builder.reshape(queries, grouped), keys);
                Value scores = builder.reshape(builder.scaled(scale, products), scoreShape);
                shown[0] = scores;
                if (cap > 0) {
                    scores = builder.scaled(cap, builder.apply(Activation.TANH, builder.scaled(1 / cap, scores)));
                }
                Value weights = weights(scores, bias());
                if (mode == 3) {
                    shown[0] = weights;
                }
                Dimensions apart = Dimensions.of(
                        sizes.get(0), groups, each, sizes.get(2), keys.shape().size(2));
                Value mixed = builder.contract("abgts,absd->abgtd", builder.reshape(weights, apart), values);
                return builder.reshape(
                        mixed,
                        Dimensions.of(
                                sizes.get(0),
                                sizes.get(1),
                                sizes.get(2),
                                values.shape().size(3)));
            });
            boolean flat = call.tensor(0).rank() == 3;
            return List.of(
                    call.same(flat ? joined(builder, result) : result),
                    TypedValue.of(call.tensor(1).type(), keys),
                    TypedValue.of(call.tensor(2).type(), values),
                    call.same(shown[0]));
        }

        /** Softmax; a row that sees nothing becomes zeros. */
        private Value weights(Value scores, @Nullable Value bias) {
            if (bias == null) {
                return call.layers().softmax(scores, 3);
            }
            int last = bias.shape().rank() - 1;
            Value widest = builder.restored(builder.largestOver(bias, List.of(last)), List.of(last));
            Value blind = builder.equal(widest, builder.constant(Double.NEGATIVE_INFINITY));
            Value open = builder.select(blind, builder.constant(0), bias);
            Value weights = call.layers().softmax(builder.plus(scores, open), 3);
            return builder.select(blind, builder.constant(0), weights);
        }

        private @Nullable Value bias() {
            List<Value> terms = new ArrayList<>();
            if (call.has(3)) {
                Value mask = call.value(3);
                Value none = builder.constant(Double.NEGATIVE_INFINITY);
                if (call.tensor(3).type() == TensorType.BOOL) {
                    mask = builder.select(mask, builder.constant(0), none);
                }
                int rank = mask.shape().rank();
                int missing = keys.shape().size(2) - mask.shape().size(rank - 1);
                if (missing > 0 && mask.shape().size(rank - 1) > 1) {
                    Dimensions rest = mask.shape().with(rank - 1, missing);
                    mask = builder.concatenate(List.of(mask, builder.stretched(none, rest)), rank - 1);
                }
                terms.add(mask);
            }
            Value fixed = fixedBias();
            if (fixed != null) {
                terms.add(fixed);
            }
            return terms.isEmpty() ? null : builder.sum(terms);
        }

        /** What order, windows and lengths hide. */
        private @Nullable Value fixedBias() {
            boolean causal = call.flag("is_causal", false);
            long left = call.whole("left_window_size", -1);
            long right = call.whole("right_window_size", -1);
            double[] lengths = call.has(6) ? call.known(6) : new double[0];
            if (!causal && left < 0 && right < 0 && lengths.length == 0) {
                return null;
            }
            int batch = Math.max(1, lengths.length);
            int rows = queries.shape().size(2);
            int columns = keys.shape().size(2);
            double[] bias = new double[batch * rows * columns];
            for (int i = 0; i < bias.length; i++) {
                int column = i % columns;
                int row = i / columns % rows;
                double length = lengths.length == 0 ? columns : lengths[i / columns / rows];
                double ahead = column - row - (lengths.length == 0 ? past : length - rows);
                boolean hidden = (causal && ahead > 0)
                        || (left >= 0 && -ahead > left)
                        || (right >= 0 && ahead > right)
                        || column >= length;
                bias[i] = hidden ? Double.NEGATIVE_INFINITY : 0;
            }
            return call.constant(List.of(batch, 1, rows, columns), bias);
        }
    }

    private static Value rotary(Call call) {
        ModelBuilder builder = call.builder();
        boolean interleaved = call.flag("interleaved", false);
        Value x = headed(builder, call.value(0), (int) call.whole("num_heads", 0));
        int size = x.shape().size(3);
        int turned = (int) call.whole("rotary_embedding_dim", 0);
        turned = turned == 0 ? size : turned;
        Value cosine = angles(call, 1);
        Value sine = angles(call, 2);
        Value first = half(builder, x, turned, interleaved, 0);
        Value second = half(builder, x, turned, interleaved, 1);
        Value real = builder.minus(builder.product(cosine, first), builder.product(sine, second));
        Value imaginary = builder.plus(builder.product(sine, first), builder.product(cosine, second));
        List<Integer> sizes = x.shape().sizes();
        Value rotated;
        if (interleaved) {
            List<Integer> last = List.of(4);
            Value pairs =
                    builder.concatenate(List.of(builder.restored(real, last), builder.restored(imaginary, last)), 4);
            rotated = builder.reshape(pairs, Dimensions.of(sizes.get(0), sizes.get(1), sizes.get(2), turned));
        } else {
            rotated = builder.concatenate(List.of(real, imaginary), 3);
        }
        Value whole = turned == size
                ? rotated
                : builder.concatenate(List.of(rotated, builder.slice(x, 3, turned, size - turned)), 3);
        return call.tensor(0).rank() == 3 ? joined(builder, whole) : whole;
    }

    private static Value half(ModelBuilder builder, Value x, int turned, boolean interleaved, int which) {
        int[] sizes = x.shape().toArray();
        sizes[3] = turned / 2;
        int[] begin = {0, 0, 0, interleaved ? which : which * turned / 2};
        return builder.slice(x, begin, new int[] {1, 1, 1, interleaved ? 2 : 1}, sizes, 0);
    }

    /** (batch, 1, length, half) out of what is stored a position. */
    private static Value angles(Call call, int place) {
        Value cache = call.value(place);
        Value chosen = call.has(3) ? call.builder().lookup(cache, call.value(3), 0) : cache;
        return call.builder().restored(chosen, List.of(1));
    }
}
