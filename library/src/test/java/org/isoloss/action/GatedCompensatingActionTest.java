package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.isoloss.network.Activation;
import org.isoloss.network.CompensatorChoice;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.GatedBlock;
import org.isoloss.network.Networks;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class GatedCompensatingActionTest {
    private static final int UNITS = 5;
    private static final int INPUT_WIDTH = 3;
    private static final int OUTPUT_WIDTH = 2;

    @Nested
    class Plain extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return whole(block(random, Activation.SILU, false), random);
        }
    }

    @Nested
    class WithBiases extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return whole(block(random, Activation.GELU_TANH, true), random);
        }
    }

    @Nested
    class OneDirectionOfTwoMovingUnits extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            GatedBlock block = block(random, Activation.SIGMOID, false);
            Matrix inputs = Networks.gaussian(random, 2, INPUT_WIDTH);
            int[] compensators = compensators(block, inputs);
            int[] moved = block.incident(IntStream.range(0, UNITS)
                    .filter(unit -> unit != compensators[0] && unit != compensators[1])
                    .limit(2)
                    .toArray());
            return new Instance(
                    GatedCompensatingAction.along(
                            block, inputs, compensators, moved, Networks.gaussian(random, 1, moved.length)),
                    new Outputs(block, inputs),
                    near(block, random));
        }
    }

    /** The block's outputs by plain loops. */
    private record Outputs(GatedBlock block, Matrix inputs) implements Target {
        @Override
        public int parameterCount() {
            return block.parameterCount();
        }

        @Override
        public int outputCount() {
            return inputs.rows() * block.outputWidth();
        }

        @Override
        public Matrix outputs(Matrix parameters) {
            Matrix outputs = Matrix.zeros(parameters.rows(), outputCount());
            for (int row = 0; row < parameters.rows(); row++) {
                for (int input = 0; input < inputs.rows(); input++) {
                    double[] one = of(parameters.row(row), inputs.row(input));
                    for (int output = 0; output < one.length; output++) {
                        outputs.set(row, input * one.length + output, one[output]);
                    }
                }
            }
            return outputs;
        }

        private double[] of(double[] theta, double[] x) {
            int width = block.incomingWidth();
            int units = block.units();
            double[] output = new double[block.outputWidth()];
            for (int unit = 0; unit < units; unit++) {
                double gate = width > x.length ? theta[unit * width + x.length] : 0;
                double up = width > x.length ? theta[(units + unit) * width + x.length] : 0;
                for (int i = 0; i < x.length; i++) {
                    gate += theta[unit * width + i] * x[i];
                    up += theta[(units + unit) * width + i] * x[i];
                }
                double feature = block.activation().value(gate) * up;
                for (int o = 0; o < output.length; o++) {
                    output[o] += theta[2 * units * width + o * units + unit] * feature;
                }
            }
            return output;
        }
    }

    private static GatedBlock block(SplittableRandom random, Activation activation, boolean biased) {
        return GatedBlock.of(
                activation,
                layer(random, biased),
                layer(random, biased),
                DenseLayer.of(Networks.gaussian(random, 2, UNITS)));
    }

    private static DenseLayer layer(SplittableRandom random, boolean biased) {
        Matrix weight = Networks.gaussian(random, UNITS, INPUT_WIDTH);
        return biased
                ? DenseLayer.of(weight, Networks.gaussian(random, 1, UNITS).entries())
                : DenseLayer.of(weight);
    }

    private static int[] compensators(GatedBlock block, Matrix inputs) {
        int[] all = IntStream.range(0, block.units()).toArray();
        return CompensatorChoice.of(block.features(block.augmented(inputs), all), all, "test");
    }

    private static GroupActionContract.Instance whole(GatedBlock block, SplittableRandom random) {
        Matrix inputs = Networks.gaussian(random, 2, INPUT_WIDTH);
        return new GroupActionContract.Instance(
                GatedCompensatingAction.of(block, inputs, compensators(block, inputs)),
                new Outputs(block, inputs),
                near(block, random));
    }

    /** Near enough to the block that the compensators stay independent. */
    private static Matrix near(GatedBlock block, SplittableRandom random) {
        Matrix points = GroupActionContract.around(new double[block.parameterCount()], 5, random)
                .scaled(0.25);
        double[] origin = block.parameters();
        for (int row = 0; row < points.rows(); row++) {
            for (int i = 0; i < origin.length; i++) {
                points.set(row, i, points.get(row, i) + origin[i]);
            }
        }
        return points;
    }

    @Test
    void theGroupHasTheDimensionOfThePaper() {
        var random = new SplittableRandom(1);
        GatedBlock block = block(random, Activation.SILU, false);
        Matrix inputs = Networks.gaussian(random, 2, INPUT_WIDTH);
        assertThat(GatedCompensatingAction.of(block, inputs, 0, 3).generators().count())
                .isEqualTo((UNITS - 2) * (OUTPUT_WIDTH + 2 * INPUT_WIDTH));
    }

    /** Moving only an up row is linear in it: the compensators take up exactly the negative. */
    @Test
    void movingAnUpRowIsCompensatedLinearly() {
        var random = new SplittableRandom(2);
        GatedBlock block = block(random, Activation.SILU, false);
        Matrix inputs = Networks.gaussian(random, 1, INPUT_WIDTH);
        int[] up = {(UNITS + 4) * INPUT_WIDTH};
        GatedCompensatingAction action =
                GatedCompensatingAction.along(block, inputs, new int[] {1}, up, Matrix.of(1, 1, 1));
        Matrix origin = Matrix.over(1, block.parameterCount(), block.parameters());
        double[] once = change(action, origin, 0.5);
        double[] twice = change(action, origin, 1);
        for (int i = 0; i < once.length; i++) {
            assertThat(twice[i]).isCloseTo(2 * once[i], within(1e-14));
        }
        assertThat(once[block.outgoingIndex(0, 1)]).isNotZero();
    }

    private static double[] change(GroupAction action, Matrix origin, double t) {
        Matrix element = GroupWord.exp(t).matrix(action.generators());
        return action.apply(Matrix.over(1, 4, element.entries()), origin)
                .minus(origin)
                .entries();
    }

    /** A product of one-parameter subgroups is one translation by the sum, whatever the order. */
    @Test
    void subgroupsComposeByAddition() {
        var random = new SplittableRandom(3);
        GroupActionContract.Instance instance = whole(block(random, Activation.SILU, false), random);
        GroupAction action = instance.action();
        Matrix point = instance.points().rows(0, 1);
        double[] there = moved(action, "1:0.3,7:-0.2,1:0.4", point).entries();
        double[] steps = moved(action, "7:-0.2", moved(action, "1:0.7", point)).entries();
        assertThat(steps).containsExactly(there, within(1e-13));
    }

    private static Matrix moved(GroupAction action, String word, Matrix point) {
        int size = action.generators().size();
        Matrix element = GroupWord.parse(word).matrix(action.generators());
        return action.apply(Matrix.over(1, size * size, element.entries()), point);
    }

    @Test
    void pointsOutsideTheDomainAreRefused() {
        var random = new SplittableRandom(4);
        GatedBlock block = block(random, Activation.SILU, false);
        Matrix inputs = Networks.gaussian(random, 2, INPUT_WIDTH);
        GatedCompensatingAction action = GatedCompensatingAction.along(
                block, inputs, new int[] {0, 1}, block.incident(2), Matrix.of(1, 8, new double[8]));
        double[] silent = block.parameters();
        for (int i = 0; i < INPUT_WIDTH; i++) {
            silent[i] = 0; // the gate of the first compensator is closed
        }
        assertThatThrownBy(() -> moved(action, "1:0", Matrix.over(1, silent.length, silent)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "GatedCompensatingAction: point 0: the compensating units cannot tell the 2 inputs apart: condition Infinity");
    }

    @Test
    void whatDoesNotFitIsRefused() {
        var random = new SplittableRandom(5);
        GatedBlock block = block(random, Activation.SILU, false);
        Matrix inputs = Networks.gaussian(random, 2, INPUT_WIDTH);
        assertThatThrownBy(() -> GatedCompensatingAction.of(block, inputs, 0))
                .hasMessage(
                        "GatedCompensatingAction: compensating units [0] for 2 inputs, expected as many different units of 0 to 4 as inputs");
        assertThatThrownBy(() -> GatedCompensatingAction.along(
                        block, inputs, new int[] {0, 1}, new int[] {0}, Matrix.identity(1)))
                .hasMessage(
                        "GatedCompensatingAction: parameter 0 is not incident to a unit of the layer that does not compensate");
        assertThatThrownBy(() -> GatedCompensatingAction.of(block, Matrix.zeros(2, 4), 0, 1))
                .hasMessage("GatedBlock: the batch has shape (2, 4), expected at least one row of 3, the input width");
        DenseLayer narrow = DenseLayer.of(Matrix.zeros(5, 2));
        DenseLayer gate = layer(random, false);
        DenseLayer down = DenseLayer.of(Matrix.zeros(2, 5));
        assertThatThrownBy(() -> GatedBlock.of(Activation.SILU, gate, narrow, down))
                .hasMessage(
                        "GatedBlock: gate (5, 3), up (5, 2) and down (2, 5) do not fit, expected gate and up of one shape (H, n) and down of shape (m, H)");
        assertThatThrownBy(() -> GatedBlock.of(Activation.SILU, gate, layer(random, true), down))
                .hasMessage("GatedBlock: only one of gate and up has a bias, expected both or neither");
        assertThatThrownBy(() -> block.withParameters(new double[3]))
                .hasMessage("GatedBlock.withParameters: 3 parameters given, expected 40");
    }
}
