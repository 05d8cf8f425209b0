package org.isoloss.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.isoloss.task.Recipes;
import org.isoloss.task.Task;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepTest {
    static final String TASK = """
            name: small
            network:
              widths: [2, 3, 2]
              activation: tanh
            data:
              gaussian: 3
            support:
              all: true
            points:
              deviation: 0.2
            recipe:
              steps: 20
            seeds: [7, 8]
            """;

    private static final String SWEEP = """
            name: several
            task: tasks/small.yaml
            set: {recipe.batch: 4}
            protect: {few: {gaussian: 2}, more: {gaussian: 5}}
            recipes: {plain: {}, wide: {width: 40}}
            vary: {points.deviation: [0.1, 0.3, 0.5]}
            seeds: 11..12
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void writeTask() throws IOException {
        Files.createDirectories(folder.resolve("tasks"));
        Files.writeString(folder.resolve("tasks/small.yaml"), TASK);
    }

    private Sweep sweep(String text) throws IOException {
        return Sweep.read(Files.writeString(folder.resolve("sweep.yaml"), text));
    }

    @Test
    void everyCombinationIsOneFitAndSeedsVaryFastest() throws IOException {
        Sweep sweep = sweep(SWEEP);

        assertThat(sweep.size()).isEqualTo(2 * 2 * 3 * 2);
        assertThat(sweep.variations())
                .extracting(Variation::key)
                .containsExactly("protect", "recipe", "points.deviation", "seed");
        assertThat(sweep.describe(1)).isEqualTo("protect few, recipe plain, points.deviation 0.1, seed 11");
        assertThat(sweep.describe(2)).isEqualTo("protect few, recipe plain, points.deviation 0.1, seed 12");
        assertThat(sweep.describe(24)).isEqualTo("protect more, recipe wide, points.deviation 0.5, seed 12");
        assertThat(IntStream.rangeClosed(1, 24).mapToObj(sweep::labels)).doesNotHaveDuplicates();
    }

    @Test
    void aFitHasTheTaskOfItsValues() throws IOException {
        SweepFit fit = sweep(SWEEP).fit(24);

        Task task = fit.task();
        assertThat(fit.seed()).isEqualTo(12);
        assertThat(task.data().gaussian()).isEqualTo(5);
        assertThat(task.points().deviation()).isEqualTo(0.5);
        assertThat(Recipes.of(task).architecture().width()).isEqualTo(40);
        assertThat(Recipes.of(task).batch()).isEqualTo(4);
        assertThat(Recipes.of(task).steps()).isEqualTo(20);
        assertThat(sweep(SWEEP).fit(1).task().data().gaussian()).isEqualTo(2);
    }

    @Test
    void withoutListsThereAreTheSeedsOfTheTask() throws IOException {
        Sweep sweep = sweep("name: one\ntask: tasks/small.yaml\n");

        assertThat(sweep.size()).isEqualTo(2);
        assertThat(sweep.seedValues()).containsExactly(7L, 8L);
        assertThat(sweep.steps()).containsExactly(20);
    }

    @Test
    void pathsAreRelativeToTheSweepAndThoseOfTheTaskToTheTask() throws IOException {
        Files.writeString(
                folder.resolve("tasks/small.yaml"),
                TASK.replace("  widths: [2, 3, 2]\n  activation: tanh", "  checkpoint: own.safetensors")
                        .replace("gaussian: 3", "file: own.csv"));

        Sweep sweep = sweep("name: paths\ntask: tasks/small.yaml\nmodels: [a/one.safetensors, two.safetensors]\n");

        assertThat(sweep.fit(1).task().network().checkpoint())
                .isEqualTo(folder.resolve("a/one.safetensors").toString());
        assertThat(sweep.fit(3).task().network().checkpoint())
                .isEqualTo(folder.resolve("two.safetensors").toString());
        assertThat(sweep.fit(3).task().data().file())
                .isEqualTo(folder.resolve("tasks/own.csv").toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "layer: [1]| line 3: key 'layer' is unknown; allowed here: kernel, layers, models, name, prefixes",
                "layers: []| 'layer' has no values, so there are no fits; name at least one, or leave the key out",
                "seeds: []| 'seed' has no values",
                "seeds: 5..4| seeds: 5..4 has none, expected 1 to 1000000",
                "seeds: many| seeds: 'many' is no range such as 101..105",
                "seeds: {a: 1}| seeds: expected a list such as [101, 102], or 101..105, got {",
                "seeds: 5| seeds: expected a list such as [101, 102], or 101..105, got 5",
                "seeds: [1.5]| seeds: '1.5' is not a whole number",
                "layers: 3| 'layer' is '3', expected a list of values, or a group of named ones",
                "seeds: [3, 3]| 'seed' has the value '3' twice",
                "models: [a]| 'models' takes the place of a file that the task names",
                "recipes: {a: {recipe: 1}}| 'recipes' takes keys below 'recipe', so leave 'recipe' out",
                "vary: {recipe.steps: [1], recipe: [{}]}| 'recipe.steps' and 'recipe' both change 'recipe.steps'",
                "vary: {seed: [1, 2]}| 'seed' varies twice",
                "vary: {a: *b}| is the alias *b; write the value itself",
                "vary: {seed.a: [[1, *b]]}| is the alias *b; write the value itself",
            })
    void whatMakesNoSweepIsRefusedInOneLine(String more, String refusal) {
        IllegalArgumentException refused = catchThrowableOfType(
                IllegalArgumentException.class, () -> sweep("name: bad\ntask: tasks/small.yaml\n" + more));

        assertThat(refused).as(more).isNotNull();
        assertThat(refused.getMessage())
                .startsWith(folder.resolve("sweep.yaml").toString())
                .contains(refusal)
                .doesNotContain("\n");
    }

    @Test
    void tooManyFitsAreRefused() {
        assertThatThrownBy(() -> sweep(
                        "name: bad\ntask: tasks/small.yaml\nseeds: 1..1000\nvary: {seed: [1], points.deviation: %s}"
                                .formatted(IntStream.rangeClosed(1, 1001)
                                        .mapToObj(Integer::toString)
                                        .toList())
                                .replace("seed: [1], ", "")))
                .hasMessageContaining("the lists make more than 1000000 fits; make several sweeps of them");
    }

    @Test
    void aWrongCombinationIsNamed() throws IOException {
        Sweep sweep = sweep("name: bad\ntask: tasks/small.yaml\nvary: {points.deviation: [0.1, -1]}\n");

        assertThat(sweep.fit(1).task().points().deviation()).isEqualTo(0.1);
        assertThatThrownBy(sweep::steps)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fit 3 (points.deviation -1, seed 7)")
                .hasMessageContaining("points: deviation must be positive, got -1.0");
    }

    @Test
    void equalFilesAreEqualSweepsAndOthersAreNot() throws IOException {
        String text = sweep(SWEEP).text();

        assertThat(sweep(SWEEP).text()).isEqualTo(text);
        assertThat(sweep(SWEEP.replace("11..12", "11..13")).text()).isNotEqualTo(text);
        Files.writeString(folder.resolve("tasks/small.yaml"), TASK.replace("steps: 20", "steps: 21"));
        assertThat(sweep(SWEEP).text()).as("the task counts too").isNotEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"digits, 18", "linear, 8"})
    void theExamplesMakeTheirFits(String name, int fits) throws IOException {
        Sweep sweep = Sweep.read(Path.of("..", "examples", "sweeps", name + ".yaml"));

        assertThat(sweep.name()).isEqualTo(name + "-sweep");
        assertThat(sweep.size()).isEqualTo(fits);
        assertThat(sweep.steps()).hasSize(fits / sweep.seeds());
        for (int number = 1; number <= fits; number++) {
            assertThat(Path.of(Objects.requireNonNullElse(
                            sweep.fit(number).task().network().checkpoint(), "../examples")))
                    .exists();
        }
    }

    @Test
    void thereIsNoFitBeyondTheLast() throws IOException {
        Sweep sweep = sweep(SWEEP);
        for (int number : List.of(0, 25)) {
            assertThatThrownBy(() -> sweep.fit(number)).hasMessageContaining("there is no fit %d".formatted(number));
        }
        assertThat(Objects.requireNonNull(sweep.fit(24))).isNotNull();
    }
}
