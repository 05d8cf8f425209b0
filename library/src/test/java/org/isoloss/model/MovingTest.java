package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MovingTest {
    @Test
    void tensorThatDoesNotReachTheOutputsIsNamed() {
        ModelBuilder builder = Model.builder();
        Value x = builder.input("x", 2);
        Value a = builder.parameter("a", Dimensions.of(2), Numbers.of(1, 2));
        Value b = builder.parameter("b", Dimensions.of(2), Numbers.of(1, 2));
        builder.output("y", builder.product(x, a));
        builder.output("z", builder.product(x, b));
        Moving moving = Moving.of(builder.build(), List.of("a", "b"));
        assertThatThrownBy(() -> ModelTarget.of(moving, Map.of("x", new double[2]), "y"))
                .hasMessage("the tensor b moves without effect: no output that is protected depends on it");
    }

    @Test
    void choicesThatSelectNothingAreRefused() {
        ModelBuilder builder = Model.builder();
        Value weight = builder.parameter("0.weight", Dimensions.of(4, 3), Numbers.of(new double[12]));
        Value bias = builder.parameter("0.bias", Dimensions.of(4), Numbers.of(new double[4]));
        builder.output("y", new Layers(builder).linear(builder.input("x", 5, 3), weight, bias));
        Model model = builder.build();
        assertThatThrownBy(() -> Moving.of(model, List.of("0.weight[4]")))
                .hasMessage("'0.weight[4]': '4' is outside 0 to 3 or selects nothing");
        assertThatThrownBy(() -> Moving.of(model, List.of("0.weight[0]", "0.weight[:, 0]")))
                .hasMessage("0.weight[0], 0.weight[:, 0]: an entry of 0.weight is chosen twice");
        assertThatThrownBy(() -> Moving.of(model, List.of("1.weight")))
                .hasMessage("the model has no parameter \"1.weight\"; it has 0.weight, 0.bias");
    }

    @Test
    void placesInTheVectorOfAllParametersKeepTheirOrder() {
        ModelBuilder builder = Model.builder();
        Value weight = builder.parameter("w", Dimensions.of(3), Numbers.of(1, 2, 3));
        Value bias = builder.parameter("b", Dimensions.of(2), Numbers.of(4, 5));
        builder.output("y", builder.sumOver(builder.plus(weight, builder.input("x", 3)), List.of(0)));
        builder.output("z", bias);
        Model model = builder.build();
        Moving moving = Moving.at(model, 4, 2, 0, 1);
        assertThat(moving.within()).containsExactly(4, 2, 0, 1);
        assertThat(moving.origin()).containsExactly(5, 3, 1, 2);
        assertThat(moving.tensors(new double[] {9, 8, 7, 6}))
                .containsEntry("b", new double[] {4, 9})
                .containsEntry("w", new double[] {7, 6, 8});
        for (int[] places : new int[][] {{0, 3, 1}, {-1}, {5}}) {
            assertThatThrownBy(() -> Moving.at(model, places))
                    .hasMessageEndingWith("of 5 parameters, expected those of one tensor one after the other");
        }
        assertThatThrownBy(() -> Moving.at(model, 2, 2)).hasMessage("[2, 2]: an entry of w is chosen twice");
    }
}
