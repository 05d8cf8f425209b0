package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Convolutions;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Reception;
import org.isoloss.model.Subnetwork;
import org.isoloss.model.SubnetworkInputs;
import org.isoloss.model.Value;
import org.isoloss.model.Windows;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.Networks;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class LiftTest {
    private static final int[] COMPENSATORS = {0, 1};

    private static GroupActionContract.Instance outputs(
            DenseNetwork network, Matrix batch, GroupAction action, SplittableRandom random) {
        return new GroupActionContract.Instance(
                action,
                DenseTarget.outputs(network, Support.all(network.layout()), batch),
                GroupActionContract.around(network.parameters(), 8, random));
    }

    /** Features of the compensating units that are independent enough at every point drawn. */
    private static DenseNetwork network(SplittableRandom random, Activation activation, int... widths) {
        DenseNetwork network = Networks.random(random, activation, false, widths);
        double[] parameters = network.parameters();
        ParameterLayout.Entry second = network.layout().weight(1);
        parameters[second.index(0, 0)] += 2;
        parameters[second.index(1, 1)] += 2;
        return network.withParameters(parameters);
    }

    private static Subnetwork subnetwork(DenseNetwork network, Support moving, Matrix batch) {
        return Subnetwork.of(Moving.at(network.model(), moving.indices()), network.batches(batch));
    }

    /** The compensating action of a block for whatever enters it. */
    private static ActionFamily compensating(DenseNetwork block) {
        return inputs -> NetworkCompensatingAction.of(block, 0, inputs.features(), COMPENSATORS);
    }

    /** Rescaling of one unit of a ReLU host, known on its ten weights alone. */
    @Nested
    class SubnetworkToNetwork extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork host = Networks.random(random, Activation.RELU, false, 2, 8, 8, 1);
            Support unit = Support.units(host.layout(), 0, 3);
            Matrix batch = Networks.gaussian(random, 16, 2);
            GroupAction rescaling = RescalingAction.of(host, unit, List.of(new RescalingAction.HiddenUnit(0, 3)));
            Subnetwork alone = subnetwork(host, unit, batch).requireAlone();
            return outputs(
                    host, batch, Lift.subnetwork(alone, alone.ends(), ActionFamily.everywhere(rescaling)), random);
        }
    }

    /** Rescaling of one channel between two convolutions in a residual block, with a tied weight around it. */
    @Nested
    class ChannelToResidualNetwork extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            ModelBuilder builder = Model.builder();
            Layers layers = new Layers(builder);
            var convolutions = new Convolutions(builder);
            List<Integer> around = List.of(1, 1);
            var windows = new Windows(List.of(3, 3), List.of(1, 1), List.of(1, 1), around, around);
            Value x = builder.input("x", 2, 2, 4, 4);
            Value tied = parameter(builder, random, "tied", 4, 4);
            Value stream = layers.layerNorm(layers.linear(x, tied, null), 3, null, null, 1e-5);
            Value up = convolutions.convolution(
                    stream,
                    parameter(builder, random, "up", 3, 2, 3, 3),
                    parameter(builder, random, "bias", 3),
                    windows,
                    1);
            Value down = convolutions.convolution(
                    builder.apply(Activation.RELU, up),
                    parameter(builder, random, "down", 2, 3, 3, 3),
                    null,
                    windows,
                    1);
            builder.output("y", layers.linear(builder.plus(stream, down), tied, null));
            Model model = builder.build();
            Moving moving = Moving.of(model, List.of("up[1]", "bias[1]", "down[:, 1]"));
            List<Map<String, double[]>> batches = List.of(
                    Map.of("x", random.doubles(64, -1, 1).toArray()),
                    Map.of("x", random.doubles(64, -1, 1).toArray()));
            DenseNetwork unit = Networks.random(random, Activation.RELU, true, 18, 1, 18);
            Support alone = Support.units(unit.layout(), 0, 0);
            GroupAction rescaling = RescalingAction.of(unit, alone, List.of(new RescalingAction.HiddenUnit(0, 0)));
            Subnetwork channel = Subnetwork.of(moving, batches).requireAlone();
            Moving all = Moving.all(model);
            return new Instance(
                    Lift.subnetwork(channel, channel.ends(), ActionFamily.everywhere(rescaling)),
                    ModelTarget.of(all, batches),
                    GroupActionContract.around(all.origin(), 8, random));
        }

        private static Value parameter(ModelBuilder builder, SplittableRandom random, String name, int... shape) {
            Dimensions dimensions = Dimensions.of(shape);
            double[] numbers = random.doubles(dimensions.count(), -0.5, 0.5).toArray();
            return builder.parameter(name, dimensions, () -> numbers);
        }
    }

    /** Compensation in three units of a hidden layer of five, data-dependent. */
    @Nested
    class NarrowerToWider extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork wide = network(random, Activation.TANH, 2, 2, 5, 2);
            Matrix batch = Matrix.of(2, 2, 1, 0.3, -0.4, 1);
            double[] parameters = wide.parameters();
            parameters[0] = 1;
            parameters[1] = 0;
            parameters[2] = 0;
            parameters[3] = 1;
            DenseNetwork fixed = wide.withParameters(parameters);
            DenseNetwork narrow = Networks.random(random, Activation.TANH, false, 2, 3, 2);
            return outputs(
                    fixed, batch, Lift.wider(fixed, 1, batch, new int[] {0, 1, 4}, compensating(narrow)), random);
        }
    }

    /** The two last layers of three, whose inputs depend on the first. */
    @Nested
    class ShallowerToDeeper extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork deep = network(random, Activation.TANH, 2, 2, 3, 2);
            double[] parameters = deep.parameters();
            System.arraycopy(new double[] {1, 0, 0, 1}, 0, parameters, 0, 4);
            DenseNetwork fixed = deep.withParameters(parameters);
            Matrix batch = Matrix.of(2, 2, 1, 0.3, -0.4, 1);
            DenseNetwork block = Networks.random(random, Activation.TANH, false, 2, 3, 2);
            return outputs(fixed, batch, Lift.deeper(fixed, 1, 3, batch, compensating(block)), random);
        }
    }

    /** Shifts of the first weight along what no input of the batch sees: of five inputs, from a batch of seven. */
    @Nested
    class LargerToSmallerBatch extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork network = Networks.random(random, Activation.TANH, false, 8, 3, 2);
            Matrix batch = Networks.gaussian(random, 5, 8);
            return outputs(
                    network, batch, Lift.smallerBatch(large -> new UnseenShift(network, large), 7, batch), random);
        }
    }

    /** V' = V + x c^T with c orthogonal to every input: an action of R that depends on the batch, repeated inputs or not. */
    private record UnseenShift(DenseNetwork network, Matrix batch) implements GroupAction {
        @Override
        public Generators generators() {
            return new AdditiveGroup(1).generators();
        }

        @Override
        public int parameterCount() {
            return network.layout().size();
        }

        private Matrix shifted(Matrix elements, Matrix results) {
            assertThat(batch.rows()).isEqualTo(7);
            double[] unseen = Svd.of(batch).nullSpace(1e-10).column(0);
            for (int row = 0; row < results.rows(); row++) {
                for (int i = 0; i < unseen.length; i++) {
                    results.set(row, i, results.get(row, i) + elements.get(row, 1) * unseen[i]);
                }
            }
            return results;
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            Batches.require(this, elements, parameters);
            return shifted(elements, parameters.copy());
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            Batches.require(this, directions, parameters);
            return shifted(directions, Matrix.zeros(parameters.rows(), parameters.columns()));
        }
    }

    /** The general closed form in a deep network is the lift of the one in its block. */
    @Test
    void theLiftedCompensatingActionIsTheOneOfTheWholeNetwork() {
        var random = new SplittableRandom(1);
        DenseNetwork deep = network(random, Activation.TANH, 2, 2, 4, 2);
        Matrix batch = Networks.gaussian(random, 2, 2);
        DenseNetwork block = new DenseNetwork(Activation.TANH, deep.layers().subList(1, 3));
        GroupAction lifted = Lift.deeper(deep, 1, 3, batch, compensating(block));
        GroupAction whole = NetworkCompensatingAction.of(deep, 1, batch, COMPENSATORS);
        Matrix points = GroupActionContract.around(deep.parameters(), 4, random);
        Matrix element = GroupWord.parse("1:0.2,3:-0.3").matrix(whole.generators());
        Matrix elements = repeated(element, 4);
        assertThat(lifted.apply(elements, points)
                        .minus(whole.apply(elements, points))
                        .largestMagnitude())
                .isLessThan(1e-12);
    }

    /** A learned action inherits its errors and adds none. */
    @Test
    void aLearnedActionActsOnItsUnitAlone() {
        var random = new SplittableRandom(2);
        DenseNetwork host = Networks.random(random, Activation.RELU, false, 2, 8, 8, 1);
        Support unit = Support.units(host.layout(), 0, 0);
        Matrix batch = Networks.gaussian(random, 16, 2);
        Subnetwork alone = subnetwork(host, unit, batch).requireAlone();
        Reception reception = alone.reception(alone.ends());
        ActionShape shape = new ActionShape(2, 1, 10, 8, 2, Activation.SILU);
        LearnedAction learned = new LearnedAction(
                shape,
                Generators.normalising(List.of(Matrix.of(2, 2, 1, 2, -1, 0.5))),
                IntStream.of(8 * 14, 8, 8 * 8, 8, 10 * 8)
                        .mapToObj(size ->
                                Networks.gaussian(random, 1, size).scaled(0.2).entries())
                        .toList());
        ActionFamily family = ActionFamily.onlyAt(reception.at(host.parameters()), learned);
        GroupAction lifted = Lift.subnetwork(alone, alone.ends(), family);
        // the unit is in the first layer, so its inputs are the batch whatever the other parameters are
        Matrix points = GroupActionContract.around(host.parameters(), 5, random);
        Matrix elements =
                repeated(MatrixExponential.of(learned.generators().get(0).scaled(0.4)), 5);
        Matrix moved = lifted.apply(elements, points);
        Matrix before = gathered(unit, points);
        Matrix expected = learned.apply(elements, before);
        assertThat(gathered(unit, moved).entries()).containsExactly(expected.entries());
        assertThat(expected.minus(before).largestMagnitude()).isGreaterThan(1e-3);
        for (int row = 0; row < 5; row++) {
            double[] back = moved.row(row);
            unit.scatter(unit.gather(points.row(row)), back);
            assertThat(back).as("the rest stays").containsExactly(points.row(row));
        }
        assertThat(new ActionLaws(lifted, points, random).identity()).isZero();
        assertThat(new ActionLaws(lifted, points, random).derivative()).isLessThan(1e-7);
    }

    private static Matrix gathered(Support unit, Matrix points) {
        Matrix gathered = Matrix.zeros(points.rows(), unit.size());
        for (int row = 0; row < points.rows(); row++) {
            Batches.setRow(gathered, row, unit.gather(points.row(row)));
        }
        return gathered;
    }

    private static Matrix repeated(Matrix element, int rows) {
        Matrix elements = Matrix.zeros(rows, element.rows() * element.columns());
        for (int row = 0; row < rows; row++) {
            Batches.setRow(elements, row, element.entries());
        }
        return elements;
    }

    @Test
    void anActionMadeForOtherInputsIsRefused() {
        var random = new SplittableRandom(3);
        DenseNetwork deep = network(random, Activation.TANH, 2, 2, 4, 2);
        Matrix batch = Networks.gaussian(random, 2, 2);
        DenseNetwork block = new DenseNetwork(Activation.TANH, deep.layers().subList(1, 3));
        Support layers = Support.tensors(deep.layout(), "2.weight", "4.weight");
        Subnetwork alone = subnetwork(deep, layers, batch).requireAlone();
        SubnetworkInputs here = alone.reception(alone.ends()).at(deep.parameters());
        ActionFamily family = ActionFamily.onlyAt(here, compensating(block).at(here));
        GroupAction lifted = Lift.subnetwork(alone, alone.ends(), family);
        int size = lifted.generators().size();
        Matrix points = GroupActionContract.around(deep.parameters(), 1, random);
        assertThatThrownBy(() -> lifted.apply(repeated(Matrix.identity(size), 1), points))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the action was made for other inputs of the subnetwork than this point gives it; keep the parameters before it, and the batch, as they were");
    }

    @Test
    void whatDoesNotFitIsRefused() {
        DenseNetwork network = new DenseNetwork(
                Activation.RELU, List.of(DenseLayer.of(Matrix.of(2, 1, 1, 2)), DenseLayer.of(Matrix.of(1, 2, 1, 1))));
        Matrix batch = Matrix.of(1, 1, 1);
        ActionFamily all = ActionFamily.everywhere(RescalingAction.of(network));
        assertThatThrownBy(() -> Lift.wider(network, 0, batch, new int[] {0}, all))
                .hasMessage("Lift: the action is on 4 parameters, the subnetwork has 2");
        assertThatThrownBy(() -> Lift.deeper(network, 1, 1, batch, all))
                .hasMessage("Lift.deeper: layers 1 to 1 of 2, expected at least one of them");
        assertThatThrownBy(() -> Lift.padded(Matrix.zeros(3, 1), 2))
                .hasMessage("Lift.padded: 3 inputs cannot be padded to 2, expected from 1 to 2 inputs");
    }
}
