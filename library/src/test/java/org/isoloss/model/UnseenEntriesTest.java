package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.autodiff.Precision;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;

class UnseenEntriesTest {
    private static final int ROWS = 3;
    private static final int WIDTH = 4;

    private final KnownNetworks.Network net = new KnownNetworks.Network();
    private final Value value = net.linear(net.builder.input("x", ROWS, 5), "first", WIDTH);

    private boolean[] unseen(int axis, Value... outputs) {
        for (int i = 0; i < outputs.length; i++) {
            net.builder.output("y" + i, outputs[i]);
        }
        Model model = net.builder.build();
        boolean[] unseen = new UnseenEntries(new WeightedGraph(model)).of(value, axis);
        requireUnseen(model, value, axis, unseen);
        return unseen;
    }

    /** Adds other numbers to the entries, the same along the axis, and looks at the outputs. */
    private void requireUnseen(Model model, Value value, int axis, boolean[] unseen) {
        double[] numbers = net.normal(value.shape().count());
        double[] moved = numbers.clone();
        int stride = value.shape().strides()[axis];
        for (int i = 0; i < moved.length; i++) {
            int along = i / stride % value.shape().size(axis);
            moved[i] += unseen[i] ? 1 + i - along * stride : 0;
        }
        Map<String, double[]> inputs = new HashMap<>();
        model.inputs()
                .forEach((name, input) ->
                        inputs.put(name, net.normal(input.shape().count())));
        Execution execution =
                Execution.of(Precision.FLOAT64, List.copyOf(model.outputs().values()), java.util.Set.of(value));
        model.setInputs(execution, inputs);
        execution.set(value, numbers);
        execution.run();
        List<double[]> before = model.outputs().values().stream()
                .map(output -> execution.get(output).clone())
                .toList();
        execution.set(value, moved);
        execution.run();
        int at = 0;
        for (Value output : model.outputs().values()) {
            assertThat(execution.get(output))
                    .containsExactly(before.get(at++), org.assertj.core.api.Assertions.within(1e-11));
        }
    }

    private static boolean[] all(int count, boolean unseen) {
        boolean[] all = new boolean[count];
        Arrays.fill(all, unseen);
        return all;
    }

    @Test
    void normsCentre() {
        Value normed =
                net.layers.layerNorm(value, 1, net.parameter("scale", WIDTH), net.parameter("shift", WIDTH), 0.1);
        assertThat(unseen(1, net.linear(normed, "second", 2))).isEqualTo(all(ROWS * WIDTH, true));
    }

    @Test
    void rmsNormsDoNot() {
        Value normed = net.layers.rmsNorm(value, 1, net.parameter("scale", WIDTH), 0.1);
        assertThat(unseen(1, net.linear(normed, "second", 2))).isEqualTo(all(ROWS * WIDTH, false));
    }

    @Test
    void softmaxSubtracts() {
        assertThat(unseen(1, net.layers.softmax(value, 1))).isEqualTo(all(ROWS * WIDTH, true));
    }

    /** Along the other axis it does not. */
    @Test
    void otherAxisIsSeen() {
        assertThat(unseen(0, net.layers.softmax(value, 1))).isEqualTo(all(ROWS * WIDTH, false));
    }

    @Test
    void outputsSee() {
        assertThat(unseen(1, net.layers.softmax(value, 1), value)).isEqualTo(all(ROWS * WIDTH, false));
    }

    /** Another reader sees it: one that is no norm. */
    @Test
    void oneReaderIsEnough() {
        Value normed =
                net.layers.layerNorm(value, 1, net.parameter("scale", WIDTH), net.parameter("shift", WIDTH), 0.1);
        assertThat(unseen(1, normed, net.builder.apply(Activation.TANH, value))).isEqualTo(all(ROWS * WIDTH, false));
    }

    /** The stream that two norms read, one of them behind what is added. */
    @Test
    void sumsAreFollowed() {
        Value first = net.layers.layerNorm(value, 1, net.parameter("scale", WIDTH), net.parameter("shift", WIDTH), 0.1);
        Value stream = net.builder.plus(value, net.linear(first, "branch", WIDTH));
        Value last = net.layers.layerNorm(stream, 1, net.parameter("last", WIDTH), net.parameter("b", WIDTH), 0.1);
        assertThat(unseen(1, net.linear(last, "head", 2))).isEqualTo(all(ROWS * WIDTH, true));
    }

    /** Two of the four channels are an output. */
    @Test
    void partsAreToldApart() {
        net.builder.output("y", net.builder.slice(value, 1, 0, 2));
        Value rest = net.builder.slice(value, 1, 2, 2);
        net.builder.output("z", net.layers.softmax(rest, 0)); // over rows
        Model model = net.builder.build();
        boolean[] unseen = new UnseenEntries(new WeightedGraph(model)).of(value, 0);
        requireUnseen(model, value, 0, unseen);
        for (int i = 0; i < unseen.length; i++) {
            assertThat(unseen[i]).as("entry %d", i).isEqualTo(i % WIDTH >= 2);
        }
    }

    /** What is the same for all keys adds the same to all scores of a query; of a query it does not, of a value it is written. */
    @Test
    void keysAloneAreUnseenAlongPositions() {
        for (int role = 0; role < 3; role++) {
            UnseenEntriesTest own = new UnseenEntriesTest();
            assertThat(own.attention(role)).isEqualTo(all(ROWS * WIDTH, role == 1));
        }
    }

    private boolean[] attention(int role) {
        ModelBuilder builder = net.builder;
        Value heads = builder.transpose(builder.reshape(value, Dimensions.of(1, ROWS, 2, 2)), 0, 2, 1, 3);
        Value[] values = new Value[3];
        for (int i = 0; i < 3; i++) {
            values[i] = i == role
                    ? heads
                    : builder.constant(Dimensions.of(1, 2, ROWS, 2), Numbers.of(net.normal(2 * ROWS * 2)));
        }
        return unseen(0, net.layers.attention(values[0], values[1], values[2], 0.5, null));
    }
}
