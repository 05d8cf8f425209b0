package org.isoloss.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Elementary;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Power;
import org.isoloss.model.Value;

/** Norms: what centres and scales. */
final class NormOperators {
    static final Map<String, Rule> RULES = Map.of(
            "BatchNormalization", Rule.same(NormOperators::batch),
            "LayerNormalization", NormOperators::layer,
            "RMSNormalization",
                    Rule.same(call -> {
                        call.ignore("stash_type");
                        int axis = call.axis("axis", -1);
                        return call.layers().rmsNorm(call.value(0), axis, call.value(1), call.number("epsilon", 1e-5f));
                    }),
            "InstanceNormalization", Rule.same(NormOperators::instance),
            "GroupNormalization", Rule.same(NormOperators::group),
            "LRN", Rule.same(NormOperators::localResponse),
            "LpNormalization", Rule.same(NormOperators::unit),
            "MeanVarianceNormalization",
                    Rule.same(call -> {
                        List<Integer> axes = call.wholes("axes", List.of(0, 2, 3));
                        return call.layers().standardized(call.value(0), axes, 1e-18);
                    }));

    private NormOperators() {}

    private static Value batch(Call call) {
        call.ignore("momentum", "consumed_inputs");
        double epsilon = call.number("epsilon", 1e-5f);
        boolean training = call.opset() < 7
                ? !call.flag("is_test", false) && call.wants(1)
                : call.opset() >= 14 && call.flag("training_mode", false);
        if (training) {
            throw call.refused("it takes the statistics of the batch; export the model for inference");
        }
        Value x = call.value(0);
        if (call.opset() < 9 && !call.flag("spatial", true)) {
            ModelBuilder builder = call.builder();
            Value spread = builder.plus(call.value(4), builder.constant(epsilon));
            Value scale = builder.product(call.value(1), builder.apply(Power.RECIPROCAL_ROOT, spread));
            return builder.plus(builder.product(builder.minus(x, call.value(3)), scale), call.value(2));
        }
        return call.layers().batchNorm(x, call.value(1), call.value(2), call.value(3), call.value(4), epsilon);
    }

    /** The normalised tensor, the means, and what the centred entries are multiplied by. */
    private static List<TypedValue> layer(Call call) {
        call.ignore("stash_type");
        int axis = call.axis("axis", -1);
        double epsilon = call.number("epsilon", 1e-5f);
        ModelBuilder builder = call.builder();
        Value x = call.value(0);
        Value result = call.layers().layerNorm(x, axis, call.value(1), call.optional(2), epsilon);
        if (!call.wants(1) && !call.wants(2)) {
            return List.of(call.same(result));
        }
        List<Integer> axes = IntStream.range(axis, x.shape().rank()).boxed().toList();
        Value mean = builder.restored(builder.meanOver(x, axes), axes);
        Value centred = builder.minus(x, mean);
        Value variance = builder.restored(builder.meanOver(builder.product(centred, centred), axes), axes);
        Value factor = builder.apply(Power.RECIPROCAL_ROOT, builder.plus(variance, builder.constant(epsilon)));
        return List.of(call.same(result), call.same(mean), call.same(factor));
    }

    private static Value channel(Call call, Value value, int rank) {
        return Alignment.along(call.builder(), value, 1, rank);
    }

    private static Value instance(Call call) {
        call.ignore("consumed_inputs");
        Value x = call.value(0);
        int rank = x.shape().rank();
        List<Integer> axes = IntStream.range(2, rank).boxed().toList();
        Value standard = call.layers().standardized(x, axes, call.number("epsilon", 1e-5f));
        Value scaled = call.builder().product(standard, channel(call, call.value(1), rank));
        return call.builder().plus(scaled, channel(call, call.value(2), rank));
    }

    private static Value group(Call call) {
        call.ignore("stash_type");
        ModelBuilder builder = call.builder();
        Value x = call.value(0);
        Dimensions shape = x.shape();
        int groups = (int) call.whole("num_groups", 1);
        int each = shape.size(1) / groups;
        Value parted = builder.reshape(
                x, Dimensions.of(shape.size(0), groups, each, shape.count() / shape.size(0) / shape.size(1)));
        Value standard = call.layers().standardized(parted, List.of(2, 3), call.number("epsilon", 1e-5f));
        if (call.opset() < 21) { // one number a group
            Value scaled = builder.product(standard, Alignment.along(builder, call.value(1), 1, 4));
            return builder.reshape(builder.plus(scaled, Alignment.along(builder, call.value(2), 1, 4)), shape);
        }
        Value scaled = builder.product(builder.reshape(standard, shape), channel(call, call.value(1), shape.rank()));
        return builder.plus(scaled, channel(call, call.value(2), shape.rank()));
    }

    private static Value localResponse(Call call) {
        ModelBuilder builder = call.builder();
        Value x = call.value(0);
        int size = (int) call.whole("size", 1);
        double alpha = call.number("alpha", 1e-4f);
        double beta = call.number("beta", 0.75);
        double bias = call.number("bias", 1);
        int before = (size - 1) / 2;
        int rank = x.shape().rank();
        int[] sizes = x.shape().toArray();
        int[] steps = IntStream.generate(() -> 1).limit(rank).toArray();
        Value squares = builder.product(x, x);
        List<Value> terms = new ArrayList<>();
        for (int shift = -before; shift < size - before; shift++) {
            if (Math.abs(shift) < sizes[1]) {
                int[] begin = new int[rank];
                begin[1] = shift;
                terms.add(builder.slice(squares, begin, steps, sizes, 0));
            }
        }
        Value sum = builder.scaled(alpha / size, builder.sum(terms));
        Value factor = builder.apply(new Power(-beta, 1), builder.plus(sum, builder.constant(bias)));
        return builder.product(x, factor);
    }

    private static Value unit(Call call) {
        ModelBuilder builder = call.builder();
        Value x = call.value(0);
        List<Integer> axes = List.of(call.axis("axis", -1));
        Value norm;
        if (call.whole("p", 2) == 1) {
            norm = builder.sumOver(builder.apply(Elementary.ABS, x), axes);
        } else {
            norm = builder.apply(Power.ROOT, builder.sumOver(builder.product(x, x), axes));
        }
        Value wide = builder.restored(norm, axes);
        Value zero = builder.constant(0);
        Value safe = builder.select(builder.equal(wide, zero), builder.constant(1), wide);
        return builder.quotient(x, safe);
    }
}
