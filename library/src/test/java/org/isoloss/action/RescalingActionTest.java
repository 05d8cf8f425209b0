package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Target;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.Networks;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RescalingActionTest {
    @Nested
    class EveryReluUnit extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return whole(Networks.random(random, Activation.RELU, false, 2, 4, 2), random);
        }
    }

    @Nested
    class DeepLeakyReluWithBiases extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return whole(Networks.random(random, Activation.LEAKY_RELU, true, 2, 3, 3, 1), random);
        }
    }

    /** Ten weights incident to one hidden unit, with its full boundary output. */
    @Nested
    class LocalHost extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork host = Networks.random(random, Activation.RELU, false, 2, 8, 8, 1);
            Support support = Support.units(host.layout(), 0, 3);
            ModelTarget target = DenseTarget.contribution(host, support, Networks.gaussian(random, 16, 2), 0, 3);
            return new Instance(
                    RescalingAction.of(host, support, List.of(new RescalingAction.HiddenUnit(0, 3))),
                    target,
                    around(target.origin(), 8, random));
        }
    }

    /** sigma(z) = max(z, 0)^2, of degree 2. */
    @Nested
    class SquaredRelu extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            Matrix inputs = Networks.gaussian(random, 5, 2);
            ParameterLayout layout = ParameterLayout.of(List.of(2, 3, 1), List.of(false, false));
            Target target = new Target() {
                @Override
                public int parameterCount() {
                    return 9;
                }

                @Override
                public int outputCount() {
                    return 5;
                }

                @Override
                public Matrix outputs(Matrix parameters) {
                    Matrix outputs = Matrix.zeros(parameters.rows(), 5);
                    for (int row = 0; row < parameters.rows(); row++) {
                        for (int input = 0; input < 5; input++) {
                            double sum = 0;
                            for (int unit = 0; unit < 3; unit++) {
                                double z = parameters.get(row, 2 * unit) * inputs.get(input, 0)
                                        + parameters.get(row, 2 * unit + 1) * inputs.get(input, 1);
                                sum += parameters.get(row, 6 + unit) * Math.pow(Math.max(z, 0), 2);
                            }
                            outputs.set(row, input, sum);
                        }
                    }
                    return outputs;
                }
            };
            List<RescalingAction.HiddenUnit> units =
                    List.of(new RescalingAction.HiddenUnit(0, 0), new RescalingAction.HiddenUnit(0, 2));
            return new Instance(
                    RescalingAction.ofDegree(2, layout, Support.all(layout), units),
                    target,
                    around(Networks.gaussian(random, 1, 9).entries(), 8, random));
        }
    }

    private static GroupActionContract.Instance whole(DenseNetwork network, SplittableRandom random) {
        Support all = Support.all(network.layout());
        return new GroupActionContract.Instance(
                RescalingAction.of(network),
                DenseTarget.outputs(network, all, Networks.gaussian(random, 6, 2)),
                GroupActionContract.around(network.parameters(), 8, random));
    }

    @Test
    void incomingWeightsGrowAndOutgoingShrink() {
        DenseNetwork network = Networks.random(new SplittableRandom(1), Activation.RELU, true, 1, 2, 1)
                .withParameters(new double[] {1, 1, 1, 1, 1, 1, 1});
        RescalingAction action = RescalingAction.of(network);
        Matrix doubled = Matrix.of(1, 4, 2, 0, 0, 1);
        Matrix point = Matrix.over(1, 7, network.parameters());
        assertThat(action.apply(doubled, point).entries()).containsExactly(2, 1, 2, 1, 0.5, 1, 1);
        double[] field = action.field(Matrix.of(1, 4, 1, 0, 0, 0), point).entries();
        assertThat(field).containsExactly(1, 0, 1, 0, -1, 0, 0);
        Matrix element = GroupWord.parse("1:0.4,2:-0.3").matrix(action.generators());
        assertThat(action.apply(Matrix.over(1, 4, element.entries()), point).get(0, 5))
                .isCloseTo(Math.exp(0.3), within(1e-15));
    }

    @Test
    void whatCannotBeRescaledIsRefused() {
        DenseNetwork tanh = Networks.random(new SplittableRandom(2), Activation.TANH, false, 2, 3, 1);
        assertThatThrownBy(() -> RescalingAction.of(tanh))
                .hasMessage(
                        "RescalingAction: tanh is not homogeneous, so hidden units cannot be rescaled; expected identity, relu or leaky_relu");
        DenseNetwork relu = Networks.random(new SplittableRandom(2), Activation.RELU, false, 2, 3, 1);
        List<RescalingAction.HiddenUnit> unit = List.of(new RescalingAction.HiddenUnit(0, 1));
        assertThatThrownBy(() -> RescalingAction.of(relu, Support.tensors(relu.layout(), "0.weight"), unit))
                .hasMessage(
                        "RescalingAction: parameter 7 of unit 1 in hidden layer 0 is not in the support, so the unit cannot be rescaled");
        assertThatThrownBy(() -> RescalingAction.of(relu, Support.all(relu.layout()), List.of()))
                .hasMessage("RescalingAction: units [], expected at least one, all different");
        assertThatThrownBy(() -> RescalingAction.ofDegree(0, relu.layout(), Support.all(relu.layout()), unit))
                .hasMessage("RescalingAction: degree is 0.0, expected a positive finite number");
    }

    @Test
    void matricesOutsideTheGroupAreRefused() {
        DenseNetwork relu = Networks.random(new SplittableRandom(2), Activation.RELU, false, 1, 2, 1);
        RescalingAction action = RescalingAction.of(relu);
        Matrix point = Matrix.zeros(1, 4);
        assertThatThrownBy(() -> action.apply(Matrix.of(1, 4, 1, 0.1, 0, 1), point))
                .hasMessage(
                        "RescalingAction: matrix 0 is not diagonal, so it is not a group element: entry (0, 1) is 0.1");
        assertThatThrownBy(() -> action.apply(Matrix.of(1, 4, 1, 0, 0, -1), point))
                .hasMessage("RescalingAction: scale 1 of group element 0 is -1.0, expected a positive number");
        assertThatThrownBy(() -> action.apply(Matrix.of(1, 4, 1, 0, 0, Double.NaN), point))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
