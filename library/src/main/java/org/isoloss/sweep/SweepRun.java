package org.isoloss.sweep;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.isoloss.discovery.SimultaneousFits;
import org.isoloss.sweep.SweepRow.Outcome;
import org.isoloss.task.Recipes;

/**
 * Makes fits of a sweep that are not there yet. The same for a thread of one machine and for a worker of a cluster.
 *
 * @param sweep what is asked for
 * @param folder where to
 * @param work what is done for each fit
 */
public record SweepRun(Sweep sweep, SweepFolder folder, SweepWork work) {
    /**
     * Makes one fit. One that is done stays; one that could not be made, or was left out on purpose, is not done. Where another worker is at it, this
     * waits for its end.
     *
     * @param number of the fit
     * @param advanced told of the steps of its recipe as they are done, or spared
     * @return what came of it
     * @throws IOException when the folder cannot be read or written
     */
    public SweepRow make(int number, LongConsumer advanced) throws IOException {
        try (FitClaims.Claim _ = folder.claim(number)) {
            Optional<SweepRow> there = done(number);
            if (there.isPresent()) {
                return there.get();
            }
            SweepFit fit = sweep.fit(number);
            int[] seen = {0};
            SweepRow row = work.make(fit, folder.fit(number), (step, steps, loss) -> {
                advanced.accept(step - seen[0]);
                seen[0] = step;
            });
            folder.write(row);
            advanced.accept(Recipes.of(fit.task()).steps() - seen[0]);
            return row;
        }
    }

    private Optional<SweepRow> done(int number) throws IOException {
        return folder.row(number).filter(row -> row.outcome() != Outcome.FAILED && row.outcome() != Outcome.EMPTY);
    }

    /**
     * Finds the fits that are still to be made.
     *
     * @return their numbers, in order
     * @throws IOException when the folder cannot be read
     */
    public List<Integer> missing() throws IOException {
        List<Integer> missing = new ArrayList<>();
        for (int number = 1; number <= sweep.size(); number++) {
            if (done(number).isEmpty()) {
                missing.add(number);
            }
        }
        return missing;
    }

    /**
     * Finds the fits that a process makes which makes the whole sweep.
     *
     * @param begun whether the folder was there before
     * @param resume whether it is asked to go on
     * @return the numbers of those that are missing, in order
     * @throws IOException when the folder cannot be read
     * @throws IllegalArgumentException when some are there and nobody asked to go on
     */
    public List<Integer> toMake(boolean begun, boolean resume) throws IOException {
        List<Integer> missing = missing();
        int there = sweep.size() - missing.size();
        if (begun && there > 0 && !resume) {
            throw new IllegalArgumentException(
                    "%s has %d of the %d fits of this sweep; go on with --resume, or give another --out"
                            .formatted(folder.path(), there, sweep.size()));
        }
        return missing;
    }

    /**
     * Makes fits at the same time.
     *
     * @param numbers of the fits
     * @param threads fits at the same time, at least 1
     * @param advanced told of steps, by any thread
     * @return what came of each, in their order
     * @throws IOException when the folder cannot be read or written; no other fit begins then
     * @throws InterruptedException when the thread is interrupted while it waits
     */
    public List<SweepRow> make(List<Integer> numbers, int threads, LongConsumer advanced)
            throws IOException, InterruptedException {
        List<SimultaneousFits.Work<SweepRow>> fits = new ArrayList<>();
        numbers.forEach(number -> fits.add(() -> make(number, advanced)));
        return SimultaneousFits.run(threads, fits);
    }

    /**
     * Reads what is there.
     *
     * @return the rows of all fits that are done or failed, in order
     * @throws IOException when the folder cannot be read
     */
    public List<SweepRow> rows() throws IOException {
        List<SweepRow> rows = new ArrayList<>();
        for (int number = 1; number <= sweep.size(); number++) {
            folder.row(number).ifPresent(rows::add);
        }
        return rows;
    }
}
