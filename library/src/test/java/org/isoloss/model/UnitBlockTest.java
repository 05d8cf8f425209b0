package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.UnitBlock.Projection;
import org.junit.jupiter.api.Test;

class UnitBlockTest {
    private final SplittableRandom random = new SplittableRandom(3);
    private final ModelBuilder builder = Model.builder();
    private final Layers layers = new Layers(builder);

    private Value parameter(String name, int... sizes) {
        Dimensions shape = Dimensions.of(sizes);
        return builder.parameter(name, shape, Numbers.of(numbers(shape.count())));
    }

    private double[] numbers(int count) {
        return random.doubles(count, -1, 1).toArray();
    }

    private UnitBlock only(Value output) {
        builder.output("y", output);
        List<UnitBlock> blocks = UnitBlock.of(builder.build());
        assertThat(blocks).hasSize(1);
        return blocks.getFirst();
    }

    private void assertNone(Value output) {
        builder.output("y", output);
        assertThat(UnitBlock.of(builder.build())).isEmpty();
    }

    /** What leaves a block is what its weights make of what enters, place by place. */
    private static void assertSums(Model model, UnitBlock block, Value left, int[] outputAxes, double[] input) {
        Execution execution = Execution.of(Precision.FLOAT64, List.of(block.entering(), left));
        model.setInputs(execution, Map.of("x", input));
        execution.run();
        Matrix rows = block.inputs(execution.get(block.entering()));
        Matrix units = sums(model, block.incoming().getFirst(), rows);
        apply(block.activation(), units);
        if (block.incoming().size() > 1) {
            Matrix up = sums(model, block.incoming().getLast(), rows);
            Arrays.setAll(units.entries(), i -> units.entries()[i] * up.entries()[i]);
        }
        Projection out = block.outgoing();
        Matrix expected = units.times(out.weights(model.numbers(out.weight())));
        Dimensions shape = left.shape();
        double[] numbers = execution.get(left);
        for (int place = 0; place < rows.rows(); place++) {
            for (int output = 0; output < out.width(); output++) {
                int at = outputAxes.length == 0
                        ? place * out.width() + output
                        : place / outputAxes[0] * outputAxes[0] * out.width()
                                + output * outputAxes[0]
                                + place % outputAxes[0];
                String bias = out.bias();
                double added = bias == null ? 0 : model.numbers(bias)[out.biasPlace(output)];
                assertThat(numbers[at])
                        .as("%s at %d, %d", shape, place, output)
                        .isCloseTo(expected.get(place, output) + added, offset(1e-12));
            }
        }
    }

    private static Matrix sums(Model model, Projection projection, Matrix rows) {
        Matrix sums = rows.times(
                projection.weights(model.numbers(projection.weight())).transpose());
        String bias = projection.bias();
        for (int row = 0; row < sums.rows() && bias != null; row++) {
            for (int unit = 0; unit < sums.columns(); unit++) {
                sums.set(row, unit, sums.get(row, unit) + model.numbers(bias)[projection.biasPlace(unit)]);
            }
        }
        return sums;
    }

    private static void apply(Pointwise function, Matrix sums) {
        Arrays.setAll(sums.entries(), i -> function.value(sums.entries()[i]));
    }

    @Test
    void aLinearLayerAFunctionAndALinearLayer() {
        Value x = builder.input("x", 2, 3, 4);
        Value hidden = builder.apply(Clamp.RELU, layers.linear(x, parameter("v", 5, 4), parameter("b", 5)));
        Value left = layers.linear(hidden, parameter("u", 6, 5), parameter("c", 6));
        UnitBlock block = only(left);
        assertThat(block.units()).isEqualTo(5);
        assertThat(block.activation()).isEqualTo(Clamp.RELU);
        assertThat(block.incoming().getFirst().bias()).isEqualTo("b");
        assertThat(block.outgoing().bias()).isEqualTo("c");
        assertSums(builder.build(), block, left, new int[0], numbers(24));
    }

