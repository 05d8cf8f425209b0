package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.checkpoint.RealModels;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.Streams;
import org.isoloss.discovery.Training;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.EvaluationGrid;
import org.isoloss.evaluation.Evaluator;
import org.isoloss.evaluation.JudgedAction;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.SiteCoordinates;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransformerSettingTest {
    private static final Path EXAMPLES = Path.of("..", "examples");

    private static Setting setting(String name, Map<String, String> changes) throws IOException {
        return Setting.of(TaskFile.read(EXAMPLES.resolve(name + ".yaml"), changes), EXAMPLES);
    }

    /** Twice as many coordinates as tokens; scales as appendix app:experimental-pythia-details of the paper has them. */
    @Test
    void theProblemIsThatOfTheBlockOnThePrefix() throws IOException {
        Setting setting = setting("neox-layer6-8", Map.of());
        Problem problem = setting.problem();
        SiteCoordinates site = setting.site().orElseThrow();
        assertThat(problem.target()).isSameAs(site);
        assertThat(setting.origin()).hasSize(16).containsOnly(0);
        assertThat(problem.parameterScale()).isEqualTo(site.weightScale()).isBetween(0.08, 0.1);
        assertThat(problem.outputScale())
                .isEqualTo(site.movingOutputs(Matrix.zeros(1, 16)).frobeniusNorm());
        assertThat(setting.freshTarget()).isEmpty();

        GroupAction reference = setting.reference().orElseThrow();
        Matrix points = Matrix.zeros(4, 16);
        var random = new SplittableRandom(3);
        for (int row = 0; row < 4; row++) {
            problem.points().draw(random, points.entries(), row * 16);
        }
        Matrix element = GroupWord.exp(0.1).matrix(reference.generators());
        Matrix elements = Matrix.zeros(4, element.entries().length);
        for (int row = 0; row < 4; row++) {
            System.arraycopy(element.entries(), 0, elements.entries(), row * elements.columns(), elements.columns());
        }
        Matrix moved = reference.apply(elements, points);
        assertThat(problem.target()
                        .outputs(moved)
                        .minus(problem.target().outputs(points))
                        .largestMagnitude())
                .isLessThan(1e-12);
        assertThat(moved.minus(points).frobeniusNorm()).isGreaterThan(0.1);
    }

    @Test
    void coordinatesStandForRowsAndColumnsOfTensors() throws IOException {
        ModelSetting setting = (ModelSetting) setting("neox-layer6-8", Map.of());
        ModelSite site = setting.modelSite().orElseThrow();
        assertThat(site.places())
                .hasSize(10)
                .first()
                .isEqualTo("gpt_neox.layers.6.mlp.dense_h_to_4h.weight row %d"
                        .formatted(site.site().moving()[0]));
        assertThat(setting.tensorsAt(setting.origin()))
                .containsOnlyKeys(
                        "gpt_neox.layers.6.mlp.dense_h_to_4h.weight",
                        "gpt_neox.layers.6.mlp.dense_h_to_4h.bias",
                        "gpt_neox.layers.6.mlp.dense_4h_to_h.weight");
        assertThat(setting.moving().count()).isEqualTo(9 * 128 + 1);
        assertThat(setting.file()).isDirectory();
        assertThat(site.layer()).isEqualTo(6);
        assertThatThrownBy(setting::dense)
                .hasMessage(
                        "the network of task 'neox-layer6-8' is a transformer, and this takes a network of dense layers; see 'isoloss transformer'");
    }

    @Test
    void aRunFolderKeepsATaskThatMeansTheSameAnywhere() throws IOException {
        Task task = TaskFile.read(EXAMPLES.resolve("neox-layer3-16.yaml"), Map.of());
        Task resolved = task.resolved(EXAMPLES);
        assertThat(Path.of(String.valueOf(resolved.network().transformer())))
                .isAbsolute()
                .hasFileName("neox-wikitext-1.8m");
        assertThat(TaskFile.parse("task.yaml", TaskFile.write(resolved), Map.of()))
                .isEqualTo(resolved);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "minilm-layer3-8",
                "minilm-layer3-16",
                "smollm2-layer12-8",
                "smollm2-layer12-16",
                "pythia-160m-layer6-8",
                "pythia-1b-layer3-16"
            })
    void aSiteWithoutATaskFileHasTheRecipeOfPublishedModels(String example) throws IOException {
        Task task = TaskFile.read(EXAMPLES.resolve(example + ".yaml"), Map.of());
        assertThat(TransformerTask.of("name", "model", List.of(1, 2), requireSite(task))
                        .recipe())
                .isEqualTo(task.recipe());
    }

    private static Task.SiteChoice requireSite(Task task) {
        Task.SiteChoice site = task.site();
        assertThat(site).isNotNull();
        return Objects.requireNonNull(site);
    }

    @Test
    void whatDoesNotFitIsOneLine() {
        assertRefused(Map.of("site.layer", "8"), "layer 8 asked for, but the model has 8, counted from 0");
        assertRefused(Map.of("site.layer", "0"), "layer 0: token 287 stands at positions 2 and 7, ");
        assertRefused(Map.of("site.compensators", "9"), "site: 9 compensators asked for, but 8 protected inputs");
        assertRefused(
                Map.of("data.tokens", "[1024]"),
                "of the embedding: index 1024.0 into a table of 1024 rows; expected a whole number from 0 to 1023");
        assertRefused(Map.of("data.tokens", "[-1]"), "data: tokens must be at least one id, none below 0, got [-1]");
        assertRefused(Map.of("fresh.gaussian", "3"), "'fresh' goes with a network of dense layers");
        assertRefused(Map.of("network.activation", "tanh"), "network: a 'transformer' stands alone");
        assertRefused(
                Map.of("site", "{moving: sensitive}"),
                "a 'transformer' takes a 'site' with its 'layer', from 0: the feed-forward block that changes");
        assertRefused(
                Map.of("data", "{gaussian: 3}"),
                "data: a 'transformer' takes 'tokens', the ids of the protected prefix");
        assertRefused(
                Map.of("network", "{widths: [3, 4, 2], activation: tanh}"), "data: 'tokens' goes with a 'transformer'");
        assertRefused(
                Map.of(
                        "network",
                        "{widths: [3, 4, 2], activation: tanh}",
                        "data",
                        "{gaussian: 2}",
                        "site",
                        "{rows: gate}"),
                "site: 'rows' goes with a 'transformer'");
    }

    private static void assertRefused(Map<String, String> changes, String message) {
        assertThatThrownBy(() -> setting("neox-layer6-8", changes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .message()
                .doesNotContain("\n");
    }

    /**
     * A short fit, one seed: a tenth of the steps, a quarter of the width, and weights that suit so few steps. Three times
     * what it reached: output 3.9e-3, composition 1.8e-2, inverse 1.3e-2, transport 1.4e-2, cancellation 6.6e-2.
     */
    @Test
    void aShortFitFindsAnActionOfThePretrainedBlock() throws IOException {
        ErrorCell cell = shortFit("neox-layer6-8", Map.of());
        assertThat(cell.output().p95()).isLessThan(1.2e-2);
        assertThat(cell.composition().p95()).isLessThan(5.4e-2);
        assertThat(cell.inverse().p95()).isLessThan(3.9e-2);
        assertThat(cell.transport().p95()).isLessThan(4.1e-2);
        assertThat(cell.cancellation().orElseThrow().p95()).isLessThan(0.2);
        assertThat(cell.motion().p50()).isGreaterThan(0.1);
    }

    @Test
    @Tag("slow")
    void aShortFitFindsAnActionOfAPublishedEncoder() throws IOException {
        Path model = RealModels.require("all-minilm-l6-v2.onnx");
        ErrorCell cell = shortFit("minilm-layer3-8", Map.of("network.transformer", "'%s'".formatted(model)));
        assertThat(cell.output().p95()).isLessThan(1.2e-2);
        assertThat(cell.composition().p95()).isLessThan(5.4e-2);
        assertThat(cell.inverse().p95()).isLessThan(3.9e-2);
        assertThat(cell.transport().p95()).isLessThan(4.1e-2);
        assertThat(cell.cancellation().orElseThrow().p95()).isLessThan(0.2);
        assertThat(cell.motion().p50()).isGreaterThan(0.1);
    }

    private static ErrorCell shortFit(String task, Map<String, String> more) throws IOException {
        Map<String, String> changes = new LinkedHashMap<>(more);
        changes.put(
                "recipe",
                "{steps: 1500, width: 64, peak: 3e-3, invariance: 30, preservation: 30, transport: 3, composition: 3}");
        Setting setting = setting(task, changes);
        Recipe recipe = Recipes.of(setting.task());
        Training training = new Training(setting.problem(), ObjectiveKind.HYBRID, recipe, 101);
        while (training.stepsDone() < recipe.steps()) {
            assertThat(training.step()).isFinite();
        }
        return Evaluator.of(JudgedAction.of(training.action(), setting.problem()))
                .grid(EvaluationGrid.DECLARED)
                .run(Streams.TEST.stream(101))
                .cell(0.5, 1);
    }
}
