package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompensatorFeaturesTest {
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void solvingGivesTheOutputWeights(long seed) {
        var random = new SplittableRandom(seed);
        CompensatorFeatures features = CompensatorFeatures.of(Networks.gaussian(random, 6, 6), "test");
        Matrix weights = Networks.gaussian(random, 3, 6);
        Matrix solved = features.solve(weights.times(features.matrix()));
        assertThat(solved.minus(weights).largestMagnitude()).isLessThan(1e-14 * features.condition());
        assertThat(features.singularValues()).hasSize(6);
    }

    @Test
    void anInputOfLargeMagnitudeDoesNotSpoilTheSolution() {
        Matrix features = Matrix.of(2, 2, 1000, 1, 2000, -1);
        CompensatorFeatures factored = CompensatorFeatures.of(features, "test");
        assertThat(factored.condition()).isGreaterThan(1000);
        // columns (1, 2) / sqrt 5 and (1, -1) / sqrt 2 have cosine -1 / sqrt 10
        assertThat(factored.scaledCondition())
                .isCloseTo(Math.sqrt((1 + Math.sqrt(0.1)) / (1 - Math.sqrt(0.1))), within(1e-14));
        assertThat(factored.solve(Matrix.of(1, 2, 8000, -1)).entries())
                .containsExactly(new double[] {2, 3}, within(1e-14));
    }

    @Test
    void dependentCompensatorsAreRefusedWithTheirSingularValues() {
        assertThatThrownBy(() -> CompensatorFeatures.of(Matrix.of(2, 2, 1, 0, 0, 1e-5), "layer 3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "layer 3: the compensating units cannot tell the 2 inputs apart: condition 1.00e+05 of their features, at most 1e+04 allowed, singular values [1.00, 1.00e-05]; protect fewer or other inputs");
        assertThatThrownBy(() -> CompensatorFeatures.of(Matrix.zeros(2, 2), "layer 3"))
                .hasMessageContaining("condition Infinity");
        assertThatThrownBy(() -> CompensatorFeatures.of(Matrix.zeros(2, 3), "layer 3"))
                .hasMessage("layer 3: 2 compensating units for 3 inputs, expected as many units as inputs");
        assertThat(CompensatorFeatures.of(Matrix.of(2, 2, 1, 0, 0, 1.01e-4), "layer 3")
                        .condition())
                .isLessThan(CompensatorFeatures.LARGEST_CONDITION);
    }
}
