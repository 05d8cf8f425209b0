package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.isoloss.action.TrainedAction;
import org.isoloss.checkpoint.SafetensorsFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointSelectionTest {
    private static final Recipe RECIPE = TinyFit.recipe(1_700, 8);

    @TempDir
    Path folder;

    private static Training training() {
        return new Training(TinyFit.linear(Group.ONE_GENERATOR), ObjectiveKind.HYBRID, RECIPE, 1);
    }

    private Fit fit(String run) throws IOException {
        return Fit.of(training(), RECIPE, RunDirectory.create(folder.resolve(run), "name: x\n", 1))
                .savedEvery(400);
    }

    /** Errors handed out in the order of the candidates: after 500, 1000, 1500 and all 1700 steps. */
    private static Validation errors(List<TrainedAction> seen, double... errors) {
        return action -> {
            seen.add(action);
            return errors[seen.size() - 1];
        };
    }

    private static void assertSame(TrainedAction action, TrainedAction expected) {
        for (int i = 0; i < expected.weights().size(); i++) {
            assertThat(action.weights().get(i))
                    .containsExactly(expected.weights().get(i));
        }
        assertThat(action.generators().get(0).entries())
                .containsExactly(expected.generators().get(0).entries());
    }

    @ParameterizedTest(name = "the least error is that of candidate {0}")
    @ValueSource(ints = {0, 1, 2, 3})
    void theCandidateWithTheLeastErrorIsTheResult(int best) throws IOException {
        double[] errors = {4, 4, 4, 4};
        errors[best] = 3;
        List<TrainedAction> seen = new ArrayList<>();
        fit("run").selectedBy(Optional.of(errors(seen, errors))).run((step, steps, loss) -> {});

        RunDirectory run = RunDirectory.open(folder.resolve("run"));
        assertThat(seen).hasSize(4);
        assertSame(run.action(), seen.get(best));
        assertThat(run.selected()).isEmpty();
        try (SafetensorsFile file = SafetensorsFile.open(folder.resolve("run/action.safetensors"))) {
            assertThat(file.metadata())
                    .containsEntry(
                            "selected_step",
                            List.of("500", "1000", "1500", "1700").get(best))
                    .containsEntry("validation_error", "3.0");
        }
    }

    @Test
    void ofEqualErrorsTheEarlierCountsAndNotANumberNever() throws IOException {
        List<TrainedAction> seen = new ArrayList<>();
        fit("run")
                .selectedBy(Optional.of(errors(seen, Double.NaN, 2, 2, Double.POSITIVE_INFINITY)))
                .run((step, steps, loss) -> {});

        assertSame(RunDirectory.open(folder.resolve("run")).action(), seen.get(1));
        assertThat(Files.readString(folder.resolve("run/metrics.jsonl"))
                        .lines()
                        .filter(line -> line.contains("validation")))
                .hasSize(2)
                .allMatch(line -> line.contains("\"step\": 1000,") || line.contains("\"step\": 1500,"));
    }

    @Test
    void withoutASelectionTheLastWeightsAreTheResult() throws IOException {
        Training training = training();
        Fit.of(training, RECIPE, RunDirectory.create(folder.resolve("run"), "name: x\n", 1))
                .run((step, steps, loss) -> {});

        assertSame(RunDirectory.open(folder.resolve("run")).action(), training.action());
    }

    /** Killed between the candidate and the next saved state, it meets the candidate again. */
    @ParameterizedTest(name = "interrupted after {0} steps")
    @ValueSource(ints = {490, 500, 501, 999, 1100, 1600, 1699})
    void anInterruptedFitSelectsTheSameBytes(int last) throws IOException {
        Validation validation = action -> Math.abs(action.weights().getFirst()[0] - 0.3);
        Fit whole = fit("whole").selectedBy(Optional.of(validation));
        whole.run((step, steps, loss) -> {});
        assertThatThrownBy(() -> fit("broken")
                        .selectedBy(Optional.of(validation))
                        .run((step, steps, loss) -> {
                            if (step == last) {
                                throw new IllegalStateException("interrupted");
                            }
                        }))
                .hasMessage("interrupted");
        assertThat(folder.resolve("broken/action.safetensors")).doesNotExist();
        fit("broken").selectedBy(Optional.of(validation)).run((step, steps, loss) -> {});

        for (String file : List.of("action.safetensors", "checkpoint.safetensors", "metrics.jsonl")) {
            assertThat(folder.resolve("broken").resolve(file))
                    .hasSameBinaryContentAs(folder.resolve("whole").resolve(file));
        }
        fit("broken").selectedBy(Optional.of(validation)).run((step, steps, loss) -> {}); // finished: nothing changes
        assertThat(folder.resolve("broken/action.safetensors"))
                .hasSameBinaryContentAs(folder.resolve("whole/action.safetensors"));
        assertThat(folder.resolve("broken/selected.safetensors")).doesNotExist();
    }
}
