package org.isoloss.sweep;

import java.io.IOException;
import java.nio.file.Path;
import org.isoloss.discovery.Fit;

/** What is done for one fit of a sweep. */
@FunctionalInterface
public interface SweepWork {
    /** Does nothing, to measure what all else of a sweep costs. */
    SweepWork EMPTY = (fit, run, progress) -> SweepRow.empty(fit);

    /**
     * Makes one fit, or goes on with it where it was begun.
     *
     * @param fit what is asked for
     * @param run its folder
     * @param progress told of the steps of the training
     * @return what came of it; a fit that cannot be made is a row too
     * @throws IOException when the folder cannot be written, which would fail every other fit as well
     */
    SweepRow make(SweepFit fit, Path run, Fit.Progress progress) throws IOException;
}
