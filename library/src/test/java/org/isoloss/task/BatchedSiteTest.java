package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Recipe;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.SiteCoordinates;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BatchedSiteTest {
    private static final Path EXAMPLES = Path.of("..", "examples");

    private static Task task(String name, Map<String, String> changes) throws IOException {
        return TaskFile.read(EXAMPLES.resolve(name + ".yaml"), changes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"batched-sigmoid-k1", "batched-sigmoid-k2", "batched-digits-4", "batched-digits-8"})
    void theUnitsOfTheSiteAreThoseOfAllBatches(String name) throws IOException {
        Setting setting = Setting.of(task(name, Map.of()), EXAMPLES);
        BatchedSite site = setting.batches().orElseThrow();
        SiteCoordinates own = setting.site().orElseThrow();
        Matrix batch = site.unseen().orElseThrow().batch(new SplittableRandom(1));
        Problem problem = site.problem(batch);
        SiteCoordinates other = (SiteCoordinates) problem.target();

        assertThat(other.site().compensators()).isEqualTo(own.site().compensators());
        assertThat(other.site().moving()).isEqualTo(own.site().moving());
        assertThat(problem.target().parameterCount())
                .isEqualTo(setting.problem().target().parameterCount());
        assertThat(setting.problem().pool()).contains(site.pool());
        assertThat(Recipes.of(setting.task()).architecture()).isEqualTo(Recipe.BATCHED.architecture());
    }

    @Test
    void anotherBatchKeepsTheUnits() throws IOException {
        Task task = task("batched-digits-4", Map.of());
        Setting one = Setting.of(task, EXAMPLES);
        Setting other = Setting.of(task.withData(task.data().withRows(List.of(1500, 1504))), EXAMPLES);

        assertThat(other.site().orElseThrow().site().compensators())
                .isEqualTo(one.site().orElseThrow().site().compensators());
        assertThat(Arrays.equals(
                        other.dense().inputs().entries(), one.dense().inputs().entries()))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "action | conjugated | 'pool' and 'unseen' go with the action 'batched' alone",
                "pool | null | action: 'batched' takes a 'pool', the inputs of which batches are drawn",
                "group.size | 2 | action: 'batched' has translations with one generator; leave 'group' out",
                "recipe.composition | 3 | recipe: 'transport' and 'composition' go with the action 'displacement'; the law of a batched action holds by construction",
                "recipe.initialization | he | recipe: 'initialization' goes with the action 'displacement'; a batched action has one of its own",
            })
    void whatDoesNotGoTogetherIsRefused(String key, String value, String message) {
        assertThatThrownBy(() -> task("batched-sigmoid-k1", Map.of(key, value))).hasMessageEndingWith(message);
    }

    @Test
    void aBatchedActionNeedsASite() {
        String text = """
                name: t
                network: {widths: [2, 3, 1], activation: tanh}
                data: {gaussian: 2}
                pool: {gaussian: 20}
                support: {all: true}
                points: {deviation: 0.1}
                action: batched
                """;
        assertThatThrownBy(() -> TaskFile.parse("task.yaml", text, Map.of()))
                .hasMessageEndingWith("action: 'batched' takes a 'site'; what it learns is what a site compensates");
    }

    @Test
    void aPoolSmallerThanABatchIsRefused() throws IOException {
        Task task = task("batched-sigmoid-k2", Map.of("pool.gaussian", "1"));
        assertThatThrownBy(() -> Setting.of(task, EXAMPLES))
                .hasMessage("pool: 1 inputs, expected at least 2, as many as the protected batch has; name more");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{tokens: [3, 1, 4]} | pool: no text has 8 tokens, as many as the protected prefix; name longer ones",
                "{gaussian: 9} | pool: a model that reads tokens takes 'tokens', or a 'file' with the ids of a text in each row",
            })
    void aPoolWithoutPrefixesIsRefused(String pool, String message) throws IOException {
        Task task = task("batched-neox-layer6-8", Map.of("pool", pool));
        assertThatThrownBy(() -> Setting.of(task, EXAMPLES)).hasMessage(message);
    }

    @Test
    void everyRunOfTokensOfATextIsAPrefix() throws IOException {
        Task task = task(
                "batched-neox-layer6-8", Map.of("unseen", "{tokens: [354, 325, 287, 350, 346, 324, 77, 287, 350]}"));
        ModelSetting setting = (ModelSetting) Setting.of(task, EXAMPLES);
        BatchedSite site = setting.batches().orElseThrow();
        SplittableRandom random = new SplittableRandom(1);
        boolean found = false;
        for (int i = 0; i < 20; i++) {
            Matrix batch = site.unseen().orElseThrow().batch(random);
            SiteCoordinates site8 = (SiteCoordinates) site.problem(batch).target();
            found |= Arrays.equals(
                    site8.site().augmentedInputs().entries(),
                    setting.site().orElseThrow().site().augmentedInputs().entries());
        }
        assertThat(found).as("the protected prefix begins the text").isTrue();
    }

    @Test
    void batchesThatAreLeftOutAreCounted() throws IOException {
        assertThat(Setting.of(task("batched-sigmoid-k1", Map.of()), EXAMPLES).notices())
                .isEmpty();
        // twenty-three of thirty-two units are all but dependent on some batches of as many images
        Setting many = Setting.of(task("batched-digits-8", Map.of("data.rows", "[1427, 1450]")), EXAMPLES);
        assertThat(many.notices())
                .anyMatch(
                        line -> line.matches(
                                "unseen: \\d+ of 1000 batches drawn on trial are left out, the condition of their compensating features is above 1e\\+04"));
    }
}
