package org.isoloss.source;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** Tensors of other lengths, by the nearest entries or between them: along each axis a fixed matrix. */
final class ResizeOperators {
    static final Map<String, Rule> RULES =
            Map.of("Resize", Rule.same(ResizeOperators::resize), "Upsample", Rule.same(ResizeOperators::upsample));

    private ResizeOperators() {}

    /** How coordinates and entries are chosen. */
    private record Manner(
            String mode, String coordinates, String nearest, double cubic, boolean excludeOutside, boolean antialias) {}

    private static Value upsample(Call call) {
        String mode = call.text("mode", "nearest");
        double[] scales = call.opset() < 9
                ? call.numbers("scales").stream()
                        .mapToDouble(Float::doubleValue)
                        .toArray()
                : call.known(1);
        int[] axes = IntStream.range(0, scales.length).toArray();
        return resized(call, new Manner(mode, "asymmetric", "floor", 0, false, false), axes, scales, null);
    }

    private static Value resize(Call call) {
        boolean old = call.opset() < 11;
        String mode = call.text("mode", "nearest");
        String coordinates = call.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
        String nearest = call.text("nearest_mode", old ? "floor" : "round_prefer_floor");
        String policy = call.text("keep_aspect_ratio_policy", "stretch");
        var manner = new Manner(
                mode,
                coordinates,
                nearest,
                call.number("cubic_coeff_a", -0.75),
                call.flag("exclude_outside", false),
                call.flag("antialias", false));
        if (coordinates.equals("tf_crop_and_resize")) {
            throw call.refused("the coordinates 'tf_crop_and_resize' are not read; slice and resize instead");
        }
        call.ignore("extrapolation_value");
        int rank = call.tensor(0).rank();
        List<Integer> given = call.wholes("axes");
        int[] axes = given == null
                ? IntStream.range(0, rank).toArray()
                : given.stream().mapToInt(axis -> Call.axis(axis, rank)).toArray();
        int scalesAt = old ? 1 : 2;
        if (call.has(scalesAt) && !call.tensor(scalesAt).isEmpty()) {
            return resized(call, manner, axes, call.known(scalesAt), null);
        }
        int[] sizes = call.wholes(3);
        double[] scales = IntStream.range(0, axes.length)
                .mapToDouble(i -> sizes[i] / (double) call.value(0).shape().size(axes[i]))
                .toArray();
        if (!policy.equals("stretch")) {
            double scale = policy.equals("not_larger")
                    ? Arrays.stream(scales).min().orElse(1)
                    : Arrays.stream(scales).max().orElse(1);
            for (int i = 0; i < axes.length; i++) {
                sizes[i] = (int) Math.floor(scale * call.value(0).shape().size(axes[i]) + 0.5);
                scales[i] = scale;
            }
        }
        return resized(call, manner, axes, scales, sizes);
    }

    private static Value resized(Call call, Manner manner, int[] axes, double[] scales, int @Nullable [] sizes) {
        Value x = call.value(0);
        for (int i = 0; i < axes.length; i++) {
            int from = x.shape().size(axes[i]);
            int to = sizes == null ? (int) Math.floor(scales[i] * from) : sizes[i];
            if (to != from || scales[i] != 1) {
                x = alongAxis(call, manner, x, axes[i], to, scales[i]);
            }
        }
        return x;
    }

    private static Value alongAxis(Call call, Manner manner, Value x, int axis, int to, double scale) {
        int from = x.shape().size(axis);
        if (manner.mode.equals("nearest")) {
            double[] places = IntStream.range(0, to)
                    .mapToDouble(i -> Math.clamp(
                            rounded(manner.nearest, place(manner.coordinates, i, from, to, scale)), 0, from - 1))
                    .toArray();
            return call.builder().lookup(x, call.constant(List.of(to), places), axis);
        }
        double[] matrix = new double[to * from];
        for (int i = 0; i < to; i++) {
            weigh(manner, matrix, i, from, place(manner.coordinates, i, from, to, scale), scale);
        }
        return ReductionOperators.matrixAlong(call.builder(), call.constant(List.of(to, from), matrix), x, axis);
    }

    /** Where an entry of the result lies in the source. */
    private static double place(String coordinates, int at, int from, int to, double scale) {
        double length = scale * from;
        return switch (coordinates) {
            case "half_pixel" -> (at + 0.5) / scale - 0.5;
            case "pytorch_half_pixel" -> length == 1 ? -0.5 : (at + 0.5) / scale - 0.5;
            case "align_corners" -> length == 1 ? 0 : at * (from - 1) / (length - 1);
            case "asymmetric" -> at / scale;
            case "half_pixel_symmetric" -> from / 2.0 * (1 - to / length) + (at + 0.5) / scale - 0.5;
            default -> throw new IllegalArgumentException("the coordinates '%s' are not read".formatted(coordinates));
        };
    }

    private static double rounded(String mode, double place) {
        return switch (mode) {
            case "round_prefer_floor" -> Math.ceil(place - 0.5);
            case "round_prefer_ceil" -> Math.floor(place + 0.5);
            case "floor" -> Math.floor(place);
            case "ceil" -> Math.ceil(place);
            default -> throw new IllegalArgumentException("the rounding '%s' is not read".formatted(mode));
        };
    }

    /** Fills a row of the matrix with the weights of the entries around a place. */
    private static void weigh(Manner manner, double[] matrix, int row, int from, double place, double scale) {
        double stretch = manner.antialias ? Math.min(1, scale) : 1;
        boolean cubic = manner.mode.equals("cubic");
        if (!cubic && !manner.mode.equals("linear")) {
            throw new IllegalArgumentException("the mode '%s' is not read".formatted(manner.mode));
        }
        double reach = (cubic ? 2 : 1) / stretch;
        int first = (int) Math.floor(place - reach) + 1;
        int last = (int) Math.ceil(place + reach) - 1;
        double total = 0;
        for (int at = first; at <= last; at++) {
            double distance = Math.abs(at - place) * stretch;
            double weight = cubic ? cubic(distance, manner.cubic) : Math.max(0, 1 - distance);
            boolean outside = at < 0 || at >= from;
            if (!(outside && cubic && manner.excludeOutside)) {
                matrix[row * from + Math.clamp(at, 0, from - 1)] += weight;
                total += weight;
            }
        }
        for (int at = 0; at < from; at++) {
            matrix[row * from + at] /= total;
        }
    }

    /** The cubic kernel of Keys. */
    private static double cubic(double t, double a) {
        return t <= 1 ? ((a + 2) * t - (a + 3)) * t * t + 1 : t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
    }
}
