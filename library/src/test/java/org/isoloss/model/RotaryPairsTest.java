package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RotaryPairsTest {
    private static final int POSITIONS = 3;
    private static final int HEADS = 2;
    private static final int CHANNELS = 6;

    private final KnownNetworks.Network net = new KnownNetworks.Network();

    /** Turns pairs of channels by angles that grow with the position; the others stay. */
    private List<List<Integer>> pairs(int... pairs) {
        ModelBuilder builder = net.builder;
        Value input = builder.input("x", POSITIONS, 4);
        Value source = builder.reshape(
                net.linear(input, "query", HEADS * CHANNELS), Dimensions.of(1, POSITIONS, HEADS, CHANNELS));
        double[] cosines = new double[POSITIONS * CHANNELS];
        double[] sines = new double[POSITIONS * CHANNELS];
        int[] partner = new int[CHANNELS];
        for (int i = 0; i < CHANNELS; i++) {
            partner[i] = i;
        }
        for (int i = 0; i < pairs.length; i += 2) {
            partner[pairs[i]] = pairs[i + 1];
            partner[pairs[i + 1]] = pairs[i];
        }
        List<Value> others = new ArrayList<>();
        for (int i = 0; i < CHANNELS; i++) {
            others.add(builder.slice(source, 3, partner[i], 1));
            for (int position = 0; position < POSITIONS; position++) {
                double angle = partner[i] == i ? 0 : position / (1.0 + Math.min(i, partner[i]));
                cosines[position * CHANNELS + i] = Math.cos(angle);
                sines[position * CHANNELS + i] = i < partner[i] ? -Math.sin(angle) : Math.sin(angle);
            }
        }
        Dimensions shape = Dimensions.of(POSITIONS, 1, CHANNELS);
        Value turned = builder.plus(
                builder.product(source, builder.constant(shape, Numbers.of(cosines))),
                builder.product(builder.concatenate(others, 3), builder.constant(shape, Numbers.of(sines))));
        builder.output("y", turned);
        return RotaryPairs.of(builder.build(), source, turned).stream()
                .map(block -> java.util.Arrays.stream(block).boxed().toList())
                .toList();
    }

    @Test
    void halvesTurnTogether() {
        assertThat(pairs(0, 3, 1, 4, 2, 5)).containsExactlyInAnyOrder(List.of(0, 3), List.of(1, 4), List.of(2, 5));
    }

    @Test
    void neighboursTurnTogether() {
        assertThat(pairs(0, 1, 2, 3, 4, 5)).containsExactlyInAnyOrder(List.of(0, 1), List.of(2, 3), List.of(4, 5));
    }

    @Test
    void restStays() {
        assertThat(pairs(0, 2, 1, 3)).containsExactlyInAnyOrder(List.of(0, 2), List.of(1, 3), List.of(4), List.of(5));
        assertThat(new RotaryPairsTest().pairs())
                .containsExactly(List.of(0), List.of(1), List.of(2), List.of(3), List.of(4), List.of(5));
    }
}
