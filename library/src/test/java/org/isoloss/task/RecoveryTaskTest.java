package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.isoloss.affine.Architecture;
import org.isoloss.affine.HiddenActivation;
import org.isoloss.affine.Recovery;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RecoveryTaskTest {
    private static final Path EXAMPLES = Path.of("..", "examples", "recover");

    private static final String TASK = """
            name: small
            network:
              widths: [2, 3, 3, 2]
              activation: [relu, identity]
              biases: [true, true, false]
            seeds: [7]
            solver: graded
            sampling:
              vectors: 16
              weightScale: 2.0
            """;

    static Stream<Path> examples() throws IOException {
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void examplesAreRead(Path file) throws IOException {
        RecoveryTask task = RecoveryTask.read(file, Map.of());
        assertThat(file.getFileName()).hasToString(task.name() + ".yaml");
        assertThat(task.network().architecture().parameterCount()).isBetween(8, 1_184);
    }

    @Test
    void everyKeyReachesTheQuestion() throws IOException {
        RecoveryTask task = TaskFile.parse("task.yaml", TASK, Map.of(), RecoveryTask.class);
        assertThat(task.network().architecture().activations())
                .containsExactly(HiddenActivation.RELU, HiddenActivation.IDENTITY);
        assertThat(task.network().architecture().biased()).containsExactly(true, true, false);
        Recovery recovery = task.question(null).recover();
        assertThat(recovery.dimension()).hasValue(3 + 9);
        assertThat(recovery.sampling().vectors()).isEqualTo(16);
        assertThat(recovery.sampling().inputsPerVector()).isEqualTo(4);
        assertThat(recovery.sampling().weightScale()).isEqualTo(2);
        assertThat(recovery.extractions()).singleElement().satisfies(extraction -> {
            assertThat(extraction.seed()).isEqualTo(7);
            assertThat(extraction.solver()).hasToString("GRADED");
        });
    }

    /** The number of vectors that is stated is used by either solver; where none is, each has its own. */
    @ParameterizedTest
    @CsvSource({"graded, 40, 40", "dense, 40, 40", "graded, , 8", "dense, , 512"})
    void statedVectorsAreUsed(String solver, @Nullable Integer stated, int used) {
        RecoveryTask task = TaskFile.parse(
                "task.yaml",
                "name: a\nnetwork:\n  widths: [2, 1, 1]\n  activation: relu\nseeds: [1]\nsolver: %s\n%s"
                        .formatted(solver, stated == null ? "" : "sampling:\n  vectors: " + stated + "\n"),
                Map.of(),
                RecoveryTask.class);
        Recovery recovery = task.question(null).recover();
        assertThat(recovery.sampling().vectors()).isEqualTo(used);
        assertThat(recovery.extractions().getFirst().vectors()).isEqualTo(used);
    }

    @Test
    void oneValueStandsForAllLayers() {
        RecoveryTask task = TaskFile.parse(
                "task.yaml",
                "name: a\nnetwork:\n  widths: [2, 2, 2, 1]\n  activation: x^2\n  biases: true\n",
                Map.of("network.activation", "tanh"),
                RecoveryTask.class);
        assertThat(task.network().architecture())
                .isEqualTo(Architecture.of(HiddenActivation.named("tanh"), true, 2, 2, 2, 1));
        assertThat(TaskFile.parse("task.yaml", "name: a\nnetwork:\n  widths: [2, 2]\n", Map.of(), RecoveryTask.class)
                        .network()
                        .architecture()
                        .biased())
                .containsExactly(false);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "widths; wdths; task.yaml, line 3: key 'network.wdths' is unknown; allowed here: activation, biases, widths",
                "[2, 3, 3, 2]; [2]; network: widths must be at least two numbers from 1 to 4096, got [2]",
                "[relu, identity]; [relu, tanh, tanh]; network: 3 activations for 2 hidden layers, expected one or one for each",
                "[true, true, false]; [true, true]; network: 2 bias flags for 3 layers, expected one or one for each",
                "graded; sparse; task.yaml, line 7: key 'solver' has the value 'sparse'; allowed: dense, graded",
                "[7]; []; seeds must name at least one seed",
                "small; a b; name must be letters, digits and hyphens, got 'a b'"
            })
    void wrongValuesAreRefused(String old, String now, String message) {
        assertThatThrownBy(() -> TaskFile.parse("task.yaml", TASK.replace(old, now), Map.of(), RecoveryTask.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void activationsAreFoundWhenTheQuestionIsAsked() {
        RecoveryTask task = TaskFile.parse("task.yaml", TASK.replace("relu", "rellu"), Map.of(), RecoveryTask.class);
        assertThatThrownBy(() -> task.question(null))
                .hasMessageStartingWith("activation \"rellu\" is not known; use one of");
    }

    @Test
    void missingFilesAreNamed() {
        assertThatThrownBy(() -> RecoveryTask.read(Path.of("nowhere.yaml"), Map.of()))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage("nowhere.yaml: no such file");
    }
}
