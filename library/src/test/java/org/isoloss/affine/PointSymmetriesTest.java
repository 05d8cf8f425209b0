package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dimensions at one point by hand; the networks have biases and widths (3, 4, 2), so p = 26. */
class PointSymmetriesTest {
    private static final int INPUTS = 60;

    /** Every unit is on for some inputs and off for others: the four rescalings and nothing else. */
    @ParameterizedTest
    @ValueSource(doubles = {1, 1e-6, 1e6})
    void genericReluPoint(double scale) {
        PointSymmetries point = at(network(generic()), batch(scale));
        if (scale == 1) {
            assertDimension(point, 4);
        } else { // the biases are not scaled along, so that units may leave their kinks
            assertThat(point.unexplained()).isZero();
        }
        Matrix basis = point.basis();
        assertThat(basis.transpose()
                        .times(basis)
                        .minus(Matrix.identity(basis.columns()))
                        .largestMagnitude())
                .isLessThan(1e-12);
    }

    /**
     * Units 1 and 2 receive the same: with h their common value, a change costs (dc1 + dc2 + a c1 + b c2) h, where a and b
     * rescale what they receive. That is 2 + 2 m unknowns under m conditions, 2 + m = 4 dimensions, beside the two
     * rescalings of the other units.
     */
    @Test
    void duplicateUnits() {
        Parts parts = generic();
        for (int k = 0; k < 3; k++) {
            parts.incoming.set(1, k, parts.incoming.get(0, k));
        }
        parts.bias[1] = parts.bias[0];
        assertDimension(at(network(parts), batch(1)), 2 + 4);
    }

    /** Unit 3 is off throughout: its 3 + 1 incoming and 2 outgoing weights do nothing, beside three rescalings. */
    @Test
    void deadUnit() {
        Parts parts = generic();
        parts.bias[2] = -100;
        assertDimension(at(network(parts), batch(1)), 3 + 6);
    }

    /** Unit 1 is on throughout: beside four rescalings it may be translated against the output bias. */
    @Test
    void alwaysOnUnit() {
        Parts parts = generic();
        parts.bias[0] = 8;
        assertDimension(at(network(parts), batch(1)), 4 + 1);
    }

    /** Units 1 and 2 are on throughout: gl(2), two translations, and the two rescalings of the others. */
    @Test
    void twoAlwaysOnUnits() {
        Parts parts = generic();
        parts.bias[0] = 8;
        parts.bias[1] = 7;
        assertDimension(at(network(parts), batch(1)), 4 + 2 + 2);
    }

    /** The third input is always 0: four weights never act, beside four rescalings. */
    @Test
    void unusedInput() {
        Matrix inputs = batch(1);
        for (int i = 0; i < INPUTS; i++) {
            inputs.set(i, 2, 0);
        }
        assertDimension(at(network(generic()), inputs), 4 + 4);
    }

    /** Three inputs, two outputs: 6 conditions on 26 weights, all met by what the last layer compensates. */
    @Test
    void fewInputsAreCompensatedByTheLastLayer() {
        for (Activation activation : List.of(Activation.TANH, Activation.GELU)) {
            PointSymmetries point = at(network(generic(), activation), batch(1).rows(0, 3));
            assertDimension(point, 26 - 6);
        }
    }

    /** tanh at a generic point and many inputs has none. */
    @Test
    void genericTanhPoint() {
        PointSymmetries point = at(network(generic(), Activation.TANH), batch(1));
        assertDimension(point, 0);
        assertThat(point.basis().columns()).isZero();
        assertThat(point.families()).isEmpty();
    }

    /** Of two singular values one lies between the thresholds: nothing is decided. */
    @Test
    void smallSingularValuesAreUndecided() {
        DenseNetwork line = new DenseNetwork(Activation.IDENTITY, List.of(DenseLayer.of(Matrix.of(1, 2, 1, 1))));
        PointSymmetries point = at(line, Matrix.of(2, 2, 1, 1, 1, 1 + 2e-5));
        assertThat(point.doubt()).hasValue("the null space has dimension 1 at threshold 1e-04 and 0 at 1e-08");
        assertThat(point.nullities().values()).containsExactly(1, 0, 0);
    }

