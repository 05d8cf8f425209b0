package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Value;

/**
 * Which parameters a channel of a value multiplies: those that make the channel once, those that read it once inversely. It is
 * read off from what scales of the channels, each another one, do to the parameters; a parameter that is zero belongs to none.
 */
final class WeightChannels {
    /** How near the change of a parameter comes to that of a channel. */
    private static final double NEAR = 1e-7;

    private final Map<Value, Map<Integer, List<Entry>>> entries = new LinkedHashMap<>();

    /**
     * A parameter of a channel.
     *
     * @param place among the parameters
     * @param sign 1 where the channel is made, -1 where it is read
     */
    record Entry(int place, int sign) {}

    /**
     * Reads them off.
     *
     * @param values whose channels are asked for
     * @param points all values that may be moved
     * @param action what maps do to parameters
     * @param total the maps that the parameters were moved by
     * @param parameters after those maps, length (parameters)
     */
    WeightChannels(
            Collection<Value> values,
            Map<Value, GaugePoint> points,
            GaugeAction action,
            Map<Value, Affine> total,
            double[] parameters) {
        for (Value value : values) {
            int width = Objects.requireNonNull(points.get(value)).width();
            double[] factors = new double[width];
            for (int i = 0; i < width; i++) {
                factors[i] = 1 + (i + 1.0) / (width + 1);
            }
            Map<Value, Affine> moved = new LinkedHashMap<>(total);
            moved.merge(value, diagonal(factors), Affine::then);
            double[] after = action.moved(moved);
            Map<Integer, List<Entry>> own = new HashMap<>();
            for (int at = 0; at < parameters.length; at++) {
                double ratio = parameters[at] == 0 ? 1 : after[at] / parameters[at];
                double factor = ratio > 1 ? ratio : 1 / ratio;
                int channel = (int) Math.round((factor - 1) * (width + 1)) - 1;
                if (channel >= 0 && channel < width && Math.abs(factor - factors[channel]) <= NEAR / width) {
                    own.computeIfAbsent(channel, _ -> new ArrayList<>()).add(new Entry(at, ratio > 1 ? 1 : -1));
                }
            }
            entries.put(value, own);
        }
    }

    private static Affine diagonal(double[] factors) {
        Matrix matrix = Matrix.zeros(factors.length, factors.length);
        for (int i = 0; i < factors.length; i++) {
            matrix.set(i, i, factors[i]);
        }
        return new Affine(matrix, new double[factors.length]);
    }

    /** The parameters of a channel. */
    List<Entry> of(Value value, int channel) {
        return Objects.requireNonNull(entries.get(value)).getOrDefault(channel, List.of());
    }
}
