package org.isoloss.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.SparkException;
import org.isoloss.sweep.FitAndEvaluation;
import org.isoloss.sweep.Sweep;
import org.isoloss.sweep.SweepFolder;
import org.isoloss.sweep.SweepRow;
import org.isoloss.sweep.SweepRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweepTaskTest {
    private static final Path SWEEP =
            Path.of("..", "examples", "sweeps", "linear.yaml").toAbsolutePath().normalize();

    @TempDir
    Path folder;

    private static SweepTask sent(SweepTask task) throws IOException, ClassNotFoundException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(task);
        }
        try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (SweepTask) in.readObject();
        }
    }

    @Test
    void aTaskThatWasSentMakesTheFitOfOneMachine() throws Exception {
        Path out = folder.resolve("cluster");
        SweepTask task = sent(new SweepTask(new SweepOptions(SWEEP, out, false, false)));

        SweepRow made = SweepRow.fromJson(task.call(3), "the row of the worker");

        Sweep sweep = Sweep.read(SWEEP);
        Path alone = folder.resolve("alone");
        SweepRun run = new SweepRun(sweep, SweepFolder.join(alone, sweep), new FitAndEvaluation());
        assertThat(made).isEqualTo(run.make(3, steps -> {}));
        assertThat(made.errors()).containsKey("output");
        assertThat(out.resolve("fits/3/action.safetensors"))
                .hasSameBinaryContentAs(alone.resolve("fits/3/action.safetensors"));
        assertThat(Files.readString(out.resolve("fits/3/row.json"))).isEqualTo(made.toJson() + "\n");
    }

    @Test
    void whatFailedOnAWorkerIsOneLine() {
        var failure = new SparkException(
                "Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most recent failure: Lost task 0.3 in stage 0.0"
                        + " (TID 3) (host executor 0): java.lang.IllegalArgumentException: the kernel is another\n\tat a.b(C.java:1)");

        assertThat(SparkSweep.describe(failure)).isEqualTo("the kernel is another");
        assertThat(SparkSweep.describe(new IOException("no space: left\nmore"))).isEqualTo("no space: left");
    }
}