    /**
     * Unit 2 of three weights (2, 2, 1) without biases is 0: its two incoming and its outgoing weight do nothing, beside one
     * rescaling of the other unit.
     */
    @Test
    void prunedUnit() {
        DenseNetwork pruned = plain(Activation.RELU, Matrix.of(2, 2, 0.5, -0.25, 0, 0), Matrix.of(1, 2, 1.5, 0));
        PointSymmetries point = at(pruned, Matrix.of(3, 2, 1, 2, 3, 1, 2, -5));
        assertDimension(point, 4);
        assertThat(point.families().getFirst().words()).isEqualTo("hidden-unit rescalings of layer 1");
        assertThat(point.families().getFirst().size()).isEqualTo(1);
    }

    /** Unit 2 receives nothing, but is heard: its outgoing weight does nothing, its incoming ones do behind tanh alone. */
    @Test
    void unitWithoutIncomingWeights() {
        Matrix incoming = Matrix.of(2, 2, 0.5, -0.25, 0, 0);
        Matrix outgoing = Matrix.of(1, 2, 1.5, 0.75);
        assertDimension(at(plain(Activation.TANH, incoming, outgoing), plane()), 1);
        assertDimension(at(plain(Activation.RELU, incoming, outgoing), plane()), 1 + 2 + 1);
    }

    /** Unit 2 is not heard: its two incoming weights do nothing, its outgoing one does. */
    @Test
    void unitWithoutOutgoingWeights() {
        Matrix incoming = Matrix.of(2, 2, 0.5, -0.25, 0.25, 1);
        Matrix outgoing = Matrix.of(1, 2, 1.5, 0);
        assertDimension(at(plain(Activation.TANH, incoming, outgoing), plane()), 2);
        assertDimension(at(plain(Activation.RELU, incoming, outgoing), plane()), 2 + 1);
    }

    /** No weight does anything to first order, but for biases of the outputs. */
    @ParameterizedTest
    @EnumSource(
            value = Activation.class,
            names = {"IDENTITY", "RELU", "LEAKY_RELU", "TANH", "GELU"})
    void allWeightsZero(Activation activation) {
        assertDimension(at(plain(activation, Matrix.zeros(2, 2), Matrix.zeros(1, 2)), plane()), 6);
        Parts parts = new Parts(Matrix.zeros(4, 3), new double[4], Matrix.zeros(2, 4));
        assertDimension(at(network(parts, activation), batch(1)), 26 - 2);
    }

    /** Layers of three kinds: three rescalings, nine changes of basis, and none behind tanh. */
    @Test
    void eachLayerHasItsActivation() {
        Architecture mixed = new Architecture(
                List.of(2, 3, 3, 3, 2),
                List.of(HiddenActivation.RELU, HiddenActivation.IDENTITY, HiddenActivation.named("tanh")),
                List.of(false, false, false, false));
        var random = new SplittableRandom(3);
        double[] theta = random.doubles(mixed.parameterCount(), -1.5, 1.5).toArray();
        assertDimension(at(mixed, theta, plane()), 3 + 9);
        Architecture cube = Architecture.of(HiddenActivation.named("z^3"), false, 3, 2, 2);
        assertDimension(at(cube, random.doubles(10).toArray(), batch(1)), 2);
    }

    /** Parameters in another order, a weight of shape (in, out): the same space, its rows in the order of the model. */
    @Test
    void otherModelsOfDenseNetworksHaveTheSameNames() {
        Parts parts = generic();
        PointSymmetries expected = at(network(parts), batch(1));
        ModelBuilder builder = Model.builder();
        Value bias = builder.parameter("b", Dimensions.of(4), Numbers.of(parts.bias));
        Value last = builder.parameter("c", Dimensions.of(2), Numbers.of(0.2, -0.4));
        Value first = builder.parameter(
                "W", Dimensions.of(3, 4), Numbers.of(parts.incoming.transpose().entries()));
        Value second = builder.parameter("V", Dimensions.of(2, 4), Numbers.of(parts.outgoing.entries()));
        Value sums = builder.plus(bias, builder.contract("ij,jk->ik", builder.input("x", INPUTS, 3), first));
        builder.output("y", new Layers(builder).linear(builder.apply(Clamp.RELU, sums), second, last));
        Moving moving = Moving.all(builder.build());
        ModelTarget target = ModelTarget.of(moving, Map.of("x", batch(1).entries()));
        PointSymmetries found = PointSymmetries.of(target);
        assertDimension(found, 4);
        assertThat(found.families())
                .extracting(PointFamily::words)
                .containsExactly("hidden-unit rescalings of layer 1");
        assertThat(expected.families())
                .extracting(PointFamily::words)
                .isEqualTo(List.of("hidden-unit rescalings of layer 1"));
        Matrix change = target.jacobian(target.origin()).times(found.basis());
        assertThat(change.largestMagnitude()).isLessThan(1e-12);
    }

