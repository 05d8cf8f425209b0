package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Layers that most networks share, made of primitive operations and kept as {@link Composite}s with their role. */
public final class Layers {
    private final ModelBuilder builder;

    /**
     * Adds to a model.
     *
     * @param builder receives the layers
     */
    public Layers(ModelBuilder builder) {
        this.builder = builder;
    }

    private static List<Value> present(@Nullable Value... values) {
        List<Value> present = new ArrayList<>();
        for (Value value : values) {
            if (value != null) {
                present.add(value);
            }
        }
        return present;
    }

    /**
     * An affine map of the last axis.
     *
     * @param input shape (..., n)
     * @param weight shape (m, n)
     * @param bias shape (m); null for none
     * @return shape (..., m)
     */
    public Value linear(Value input, Value weight, @Nullable Value bias) {
        return builder.composite(Composite.Role.LINEAR, present(input, weight, bias), () -> {
            String batch = letters(input.shape().rank() - 1);
            Value product = builder.contract("%sy,zy->%sz".formatted(batch, batch), input, weight);
            return bias == null ? product : builder.plus(product, bias);
        });
    }

    /** The first letters, for axes that are carried along. */
    static String letters(int count) {
        return "abcdefghijklmnop".substring(0, count);
    }

    /**
     * Exponentials that add up to 1, by differences from the largest: none overflows.
     *
     * @param input any shape
     * @param axis along which
     * @return the same shape
     */
    public Value softmax(Value input, int axis) {
        return builder.composite(Composite.Role.SOFTMAX, List.of(input), () -> {
            List<Integer> axes = List.of(axis);
            Value largest = builder.restored(builder.largestOver(input, axes), axes);
            Value raised = builder.apply(Elementary.EXP, builder.minus(input, largest));
            return builder.quotient(raised, builder.restored(builder.sumOver(raised, axes), axes));
        });
    }

    /**
     * The logarithm of {@link #softmax}.
     *
     * @param input any shape
     * @param axis along which
     * @return the same shape
     */
    public Value logSoftmax(Value input, int axis) {
        List<Integer> axes = List.of(axis);
        Value lower = builder.minus(input, builder.restored(builder.largestOver(input, axes), axes));
        Value sum = builder.sumOver(builder.apply(Elementary.EXP, lower), axes);
        return builder.minus(lower, builder.restored(builder.apply(Elementary.LOG, sum), axes));
    }

    /**
     * Centres and divides by the standard deviation over some axes.
     *
     * @param input any shape
     * @param axes over which
     * @param epsilon added to the variance
     * @return the same shape
     */
    public Value standardized(Value input, List<Integer> axes, double epsilon) {
        Value centred = builder.minus(input, builder.restored(builder.meanOver(input, axes), axes));
        Value variance = builder.restored(builder.meanOver(builder.product(centred, centred), axes), axes);
        return builder.product(centred, reciprocalRoot(variance, epsilon));
    }

    private Value reciprocalRoot(Value variance, double epsilon) {
        return builder.apply(
                Power.RECIPROCAL_ROOT, epsilon == 0 ? variance : builder.plus(variance, builder.constant(epsilon)));
    }

    /**
     * Layer normalisation over the last axes.
     *
     * @param input shape (..., n)
     * @param first the first axis that is normalised
     * @param scale stretched to the normalised axes; null for none
     * @param shift the same
     * @param epsilon added to the variance
     * @return the same shape
     */
    public Value layerNorm(Value input, int first, @Nullable Value scale, @Nullable Value shift, double epsilon) {
        return builder.composite(Composite.Role.LAYER_NORM, present(input, scale, shift), () -> {
            List<Integer> axes =
                    IntStream.range(first, input.shape().rank()).boxed().toList();
            return affine(standardized(input, axes, epsilon), scale, shift);
        });
    }

    /**
     * Division by the root of the mean square over the last axes.
     *
     * @param input shape (..., n)
     * @param first the first axis that is normalised
     * @param scale stretched to the normalised axes; null for none
     * @param epsilon added to the mean square
     * @return the same shape
     */
    public Value rmsNorm(Value input, int first, @Nullable Value scale, double epsilon) {
        return builder.composite(Composite.Role.RMS_NORM, present(input, scale), () -> {
            List<Integer> axes =
                    IntStream.range(first, input.shape().rank()).boxed().toList();
            Value square = builder.restored(builder.meanOver(builder.product(input, input), axes), axes);
            return affine(builder.product(input, reciprocalRoot(square, epsilon)), scale, null);
        });
    }

    /**
     * An affine map a channel by stored statistics.
     *
     * @param input shape (batch, channels, ...)
     * @param scale shape (channels)
     * @param shift shape (channels)
     * @param mean shape (channels)
     * @param variance shape (channels)
     * @param epsilon added to the variance
     * @return the same shape
     */
    public Value batchNorm(Value input, Value scale, Value shift, Value mean, Value variance, double epsilon) {
        return builder.composite(Composite.Role.BATCH_NORM, List.of(input, scale, shift, mean, variance), () -> {
            Value factor = builder.product(scale, reciprocalRoot(variance, epsilon));
            Value offset = builder.minus(shift, builder.product(mean, factor));
            int rank = input.shape().rank();
            return affine(input, channel(factor, rank), channel(offset, rank));
        });
    }

    /** Shape (channels) as (channels, 1, ...), to be combined with (batch, channels, ...). */
    Value channel(Value value, int rank) {
        int[] sizes = new int[rank - 1];
        Arrays.fill(sizes, 1);
        sizes[0] = value.shape().count();
        return builder.reshape(value, Dimensions.of(sizes));
    }

    private Value affine(Value value, @Nullable Value scale, @Nullable Value shift) {
        Value scaled = scale == null ? value : builder.product(value, scale);
        return shift == null ? scaled : builder.plus(scaled, shift);
    }

    /**
     * Queries against keys, softmax, values.
     *
     * @param queries shape (batch, heads, length, size)
     * @param keys shape (batch, heads, other length, size)
     * @param values shape (batch, heads, other length, value size)
     * @param scale of the scores
     * @param mask added to the scores, stretched to (batch, heads, length, other length); null for none
     * @return shape (batch, heads, length, value size)
     */
    public Value attention(Value queries, Value keys, Value values, double scale, @Nullable Value mask) {
        return builder.composite(Composite.Role.ATTENTION, present(queries, keys, values, mask), () -> {
            Value scores = builder.scaled(scale, builder.contract("abtd,absd->abts", queries, keys));
            Value weights = softmax(mask == null ? scores : builder.plus(scores, mask), 3);
            return builder.contract("abts,absd->abtd", weights, values);
        });
    }
}
