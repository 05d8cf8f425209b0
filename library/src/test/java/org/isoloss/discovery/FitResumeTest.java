package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A fit that is interrupted and goes on writes the bytes that it would have written otherwise. */
class FitResumeTest {
    private static final List<String> FILES =
            List.of("task.yaml", "action.safetensors", "checkpoint.safetensors", "metrics.jsonl");

    private static final Recipe RECIPE = TinyFit.recipe(130, 12);
    private static final int EVERY = 20;

    @TempDir
    Path folder;

    private static final class Interruption extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static Fit.Outcome fit(Path run, long seed, Fit.Progress progress) throws IOException {
        Training training = new Training(TinyFit.linear(Group.ONE_GENERATOR), ObjectiveKind.HYBRID, RECIPE, seed);
        return Fit.of(training, RECIPE, RunDirectory.create(run, "name: x\n", seed))
                .savedEvery(EVERY)
                .run(progress);
    }

    private static Path uninterrupted(Path run, long seed) throws IOException {
        assertThat(fit(run, seed, (step, steps, loss) -> {}).stop()).isEqualTo(Fit.Stop.FINISHED);
        return run;
    }

    private static void assertSameBytes(Path first, Path second) throws IOException {
        for (String file : FILES) {
            assertThat(second.resolve(file)).hasSameBinaryContentAs(first.resolve(file));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void anInterruptedFitGoesOnAsIfNothingHadHappened(long seed) throws IOException {
        Path whole = uninterrupted(folder.resolve("whole"), seed);
        Path broken = folder.resolve("broken");
        SplittableRandom random = new SplittableRandom(seed);
        for (int interruption = 0; interruption < 2; interruption++) {
            int last = random.nextInt(EVERY + 1, RECIPE.steps());
            try {
                fit(broken, seed, (step, steps, loss) -> {
                    if (step == last) {
                        throw new Interruption();
                    }
                });
            } catch (Interruption e) {
                assertThat(broken.resolve("checkpoint.safetensors")).exists();
                assertThat(broken.resolve("action.safetensors")).doesNotExist();
            }
        }
        uninterrupted(broken, seed);

        assertSameBytes(whole, broken);
    }

    @Test
    void metricsBehindTheLastStateAndTornLinesAreWrittenAgain() throws IOException {
        Path whole = uninterrupted(folder.resolve("whole"), 5);
        Path broken = folder.resolve("broken");
        assertThatThrownBy(() -> fit(broken, 5, (step, steps, loss) -> {
                    if (step == 90) {
                        throw new Interruption();
                    }
                }))
                .isInstanceOf(Interruption.class);
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
