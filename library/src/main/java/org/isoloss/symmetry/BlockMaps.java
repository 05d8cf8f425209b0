package org.isoloss.symmetry;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Value;

/** Maps of values that mix no blocks of channels: near the identity, and the finite ones that they lead to. */
final class BlockMaps {
    private final Map<Value, GaugePoint> points;
    private final Map<Value, Matrix> near = new LinkedHashMap<>();
    private final Map<Value, Affine> finite = new LinkedHashMap<>();

    BlockMaps(Map<Value, GaugePoint> points) {
        this.points = points;
    }

    /**
     * Adds the maps of one block.
     *
     * @param channels for each value those that belong to the block; their maps so far are followed by these
     * @param maps near the identity, of the block's channels alone, shape (n, n + 1)
     * @param length how far they are followed
     */
    void add(Map<Value, int[]> channels, Map<Value, Matrix> maps, double length) {
        maps.forEach((value, map) -> add(value, map.scaled(length), Objects.requireNonNull(channels.get(value))));
    }

    private void add(Value value, Matrix map, int[] channels) {
        int width = Objects.requireNonNull(points.get(value)).width();
        Matrix all = near.computeIfAbsent(value, _ -> Matrix.zeros(width, width + 1));
        int n = channels.length;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                all.set(channels[i], channels[j], all.get(channels[i], channels[j]) + map.get(i, j));
            }
            all.set(channels[i], width, all.get(channels[i], width) + map.get(i, n));
        }
        follow(value, Affine.exponential(map), channels);
    }

    private void follow(Value value, Affine own, int[] channels) {
        int width = Objects.requireNonNull(points.get(value)).width();
        Affine all = finite.computeIfAbsent(value, _ -> Affine.identity(width));
        int n = channels.length;
        Affine before = Affine.identity(n);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                before.matrix().set(i, j, all.matrix().get(channels[i], channels[j]));
            }
            before.shift()[i] = all.shift()[channels[i]];
        }
        Affine after = before.isIdentity() ? own : before.then(own);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                all.matrix().set(channels[i], channels[j], after.matrix().get(i, j));
            }
            all.shift()[channels[i]] = after.shift()[i];
        }
    }

    /**
     * Gives finite maps of one block.
     *
     * @param channels for each value those that belong to the block; their maps so far are followed by these
     * @param maps of the block's channels alone
     */
    void put(Map<Value, int[]> channels, Map<Value, Affine> maps) {
        maps.forEach((value, map) -> follow(value, map, Objects.requireNonNull(channels.get(value))));
    }

    /** The finite maps; where they come of maps near the identity, those of scaled values follow from what is scaled. */
    Map<Value, Affine> elements(GaugeAction action) {
        Map<Value, Affine> followed = new LinkedHashMap<>(finite);
        followed.keySet().retainAll(near.keySet());
        action.throughScales(near, 1, followed);
        Map<Value, Affine> elements = new LinkedHashMap<>(finite);
        elements.putAll(followed);
        return elements;
    }
}
