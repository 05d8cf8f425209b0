package org.isoloss.reproduce;

import java.io.IOException;
import java.util.List;
import org.isoloss.report.Figure;

/** Figure 6: the spectra of the constraints of affine fields. */
final class SpectrumFigure {
    private SpectrumFigure() {}

    static Made spectra(Study study) throws IOException {
        return Made.of(List.of(
                spectrum(study, "figure6a", "(a) Three-layer linear network", "linear-2-2-2-2"),
                spectrum(study, "figure6b", "(b) Five-layer ReLU network", "relu-2-2-2-2-2-1")));
    }

    private static Figure spectrum(Study study, String name, String title, String network) throws IOException {
        return new Figure(
                name,
                title + ": singular values of the affine constraints",
                "The 24 smallest singular values of the stacked affine-field constraints from largest to smallest, each over the largest of the complete matrix, for three independently sampled extractions. Directions below the line at 1e-8 are retained: eight in each network, after a large gap.",
                RecoveryTable.report(study, network).spectrum().chart());
    }
}
