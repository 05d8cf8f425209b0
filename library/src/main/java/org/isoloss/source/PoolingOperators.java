package org.isoloss.source;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.model.Elementary;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Power;
import org.isoloss.model.Value;
import org.isoloss.model.Windows;

/** The largest, the mean or a norm of windows or of all there is. */
final class PoolingOperators {
    static final Map<String, Rule> RULES = Map.of(
            "MaxPool",
                    Rule.same(call -> {
                        call.ignore("storage_order");
                        return call.convolutions().largest(call.value(0), windows(call), call.flag("ceil_mode", false));
                    }),
            "AveragePool",
                    Rule.same(call -> call.convolutions()
                            .average(
                                    call.value(0),
                                    windows(call),
                                    call.flag("ceil_mode", false),
                                    call.flag("count_include_pad", false))),
            "LpPool",
                    Rule.same(call -> {
                        Windows windows = windows(call);
                        boolean partial = call.flag("ceil_mode", false);
                        return norm(call, x -> call.convolutions().sum(x, windows, partial));
                    }),
            "GlobalMaxPool", global((b, x, axes) -> b.largestOver(x, axes)),
            "GlobalAveragePool", global((b, x, axes) -> b.meanOver(x, axes)),
            "GlobalLpPool",
                    Rule.same(call -> norm(call, x -> {
                        List<Integer> axes = spatial(x);
                        return call.builder().restored(call.builder().sumOver(x, axes), axes);
                    })));

    private PoolingOperators() {}

    private static Windows windows(Call call) {
        return ConvolutionOperators.windows(call, call.wholes("kernel_shape", List.of()));
    }

    private interface Pooling {
        Value of(ModelBuilder builder, Value x, List<Integer> axes);
    }

    private static Rule global(Pooling pooling) {
        return Rule.same(call -> {
            List<Integer> axes = spatial(call.value(0));
            return call.builder().restored(pooling.of(call.builder(), call.value(0), axes), axes);
        });
    }

    private static List<Integer> spatial(Value x) {
        return IntStream.range(2, x.shape().rank()).boxed().toList();
    }

    private interface Summing {
        Value of(Value powers);
    }

    private static Value norm(Call call, Summing summing) {
        ModelBuilder builder = call.builder();
        double order = call.opset() < 2 ? call.number("p", 2) : call.whole("p", 2);
        Value sizes = builder.apply(Elementary.ABS, call.value(0));
        if (order == 1) {
            return summing.of(sizes);
        }
        Value sum = summing.of(builder.apply(new Power(order, 1), order == 2 ? call.value(0) : sizes));
        return builder.apply(new Power(1 / order, 1), sum);
    }
}