    @Test
    void gateAndUpInOneTensorWithAFunctionOfSeveralSteps() {
        Value x = builder.input("x", 3, 4);
        Value joint = builder.plus(builder.contract("ab,bc->ac", x, parameter("v", 4, 10)), parameter("b", 10));
        Value gate = builder.slice(joint, 1, 0, 5);
        Value twice = builder.scaled(2, gate);
        Value function = builder.product(gate, builder.plus(builder.apply(Elementary.SIN, twice), builder.constant(1)));
        Value hidden = builder.product(builder.slice(joint, 1, 5, 5), function);
        Value left = builder.contract("ab,bc->ac", hidden, parameter("u", 5, 2));
        UnitBlock block = only(left);
        assertThat(block.incoming()).hasSize(2);
        assertThat(block.activation()).hasToString("z * (SIN((2.0 z)) + 1.0)");
        assertThat(block.activation().first(0.3)).isCloseTo(1 + Math.sin(0.6) + 0.6 * Math.cos(0.6), offset(1e-15));
        assertThat(block.activation().second(0.3)).isCloseTo(4 * Math.cos(0.6) - 1.2 * Math.sin(0.6), offset(1e-14));
        assertSums(builder.build(), block, left, new int[0], numbers(12));
    }

    @Test
    void unitsOfConvolutionsAreChannels() {
        Value x = builder.input("x", 2, 3, 4, 4);
        Convolutions convolutions = new Convolutions(builder);
        Windows wide = new Windows(List.of(3, 3), List.of(1, 1), List.of(1, 1), List.of(1, 1), List.of(1, 1));
        Windows one = new Windows(List.of(1, 1), List.of(1, 1), List.of(1, 1), List.of(0, 0), List.of(0, 0));
        Value first = convolutions.convolution(x, parameter("v", 5, 3, 3, 3), parameter("b", 5), wide, 1);
        Value left = convolutions.convolution(
                builder.apply(Elementary.SIN, first), parameter("u", 6, 5, 1, 1), parameter("c", 6), one, 1);
        UnitBlock block = only(left);
        assertThat(block.units()).isEqualTo(5);
        assertThat(block.incoming().getFirst().width()).isEqualTo(27);
        assertThat(block.outgoing().width()).isEqualTo(6);
        assertSums(builder.build(), block, left, new int[] {16}, numbers(96));
    }

    @Test
    void tapsOfASecondWindowAreOutputs() {
        Value x = builder.input("x", 2, 3, 4, 4);
        Convolutions convolutions = new Convolutions(builder);
        Windows wide = new Windows(List.of(3, 3), List.of(1, 1), List.of(1, 1), List.of(1, 1), List.of(1, 1));
        Value first = convolutions.convolution(x, parameter("v", 5, 3, 3, 3), null, wide, 1);
        Value left = convolutions.convolution(
                builder.apply(Elementary.SIN, first), parameter("u", 6, 5, 3, 3), parameter("c", 6), wide, 1);
        UnitBlock block = only(left);
        assertThat(block.outgoing().width()).isEqualTo(54);
        assertThat(block.outgoing().place(2, 9 * 4 + 7)).isEqualTo(4 * 45 + 2 * 9 + 7);
    }

    @Test
    void whatIsReadElsewhereIsNoBlock() {
        Value x = builder.input("x", 3, 4);
        Value hidden = builder.apply(Elementary.SIN, layers.linear(x, parameter("v", 4, 4), null));
        assertNone(builder.plus(hidden, layers.linear(hidden, parameter("u", 4, 4), null)));
    }

    @Test
    void weightsThatAreUsedTwiceAreNoBlock() {
        Value v = parameter("v", 4, 4);
        Value hidden = builder.apply(Elementary.SIN, layers.linear(builder.input("x", 3, 4), v, null));
        assertNone(layers.linear(hidden, v, null));
    }

    @Test
    void withoutAFunctionThereIsNoBlock() {
        Value hidden = layers.linear(builder.input("x", 3, 4), parameter("v", 4, 4), parameter("b", 4));
        assertNone(layers.linear(hidden, parameter("u", 4, 4), null));
    }

    @Test
    void whatMixesUnitsIsNoBlock() {
        Value hidden = layers.softmax(layers.linear(builder.input("x", 3, 4), parameter("v", 4, 4), null), 1);
        assertNone(layers.linear(hidden, parameter("u", 4, 4), null));
    }
}
