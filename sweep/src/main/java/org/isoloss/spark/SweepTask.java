package org.isoloss.spark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.api.java.function.Function;
import org.isoloss.sweep.FitAndEvaluation;
import org.isoloss.sweep.Sweep;
import org.isoloss.sweep.SweepFolder;
import org.isoloss.sweep.SweepRun;
import org.isoloss.sweep.SweepWork;

/**
 * Makes one fit on a worker, which reads the sweep itself and joins its folder; there it is refused where its kernel is another.
 */
final class SweepTask implements Function<Integer, String> {
    private static final long serialVersionUID = 1;

    /** One for each sweep that this process works for. */
    private static final Map<String, SweepRun> RUNS = new ConcurrentHashMap<>();

    private final String file;
    private final String out;
    private final boolean empty;

    SweepTask(SweepOptions options) {
        file = options.file().toString();
        out = options.out().toString();
        empty = options.empty();
    }

    @Override
    public String call(Integer number) throws IOException {
        return run().make(number, steps -> {}).toJson();
    }

    /** The sweep in its folder, opened once in a process. */
    SweepRun run() throws IOException {
        String key = "%s in %s, %s".formatted(file, out, empty);
        synchronized (RUNS) {
            SweepRun known = RUNS.get(key);
            if (known == null) {
                Sweep sweep = Sweep.read(Path.of(file));
                SweepWork work = empty ? SweepWork.EMPTY : new FitAndEvaluation();
                known = new SweepRun(sweep, SweepFolder.join(Path.of(out), sweep), work);
                RUNS.put(key, known);
            }
            return known;
        }
    }
}
