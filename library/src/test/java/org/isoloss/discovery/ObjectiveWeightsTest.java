package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.isoloss.autodiff.Precision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectiveWeightsTest {
    private static final String INCOMPLETE =
            "ObjectiveWeights: scale and one of invariance and preservation must be positive";

    @Test
    void variantsKeepTheirOwnTerms() {
        ObjectiveWeights hybrid = new ObjectiveWeights(10, 2, 3, 4, 5, 6);
        assertThat(ObjectiveKind.HYBRID.select(hybrid)).isEqualTo(hybrid);
        assertThat(ObjectiveKind.FINITE.select(hybrid)).isEqualTo(new ObjectiveWeights(0, 0, 3, 4, 5, 6));
        assertThat(ObjectiveKind.INFINITESIMAL.select(hybrid)).isEqualTo(new ObjectiveWeights(10, 2, 0, 0, 5, 6));
        ObjectiveWeights adaptive = new ObjectiveWeights(10, 2, 3, 4, 5, 6, true);
        assertThat(ObjectiveKind.FINITE.select(adaptive)).isEqualTo(new ObjectiveWeights(0, 0, 3, 4, 5, 6, true));
        assertThat(ObjectiveKind.INFINITESIMAL.select(adaptive))
                .isEqualTo(new ObjectiveWeights(10, 2, 0, 0, 5, 6, true));
        ObjectiveWeights base = new ObjectiveWeights(10, 2, 3, 0, 5, 6);
        assertThat(ObjectiveKind.FINITE.select(base)).isEqualTo(new ObjectiveWeights(0, 0, 3, 10, 5, 6));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY})
    void whatIsNoWeightIsRefused(double weight) {
        assertThatThrownBy(() -> new ObjectiveWeights(1, 1, 1, weight, 1, 1))
                .hasMessage("ObjectiveWeights: %s is no weight, expected at least 0".formatted(weight));
    }

    @Test
    void weightsThatLeaveNothingToLearnAreRefused() {
        assertThatThrownBy(() -> new ObjectiveWeights(1, 1, 1, 1, 0, 1)).hasMessage(INCOMPLETE);
        assertThatThrownBy(() -> new ObjectiveWeights(0, 1, 1, 0, 1, 1)).hasMessage(INCOMPLETE);
        ObjectiveWeights lawless = new ObjectiveWeights(1, 0, 0, 1, 1, 1);
        assertThatThrownBy(() -> Recipe.DEFAULT.withWeights(lawless))
                .hasMessage("Recipe: one of transport and composition must be positive for a displacement");
        assertThat(Recipe.CONJUGATED.withWeights(lawless).weights()).isEqualTo(lawless);
        assertThatThrownBy(() -> new RecordedObjective(
                        RecordedObjective.Setting.small(PreservedFunction.LINEAR_NETWORK, 1, lawless),
                        Precision.FLOAT64,
                        1))
                .hasMessage("Objective: transport and composition have no weight, but one must:"
                        + " a displacement obeys the group law only as far as it is trained");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN})
    void scalesMustBePositive(double scale) {
        assertThatThrownBy(() -> new Normalizers(1, 1, scale))
                .hasMessage("Normalizers: output 1.0, motion 1.0, field %s: all must be positive".formatted(scale));
    }
}
