package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SmoothnessTest {
    private final ModelBuilder builder = Model.builder();
    private final Value x = builder.input("x", 3);
    private final Value w = builder.parameter("w", Dimensions.of(3), Numbers.of(0.5, -1.5, 2));

    private ModelTarget target(UnaryOperator<Value> made, String where) {
        Value product = builder.product(x, w);
        builder.at(where);
        builder.output("y", made.apply(product));
        return ModelTarget.of(Moving.all(builder.build()), Map.of("x", new double[] {1, 2, 3}));
    }

    private Value place(Value value) {
        return builder.sumOver(
                builder.product(
                        builder.largestPlace(value, List.of(0)),
                        builder.constant(Dimensions.of(3), Numbers.of(0, 1, 2))),
                List.of(0));
    }

    @Test
    void outputThatOnlyDecidesIsRefused() {
        assertThatThrownBy(() -> target(this::place, "node 'ArgMax_3' (ArgMax)"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the output y does not change smoothly: node 'ArgMax_3' (ArgMax) only decides, and passes no derivative on from what moves; protect what lies before it");
    }

    @Test
    void stepWithoutAnOriginIsCalledByItsKind() {
        assertThatThrownBy(() -> target(z -> builder.less(z, builder.constant(0)), ""))
                .hasMessageContaining("does not change smoothly: Comparison(3) only decides");
    }

    @Test
    void indexThatMovesIsRefused() {
        assertThatThrownBy(() -> target(z -> builder.lookup(z, place(z), 0), "node 'g' (Gather)"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "node 'g' (Gather): what moves decides which entries are taken; protect what lies before it, or move what lies behind it");
    }

    @Test
    void anotherOutputBesideItIsTaken() {
        Value product = builder.product(x, w);
        builder.output("label", place(product));
        builder.output("y", product);
        Moving moving = Moving.all(builder.build());
        Map<String, double[]> inputs = Map.of("x", new double[] {1, 2, 3});
        assertThat(ModelTarget.of(moving, inputs, "y").jacobian(moving.origin()).entries())
                .containsExactly(1, 0, 0, 0, 2, 0, 0, 0, 3);
        assertThatThrownBy(() -> ModelTarget.of(moving, inputs)).hasMessageStartingWith("the output label does not");
    }

    @ParameterizedTest
    @EnumSource(
            value = Elementary.class,
            names = {"FLOOR", "CEIL", "ROUND", "SIGN"})
    void jumpIsRefusedAlsoBesideASmoothWay(Elementary function) {
        assertThatThrownBy(() -> target(z -> builder.plus(z, builder.apply(function, z)), "node 'r' (Step)"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "node 'r' (Step): what moves goes through %s, which jumps and has no derivative; protect what lies before it, or move what lies behind it",
                        function);
    }

    @Test
    void masksDecideWithoutHarm() {
        ModelTarget masked = target(
                z -> {
                    Value whole = builder.equal(z, builder.apply(Elementary.FLOOR, z));
                    return builder.select(whole, builder.scaled(5, z), z);
                },
                "");
        assertThat(masked.outputs(org.isoloss.linalg.Matrix.of(1, 3, masked.origin()))
                        .entries())
                .containsExactly(0.5, -15, 30);
        assertThat(masked.jacobian(masked.origin()).entries()).containsExactly(1, 0, 0, 0, 10, 0, 0, 0, 15);
    }

    @Test
    void roundingOfWhatDoesNotMoveIsNoMatter() {
        Value rounded = builder.apply(Elementary.ROUND, x);
        builder.output("y", builder.product(rounded, w));
        ModelTarget target = ModelTarget.of(Moving.all(builder.build()), Map.of("x", new double[] {1.2, 2, 3}));
        assertThat(target.jacobian(target.origin()).row(0)).containsExactly(1, 0, 0);
    }
}
