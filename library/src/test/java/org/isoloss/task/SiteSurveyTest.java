package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.network.MovingUnits;
import org.isoloss.task.SiteSurvey.Choice;
import org.junit.jupiter.api.Test;

class SiteSurveyTest {
    /** The first training prefix of the trained model; token 287 stands in it twice. */
    private static final List<Integer> PREFIX = List.of(354, 325, 287, 350, 346, 324, 77, 287);

    private static List<SiteSurvey> survey(
            String model, List<Integer> tokens, MovingUnits movingUnits, Integer... layers) throws IOException {
        ModelBatch batch = ModelBatch.read(SiteModels.folder(model), DataSource.text(tokens), Path.of(""));
        return SiteSurvey.of(batch, List.of(layers), movingUnits, null);
    }

    /** A prototype in another language found condition 5.3 and root-mean-square weight 0.088 here. */
    @Test
    void layerSixOfTheTrainedModelHasAWellConditionedSite() throws IOException {
        SiteSurvey six = survey(SiteModels.TRAINED, PREFIX, new MovingUnits.MostSensitive(1), 6)
                .getFirst();
        assertThat(six.possible()).as(six.reason()).isTrue();
        assertThat(six.rank()).isEqualTo(8);
        Choice choice = six.choice().orElseThrow();
        assertThat(choice.compensators()).hasSize(8).doesNotContain(choice.moving());
        assertThat(choice.condition()).isCloseTo(5.3, within(0.05));
        assertThat(choice.scaledCondition()).isBetween(1.0, choice.condition());
        assertThat(choice.effect() / choice.sensitivity()).isCloseTo(0.088, within(1e-3));
        assertThat(choice.effect()).isGreaterThan(0.1);
        assertThat(six.firstTokenShare()).isBetween(0.05, 0.3);
    }

    /** The unit with the largest contribution lies in the flat part of GELU. */
    @Test
    void aUnitInAFlatPartMovesWithoutEffect() throws IOException {
        SiteSurvey two = survey(SiteModels.TRAINED, PREFIX, new MovingUnits.LargestContribution(1), 2)
                .getFirst();
        Choice choice = two.choice().orElseThrow();
        assertThat(choice.contribution()).isGreaterThan(1);
        assertThat(choice.effect()).isLessThan(SiteSurvey.LEAST_EFFECT);
        assertThat(two.possible()).isFalse();
        assertThat(two.reason()).isEqualTo("unit %d moves without effect".formatted(choice.moving()));
    }

    @Test
    void aLayerWithoutASiteSaysWhy() throws IOException {
        SiteSurvey zero = survey(SiteModels.TRAINED, PREFIX, new MovingUnits.MostSensitive(1), 0)
                .getFirst();
        assertThat(zero.possible()).isFalse();
        assertThat(zero.choice()).isEmpty();
        assertThat(zero.rank()).isEqualTo(7);
        assertThat(zero.reason()).startsWith("token 287 stands at positions 2 and 7, ");

        List<Integer> many = IntStream.range(0, 60).boxed().toList();
        SiteSurvey crowded =
                survey("llama-gqa", many, new MovingUnits.MostSensitive(1), 1).getFirst();
        assertThat(crowded.possible()).isFalse();
        assertThat(crowded.reason())
                .isEqualTo(
                        "60 protected inputs need 60 compensating units beside 1 moving, but the layer has 56 hidden units; protect at most 55 inputs");
    }
}
