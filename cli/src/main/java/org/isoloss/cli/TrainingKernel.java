package org.isoloss.cli;

import org.isoloss.linalg.GemmKernel;
import org.isoloss.report.Provenance;
import picocli.CommandLine.Model.CommandSpec;

/** What multiplies in the fits of a command; everything else is computed with OpenBLAS. */
final class TrainingKernel {
    private TrainingKernel() {}

    /** Says in one line where it is not the one that was asked for. Every command that trains begins with this. */
    static void announce(CommandSpec spec) {
        Notices.print(spec, GemmKernel.notice().stream().toList());
    }

    /** Names it in the provenance of what was trained. */
    static Provenance in(Provenance trained) {
        return trained.computedWith(GemmKernel.chosen().name());
    }
}
