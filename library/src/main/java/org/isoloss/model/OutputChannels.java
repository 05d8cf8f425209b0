package org.isoloss.model;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * To which output channel of its tensor each moving number belongs: to what it is multiplied into, as the rows of a weight in
 * PyTorch's layout and the columns of one in the other. Numbers of vectors, such as biases, belong to none.
 */
public final class OutputChannels {
    private final int[] channels;
    private final double[] others;

    private OutputChannels(int[] channels, double[] others) {
        this.channels = channels;
        this.others = others;
    }

    /**
     * Reads the products that parameters are in.
     *
     * @param moving the parameters that move
     * @return their channels
     */
    public static OutputChannels of(Moving moving) {
        Model model = moving.model();
        Map<String, int[]> known = new LinkedHashMap<>();
        for (Value value : Execution.order(List.copyOf(model.outputs().values()), Set.of())) {
            if (value.operation() instanceof Contraction) {
                for (int side = 0; side < 2; side++) {
                    StoredView view = StoredView.of(value.argument(side));
                    ContractedAxes axes = view == null ? null : ContractedAxes.of(value, side);
                    if (view != null && axes != null && !axes.outputs().isEmpty()) {
                        known.computeIfAbsent(name(view), _ -> along(view, axes.outputs()));
                    }
                }
            }
        }
        int[] channels = new int[moving.count()];
        double[] others = new double[moving.count()];
        int next = 0;
        int first = 0;
        for (Map.Entry<String, int[]> tensor : moving.places().entrySet()) {
            Dimensions shape = model.parameter(tensor.getKey()).shape();
            int[] all = shape.rank() < 2 ? null : known.getOrDefault(tensor.getKey(), rows(shape));
            double[] still = largest(all, model.numbers(tensor.getKey()), tensor.getValue());
            for (int place : tensor.getValue()) {
                int channel = all == null ? -1 : all[place];
                channels[next] = channel < 0 ? -1 : first + channel;
                others[next++] = channel < 0 ? 0 : still[channel];
            }
            first += still.length;
        }
        return new OutputChannels(channels, others);
    }

    /**
     * Tells along which axis each weight that a product reads has its output channels.
     *
     * @param model any
     * @return by parameter, the axis as it is stored; without weights that have them along several axes
     */
    public static SequencedMap<String, Integer> axes(Model model) {
        SequencedMap<String, Integer> axes = new LinkedHashMap<>();
        for (ParameterUse use : ParameterUse.of(model)) {
            if (use.kind() == ParameterUse.Kind.CONTRACTION) {
                ContractedAxes contracted =
                        ContractedAxes.of(use.result(), use.result().argument(0) == use.weight() ? 0 : 1);
                StoredAxis stored = contracted == null || contracted.outputs().size() != 1
                        ? null
                        : StoredAxis.of(use.weight(), contracted.outputs().getFirst());
                if (stored != null && stored.offset() == 0) {
                    axes.putIfAbsent(stored.tensor(), stored.axis());
                }
            }
        }
        return axes;
    }

    private static String name(StoredView view) {
        return ((Leaf) view.parameter().operation()).label();
    }

    private static int[] rows(Dimensions shape) {
        int[] rows = new int[shape.count()];
        Arrays.setAll(rows, place -> place / (shape.count() / shape.size(0)));
        return rows;
    }

    /** The channel of every entry of a tensor; -1 for entries that the product does not take. */
    private static int[] along(StoredView view, List<Integer> outputs) {
        int[] channels = new int[view.parameter().shape().count()];
        Arrays.fill(channels, -1);
        int[] at = new int[view.sizes().size()];
        int count = view.sizes().stream().reduce(1, Math::multiplyExact);
        for (int entry = 0; entry < count; entry++) {
            int rest = entry;
            int place = view.offset();
            for (int axis = at.length - 1; axis >= 0; axis--) {
                at[axis] = rest % view.sizes().get(axis);
                rest /= view.sizes().get(axis);
                place += at[axis] * view.strides().get(axis);
            }
            int channel = 0;
            for (int axis : outputs) {
                channel = channel * view.sizes().get(axis) + at[axis];
            }
            channels[place] = channel;
        }
        return channels;
    }

    /** The largest magnitude among the entries of each channel that do not move. */
    private static double[] largest(int @Nullable [] channels, double[] numbers, int[] moving) {
        if (channels == null) {
            return new double[0];
        }
        double[] largest = new double[Arrays.stream(channels).max().orElse(-1) + 1];
        for (int place = 0; place < numbers.length; place++) {
            if (channels[place] >= 0 && Arrays.binarySearch(moving, place) < 0) {
                largest[channels[place]] = Math.max(largest[channels[place]], Math.abs(numbers[place]));
            }
        }
        return largest;
    }

    /** {@return for each moving number its channel, the same number for all of one; -1 where its tensor has none} */
    public int[] channels() {
        return channels.clone();
    }

    /** {@return for each moving number the largest magnitude in its channel among the numbers that do not move} */
    public double[] others() {
        return others.clone();
    }
}
