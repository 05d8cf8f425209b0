package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A fit that is interrupted and goes on writes the bytes that it would have written otherwise. */
class FitResumeTest {
    private static final List<String> FILES =
            List.of("task.yaml", "action.safetensors", "checkpoint.safetensors", "metrics.jsonl");

    private static final int STEPS = 130;
    private static final int EVERY = 20;

    @TempDir
    Path folder;

    private static final class Interruption extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static Fit.Outcome fit(Path run, long seed, OptimizerKind optimizer, Fit.Progress progress)
            throws IOException {
        Recipe recipe = TinyFit.recipe(STEPS, 12, optimizer);
        Training training = new Training(TinyFit.linear(Group.ONE_GENERATOR), ObjectiveKind.HYBRID, recipe, seed);
        return Fit.of(training, recipe, RunDirectory.create(run, "name: x\n", seed))
                .savedEvery(EVERY)
                .run(progress);
    }

    private static Path uninterrupted(Path run, long seed) throws IOException {
        return uninterrupted(run, seed, OptimizerKind.ADAM);
    }

    private static Path uninterrupted(Path run, long seed, OptimizerKind optimizer) throws IOException {
        assertThat(fit(run, seed, optimizer, (step, steps, loss) -> {}).stop()).isEqualTo(Fit.Stop.FINISHED);
        return run;
    }

    /** Stops a fit after a step, beyond its last saved state. */
    private static void interrupt(Path run, long seed, OptimizerKind optimizer, int last) {
        assertThatThrownBy(() -> fit(run, seed, optimizer, (step, steps, loss) -> {
                    if (step == last) {
                        throw new Interruption();
                    }
                }))
                .isInstanceOf(Interruption.class);
        assertThat(run.resolve("checkpoint.safetensors")).exists();
        assertThat(run.resolve("action.safetensors")).doesNotExist();
    }

    private static void assertSameBytes(Path first, Path second) throws IOException {
        for (String file : FILES) {
            assertThat(second.resolve(file)).hasSameBinaryContentAs(first.resolve(file));
        }
    }

    @ParameterizedTest(name = "seed {0}, {1}")
    @CsvSource({"1, ADAM", "2, ADAM", "3, SOAP"})
    void anInterruptedFitGoesOnAsIfNothingHadHappened(long seed, OptimizerKind optimizer) throws IOException {
        Path whole = uninterrupted(folder.resolve("whole"), seed, optimizer);
        Path broken = folder.resolve("broken");
        SplittableRandom random = new SplittableRandom(seed);
        int first = random.nextInt(EVERY + 1, STEPS / 2);
        interrupt(broken, seed, optimizer, first);
        interrupt(broken, seed, optimizer, random.nextInt(STEPS / 2, STEPS));
        List<Integer> steps = new ArrayList<>();
        fit(broken, seed, optimizer, (step, all, loss) -> steps.add(step));

        assertThat(steps).as("steps that were not done again").hasSizeLessThanOrEqualTo(STEPS / 2 + EVERY);
        assertThat(steps.getLast()).isEqualTo(STEPS);
        assertSameBytes(whole, broken);
    }

    /** What a state may have wrong: each must show in the result, or the bytes of a resumed fit would prove nothing. */
    enum Mistake {
        STEP,
        WEIGHTS,
        FIRST_MOMENTS,
        SECOND_MOMENTS,
        BASES;

        TrainingState in(TrainingState state) {
            return new TrainingState(
                    state.kernel(),
                    this == STEP ? state.step() - 1 : state.step(),
                    this == WEIGHTS ? nudged(state.weights()) : state.weights(),
                    this == FIRST_MOMENTS ? new double[state.firstMoments().length] : state.firstMoments(),
                    this == SECOND_MOMENTS ? new double[state.secondMoments().length] : state.secondMoments(),
                    this == BASES ? nudged(state.bases()) : state.bases());
        }

        private static List<double[]> nudged(List<double[]> arrays) {
            return arrays.stream()
                    .map(array -> DoubleStream.of(array).map(x -> 1.001 * x).toArray())
                    .toList();
        }
    }

    @ParameterizedTest
    @EnumSource(Mistake.class)
    void aStateWithAMistakeGivesOtherBytes(Mistake mistake) throws IOException {
        Path whole = uninterrupted(folder.resolve("whole"), 3, OptimizerKind.SOAP);
        Path broken = folder.resolve("broken");
        interrupt(broken, 3, OptimizerKind.SOAP, 50);
        RunDirectory run = RunDirectory.open(broken);
        run.save(mistake.in(run.state().orElseThrow()));
        uninterrupted(broken, 3, OptimizerKind.SOAP);

        assertThatThrownBy(() -> assertSameBytes(whole, broken))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("action.safetensors");
    }

    @Test
    void aStateOfAnotherKernelIsRefused() throws IOException {
        Path broken = folder.resolve("broken");
        interrupt(broken, 3, OptimizerKind.SOAP, 50);
        RunDirectory run = RunDirectory.open(broken);
        TrainingState state = run.state().orElseThrow();
        run.save(new TrainingState(
                "libother.so",
                state.step(),
                state.weights(),
                state.firstMoments(),
                state.secondMoments(),
                state.bases()));

        assertThatThrownBy(() -> uninterrupted(broken, 3, OptimizerKind.SOAP))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the training was begun with the matrix products of libother.so")
                .hasMessageEndingWith("or begin anew in another folder");
    }

    @Test
    void metricsBehindTheLastStateAndTornLinesAreWrittenAgain() throws IOException {
        Path whole = uninterrupted(folder.resolve("whole"), 5);
        Path broken = folder.resolve("broken");
        interrupt(broken, 5, OptimizerKind.ADAM, 90);
        Path metrics = broken.resolve("metrics.jsonl");
        Files.writeString(metrics, Files.readString(metrics) + "{\"step\": 100, \"loss\": 1}\n{\"step\": 1");
        uninterrupted(broken, 5);

        assertSameBytes(whole, broken);
    }

    @Test
    void anotherSeedGivesOtherBits() throws IOException {
        Path one = uninterrupted(folder.resolve("one"), 1);
        Path other = uninterrupted(folder.resolve("other"), 2);

        assertThat(RunDirectory.open(other).action().weights().getFirst())
                .isNotEqualTo(RunDirectory.open(one).action().weights().getFirst());
    }

    @Test
    void twoThreadsGiveTheBitsOfOne() throws Exception {
        Path alone = uninterrupted(folder.resolve("alone"), 7);
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            List<Callable<Path>> fits = List.of(
                    () -> uninterrupted(folder.resolve("left"), 7), () -> uninterrupted(folder.resolve("right"), 7));
            for (var fit : pool.invokeAll(fits)) {
                assertSameBytes(alone, fit.get());
            }
        }
    }
}
