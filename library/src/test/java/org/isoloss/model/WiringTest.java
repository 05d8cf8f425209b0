package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WiringTest {
    private static List<String> words(Wiring wiring, int node) {
        return wiring.incoming(node).stream()
                .map(connection -> "%s * %s"
                        .formatted(
                                connection.source() < 0
                                        ? "1"
                                        : wiring.nodes()
                                                .get(connection.source())
                                                .where(),
                                connection.parameter() == null
                                        ? "1"
                                        : connection.parameter().where()))
                .toList();
    }

    @Test
    void aDenseNetworkHasANodeForEachUnit() {
        Model model = Networks.random(new SplittableRandom(1), Activation.TANH, true, 2, 3, 1)
                .model();
        Wiring wiring = Wiring.of(model).orElseThrow();
        assertThat(wiring.nodes().stream().map(SeenPath.Step::where))
                .containsExactly("input[0]", "input[1]", "hidden 0[0]", "hidden 0[1]", "hidden 0[2]", "output[0]");
        assertThat(words(wiring, 3))
                .containsExactly("input[0] * 0.weight[1, 0]", "input[1] * 0.weight[1, 1]", "1 * 0.bias[1]");
        Value product = model.output("output").argument(0);
        assertThat(wiring.node(new SeenPath.Step(product, 0))).isEqualTo(5);
        assertThat(wiring.node(new SeenPath.Step(model.parameter("0.weight"), 2)))
                .isEqualTo(-1);
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 60);
    }

    /** Nodes, skips, shared parameters and biases of random graphs; but for a skip alone, each node is a node. */
    @ParameterizedTest
    @MethodSource("seeds")
    void connectionsAreThoseOfTheGraph(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        UnitGraph graph = UnitGraph.random(random);
        ModelBuilder builder = Model.builder();
        List<Value> values = graph.values(builder, random);
        Model model = builder.build();
        Wiring wiring = Wiring.of(model).orElseThrow();
        for (int target = 2; target < graph.count(); target++) {
            int node = wiring.node(new SeenPath.Step(values.get(target), 0));
            List<UnitGraph.Edge> into = graph.into(target);
            if (node < 0 || (into.size() == 1 && into.getFirst().parameter() < 0)) {
                continue;
            }
            assertThat(wiring.incoming(node))
                    .containsExactlyInAnyOrderElementsOf(into.stream()
                            .map(edge -> new Wiring.Connection(
                                    edge.source() < 0
                                            ? -1
                                            : wiring.node(new SeenPath.Step(values.get(edge.source()), 0)),
                                    node,
                                    edge.parameter() < 0
                                            ? null
                                            : new SeenPath.Step(model.parameter("p" + edge.parameter()), 0)))
                            .toList());
        }
    }

    @Test
    void connectionsComputeWhatTheNetworkDoes() {
        SplittableRandom random = new SplittableRandom(3);
        DenseNetwork network = Networks.random(random, Activation.TANH, true, 3, 5, 4, 2);
        Model model = network.model();
        Wiring wiring = Wiring.of(model).orElseThrow();
        double[] input = {0.3, -1, 0.7};
        double[] sums = new double[wiring.nodes().size()];
        System.arraycopy(input, 0, sums, 0, 3);
        for (int node = 3; node < sums.length; node++) {
            for (Wiring.Connection connection : wiring.incoming(node)) {
                SeenPath.Step parameter = Objects.requireNonNull(connection.parameter());
                double source = connection.source() < 0
                        ? 1
                        : connection.source() < 3 ? sums[connection.source()] : Math.tanh(sums[connection.source()]);
                sums[node] += source * model.numbers(parameter.value().where())[parameter.entry()];
            }
        }
        double[] output = model.run(Precision.FLOAT64, Map.of("input", input)).get("output");
        assertThat(output).containsExactly(new double[] {sums[12], sums[13]}, within(1e-13));
    }

    @Test
    void batchesAndLargeModelsAreNotDescribed() {
        assertThat(Wiring.of(Networks.random(new SplittableRandom(1), Activation.TANH, true, 2, 3)
                        .model(4)))
                .isEmpty();
        assertThat(Wiring.of(Networks.random(new SplittableRandom(1), Activation.TANH, false, 600, 600)
                        .model()))
                .isEmpty();
    }
}
