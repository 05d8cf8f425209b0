package org.isoloss.reproduce;

/** Told how a study gets on; by several threads at once. */
public interface StudyProgress {
    /** Listens to nothing. */
    StudyProgress SILENT = new StudyProgress() {
        @Override
        public void begin(String what, long steps) {}

        @Override
        public void advance(long steps) {}
    };

    /**
     * Takes note of a part of the study.
     *
     * @param what is trained
     * @param steps optimiser steps that are left to do in this part, over all its fits
     */
    void begin(String what, long steps);

    /**
     * Takes note of steps done.
     *
     * @param steps more than before
     */
    void advance(long steps);
}
