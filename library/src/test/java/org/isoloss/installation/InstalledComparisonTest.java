package org.isoloss.installation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.task.ModelSetting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstalledComparisonTest {
    @TempDir
    private Path folder;

    @Test
    void theClosedFormPassesForALearnedActionAndControlsMoveAsFar() throws IOException {
        ModelSetting setting = Sites.at(Sites.trained(), 6, Sites.PREFIX);
        GroupAction action = Sites.action(setting.site().orElseThrow(), 0.1, 5);
        Texts texts = Texts.of(Sites.PREFIX, Sites.trained().resolve("prefixes.json"));
        InstallationSite site = InstallationSite.open(setting, Rounding.FLOAT32);
        InstalledComparison found = InstalledComparison.of(site, action, texts, 101);
        assertThat(found.cells()).hasSize(16);
        InstalledCell learned = found.cell(Transformation.LEARNED, 0.5);
        InstalledCell analytic = found.cell(Transformation.ANALYTIC, 0.5);
        InstalledCell incoming = found.cell(Transformation.INCOMING_ONLY, 0.5);
        InstalledCell random = found.cell(Transformation.RANDOM, 0.5);
        double motion = learned.motionPercent().p50();
        // the closed form along one direction is its own comparator
        assertThat(analytic.motionPercent().p50()).isCloseTo(motion, offset(1e-6 * motion));
        assertThat(random.motionPercent().p50()).isCloseTo(motion, offset(0.1 * motion));
        assertThat(incoming.motionPercent().p50()).isLessThan(motion);
        assertThat(learned.exact().orElseThrow().p95()).isLessThan(1e-7);
        assertThat(learned.relative().p95()).isLessThan(5 * found.noise().relative());
        assertThat(incoming.relative().p95())
                .isGreaterThan(2 * learned.relative().p95());
        assertThat(random.relative().p95()).isGreaterThan(3 * learned.relative().p95());
        assertThat(incoming.cancellation().p95()).isCloseTo(1, offset(1e-9));
        assertThat(learned.continuation().orElseThrow().p95())
                .isGreaterThan(learned.relative().p95());
        assertThat(learned.fresh()).isPresent();
        assertThat(found.cell(Transformation.LEARNED, 0.1).fresh()).isEmpty();
        assertThat(found.cell(Transformation.LEARNED, 0.8).motionPercent().p50())
                .isGreaterThan(motion);
        assertThat(InstalledComparison.of(site, action, texts, 101)).isEqualTo(found);
        assertThatThrownBy(() -> found.cell(Transformation.RANDOM, 0.2))
                .hasMessage("InstalledComparison: nothing is random at radius 0.2");
    }

    @Test
    void storedWeightsKeepTheLawOfTheClosedFormToRounding() throws IOException {
        ModelSetting setting = Sites.at(Sites.trained(), 3, Sites.PREFIX);
        GroupAction action = Sites.action(setting.site().orElseThrow(), 0.1, 5);
        InstallationSite narrow = InstallationSite.open(setting, Rounding.FLOAT32);
        InstallationSite wide = InstallationSite.open(setting, Rounding.NONE);
        List<StoredCell> rounded = InstalledComparison.stored(narrow, action, 101);
        List<StoredCell> exact = InstalledComparison.stored(wide, action, 101);
        for (int i = 0; i < InstalledComparison.RADII.size(); i++) {
            assertThat(rounded.get(i).radius()).isEqualTo(InstalledComparison.RADII.get(i));
            assertThat(exact.get(i).composition().max()).isLessThan(1e-12);
            assertThat(exact.get(i).inverse().max()).isLessThan(1e-12);
            assertThat(exact.get(i).rounding().max()).isLessThan(1e-12);
            assertThat(rounded.get(i).composition().p95()).isBetween(1e-9, 1e-3);
            double alone = rounded.get(i).rounding().p95();
            assertThat(rounded.get(i).composition().p95()).isBetween(alone / 3, 3 * alone);
            assertThat(rounded.get(i).inverse().p95()).isBetween(1e-9, 1e-3);
            assertThat(rounded.get(i).motion().p50())
                    .isCloseTo(exact.get(i).motion().p50(), offset(1e-6));
        }
    }

    @Test
    void coefficientsArePairsOfOppositesBetweenAFifthOfTheRadiusAndTheRadius() {
        Coefficients drawn = Coefficients.draw(new SplittableRandom(1));
        double[] first = drawn.first(0.5);
        assertThat(first).hasSize(16);
        assertThat(Arrays.stream(first).map(Math::abs).boxed())
                .allSatisfy(t -> assertThat(t).isBetween(0.1, 0.5));
        for (int i = 0; i < 16; i += 2) {
            assertThat(first[i]).isPositive().isEqualTo(-first[i + 1]);
            assertThat(drawn.second().get(i)).isEqualTo(-drawn.second().get(i + 1));
        }
        assertThat(Arrays.stream(drawn.first(0.8)).map(t -> t / 0.8).toArray())
                .containsExactly(Arrays.stream(drawn.first(1)).toArray(), offset(1e-15));
        assertThat(drawn.second()).anyMatch(t -> t > 0).anyMatch(t -> t < 0);
    }

    @Test
    void textsAreFoundByTheirBeginning() throws IOException {
        Path file = folder.resolve("texts.json");
        Files.writeString(file, """
                {"training": [{"ids": [9, 8]}, {"text": "a", "ids": [1, 2, 3, 4]}],
                 "validation": [{"ids": [5]}, {"ids": [6]}, {"ids": [7]}, {"ids": [8]}]}
                """);
        Texts texts = Texts.of(List.of(1, 2), file);
        assertThat(texts.continued()).contains(List.of(1, 2, 3, 4));
        assertThat(texts.fresh()).containsExactly(List.of(5), List.of(6), List.of(7));
        assertThat(Texts.of(List.of(1, 3), file).continued()).isEmpty();
        Files.writeString(file, "{\"trainings\": []}");
        assertThatThrownBy(() -> Texts.of(List.of(1), file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected {\"training\": [{\"ids\": [..]}, ..]")
                .hasMessageContaining("trainings");
    }
}