    @Test
    void hugeNetworksAreRefused() {
        DenseNetwork wide = new DenseNetwork(Activation.RELU, List.of(DenseLayer.of(Matrix.zeros(100, 61))));
        assertThatThrownBy(() -> at(wide, Matrix.zeros(1, 61)))
                .hasMessage(
                        "6100 parameters move, expected at most 6000 for a basis of the null space; --dimension finds its"
                                + " dimension alone");
    }

    /** The null space of a dense network on a batch. */
    static PointSymmetries at(Architecture architecture, double[] theta, Matrix inputs) {
        Model model = architecture.model(theta, inputs.rows());
        return PointSymmetries.of(ModelTarget.of(Moving.all(model), Map.of("x", inputs.entries())));
    }

    private static PointSymmetries at(DenseNetwork network, Matrix inputs) {
        HiddenActivation activation =
                HiddenActivation.named(network.activation().label());
        return at(
                new Architecture(
                        network.widths(),
                        Collections.nCopies(network.layers().size() - 1, activation),
                        network.layers().stream()
                                .map(layer -> layer.bias().isPresent())
                                .toList()),
                network.parameters(),
                inputs);
    }

    private static void assertDimension(PointSymmetries point, int dimension) {
        assertThat(point.doubt()).isEmpty();
        assertThat(point.nullity(1e-8)).isEqualTo(dimension);
        assertThat(point.explained()).isEqualTo(dimension);
        assertThat(point.unexplained()).isZero();
        assertThat(point.gap()).isGreaterThan(1e6);
    }

    private static DenseNetwork plain(Activation activation, Matrix incoming, Matrix outgoing) {
        return new DenseNetwork(activation, List.of(DenseLayer.of(incoming), DenseLayer.of(outgoing)));
    }

    /** Inputs of two numbers. */
    private static Matrix plane() {
        var random = new SplittableRandom(8);
        return Matrix.over(INPUTS, 2, random.doubles(2 * INPUTS, -2, 2).toArray());
    }

    private static final class Parts {
        private final Matrix incoming;
        private final double[] bias;
        private final Matrix outgoing;

        Parts(Matrix incoming, double[] bias, Matrix outgoing) {
            this.incoming = incoming;
            this.bias = bias;
            this.outgoing = outgoing;
        }
    }

    private static Parts generic() {
        var random = new SplittableRandom(11);
        Parts parts = new Parts(Matrix.zeros(4, 3), new double[4], Matrix.zeros(2, 4));
        for (int j = 0; j < 12; j++) {
            parts.incoming.entries()[j] = random.nextGaussian();
        }
        for (int j = 0; j < 8; j++) {
            parts.outgoing.entries()[j] = random.nextGaussian();
        }
        for (int j = 0; j < 4; j++) {
            parts.bias[j] = 0.3 * random.nextGaussian();
        }
        return parts;
    }

    private static DenseNetwork network(Parts parts) {
        return network(parts, Activation.RELU);
    }

    private static DenseNetwork network(Parts parts, Activation activation) {
        return new DenseNetwork(
                activation,
                List.of(DenseLayer.of(parts.incoming, parts.bias), DenseLayer.of(parts.outgoing, new double[] {0.2, -0.4
                })));
    }

    private static Matrix batch(double scale) {
        var random = new SplittableRandom(5);
        Matrix batch = Matrix.zeros(INPUTS, 3);
        for (int i = 0; i < batch.entries().length; i++) {
            batch.entries()[i] = scale * random.nextGaussian();
        }
        return batch;
    }
}
