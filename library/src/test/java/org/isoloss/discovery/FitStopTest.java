package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.isoloss.action.TrainedAction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A fit that validation ends when it is good enough. */
class FitStopTest {
    private static final Recipe RECIPE = TinyFit.recipe(1_100, 8, OptimizerKind.SOAP);
    private static final List<String> FILES =
            List.of("action.safetensors", "checkpoint.safetensors", "metrics.jsonl", "task.yaml");

    @TempDir
    Path folder;

    private static Training training() {
        return new Training(TinyFit.linear(Group.ONE_GENERATOR), ObjectiveKind.HYBRID, RECIPE, 1);
    }

    private Fit fit(String run) throws IOException {
        return Fit.of(training(), RECIPE, RunDirectory.create(folder.resolve(run), "name: x\n", 1))
                .savedEvery(400);
    }

    private RunDirectory run(String run) throws IOException {
        return RunDirectory.open(folder.resolve(run));
    }

    /** Errors handed out in the order of the looks. */
    private static Validation errors(List<TrainedAction> seen, double... errors) {
        return action -> {
            seen.add(action);
            return errors[seen.size() - 1];
        };
    }

    private static final double MARGIN = 4;

    /** Good enough, exactly, at the weights after 500 steps: one bit beside them is not. */
    private static Validation soughtAfter500() {
        Training training = training();
        while (training.stepsDone() < 500) {
            training.step();
        }
        double[] sought = training.action().weights().getFirst();
        return action -> {
            double[] weights = action.weights().getFirst();
            double distance = 0;
            for (int i = 0; i < sought.length; i++) {
                distance += Math.abs(weights[i] - sought[i]);
            }
            return distance == 0 ? 1 / MARGIN : 1 + distance;
        };
    }

    private static Fit.Outcome finish(Fit fit) throws IOException {
        return fit.run((step, steps, loss) -> {});
    }

    @ParameterizedTest(name = "the first error within the margin is that of look {0}")
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void theFirstWeightsWithinTheMarginAreTheResult(int look) throws IOException {
        double[] errors = {4, 0.51, 4, Double.NaN, Double.POSITIVE_INFINITY};
        errors[look] = 0.5;
        List<TrainedAction> seen = new ArrayList<>();
        Fit.Outcome outcome = finish(fit("run").stoppedBy(errors(seen, errors), 2));

        int step = List.of(250, 500, 750, 1_000, 1_100).get(look);
        assertThat(outcome)
                .isEqualTo(new Fit.Outcome(Fit.Stop.GOOD_ENOUGH, step, Optional.empty(), OptionalDouble.of(0.5)));
        assertThat(seen).hasSize(look + 1);
        assertThat(run("run").action().weights().getFirst())
                .containsExactly(seen.getLast().weights().getFirst());
        assertThat(run("run").chosen()).contains(new RunDirectory.Chosen(step, 0.5));
        assertThat(run("run").state().orElseThrow().step()).isEqualTo(step);
    }

    @Test
    void aFitThatIsNeverGoodEnoughEndsWithTheBitsOfOneThatNobodyWatched() throws IOException {
        Fit.Outcome outcome = finish(fit("watched").stoppedBy(action -> 0.6, 2));
        finish(fit("alone"));

        assertThat(outcome)
                .isEqualTo(new Fit.Outcome(Fit.Stop.FINISHED, 1_100, Optional.empty(), OptionalDouble.of(0.6)));
        assertThat(run("watched").chosen()).isEmpty();
        for (String file : List.of("action.safetensors", "checkpoint.safetensors")) {
            assertThat(folder.resolve("watched").resolve(file))
                    .hasSameBinaryContentAs(folder.resolve("alone").resolve(file));
        }
        assertThat(Files.readString(folder.resolve("watched/metrics.jsonl"))
                        .lines()
                        .filter(line -> line.contains("\"validation\": 6.000000e-01")))
                .hasSize(4);
    }

    @Test
    void earlyWeightsAreThoseOfAFitThatWentOn() throws IOException {
        Validation judge = soughtAfter500();
        assertThat(finish(fit("early").stoppedBy(judge, MARGIN)).step()).isEqualTo(500);
        Training whole = training();
        while (whole.stepsDone() < 500) {
            whole.step();
        }

        assertThat(run("early").action().weights().getFirst())
                .containsExactly(whole.action().weights().getFirst());
    }

    @ParameterizedTest(name = "interrupted after {0} steps")
    @ValueSource(ints = {100, 399, 400, 401, 499})
    void anInterruptedFitStopsAtTheSameStepWithTheSameBytes(int last) throws IOException {
        Validation judge = soughtAfter500();
        finish(fit("whole").stoppedBy(judge, MARGIN));
        assertThatThrownBy(() -> fit("broken").stoppedBy(judge, MARGIN).run((step, steps, loss) -> {
                    if (step == last) {
                        throw new IllegalStateException("interrupted");
                    }
                }))
                .hasMessage("interrupted");
        assertThat(folder.resolve("broken/action.safetensors")).doesNotExist();
        Fit.Outcome outcome = finish(fit("broken").stoppedBy(judge, MARGIN));

        assertThat(outcome.stop()).isEqualTo(Fit.Stop.GOOD_ENOUGH);
        assertSameBytes();
    }

    @Test
    void killedBetweenItsLastStateAndItsResultItMakesTheSameResult() throws IOException {
        Validation judge = soughtAfter500();
        finish(fit("whole").stoppedBy(judge, MARGIN));
        finish(fit("broken").stoppedBy(judge, MARGIN));
        Files.delete(folder.resolve("broken/action.safetensors"));
        finish(fit("broken").stoppedBy(judge, MARGIN));

        assertSameBytes();
    }

    @Test
    void aFinishedFitEndsAgainAsItDidAndChangesNothing() throws IOException {
        Validation judge = soughtAfter500();
        Fit.Outcome first = finish(fit("whole").stoppedBy(judge, MARGIN));
        finish(fit("broken").stoppedBy(judge, MARGIN));
        List<Integer> steps = new ArrayList<>();
        Fit.Outcome again = fit("broken").stoppedBy(judge, MARGIN).run((step, all, loss) -> steps.add(step));

        assertThat(again).isEqualTo(first);
        assertThat(steps).isEmpty();
        assertSameBytes();
    }

    /** One that is selected as well: the weights that end the fit are better than all before. */
    @Test
    void selectionKeepsTheWeightsThatEndTheFit() throws IOException {
        List<TrainedAction> seen = new ArrayList<>();
        Validation judge = errors(seen, 4, 3, 0.25);
        Fit.Outcome outcome = finish(fit("run").selectedBy(Optional.of(judge)).stoppedBy(judge, 4));

        assertThat(outcome.step()).isEqualTo(750);
        assertThat(run("run").chosen()).contains(new RunDirectory.Chosen(750, 0.25));
        assertThat(folder.resolve("run/selected.safetensors")).doesNotExist();
        assertThat(run("run").action().weights().getFirst())
                .containsExactly(seen.getLast().weights().getFirst());
    }

    private void assertSameBytes() {
        for (String file : FILES) {
            assertThat(folder.resolve("broken").resolve(file))
                    .hasSameBinaryContentAs(folder.resolve("whole").resolve(file));
        }
    }
}
