package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectiveWeightsTest {
    @Test
    void variantsKeepTheirOwnTerms() {
        ObjectiveWeights hybrid = new ObjectiveWeights(10, 4, 5, 6);
        assertThat(ObjectiveKind.HYBRID.select(hybrid)).isEqualTo(hybrid);
        assertThat(ObjectiveKind.FINITE.select(hybrid)).isEqualTo(new ObjectiveWeights(0, 4, 5, 6));
        assertThat(ObjectiveKind.INFINITESIMAL.select(hybrid)).isEqualTo(new ObjectiveWeights(10, 0, 5, 6));
        ObjectiveWeights adaptive = new ObjectiveWeights(10, 4, 5, 6, true);
        assertThat(ObjectiveKind.FINITE.select(adaptive)).isEqualTo(new ObjectiveWeights(0, 4, 5, 6, true));
        assertThat(ObjectiveKind.INFINITESIMAL.select(adaptive)).isEqualTo(new ObjectiveWeights(10, 0, 5, 6, true));
        ObjectiveWeights base = new ObjectiveWeights(10, 0, 5, 6);
        assertThat(ObjectiveKind.FINITE.select(base)).isEqualTo(new ObjectiveWeights(0, 10, 5, 6));
        GroupLaw law = new GroupLaw(2, 3, 0.5);
        assertThat(ObjectiveKind.HYBRID.select(law)).isEqualTo(law);
        assertThat(ObjectiveKind.FINITE.select(law)).isEqualTo(new GroupLaw(0, 3, 0.5));
        assertThat(ObjectiveKind.INFINITESIMAL.select(law)).isEqualTo(new GroupLaw(2, 0, 0.5));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY})
    void whatCannotBeAWeightIsRefused(double weight) {
        assertThatThrownBy(() -> new ObjectiveWeights(1, weight, 1, 1))
                .hasMessage("recipe.preservation is %s, expected 0 or a positive number".formatted(weight));
        assertThatThrownBy(() -> new GroupLaw(weight, 1, 0))
                .hasMessage("recipe.transport is %s, expected 0 or a positive number".formatted(weight));
    }

    @Test
    void weightsThatLeaveNothingToLearnAreRefused() {
        assertThatThrownBy(() -> new ObjectiveWeights(1, 1, 0, 1))
                .hasMessage("recipe.scale is 0.0, expected a positive number");
        assertThatThrownBy(() -> new ObjectiveWeights(0, 0, 1, 1))
                .hasMessage("ObjectiveWeights: one of invariance and preservation must be positive");
        assertThatThrownBy(() -> Recipe.DEFAULT.withLaw(0, 0))
                .hasMessage("Recipe: one of transport and composition must be positive for a displacement");
        assertThatThrownBy(() -> Recipe.CONJUGATED.withLaw(1, 1))
                .hasMessage("Recipe: the group law of a conjugated action holds by construction and has no weights");
        for (ObjectiveKind kind : new ObjectiveKind[] {ObjectiveKind.FINITE, ObjectiveKind.INFINITESIMAL}) {
            GroupLaw other =
                    new GroupLaw(kind == ObjectiveKind.FINITE ? 1 : 0, kind == ObjectiveKind.FINITE ? 0 : 1, 0);
            assertThatThrownBy(() -> kind.select(other))
                    .hasMessage("Objective: transport and composition have no weight, but one must:"
                            + " a displacement obeys the group law only as far as it is trained");
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN})
    void scalesMustBePositive(double scale) {
        assertThatThrownBy(() -> new Normalizers(1, 1, scale))
                .hasMessage("Normalizers: output 1.0, motion 1.0, field %s: all must be positive".formatted(scale));
    }
}
