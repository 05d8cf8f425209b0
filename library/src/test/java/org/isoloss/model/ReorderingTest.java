package org.isoloss.model;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReorderingTest {
    private static final int WIDTH = 300;

    private static double[] gaussian(SplittableRandom random, int count) {
        return random.doubles(count, -1, 1).toArray();
    }

    private static Numbers inParts(double[] values) {
        return new Numbers() {
            @Override
            public double[] asFloat64() {
                return values;
            }

            @Override
            public boolean isReadInParts() {
                return true;
            }
        };
    }

    private static Model model(String labels, Dimensions weight, boolean inParts) {
        var random = new SplittableRandom(4);
        ModelBuilder builder = Model.builder();
        Value x = builder.input("x", 2, 5, WIDTH);
        double[] numbers = gaussian(random, weight.count());
        Value w = builder.parameter("w", weight, inParts ? inParts(numbers) : Numbers.of(numbers));
        builder.output("y", builder.contract(labels, x, w));
        builder.output("first", builder.contract("abc,abc->a", x, x));
        return builder.build();
    }

    /** Weights with the summed axis last, first and in the middle; held, and large enough to be read in parts. */
    @ParameterizedTest
    @CsvSource({
        "'abc,dc->abd', '40,300', false",
        "'abc,cd->abd', '300,40', false",
        "'abc,dce->abde', '4,300,3', false",
        "'abc,dc->abd', '280,300', true",
        "'abc,cd->abd', '300,280', true"
    })
    void sumsTheSameFromTheOtherEnd(String labels, String sizes, boolean inParts) {
        int[] shape =
                Arrays.stream(sizes.split(",", -1)).mapToInt(Integer::parseInt).toArray();
        Model model = model(labels, Dimensions.of(shape), inParts);
        Map<String, double[]> given = Map.of("x", gaussian(new SplittableRandom(9), 10 * WIDTH));
        for (String output : model.outputs().keySet()) {
            double[] exact = requireNonNull(model.run(Precision.FLOAT64, given).get(output));
            double[] narrow = requireNonNull(model.run(Precision.FLOAT32, given).get(output));
            Model other = model.reordered();
            assertThat(requireNonNull(other.run(Precision.FLOAT64, given).get(output)))
                    .containsExactly(exact, within(1e-12));
            assertThat(requireNonNull(other.run(Precision.FLOAT32, given).get(output)))
                    .containsExactly(narrow, within(1e-3))
                    .isNotEqualTo(narrow);
        }
    }

    @Test
    void whatSumsNothingIsAsBefore() {
        ModelBuilder builder = Model.builder();
        Value x = builder.input("x", 3);
        builder.output("y", builder.product(x, x));
        Model model = builder.build();
        assertThat(model.reordered().outputs()).isEqualTo(model.outputs());
        assertThat(model.reordered().parameters()).isEmpty();
    }
}
