package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;

class KinkInputsTest {
    private final ModelBuilder builder = Model.builder();
    private final Value input = builder.input("x", 4, 2);

    /** Two units of the input, and what lies before the bend. */
    private Value units(Value of, double first, double second) {
        return builder.plus(of, builder.parameter("shift", Dimensions.of(2), Numbers.of(first, second)));
    }

    private List<Map<String, double[]>> found(Value units) {
        builder.output("y", builder.apply(Clamp.RELU, units));
        Model model = builder.build();
        return KinkInputs.of(model, new ValueCut(model), RandomInputs.of(model, 32, 1), 1);
    }

    private long active(Value units, List<Map<String, double[]>> inputs) {
        return inputs.isEmpty()
                ? 0
                : Arrays.stream(builder.build().computed(List.of(units), inputs).getFirst())
                        .filter(sum -> sum > 0)
                        .count();
    }

    /** Sums of inputs that are at most about 15 do not reach it. */
    @Test
    void farUnitsAreReached() {
        Value units = units(input, -300, -300);
        assertThat(active(units, found(units))).isGreaterThanOrEqualTo(2 * 24);
    }

    /** The inputs go through a function that is at most 1. */
    @Test
    void whatNoInputReachesIsNotClaimed() {
        Value units = units(builder.apply(Activation.TANH, input), -1.5, -2);
        assertThat(active(units, found(units))).isZero();
    }

    @Test
    void nothingIsAddedWhereUnitsAreOnBothSides() {
        assertThat(found(units(input, 0.1, -0.1))).isEmpty();
    }
}
