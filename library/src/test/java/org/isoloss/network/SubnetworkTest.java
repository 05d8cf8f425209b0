package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SubnetworkTest {
    /** Sums of at most a hundred terms of unit scale. */
    private static final double ROUNDING = 1e-13;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 60);
    }

    private static DenseNetwork host(long seed) {
        return Networks.random(new SplittableRandom(seed), Activation.TANH, true, 2, 3, 3, 1);
    }

    private static Subnetwork moving(DenseNetwork network, String... selections) {
        return Subnetwork.of(network, Support.parse(network.layout(), List.of(selections)));
    }

    private static List<String> names(Subnetwork subnetwork, List<Integer> nodes) {
        return nodes.stream().map(subnetwork.graph()::name).toList();
    }

    /** Figure 1 (a): all that enters and leaves a hidden unit, as in a wider layer. */
    @Test
    void theWholeFanOfUnitsIsASubnetwork() {
        Subnetwork unit = moving(host(1), "0.weight[1, :]", "0.bias[1]", "2.weight[:, 1]");
        Factorization factorization = unit.alone().orThrow();
        assertThat(names(unit, factorization.boundary()))
                .containsExactly("hidden 1 unit 0", "hidden 1 unit 1", "hidden 1 unit 2");
        assertThat(names(unit, factorization.features())).containsExactly("input 0", "input 1");
        assertThat(names(unit, factorization.inside())).containsExactly("hidden 0 unit 1");
        assertThat(factorization.constants()).isEmpty();
        assertThat(factorization.fixedSums()).isEmpty();
    }

    /** Figure 1 (b): whole layers, as in a deeper network. */
    @Test
    void wholeLayersAreASubnetwork() {
        Subnetwork layers = moving(host(1), "2.weight", "2.bias");
        Factorization factorization = layers.alone().orThrow();
        assertThat(names(layers, factorization.features()))
                .containsExactly("hidden 0 unit 0", "hidden 0 unit 1", "hidden 0 unit 2");
        assertThat(factorization.boundary()).hasSize(3);
        assertThat(factorization.constants()).isEmpty();
    }

    /** Figure 1 (c): part of the input and output fan of an intermediate unit stays. */
    @Test
    void partOfAFanIsRefusedWithThePathThatSeesIt() {
        Subnetwork part = moving(host(1), "0.weight[1, 0]", "2.weight[0:2, 1]");
        Separation separation = part.alone();
        assertThat(separation).isInstanceOf(Leak.class);
        assertThatThrownBy(separation::orThrow)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the rest of the network sees 0.weight[1, 0] otherwise than through the boundary: 0.weight[1, 0] -> hidden 0 unit 1 -> 2.weight[2, 1] (stays) -> hidden 1 unit 2 -> 4.weight[0, 2] (stays) -> output 0; preserve hidden 0 unit 1 too, or choose other parameters");
        Factorization repaired = part.smallest(Subnetwork.Depth.NEXT_WEIGHT);
        assertThat(names(part, repaired.boundary()))
                .containsExactly("hidden 0 unit 1", "hidden 1 unit 0", "hidden 1 unit 1");
        assertThat(names(part, repaired.fixedSums())).containsExactly("hidden 0 unit 1");
    }

    /** The local host of the paper. */
    @Test
    void toMoveTenWeightsOfTheHostPreserveEightPreActivations() {
        DenseNetwork network = Networks.random(new SplittableRandom(1), Activation.RELU, false, 2, 8, 8, 1);
        Subnetwork unit = Subnetwork.of(network, Support.units(network.layout(), 0, 0));
        assertThat(unit.moving().size()).isEqualTo(10);
        Factorization near = unit.smallest(Subnetwork.Depth.NEXT_WEIGHT);
        assertThat(near.boundary()).hasSize(8).isEqualTo(unit.ends());
        assertThat(near.constants()).isEmpty();
        Factorization far = unit.smallest(Subnetwork.Depth.OUTPUT);
        assertThat(names(unit, far.boundary())).containsExactly("output 0");
        assertThat(far.constants()).hasSize(8);
    }

    /** A sum over units by skip connections is one number to keep, although three weights enter it. */
    @Test
    void skipConnectionsMayLieInside() {
        Dataflow.Builder builder = Dataflow.builder();
        int x = builder.input("x");
        int pool = 4;
        int[] units = new int[3];
        for (int i = 0; i < 3; i++) {
            units[i] = builder.unit("u" + i, Activation.TANH);
            builder.weight(x, units[i], "v" + i);
        }
        assertThat(builder.unit("pool", Activation.TANH)).isEqualTo(pool);
        for (int unit : units) {
            builder.skip(unit, pool);
        }
        int y = builder.output("y");
        builder.weight(pool, y, "w");
        builder.skip(x, y);
        Dataflow graph = builder.build();
        Subnetwork all = Subnetwork.of(graph, Support.of(graph, 0, 1, 2));
        assertThat(all.smallest(Subnetwork.Depth.NEXT_WEIGHT).boundary()).containsExactly(pool);
        assertThat(Subnetwork.of(graph, Support.of(graph, 0, 3)).alone()).isInstanceOf(Factorization.class);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void noBoundaryIsSmallerThanTheProposed(long seed) {
        var random = new SplittableRandom(seed);
        Dataflow graph = Graphs.random(random);
        Subnetwork subnetwork = Subnetwork.of(graph, Graphs.someOf(graph, random));
        for (Subnetwork.Depth depth : Subnetwork.Depth.values()) {
            boolean near = depth == Subnetwork.Depth.NEXT_WEIGHT;
            List<Integer> proposed = subnetwork.smallest(depth).boundary();
            assertThat(Graphs.meetsAll(subnetwork, Graphs.paths(subnetwork), proposed, near))
                    .isTrue();
            assertThat(proposed).hasSize(Graphs.smallest(subnetwork, near));
        }
    }

    /** Random boundaries: the verdict is that of all paths, and the three functions or the path bear it out in numbers. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theVerdictIsThatOfAllPathsAndOfNumbers(long seed) {
        var random = new SplittableRandom(seed);
        Dataflow graph = Graphs.random(random);
        Subnetwork subnetwork = Subnetwork.of(graph, Graphs.someOf(graph, random));
        Matrix batch = Networks.gaussian(random, 3, 2);
        double[] parameters =
                Networks.gaussian(random, 1, graph.parameterCount()).entries();
        for (int trial = 0; trial < 20; trial++) {
            List<Integer> boundary = Graphs.nodes(random.nextInt(1 << graph.nodeCount()) & ~3);
            Separation separation = subnetwork.at(boundary);
            boolean separates = Graphs.meetsAll(subnetwork, Graphs.paths(subnetwork), boundary, false);
            assertThat(separation instanceof Factorization).isEqualTo(separates);
            if (separation instanceof Leak leak) {
                assertThat(leak.path()).noneMatch(step -> boundary.contains(step.target()));
                assertThat(Graphs.paths(subnetwork)).contains(leak.path());
            } else {
                assertComposes(separation.orThrow(), parameters, batch);
            }
        }
    }

    /** h and j never read what moves, f never what stays: those are NaN where they must not be read. */
    private static void assertComposes(Factorization factorization, double[] parameters, Matrix batch) {
        Support moving = factorization.subnetwork().moving();
        double[] staying = parameters.clone();
        double[] hidden = new double[moving.size()];
        Arrays.fill(hidden, Double.NaN);
        moving.scatter(hidden, staying);
        SubnetworkInputs inputs = factorization.inputs(staying, batch);
        Matrix kept = factorization.kept(moving.gather(parameters), inputs);
        Matrix outputs = factorization.outputs(staying, kept, batch);
        Matrix whole = factorization.subnetwork().graph().outputs(parameters, batch);
        assertThat(outputs.minus(whole).largestMagnitude()).isLessThan(ROUNDING);
        assertThat(factorization.defect(parameters, batch)).isLessThan(ROUNDING);
    }

    @Test
    void aGraphComputesWhatItsNetworkDoes() {
        DenseNetwork network = host(5);
        Matrix batch = Networks.gaussian(new SplittableRandom(6), 4, 2);
        assertThat(Dataflow.of(network)
                        .outputs(network.parameters(), batch)
                        .minus(network.outputs(network.parameters(), batch))
                        .largestMagnitude())
                .isLessThan(ROUNDING);
    }

    /** Moving parameters that keep a boundary that separates keep the outputs; for a leaking one they do not. */
    @Test
    void keepingTheBoundaryKeepsTheOutputsExactlyWhenItSeparates() {
        DenseNetwork network = host(7);
        Matrix batch = Networks.gaussian(new SplittableRandom(8), 1, 2);
        Subnetwork unit = moving(network, "0.weight[1, :]", "0.bias[1]", "2.weight[:, 1]");
        Subnetwork part = moving(network, "0.weight[1, :]", "2.weight[0:2, 1]");
        for (long seed = 1; seed <= 20; seed++) {
            var random = new SplittableRandom(seed);
            assertThat(outputChange(network, unit, unit.ends(), batch, random)).isLessThan(1e-11);
            // the planted claim: the ends of a set whose fan is partly fixed
            assertThat(part.alone()).isInstanceOf(Leak.class);
            assertThat(outputChange(network, part, part.ends(), batch, random)).isGreaterThan(1e-4);
        }
    }

    /** Walks along the level set of the boundary's pre-activations, by Newton steps back to it, and compares outputs. */
    private static double outputChange(
            DenseNetwork network, Subnetwork subnetwork, List<Integer> nodes, Matrix batch, SplittableRandom random) {
        double[] full = network.parameters();
        Support moving = subnetwork.moving();
        double[] point = moving.gather(full);
        UnaryOperator<double[]> kept = coordinates -> {
            double[] at = full.clone();
            moving.scatter(coordinates, at);
            Matrix sums = network.forward(at, batch).preActivations(1);
            return nodes.stream().mapToDouble(node -> sums.get(0, node - 5)).toArray();
        };
        double[] wanted = kept.apply(point);
        Matrix nullSpace = Svd.of(Networks.differences(kept, point)).nullSpace(1e-6);
        Matrix step = nullSpace.times(Networks.gaussian(random, nullSpace.columns(), 1));
        step = step.scaled(0.5 / step.frobeniusNorm());
        double[] moved = point.clone();
        for (int i = 0; i < moved.length; i++) {
            moved[i] += step.get(i, 0);
        }
        for (int iteration = 0; iteration < 12; iteration++) {
            double[] now = kept.apply(moved);
            Matrix residual = Matrix.of(wanted.length, 1, wanted).minus(Matrix.of(now.length, 1, now));
            Matrix correction = LeastSquares.of(Networks.differences(kept, moved), residual, 1e-6)
                    .solution();
            for (int i = 0; i < moved.length; i++) {
                moved[i] += correction.get(i, 0);
            }
        }
        assertThat(kept.apply(moved)).containsExactly(wanted, within(1e-12));
        double[] at = full.clone();
        moving.scatter(moved, at);
        return network.outputs(at, batch).minus(network.outputs(full, batch)).largestMagnitude();
    }

    @Test
    void whatDoesNotFitIsRefused() {
        DenseNetwork network = host(1);
        Subnetwork unit = moving(network, "0.weight[1, :]");
        assertThatThrownBy(() -> unit.at(List.of(0)))
                .hasMessage("Subnetwork.at: node 0 is no pre-activation of the 9 nodes");
        assertThatThrownBy(() -> Subnetwork.of(host(1), Support.of(Graphs.random(new SplittableRandom(1)), 0)))
                .hasMessageStartingWith("Subnetwork: the support is of ");
        assertThatThrownBy(() -> moving(network, "0.weight[3, :]"))
                .hasMessage("'0.weight[3, :]': '3' is outside 0 to 2 or selects nothing");
        assertThatThrownBy(() -> moving(network, "0.bias[1, 2]"))
                .hasMessage("'0.bias[1, 2]': 2 places in brackets, 0.bias has 1 dimensions");
        assertThatThrownBy(() -> moving(network, "0.weight[x]"))
                .hasMessage(
                        "'0.weight[x]' selects no parameters; expected a tensor such as 0.weight, or entries such as 0.weight[2, :], 2.weight[0:4, 1] or 0.bias[3]");
        Dataflow.Builder builder = Dataflow.builder();
        int x = builder.input("x");
        assertThatThrownBy(() -> builder.skip(x, x))
                .hasMessage(
                        "Dataflow: a connection from node 0 to node 0 of 1; expected a later node that is no input");
        assertThatThrownBy(builder::build)
                .hasMessage("Dataflow: 1 inputs and 0 outputs, expected at least one of each");
    }
}
