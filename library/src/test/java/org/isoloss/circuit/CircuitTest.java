package org.isoloss.circuit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Elementary;
import org.isoloss.model.ExponentialUnit;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Power;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CircuitTest {
    /** Some thousand operations of numbers near 1, each within an ulp or two. */
    private static final double ROUNDING = 1e-12;

    static Stream<Model> models() {
        return Stream.of(
                SmallNetworks.convolutions(),
                SmallNetworks.depthwise(),
                SmallNetworks.reluThenTanh(),
                SmallNetworks.gated(),
                SmallNetworks.squaredRelu(),
                SmallNetworks.skip(),
                SmallNetworks.lstm(),
                SmallNetworks.gru(),
                SmallNetworks.attention(3, 2),
                SmallNetworks.rotary(3, 2));
    }

    private static double[] numbers(Model model) {
        return model.parameters().keySet().stream()
                .flatMapToDouble(name -> Arrays.stream(model.numbers(name)))
                .toArray();
    }

    private static double[] normal(SplittableRandom random, int count) {
        return random.doubles(count).map(_ -> random.nextGaussian()).toArray();
    }

    @ParameterizedTest
    @MethodSource("models")
    void aCircuitComputesWhatItsModelComputes(Model model) {
        Circuit circuit = Circuit.of(model);
        double[] input = normal(new SplittableRandom(1), circuit.inputs());
        double[] expected = model.run(
                        Precision.FLOAT64, Map.of(model.inputs().firstEntry().getKey(), input))
                .get("y");

        CircuitPoint point = new CircuitPoint(circuit, numbers(model), input);

        assertThat(point.outputs()).hasSameSizeAs(expected).containsExactly(expected, within(ROUNDING));
    }

    @ParameterizedTest
    @MethodSource("models")
    void derivativesAgreeWithDifferences(Model model) {
        Circuit circuit = Circuit.of(model);
        double[] theta = numbers(model);
        double[] input = normal(new SplittableRandom(2), circuit.inputs());
        Matrix jacobian = new CircuitPoint(circuit, theta, input).jacobian();
        double h = Math.cbrt(Math.ulp(1.0));
        for (int a = 0; a < theta.length; a += 3) {
            double[] up = theta.clone();
            double[] down = theta.clone();
            up[a] += h;
            down[a] -= h;
            double[] above = new CircuitPoint(circuit, up, input).outputs();
            double[] below = new CircuitPoint(circuit, down, input).outputs();
            for (int c = 0; c < above.length; c++) {
                // third derivatives below 100 times h^2 of 4e-11
                assertThat(jacobian.get(c, a)).isCloseTo((above[c] - below[c]) / (2 * h), within(1e-7));
            }
        }
    }

    /** Each scaling of parameters and inputs multiplies every output by one number; with one weight off by one it does not. */
    @ParameterizedTest
    @MethodSource("models")
    void scalingsScaleTheOutputs(Model model) {
        Circuit circuit = Circuit.of(model);
        CircuitScalings scalings = CircuitScalings.of(circuit);
        assertThat(scalings.weights()).isNotEmpty();
        for (int[] weights : scalings.weights()) {
            assertThat(isScaling(circuit, weights)).isTrue();
            int[] wrong = weights.clone();
            wrong[0] += 1;
            assertThat(isScaling(circuit, wrong)).isFalse();
        }
        scalings.signs()
                .forEach(sign -> assertThat(scales(
                                circuit,
                                point(circuit, variable -> sign.get(variable) ? -1 : 1, 1),
                                point(circuit, variable -> sign.get(variable) ? -1 : 1, 2)))
                        .isTrue());
    }

    private interface Factor {
        double of(int variable);
    }

    private static boolean isScaling(Circuit circuit, int[] weights) {
        Factor factor = variable -> Math.pow(1.5, weights[variable]);
        return scales(circuit, point(circuit, factor, 1), point(circuit, factor, 2));
    }

    /** Outputs before and after, one row each. */
    private static double[][] point(Circuit circuit, Factor factor, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] theta = normal(random, circuit.parameterCount());
        double[] input = normal(random, circuit.inputs());
        double[] before = new CircuitPoint(circuit, theta, input).outputs();
        for (int a = 0; a < theta.length; a++) {
            theta[a] *= factor.of(a);
        }
        for (int k = 0; k < input.length; k++) {
            input[k] *= factor.of(theta.length + k);
        }
        return new double[][] {before, new CircuitPoint(circuit, theta, input).outputs()};
    }

    private static boolean scales(Circuit circuit, double[][] one, double[][] other) {
        for (int c = 0; c < circuit.outputs().size(); c++) {
            if (Math.abs(one[1][c] * other[0][c] - other[1][c] * one[0][c])
                    > 1e-9 * (Math.abs(one[1][c] * other[0][c]) + 1e-3)) {
                return false;
            }
        }
        return true;
    }

    @Test
    void everyFunctionIsMadeOfTheKnownOnes() {
        List<Pointwise> functions = List.of(
                Activation.RELU,
                Activation.LEAKY_RELU,
                Activation.TANH,
                Activation.SIGMOID,
                Activation.SILU,
                Activation.SOFTPLUS,
                Activation.GELU,
                Activation.GELU_TANH,
                new Clamp(-0.5, 0.75, 0),
                new ExponentialUnit(1.5, 0.5, 1.25),
                new Power(3, 2),
                new Power(-2, 1),
                Elementary.ABS,
                Elementary.EXP,
                Elementary.ERF);
        for (Pointwise function : functions) {
            Circuit circuit = Circuit.of(applied(function));
            for (double z : new double[] {-1.25, -0.375, 0.125, 0.5, 2.5}) {
                assertThat(new CircuitPoint(circuit, new double[] {z}, new double[] {1}).outputs()[0])
                        .as("%s at %s", function, z)
                        .isCloseTo(function.value(z), within(ROUNDING));
            }
        }
    }

    private static Model applied(Pointwise function) {
        ModelBuilder builder = Model.builder();
        Value weight = builder.parameter("w", Dimensions.of(1), Numbers.of(1));
        builder.output("y", builder.apply(function, builder.product(weight, builder.input("x", 1))));
        return builder.build();
    }

    @Test
    void whatHasNoExactFormIsRefusedWithItsPlace() {
        assertThatThrownBy(() -> Circuit.of(applied(Elementary.SIN)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("SIN has no exact form");
        ModelBuilder builder = Model.builder();
        Value input = builder.input("x", 2);
        Value weight = builder.parameter("w", Dimensions.of(2), Numbers.of(1, 2));
        builder.output("y", builder.select(builder.less(input, weight), input, weight));
        Model chosen = builder.build();
        assertThatThrownBy(() -> Circuit.of(chosen)).hasMessageContaining("a choice depends on inputs or parameters");
    }

    @Test
    void fixedParametersAreZero() {
        Model model = SmallNetworks.gated();
        Circuit circuit = Circuit.of(model);
        Circuit fixed = circuit.fixing(Set.of(0, 2));
        double[] theta = numbers(model);
        double[] input = {0.5, -1.5};
        theta[0] = 0;
        theta[2] = 0;
        double[] kept =
                fixed.moving().stream().mapToDouble(place -> theta[place]).toArray();

        assertThat(fixed.parameterCount()).isEqualTo(circuit.parameterCount() - 2);
        assertThat(new CircuitPoint(fixed, kept, input).outputs())
                .containsExactly(new CircuitPoint(circuit, theta, input).outputs(), within(ROUNDING));
        assertThat(fixed.parameterNames()).doesNotContain("gate.weight[1,1]", "gate.weight[2,1]");
    }

    /** The sum of the series near its centre is the function. */
    @Test
    void taylorCoefficientsAgreeWithFloatingPoint() {
        for (CircuitFunction function : CircuitFunction.values()) {
            if (function == CircuitFunction.RELU || function == CircuitFunction.RECIPROCAL) {
                continue;
            }
            List<Interval> coefficients = TaylorCoefficients.of(function, 13, Ring.INTERVALS);
            double z = 0.125;
            double sum = 0;
            for (int k = 12; k >= 0; k--) {
                Interval coefficient = coefficients.get(k);
                assertThat(coefficient.low()).isLessThanOrEqualTo(coefficient.high());
                sum = sum * z + (coefficient.low() + coefficient.high()) / 2;
            }
            // the next term is at most z^13, 2e-12
            assertThat(sum)
                    .as(function.label())
                    .isCloseTo(function.value(z + TaylorCoefficients.centre(function)), within(1e-11));
        }
    }

    /** Interval arithmetic decides sides as exact arithmetic would, and says so where it cannot. */
    @Test
    void sidesAreThoseOfFloatingPointNearTheStartOfTheRay() {
        Circuit circuit = Circuit.of(SmallNetworks.reluThenTanh());
        SplittableRandom random = new SplittableRandom(9);
        Map<Boolean, Integer> seen = new HashMap<>();
        for (int trial = 0; trial < 20; trial++) {
            int[] theta = random.ints(circuit.parameterCount(), -9, 10).toArray();
            int[] input = random.ints(circuit.inputs(), -9, 10).toArray();
            CircuitSides sides = new CircuitSides(circuit, theta, input, 13);
            double t = 1e-6;
            CircuitPoint point = new CircuitPoint(
                    circuit,
                    Arrays.stream(theta).mapToDouble(number -> t * number).toArray(),
                    Arrays.stream(input).asDoubleStream().toArray());
            for (Circuit.Gate gate : circuit.gates()) {
                if (gate instanceof Circuit.Application(CircuitFunction function, int argument)
                        && function == CircuitFunction.RELU
                        && sides.decided()) {
                    assertThat(sides.isAbove(argument)).isEqualTo(point.value(argument) > 0);
                    seen.merge(sides.isAbove(argument), 1, Integer::sum);
                }
            }
        }
        assertThat(seen).containsKeys(true, false);
        assertThat(new CircuitSides(circuit, new int[circuit.parameterCount()], new int[circuit.inputs()], 13)
                        .decided())
                .isFalse();
    }
}
