package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.model.Convolutions;
import org.isoloss.model.Value;
import org.isoloss.model.Windows;

/** Convolutions and pooling with random options, of shape (batch, channels, lengths...). */
final class RandomWindows {
    private final RandomParts parts;
    private final Convolutions convolutions;

    RandomWindows(RandomParts parts) {
        this.parts = parts;
        this.convolutions = new Convolutions(parts.builder);
    }

    private static List<Integer> lengths(Value input) {
        return input.shape().sizes().subList(2, input.shape().rank());
    }

    /** Windows of one size along all axes that are long enough. */
    private Windows windows(Value input, int size, int stride, int padding) {
        List<Integer> sizes = new ArrayList<>();
        lengths(input).forEach(length -> sizes.add(Math.min(size, length)));
        List<Integer> ones = Collections.nCopies(sizes.size(), 1);
        List<Integer> paddings = Collections.nCopies(sizes.size(), padding);
        return new Windows(sizes, Collections.nCopies(sizes.size(), stride), ones, paddings, paddings);
    }

    Value convolution(Value input) {
        int channels = input.shape().size(1);
        parts.uses("convolution %d-d".formatted(lengths(input).size()));
        int stride = parts.chance(0.25) ? 2 : 1;
        int padding = parts.chance(0.25) ? 1 : 0;
        if (stride > 1) {
            parts.uses("strides");
        }
        if (padding > 0) {
            parts.uses("padding");
        }
        int least = channels == 1 ? 2 : 1;
        Windows windows = windows(input, parts.between(least, lengths(input).size() == 1 ? 3 : 2), stride, padding);
        int outputs = parts.between(2, 4);
        int groups = 1;
        if (channels > 1 && parts.chance(0.2)) {
            parts.uses("depthwise");
            groups = channels;
            outputs = channels;
        } else if (channels % 2 == 0 && parts.chance(0.3)) {
            parts.uses("groups");
            groups = 2;
            outputs = 4;
        }
        return convolved(input, outputs, windows, groups);
    }

    private Value convolved(Value input, int outputs, Windows windows, int groups) {
        int taps = windows.size().stream().reduce(1, Math::multiplyExact);
        int depth = input.shape().size(1) / groups;
        int[] sizes = IntStream.concat(
                        IntStream.of(outputs, depth), windows.size().stream().mapToInt(Integer::intValue))
                .toArray();
        return convolutions.convolution(
                input, parts.weight("filters", depth * taps, sizes), parts.biasOrNone(outputs), windows, groups);
    }

    private Value pointwise(Value input, int outputs) {
        return convolved(input, outputs, windows(input, 1, 1, 0), 1);
    }

    /** Functions of one channel alone all bend at the same place, so that a convolution comes first. */
    private Value several(Value input) {
        return input.shape().size(1) == 1 ? convolution(input) : input;
    }

    /** A value with what two convolutions of single entries make of it. */
    Value residual(Value given) {
        Value input = several(given);
        parts.uses("residual sum");
        parts.uses("convolution %d-d".formatted(lengths(input).size()));
        Value hidden = parts.nonlinear(pointwise(input, parts.between(2, 3)));
        return parts.builder.plus(input, pointwise(hidden, input.shape().size(1)));
    }

    Value concatenated(Value given) {
        Value input = several(given);
        parts.uses("concatenation");
        parts.uses("convolution %d-d".formatted(lengths(input).size()));
        return parts.builder.concatenate(List.of(input, parts.nonlinear(pointwise(input, 2))), 1);
    }

    Value pooled(Value input) {
        Windows windows = windows(input, 2, parts.between(1, 2), 0);
        if (parts.chance(0.5)) {
            parts.uses("largest pooling");
            return convolutions.largest(input, windows, false);
        }
        parts.uses("average pooling");
        return convolutions.average(input, windows, false, true);
    }
}
