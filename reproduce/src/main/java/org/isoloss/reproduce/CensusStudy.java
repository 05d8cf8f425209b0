package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Path;
import org.isoloss.reproduce.StudyCells.Work;

/** How many symmetries, when, and why: the size of the batch, the symmetry of the data, and the course of training. */
final class CensusStudy {
    private CensusStudy() {}

    /** Makes all three, from the parts that are there and those that are missing. */
    static Made make(Study study, Work work) throws IOException, InterruptedException {
        Path folder = study.parts("census");
        return CensusOfBatches.make(folder, study.protocol(), work)
                .and(CensusOfOrbits.make(folder, study.protocol(), work))
                .and(CensusOfTraining.make(study.examples(), folder, study.protocol(), work));
    }
}
