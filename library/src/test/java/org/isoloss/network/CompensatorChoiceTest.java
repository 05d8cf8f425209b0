package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.PivotedQr;
import org.isoloss.linalg.Svd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompensatorChoiceTest {
    private static int[] all(Matrix features) {
        return IntStream.range(0, features.rows()).toArray();
    }

    @Test
    void wherePivotingIsEnoughItsUnitsAreTaken() {
        Matrix features = Networks.gaussian(new SplittableRandom(1), 9, 4);
        int[] pivots = PivotedQr.of(features.transpose()).pivots();
        assertThat(CompensatorChoice.of(features, all(features), "test")).isEqualTo(Arrays.copyOf(pivots, 4));
    }

    @Test
    void onlyCandidatesAreTaken() {
        Matrix features = Networks.gaussian(new SplittableRandom(2), 9, 3);
        assertThat(CompensatorChoice.of(features, new int[] {8, 1, 5, 3}, "test"))
                .hasSize(3)
                .doesNotHaveDuplicates()
                .doesNotContain(0, 2, 4, 6, 7);
        assertThat(CompensatorChoice.of(features, new int[] {8, 1, 5}, "test")).containsExactlyInAnyOrder(8, 1, 5);
    }

    /** Pivoting prefers the unit that is active most strongly, beside which the others vanish. */
    @Test
    void aUnitOfGreatMagnitudeIsExchanged() {
        Matrix features = Matrix.of(3, 2, 1e6, 0, 1, 0.1, 0, 1);
        assertThat(PivotedQr.of(features.transpose()).pivots()).startsWith(0);
        assertThat(CompensatorChoice.of(features, all(features), "test")).containsExactlyInAnyOrder(1, 2);
    }

    /** Units of magnitudes from 1e-4 to 1e4, nearly dependent inputs: wherever some choice is allowed, one is found. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whereverAChoiceIsAllowedOneIsFound(long seed) {
        var random = new SplittableRandom(seed);
        int found = 0;
        for (int trial = 0; trial < 25; trial++) {
            Matrix features = Networks.gaussian(random, 7, 3);
            double closeness = Math.pow(10, -4.5 * random.nextDouble());
            for (int unit = 0; unit < 7; unit++) {
                double magnitude = Math.pow(10, 8 * random.nextDouble() - 4);
                features.set(unit, 2, features.get(unit, 0) + closeness * features.get(unit, 2));
                for (int input = 0; input < 3; input++) {
                    features.set(unit, input, magnitude * features.get(unit, input));
                }
            }
            double least = leastCondition(features);
            if (least <= CompensatorFeatures.LARGEST_CONDITION) {
                int[] chosen = CompensatorChoice.of(features, all(features), "test");
                assertThat(condition(features, chosen)).isLessThanOrEqualTo(CompensatorFeatures.LARGEST_CONDITION);
                found++;
            } else {
                assertThatThrownBy(() -> CompensatorChoice.of(features, all(features), "test"))
                        .hasMessageContaining("at most 2 of these inputs can be protected here, such as");
            }
        }
        assertThat(found).isBetween(1, 24);
    }

    private static double leastCondition(Matrix features) {
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < features.rows(); i++) {
            for (int j = 0; j < i; j++) {
                for (int k = 0; k < j; k++) {
                    least = Math.min(least, condition(features, i, j, k));
                }
            }
        }
        return least;
    }

    private static double condition(Matrix features, int... units) {
        Matrix rows = Matrix.zeros(units.length, features.columns());
        for (int i = 0; i < units.length; i++) {
            for (int j = 0; j < features.columns(); j++) {
                rows.set(i, j, features.get(units[i], j));
            }
        }
        double[] values = Svd.valuesOf(rows);
        return values[0] / values[values.length - 1];
    }

    @Test
    void theRefusalNamesTheMostInputsThatWork() {
        Matrix features = Networks.gaussian(new SplittableRandom(3), 6, 4);
        for (int unit = 0; unit < 6; unit++) {
            features.set(unit, 3, features.get(unit, 1)); // the last input is the second again
        }
        assertThatThrownBy(() -> CompensatorChoice.of(features, all(features), "layer 2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(
                        "layer 2: the compensating units cannot tell the 4 inputs apart: condition .* of their features, at most 1e\\+04 allowed, singular values \\[.*]; at most 3 of these inputs can be protected here, such as 0, [123], [23] \\(counted from 0\\)");
        assertThatThrownBy(() -> CompensatorChoice.of(Matrix.zeros(3, 2), new int[] {0, 1, 2}, "layer 2"))
                .hasMessageEndingWith(
                        "singular values [0.00, 0.00]; not even one of these inputs can be protected here: no unit is active on any");
        assertThatThrownBy(() -> CompensatorChoice.of(features, new int[] {1, 2, 3}, "layer 2"))
                .hasMessage(
                        "layer 2: 4 inputs need 4 compensating units, but there are only 3 to choose from; name more units or protect at most 3 inputs");
    }

    @Test
    void aNumberThatIsNoneIsRefused() {
        Matrix features = Matrix.of(3, 2, 1, 0, 0, Double.NaN, 1, 1);
        assertThatThrownBy(() -> CompensatorChoice.of(features, all(features), "test"))
                .hasMessageContaining("NaN");
    }
}
