package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.isoloss.autodiff.Precision;
import org.isoloss.model.KnownNetworks.Network;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NormEpsilonsTest {
    private static final double[] X = new Network().normal(12);

    private static Model model(BiFunction<Network, Value, Value> made) {
        Network net = new Network();
        net.builder.output("y", made.apply(net, net.builder.input("x", 3, 4)));
        return net.builder.build();
    }

    private static double[] outputs(Model model) {
        return Objects.requireNonNull(
                model.run(Precision.FLOAT64, Map.of("x", X)).get("y"));
    }

    private static Value mean(Network net, Value squares) {
        return net.builder.restored(net.builder.meanOver(squares, List.of(1)), List.of(1));
    }

    private static Value two(Network net, Value x, double epsilon) {
        Value once = net.layers.layerNorm(net.linear(x, "first", 5), 1, null, null, epsilon);
        Value residual = net.builder.plus(once, net.linear(once, "second", 5));
        return net.layers.rmsNorm(residual, 1, net.parameter("scale", 5), epsilon);
    }

    /** One norm after the other: the copy of the second reads that of the first. */
    @Test
    void withoutThemTheModelIsTheOneThatWasMadeWithZero() {
        Model with = model((net, x) -> two(net, x, 0.25));
        NormEpsilons found = NormEpsilons.of(with);
        assertThat(found.numbers()).containsExactly(0.25, 0.25);
        double[] expected = outputs(model((net, x) -> two(net, x, 0)));
        assertThat(outputs(found.without())).containsExactly(expected);
        assertThat(outputs(with)).isNotEqualTo(expected);
        assertThat(found.without().parameters()).isEqualTo(with.parameters());
        assertThat(NormEpsilons.of(found.without()).numbers()).isEmpty();
    }

    static List<Arguments> norms() {
        return List.of(
                written("a division by the root", (net, x) -> {
                    Value square = mean(net, net.builder.apply(Power.SQUARE, x));
                    Value sum = net.builder.plus(net.builder.constant(Dimensions.of(1), Numbers.of(0.1)), square);
                    return net.builder.quotient(x, net.builder.apply(Power.ROOT, sum));
                }),
                written("added to the root", (net, x) -> {
                    Value root = net.builder.apply(Power.ROOT, mean(net, net.builder.product(x, x)));
                    return net.builder.quotient(x, net.builder.plus(root, net.builder.constant(0.1)));
                }),
                written("a product with itself", (net, x) -> {
                    Value sum = net.builder.restored(net.builder.contract("ab,ab->a", x, x), List.of(1));
                    Value spread = net.builder.plus(sum, net.builder.constant(0.1));
                    return net.builder.product(x, net.builder.apply(Power.RECIPROCAL_ROOT, spread));
                }));
    }

    static List<Arguments> others() {
        return List.of(
                written(
                        "a smooth absolute value",
                        (net, x) -> net.builder.apply(
                                Power.ROOT, net.builder.plus(net.builder.product(x, x), net.builder.constant(1)))),
                written(
                        "a rational function of a mean",
                        (net, x) -> net.builder.apply(
                                Power.RECIPROCAL,
                                net.builder.plus(mean(net, net.builder.product(x, x)), net.builder.constant(1)))),
                written(
                        "the root of what is not squares",
                        (net, x) -> net.builder.apply(
                                Power.ROOT,
                                net.builder.plus(
                                        mean(net, net.builder.apply(Elementary.EXP, x)), net.builder.constant(1)))),
                written(
                        "less the squares",
                        (net, x) -> net.builder.apply(
                                Power.ROOT,
                                net.builder.minus(net.builder.constant(100), mean(net, net.builder.product(x, x))))),
                written(
                        "another number for each row",
                        (net, x) -> net.builder.apply(
                                Power.ROOT,
                                net.builder.plus(
                                        mean(net, net.builder.product(x, x)),
                                        net.builder.constant(Dimensions.of(3, 1), Numbers.of(1, 2, 3))))));
    }

    private static Arguments written(String name, BiFunction<Network, Value, Value> made) {
        return Arguments.of(name, made);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("norms")
    void normsAreFoundHoweverTheyAreWritten(String name, BiFunction<Network, Value, Value> made) {
        assertThat(NormEpsilons.of(model(made)).numbers()).as(name).containsExactly(0.1);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("others")
    void whatIsNoNormIsLeft(String name, BiFunction<Network, Value, Value> made) {
        Model model = model(made);
        assertThat(outputs(model)).doesNotContain(Double.NaN);
        assertThat(NormEpsilons.of(model).numbers()).as(name).isEmpty();
    }
}
