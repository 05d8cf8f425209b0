package org.isoloss.source;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.isoloss.model.Value;
import org.isoloss.model.Windows;

/** Convolutions and their transposes. */
final class ConvolutionOperators {
    static final Map<String, Rule> RULES = Map.of(
            "Conv", Rule.same(ConvolutionOperators::convolution),
            "ConvTranspose", Rule.same(ConvolutionOperators::transposed));

    private ConvolutionOperators() {}

    private static List<Integer> lengths(Value value) {
        return value.shape().sizes().subList(2, value.shape().rank());
    }

    private static Value convolution(Call call) {
        List<Integer> kernel = call.wholes("kernel_shape", lengths(call.value(1)));
        int groups = (int) call.whole("group", 1);
        if (!kernel.equals(lengths(call.value(1)))) {
            throw call.refused(
                    "kernel_shape is %s, but weights have shape %s",
                    kernel, call.value(1).shape());
        }
        return call.convolutions()
                .convolution(call.value(0), call.value(1), call.optional(2), windows(call, kernel), groups);
    }

    /** The windows that the attributes of a convolution or of pooling describe. */
    static Windows windows(Call call, List<Integer> kernel) {
        int rank = kernel.size();
        List<Integer> ones = Collections.nCopies(rank, 1);
        List<Integer> strides = call.wholes("strides", ones);
        List<Integer> dilations = call.wholes("dilations", ones);
        List<Integer> pads = call.wholes("pads", Collections.nCopies(2 * rank, 0));
        String automatic = call.text("auto_pad", "NOTSET");
        if (pads.size() != 2 * rank) {
            throw call.refused("%d numbers of padding for %d axes", pads.size(), rank);
        }
        List<Integer> before = new ArrayList<>(pads.subList(0, rank));
        List<Integer> after = new ArrayList<>(pads.subList(rank, 2 * rank));
        for (int axis = 0; axis < rank && !automatic.equals("NOTSET"); axis++) {
            int length = lengths(call.value(0)).get(axis);
            int step = strides.get(axis);
            int reach = dilations.get(axis) * (kernel.get(axis) - 1) + 1;
            int padding = Math.max(0, (Math.ceilDiv(length, step) - 1) * step + reach - length);
            int first = switch (automatic) {
                case "SAME_UPPER" -> padding / 2;
                case "SAME_LOWER" -> padding - padding / 2;
                case "VALID" -> 0;
                default -> throw call.refused("auto_pad '%s' is not read", automatic);
            };
            before.set(axis, first);
            after.set(axis, automatic.equals("VALID") ? 0 : padding - first);
        }
        return new Windows(kernel, strides, dilations, before, after);
    }

    private static Value transposed(Call call) {
        List<Integer> kernel = call.wholes("kernel_shape", lengths(call.value(1)));
        int rank = kernel.size();
        List<Integer> ones = Collections.nCopies(rank, 1);
        List<Integer> strides = call.wholes("strides", ones);
        List<Integer> dilations = call.wholes("dilations", ones);
        List<Integer> more = call.wholes("output_padding", Collections.nCopies(rank, 0));
        List<Integer> pads = call.wholes("pads", Collections.nCopies(2 * rank, 0));
        List<Integer> asked = call.wholes("output_shape");
        String automatic = call.text("auto_pad", "NOTSET");
        List<Integer> before = new ArrayList<>(pads.subList(0, rank));
        List<Integer> after = new ArrayList<>(pads.subList(rank, 2 * rank));
        List<Integer> sizes = new ArrayList<>();
        for (int axis = 0; axis < rank; axis++) {
            int step = strides.get(axis);
            int places = lengths(call.value(0)).get(axis);
            int whole = step * (places - 1) + more.get(axis) + dilations.get(axis) * (kernel.get(axis) - 1) + 1;
            int wanted = switch (automatic) {
                case "NOTSET" -> whole - before.get(axis) - after.get(axis);
                case "VALID" -> whole;
                case "SAME_UPPER", "SAME_LOWER" -> places * step;
                default -> throw call.refused("auto_pad '%s' is not read", automatic);
            };
            if (asked != null) {
                wanted = asked.get(asked.size() - rank + axis);
            }
            if (asked != null || automatic.startsWith("SAME")) {
                int padding = whole - wanted;
                int first = automatic.equals("SAME_UPPER")
                        ? Math.floorDiv(padding, 2)
                        : padding - Math.floorDiv(padding, 2);
                before.set(axis, first);
                after.set(axis, padding - first);
            }
            sizes.add(wanted);
        }
        return call.convolutions()
                .transposed(
                        call.value(0),
                        call.value(1),
                        call.optional(2),
                        new Windows(kernel, strides, dilations, before, after),
                        (int) call.whole("group", 1),
                        sizes);
    }
}
