package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.isoloss.discovery.OptimizerChoice;
import org.isoloss.discovery.OptimizerKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TaskFileTest {
    private static final Path EXAMPLES = Path.of("..", "examples");

    private static final String TASK = """
            name: small
            network:
              widths: [2, 2, 2]
              activation: identity
              start: identity
            data:
              identity: true
            support:
              all: true
            points:
              deviation: 0.2
            recipe:
              steps: 20
            """;

    @TempDir
    Path folder;

    private static String refusal(String text, Map<String, String> overrides) {
        IllegalArgumentException refused = catchThrowableOfType(
                IllegalArgumentException.class, () -> TaskFile.parse("task.yaml", text, overrides));
        assertThat(refused).as("refused").isNotNull();
        String message = String.valueOf(refused.getMessage());
        assertThat(message).startsWith("task.yaml").doesNotContain("\n", "jackson", "org.isoloss", "java.");
        return message;
    }

    private static String replaced(String old, String now) {
        assertThat(TASK).contains(old);
        return TASK.replace(old, now);
    }

    @ParameterizedTest
    @CsvSource({"true, true", "True, true", "TRUE, true", "false, false", "False, false", "FALSE, false"})
    void truthValuesAreReadInEachSpellingOfYaml(String text, boolean value) {
        String task = "name: t\nnetwork: {widths: [2, 2], biases: %s}\n";
        assertThat(TaskFile.parse("task.yaml", task.formatted(text), Map.of(), RecoveryTask.class))
                .isEqualTo(TaskFile.parse("task.yaml", task.formatted(value), Map.of(), RecoveryTask.class));
        assertThat(TaskFile.parse(
                        "task.yaml", task.formatted(!value), Map.of("network.biases", text), RecoveryTask.class))
                .isEqualTo(TaskFile.parse("task.yaml", task.formatted(value), Map.of(), RecoveryTask.class));
    }

    @ParameterizedTest
    @CsvSource({
        ".2, 0.2",
        "2e-1, 0.2",
        "+.2, 0.2",
        "0.2, 0.2",
        "00.2, 0.2",
        "2E0, 2",
        "2., 2",
        "2, 2",
        "+2, 2",
        "0x2, 2",
        "0o2, 2",
        "20e-2, 0.2",
    })
    void numbersAreReadInEachSpellingOfYaml(String text, double value) {
        assertThat(parse(replaced("deviation: 0.2", "deviation: " + text))
                        .points()
                        .deviation())
                .isEqualTo(value);
        assertThat(TaskFile.parse("task.yaml", TASK, Map.of("points.deviation", text))
                        .points()
                        .deviation())
                .isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({"15, 15", "0o17, 15", "0xF, 15", "+15, 15", "15.0, 15", "1.5e1, 15", "150E-1, 15"})
    void wholeNumbersAreReadInEachSpellingOfYaml(String text, int value) {
        assertThat(steps(parse(replaced("steps: 20", "steps: " + text)))).isEqualTo(value);
        assertThat(steps(TaskFile.parse("task.yaml", TASK, Map.of("recipe.steps", text))))
                .isEqualTo(value);
    }

    private static Task parse(String text) {
        return TaskFile.parse("task.yaml", text, Map.of());
    }

    private static int steps(Task task) {
        return Objects.requireNonNull(Objects.requireNonNull(task.recipe()).steps());
    }

    /** 017 is 15 in YAML 1.1 and 17 in YAML 1.2; a quoted number is a text; a fraction of a step is not cut off. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "steps: 20 | steps: 017 | recipe.steps | ~'017', expected a whole number~",
                "steps: 20 | steps: 08 | recipe.steps | ~'08', expected a whole number~",
                "steps: 20 | steps: 1_000 | recipe.steps | ~'1_000', expected a whole number~",
                "steps: 20 | steps: '20' | recipe.steps | ~'20', expected a whole number~",
                "steps: 20 | steps: 20.5 | recipe.steps | ~'20.5', expected a whole number~",
                "steps: 20 | steps: 1e-3 | recipe.steps | ~'1e-3', expected a whole number~",
                "steps: 20 | steps: .nan | recipe.steps | ~'.nan', expected a whole number~",
                "steps: 20 | steps: .inf | recipe.steps | ~'.inf', expected a whole number~",
                "deviation: 0.2 | deviation: .inf | points.deviation | ~'.inf', expected a finite number~",
                "deviation: 0.2 | deviation: -.INF | points.deviation | ~'-.INF', expected a finite number~",
                "deviation: 0.2 | deviation: .NaN | points.deviation | ~'.NaN', expected a finite number~",
                "deviation: 0.2 | deviation: 1e400 | points.deviation | ~'1e400', expected a finite number~",
                "deviation: 0.2 | deviation: '.2' | points.deviation | ~'.2', expected a finite number~",
                "deviation: 0.2 | deviation: 0,2 | points.deviation | ~'0,2', expected a finite number~",
                "identity: true | identity: yes | data.identity | ~'yes', expected true or false~",
                "identity: true | identity: 'true' | data.identity | ~'true', expected true or false~",
                "deviation: 0.2 | deviation: *steps | points.deviation | ~is the alias *steps; write the value itself~",
            })
    void whatIsNearlyAValueIsRefused(String old, String now, String key, String problem) {
        assertThat(refusal(replaced(old, now), Map.of()))
                .contains("key '" + key + "'")
                .endsWith(problem);
    }

    @ParameterizedTest
    @CsvSource({"steps,20.5", "steps,1e-3", "steps,017", "peak,.inf", "peak,1e400", "peak,'1,5'"})
    void soItIsOnTheCommandLine(String key, String value) {
        assertThat(refusal(TASK, Map.of("recipe." + key, value)))
                .contains("key 'recipe." + key + "'")
                .contains(", expected a ");
    }

    @Test
    void tabsAreNamedWhereTheyAre() {
        assertThat(refusal(replaced("  deviation", "\tdeviation"), Map.of()))
                .isEqualTo("task.yaml, line 11: a tab indents; YAML wants spaces");
        assertThat(refusal(replaced("  deviation", "  \tdeviation"), Map.of()))
                .isEqualTo("task.yaml, line 11: a tab indents; YAML wants spaces");
        assertThat(refusal(replaced("steps: 20", "steps:\t20"), Map.of()))
                .isEqualTo("task.yaml, line 13: a tab separates; give a space");
        assertThat(refusal(replaced("steps: 20", "steps: 20: 3"), Map.of()))
                .isEqualTo("task.yaml, line 13: mapping values are not allowed here");
        assertThat(refusal(replaced("[2, 2, 2]", "`2`"), Map.of()))
                .isEqualTo("task.yaml, line 3: found character '`' that cannot start any token");
    }

    @Test
    void filesInOtherEncodingsAreNamed() throws IOException {
        Path file = folder.resolve("task.yaml");
        Files.writeString(file, "\uFEFF" + TASK.replace("\n", "\r\n"));
        assertThat(TaskFile.read(file, Map.of())).isEqualTo(parse(TASK));
        Files.write(file, ("\uFEFF" + TASK).getBytes(StandardCharsets.UTF_16LE));
        assertThatThrownBy(() -> TaskFile.read(file, Map.of()))
                .hasMessageStartingWith(file + ": not UTF-8: it looks like UTF-16");
        Files.write(file, ("# na\u00efve\n" + TASK).getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> TaskFile.read(file, Map.of()))
                .hasMessageStartingWith(
                        file + ": not UTF-8: line 1, byte 4 of the file is 0xEF; it looks like ISO-8859-1");
    }

    /** The line is where the group of keys ends, or where the value stands. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "steps: 0 | recipe.steps is 0, expected 1 to 2147483647",
                "batch: 1 | recipe.batch is 1, expected 2 to 1000000",
                "peak: -0.001 | recipe.peak is -0.001, expected a positive number",
                "constant: 0 | recipe.constant is 0.0, expected a positive number",
                "radius: 5 | recipe.radius is 5.0, expected at most 4",
                "factors: 0 | recipe.factors is 0, expected 1 to 1024",
                "transport: -1 | recipe.transport is -1.0, expected 0 or a positive number",
                "beta: 0 | recipe.beta is 0.0, expected a positive number",
                "ramp: 1 | recipe.ramp is 1.0, expected 0 or more, below 1",
                "scale: 0 | recipe.scale is 0.0, expected a positive number",
                "block: 0 | recipe.block is 0, expected 1 to 8192",
                "clip: 0 | recipe.clip is 0.0, expected a positive number",
                "width: 0 | recipe.width is 0, expected 1 to 8192",
                "depth: 65 | recipe.depth is 65, expected 1 to 64",
            })
    void aRecipeThatCannotBeIsRefusedWithItsLine(String value, String message) {
        assertThat(refusal(replaced("steps: 20", value), Map.of()))
                .startsWith("task.yaml, line 1")
                .contains("key 'recipe'")
                .endsWith(message);
        String[] parts = value.split(": ", -1);
        assertThat(refusal(TASK, Map.of("recipe." + parts[0], parts[1]))).endsWith(message);
    }

    @Test
    void aMisspeltKeyIsNamedWithItsLineAndWhatIsAllowed() {
        assertThat(refusal(replaced("activation:", "activaton:"), Map.of()))
                .isEqualTo("task.yaml, line 4: key 'network.activaton' is unknown; allowed here: "
                        + "activation, biases, checkpoint, ignore, model, names, start, transformer, widths");
        assertThat(refusal(replaced("points:", "point:"), Map.of()))
                .startsWith(
                        "task.yaml, line 10: key 'point' is unknown; allowed here: action, data, fresh, group, name, ");
        String named = replaced("  widths: [2, 2, 2]", "  checkpoint: a\n  names:\n  - weight: w\n    bais: b");
        assertThat(refusal(named, Map.of()))
                .isEqualTo("task.yaml, line 6: key 'network.names[0].bais' is unknown; "
                        + "allowed here: bias, transposed, weight");
    }

    @Test
    void aWrongTypeIsNamedWithItsLineAndWhatIsExpected() {
        assertThat(refusal(replaced("steps: 20", "steps: many"), Map.of()))
                .isEqualTo("task.yaml, line 13: key 'recipe.steps' has the value 'many', expected a whole number");
        assertThat(refusal(replaced("deviation: 0.2", "deviation: wide"), Map.of()))
                .isEqualTo("task.yaml, line 11: key 'points.deviation' has the value 'wide', expected a finite number");
        assertThat(refusal(replaced("widths: [2, 2, 2]", "widths: 2"), Map.of()))
                .startsWith("task.yaml, line 3: key 'network.widths'")
                .endsWith("expected a list");
        assertThat(refusal(replaced("  all: true", "  all: perhaps"), Map.of()))
                .startsWith("task.yaml, line 9: key 'support.all'")
                .endsWith("expected true or false");
    }

    @Test
    void anUnknownNameListsTheKnownOnes() {
        assertThat(refusal(replaced("start: identity", "start: trained"), Map.of()))
                .isEqualTo("task.yaml, line 5: key 'network.start' has the value 'trained'; "
                        + "allowed: random, identity, student");
    }

    @Test
    void twoNetworksAreRefused() {
        assertThat(refusal(replaced("  widths:", "  checkpoint: a.safetensors\n  widths:"), Map.of()))
                .startsWith("task.yaml, line ")
                .contains("key 'network'")
                .endsWith("network: exactly one of 'model', 'transformer', 'checkpoint' and 'widths' must be given");
    }

    @Test
    void impossibleValuesAreRefused() {
        assertThat(refusal(replaced("deviation: 0.2", "deviation: -1"), Map.of()))
                .contains("key 'points'")
                .endsWith("points: deviation must be positive, got -1.0");
        assertThat(refusal(replaced("  all: true", "  all: true\n  unit: [0, 0]"), Map.of()))
                .endsWith("support: exactly one of 'all', 'tensors' and 'unit' must be given");
    }

    @Test
    void aMissingPartIsNamed() {
        assertThat(refusal(replaced("data:\n  identity: true\n", ""), Map.of())).endsWith("'data' is missing");
        assertThat(refusal(replaced("support:\n  all: true\n", ""), Map.of()))
                .endsWith("exactly one of 'support' and 'site' must be given");
        assertThat(refusal("", Map.of())).isNotBlank();
        assertThat(refusal("null", Map.of())).isNotBlank();
        assertThat(refusal("- a\n- b\n", Map.of())).isNotBlank();
    }

    @Test
    void duplicateKeysAreRefused() {
        assertThat(refusal(replaced("  steps: 20", "  steps: 20\n  steps: 30"), Map.of()))
                .startsWith("task.yaml, line 14")
                .contains("steps");
    }

    @Test
    void brokenYamlIsOneLine() {
        assertThat(refusal(replaced("[2, 2, 2]", "[2, 2, 2"), Map.of())).startsWith("task.yaml, line ");
    }

    @Test
    void overridesReplaceAndAdd() {
        Task task =
                TaskFile.parse("task.yaml", TASK, Map.of("recipe.steps", "7", "group.generators", "2", "name", "b"));

        assertThat(task.name()).isEqualTo("b");
        assertThat(Recipes.of(task).steps()).isEqualTo(7);
        assertThat(TaskFile.write(task)).contains("generators: 2");
    }

    @Test
    void initialWeightsOfAConjugatedActionAreRefused() {
        assertThat(refusal(TASK, Map.of("action", "conjugated", "recipe.initialization", "he")))
                .endsWith(
                        "recipe: 'initialization' goes with the action 'displacement'; a conjugated action has one of its own");
    }

    @Test
    void anUnknownOverrideIsNamedWithWhatIsAllowed() {
        assertThat(refusal(TASK, Map.of("recipe.stepz", "7")))
                .contains("key 'recipe.stepz' is unknown; allowed here: adaptive, base, batch, ", "steps");
        assertThat(refusal(TASK, Map.of("name.first", "7")))
                .isEqualTo("task.yaml: --set name.first=7: 'name' is a value, not a group of keys");
        assertThat(refusal(TASK, Map.of("recipe.steps", "many")))
                .contains("key 'recipe.steps' has the value 'many', expected a whole number");
        assertThat(refusal(TASK, Map.of("recipe.steps", "[1")))
                .isEqualTo("task.yaml: --set recipe.steps=[1: the value is no YAML");
        assertThat(refusal(TASK, Map.of("recipe.steps", "")))
                .isEqualTo("task.yaml: --set recipe.steps=: the value is empty");
    }

    @Test
    void anAbsentFileIsNamed() {
        Path file = Path.of("absent.yaml");
        assertThatThrownBy(() -> TaskFile.read(file, Map.of()))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage("absent.yaml: no such file");
    }

    static Stream<Path> examples() throws IOException {
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void whatIsWrittenIsReadBack(Path file) throws IOException {
        Task task = TaskFile.read(file, Map.of());
        Task resolved = task.resolved(EXAMPLES);

        assertThat(file.getFileName()).hasToString(task.name() + ".yaml");
        assertThat(TaskFile.parse("written", TaskFile.write(task), Map.of())).isEqualTo(task);
        assertThat(TaskFile.parse("written", TaskFile.write(resolved), Map.of()))
                .isEqualTo(resolved);
        assertThat(Recipes.of(resolved)).isEqualTo(Recipes.of(task));
    }

    @ParameterizedTest
    @CsvSource({
        "DISPLACEMENT, default, , ",
        "DISPLACEMENT, paper-base, , ",
        "DISPLACEMENT, paper-strong, 2e-4, ",
        "DISPLACEMENT, paper-strong, , 4",
        "CONJUGATED, default, , 4"
    })
    void aResolvedTaskStatesEveryNumberOfItsRecipe(
            String action, String base, @Nullable String constant, @Nullable String clip) throws IOException {
        Map<String, String> changes = new LinkedHashMap<>(Map.of("action", action, "recipe.base", base));
        if (constant != null) {
            changes.put("recipe.constant", constant);
        }
        if (clip != null) {
            changes.put("recipe.clip", clip);
        }
        Task task = TaskFile.read(EXAMPLES.resolve("linear.yaml"), changes);

        Task resolved = task.resolved(EXAMPLES);

        assertThat(Recipes.of(resolved)).isEqualTo(Recipes.of(task));
        assertThat(resolved.recipe())
                .extracting("base", "steps", "clip")
                .containsExactly(null, 15_000, clip != null ? 4.0 : action.equals("CONJUGATED") ? 1.0 : 10.0);
        assertThat(resolved.resolved(EXAMPLES)).isEqualTo(resolved);
    }

    @ParameterizedTest
    @CsvSource({"DISPLACEMENT, ADAM", "DISPLACEMENT, SOAP", "CONJUGATED, ADAM", "CONJUGATED, SOAP"})
    void aTaskThatEndsEarlyKeepsItsOptimizer(String action, OptimizerKind optimizer) throws IOException {
        Map<String, String> changes = Map.of(
                "action",
                action,
                "recipe.stop.margin",
                "2",
                "recipe.optimizer",
                optimizer.name()); // whose default is SOAP
        Task task = TaskFile.read(EXAMPLES.resolve("linear.yaml"), changes);

        Task resolved = task.resolved(EXAMPLES);

        assertThat(Recipes.of(resolved).optimizer().kind()).isEqualTo(optimizer);
        assertThat(Recipes.of(resolved)).isEqualTo(Recipes.of(task));
    }

    @ParameterizedTest
    @CsvSource({"SOAP, 64", "SOAP, 256", "ADAM, 64", "ADAM, 256"})
    void aResolvedTaskKeepsItsOptimizer(OptimizerKind optimizer, int block) throws IOException {
        Task task = TaskFile.read(
                EXAMPLES.resolve("linear.yaml"),
                Map.of("recipe.optimizer", optimizer.toString(), "recipe.block", Integer.toString(block)));

        assertThat(Recipes.of(task).optimizer()).isEqualTo(OptimizerChoice.of(optimizer, block));
        assertThat(Recipes.of(task.resolved(EXAMPLES))).isEqualTo(Recipes.of(task));
    }
}
