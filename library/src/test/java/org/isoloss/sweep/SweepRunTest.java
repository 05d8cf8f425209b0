package org.isoloss.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.isoloss.linalg.GemmKernel;
import org.isoloss.sweep.SweepRow.Outcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweepRunTest {
    private static final String SWEEP = """
            name: planted
            task: small.yaml
            vary: {points.deviation: [0.1, 0.2, 0.3]}
            seeds: [1, 2]
            """;

    @TempDir
    Path folder;

    private final List<Integer> asked = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void writeTask() throws IOException {
        Files.writeString(folder.resolve("small.yaml"), SweepTest.TASK);
    }

    private Sweep sweep(String text) throws IOException {
        return Sweep.read(Files.writeString(folder.resolve("sweep.yaml"), text));
    }

    private SweepRun run(SweepWork work) throws IOException {
        Sweep sweep = sweep(SWEEP);
        return new SweepRun(sweep, SweepFolder.join(folder.resolve("out"), sweep), (fit, run, progress) -> {
            asked.add(fit.number());
            return work.make(fit, run, progress);
        });
    }

    /** Errors that follow from the fit, so that a row in the wrong place is seen. */
    private static SweepRow planted(SweepFit fit) {
        Map<String, Double> errors = Map.of("output", fit.task().points().deviation() * fit.seed());
        return new SweepRow(fit.number(), fit.labels(), Outcome.FITS, 20, errors, List.of(), "", Map.of());
    }

    @Test
    void everyFitIsMadeOnceAndRowsAreInOrderWhateverTheThreads() throws Exception {
        SweepRun run = run((fit, path, progress) -> planted(fit));
        AtomicLong steps = new AtomicLong();

        List<SweepRow> rows = run.make(run.missing(), 3, steps::addAndGet);

        assertThat(asked).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6);
        assertThat(rows).extracting(SweepRow::fit).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(rows.get(5).errors()).containsEntry("output", 0.6);
        assertThat(run.rows()).as("as the files have it").isEqualTo(rows);
        assertThat(steps).as("the steps that a fit spares count too").hasValue(6 * 20);
        assertThat(run.missing()).isEmpty();
    }

    @Test
    void whatIsDoneStaysAndWhatFailedIsTriedAgain() throws Exception {
        SweepRun first = run((fit, path, progress) -> switch (fit.number()) {
            case 2 -> SweepRow.failed(fit, "no such file");
            case 3 ->
                new SweepRow(
                        3, fit.labels(), Outcome.DIVERGED, 4, Map.of(), List.of(), "the loss became NaN", Map.of());
            default -> planted(fit);
        });
        first.make(List.of(1, 2, 3), 1, steps -> {});
        asked.clear();

        SweepRun again = run((fit, path, progress) -> planted(fit));
        assertThat(again.missing()).containsExactly(2, 4, 5, 6);
        again.make(List.of(1, 2, 3, 4, 5, 6), 2, steps -> {});

        assertThat(asked).containsExactlyInAnyOrder(2, 4, 5, 6);
        assertThat(new SweepTable(again.sweep(), again.rows()).failed())
                .extracting(SweepRow::fit)
                .containsExactly(3);
    }

    @Test
    void aFullDiskEndsTheSweepAndTheRestGoesOnLater() throws Exception {
        SweepRun full = run((fit, path, progress) -> {
            if (fit.number() == 3) {
                throw new IOException("no space left on device");
            }
            return planted(fit);
        });
        assertThatThrownBy(() -> full.make(full.missing(), 1, steps -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage("no space left on device");
        assertThat(asked).as("none begins after it").containsExactly(1, 2, 3);
        assertThat(full.missing()).containsExactly(3, 4, 5, 6);
    }

    @Test
    void twoWorkersAtTheSameFitMakeItOnce() throws Exception {
        var begun = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        SweepRun run = run((fit, path, progress) -> {
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return planted(fit);
        });
        try (ExecutorService workers = Executors.newFixedThreadPool(2)) {
            Future<SweepRow> one = workers.submit(() -> run.make(5, steps -> {}));
            begun.await();
            Future<SweepRow> other = workers.submit(() -> run.make(5, steps -> {}));
            end.countDown();
            assertThat(other.get()).isEqualTo(one.get());
        }
        assertThat(asked).containsExactly(5);
    }

    @Test
    void aFolderIsOneSweepsAndOneProcesssAtATime() throws Exception {
        SweepRun run = run((fit, path, progress) -> planted(fit));
        Sweep other = sweep(SWEEP.replace("[1, 2]", "[1, 3]"));
        assertThatThrownBy(() -> SweepFolder.join(folder.resolve("out"), other))
                .hasMessageContaining("is of another sweep, or of an earlier state of this one's files");

        try (AutoCloseable _ = run.folder().claimWhole()) {
            assertThatThrownBy(() -> run.folder().claimWhole())
                    .hasMessageContaining("another process is making the sweep in");
        }
        run.folder().claimWhole().close();
    }

    @Test
    void whatIsNoSweepIsLeftAlone() throws Exception {
        Path there = Files.createDirectory(folder.resolve("there"));
        Files.writeString(there.resolve("notes.txt"), "mine");
        Sweep sweep = sweep(SWEEP);
        assertThatThrownBy(() -> SweepFolder.join(there, sweep))
                .hasMessageContaining("holds something other than a sweep, such as notes.txt");
        assertThatThrownBy(() -> SweepFolder.join(there.resolve("notes.txt"), sweep))
                .hasMessageContaining("is a file, expected a folder for the sweep");
        assertThat(there.toFile().list()).containsExactly("notes.txt");
    }

    @Test
    void aWorkerWithAnotherKernelIsRefused() throws Exception {
        Path out = folder.resolve("out");
        Sweep sweep = sweep(SWEEP);
        SweepFolder.join(out, sweep);
        String own = GemmKernel.chosen().name();
        Path pin = out.resolve("sweep.json");
        Files.writeString(
                pin, Files.readString(pin).replace("\"kernel\":\"%s\"".formatted(own), "\"kernel\":\"Elsewhere\""));

        assertThatThrownBy(() -> SweepFolder.join(out, sweep))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the sweep was begun with the kernel 'Elsewhere', here it is '%s'".formatted(own))
                .hasMessageContaining("set OPENBLAS_CORETYPE or ISOLOSS_BLAS");
        assertThatThrownBy(() -> SweepFolder.join(folder.resolve("new"), sweep(SWEEP + "kernel: Elsewhere\n")))
                .hasMessageContaining("the sweep asks for the kernel 'Elsewhere', and '%s' multiplies".formatted(own));
        assertThat(folder.resolve("new")).doesNotExist();
        SweepFolder.join(folder.resolve("new"), sweep(SWEEP + "kernel: %s\n".formatted(own)));
    }

    @Test
    void aRowIsReadBackAndWhatIsNoneIsRefused() {
        var row = new SweepRow(
                3,
                List.of("a \"b\"", "1"),
                Outcome.MISSES,
                7,
                Map.of("output", Double.NaN),
                List.of("output"),
                "",
                Map.of("a.npz", "0f"));
        assertThat(SweepRow.fromJson(row.toJson(), "row.json")).isEqualTo(row);
        assertThatThrownBy(() -> SweepRow.fromJson(row.toJson().replace("steps", "step"), "row.json"))
                .hasMessage("row.json is no row of a sweep; remove it and go on with --resume");
    }
}
