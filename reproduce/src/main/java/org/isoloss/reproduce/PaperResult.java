package org.isoloss.reproduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVRecord;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.reproduce.StudyCells.Work;

/** A result of the paper, or beside it. */
@SuppressWarnings("ImmutableEnumChecker") // its functions capture nothing
public enum PaperResult {
    /** The main table, label {@code tab:experimental-main}. */
    TABLE1("Table 1: learned actions", study -> study.hybrid(FitTables.SETTINGS), FitTables::main),
    /** Hybrid, finite and infinitesimal objectives, label {@code tab:experimental-objectives}. */
    TABLE2("Table 2: objectives", PaperResult::objectives, FitTables::objectives),
    /** Frozen weights on two batches, label {@code tab:experimental-data-dependence}. */
    TABLE3(
            "Table 3: conditioning and fresh batches",
            study -> study.hybrid(settingsOf("table3")),
            FitTables::dataDependence),
    /** Fields against known symmetries, label {@code tab:experimental-reference}. */
    TABLE4("Table 4: known directions", study -> study.hybrid(settingsOf("table4")), FitTables::referenceSpans),
    /** Recovered algebras, label {@code tab:frontier-higher-recovery}. */
    TABLE5("Table 5: recovered algebras", study -> List.of(), RecoveryTable::table),
    /** Local and full discovery in one host, label {@code tab:experimental-paired}. */
    TABLE6("Table 6: local and full discovery", study -> study.hybrid(HostResults.SETTINGS), HostResults::table),
    /** Where subnetworks' symmetries lift, label {@code fig:symmetry-from-subnetwork}. */
    FIGURE1("Figure 1: symmetries of subnetworks", study -> List.of(), SubnetworkFigure::make),
    /** Compensation, curves and the host, label {@code fig:experimental-compensation}. */
    FIGURE2(
            "Figure 2: compensation, preservation, subnetwork discovery",
            study -> study.hybrid(Stream.concat(Stream.of("sigmoid-k1", "tanh"), HostResults.SETTINGS.stream())
                    .toList()),
            CurveFigures::main),
    /** Curves of the sigmoid settings, label {@code fig:additional-nonlinear-orbits}. */
    FIGURE4(
            "Figure 4: output variation along sigmoid curves",
            study -> study.hybrid(List.of("sigmoid-k1", "sigmoid-k2")),
            CurveFigures::sigmoid),
    /** Fields against their projections, label {@code fig:experimental-reference-fields}. */
    FIGURE5("Figure 5: fields and known directions", study -> study.hybrid(FieldFigure.SETTINGS), FieldFigure::make),
    /** Singular values of the affine constraints, label {@code fig:frontier-spectra}. */
    FIGURE6("Figure 6: singular values", study -> List.of(), SpectrumFigure::spectra),
    /** Beside the paper: the whole grid of radii and factors. */
    GRIDS("Radii and factors", study -> study.hybrid(FitTables.SETTINGS), GridMaps::make),
    /** Beside the paper: two generators at once. */
    GENERATORS(
            "Two generators",
            study -> study.requests(TwoGenerators.SETTINGS.getFirst(), ObjectiveKind.HYBRID, Variant.OURS),
            TwoGenerators::table),
    /** Beside the paper: whether the listed symmetries of small networks are all that there are. */
    COMPLETENESS(
            "Completeness: listed and counted symmetries",
            study -> List.of(),
            (study, work) -> Completeness.make(study.parts("completeness"), study.protocol(), work)),
    /** Beside the paper: how many changes keep the outputs on data, when, and why. */
    CENSUS(
            "Census: what keeps the outputs on data",
            study -> List.of(),
            (study, work) -> CensusStudy.make(study, work)),
    /** Beside the paper: one action for many batches. */
    BATCHED("One action for many batches", BatchedStudy::needs, (study, work) -> BatchedStudy.make(study, work)),
    /** Beside the paper: fields learned together with their brackets. */
    ALGEBRAS(
            "Closed algebras: fields learned with their brackets",
            study -> List.of(),
            (study, work) -> LearnedAlgebras.make(study, work)),
    /** Sites of transformers, label {@code tab:pythia-local}. */
    TABLE7(
            "Table 7: nearby parameters at feed-forward sites",
            TransformerResults::needs,
            TransformerResults::nearby,
            true),
    /** Installed at the original weights, label {@code tab:pythia-installed}. */
    TABLE8("Table 8: installed transformations", TransformerResults::hybrid, TransformerResults::installed, true),
    /** The law of stored weights, label {@code tab:pythia-stored}. */
    TABLE9("Table 9: stored weights", TransformerResults::needs, TransformerResults::stored, true),
    /** Controls and composition, label {@code fig:pythia-controls}. */
    FIGURE3(
            "Figure 3: installed at layer 3, 16 tokens",
            study -> TransformerResults.needs(study, TransformerResults.largeSite(study)),
            study -> TransformerResults.figure(study, "figure3", TransformerResults.largeSite(study)),
            true),
    /** Controls and composition, label {@code fig:pythia160-controls}. */
    FIGURE7(
            "Figure 7: installed at layer 6, 8 tokens",
            study -> TransformerResults.needs(study, TransformerResults.smallSite(study)),
            study -> TransformerResults.figure(study, "figure7", TransformerResults.smallSite(study)),
            true);

    private final String title;
    private final Needs needs;
    private final Working working;
    private final boolean onTransformers;
    private final boolean alone;

    PaperResult(String title, Needs needs, Making making) {
        this(title, needs, making, false);
    }

    PaperResult(String title, Needs needs, Making making, boolean onTransformers) {
        this(title, needs, (study, _) -> making.of(study), onTransformers, false);
    }

    PaperResult(String title, Needs needs, Working working) {
        this(title, needs, working, false, true);
    }

    PaperResult(String title, Needs needs, Working working, boolean onTransformers, boolean alone) {
        this.title = title;
        this.needs = needs;
        this.working = working;
        this.onTransformers = onTransformers;
        this.alone = alone;
    }

    @FunctionalInterface
    private interface Needs {
        List<FitRequest> of(Study study) throws IOException;
    }

    @FunctionalInterface
    private interface Making {
        Made of(Study study) throws IOException;
    }

    @FunctionalInterface
    private interface Working {
        Made of(Study study, Work work) throws IOException, InterruptedException;
    }

    private static List<String> settingsOf(String table) {
        return PaperTable.of(table).rows().stream()
                .map(row -> row.get("setting"))
                .toList();
    }

    private static List<FitRequest> objectives(Study study) throws IOException {
        List<FitRequest> requests = new ArrayList<>();
        for (CSVRecord row : FitTables.objectives()) {
            ObjectiveKind objective = Study.objective(row);
            for (Variant variant : study.protocol().variants()) {
                requests.addAll(study.requests(row.get("setting"), objective, variant));
            }
        }
        return requests;
    }

    /** {@return what the command line calls it, such as {@code table1}} */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return its heading, what it is} */
    public String title() {
        return title;
    }

    /** {@return whether it is about transformers: false for results of small networks} */
    public boolean onTransformers() {
        return onTransformers;
    }

    List<FitRequest> needs(Study study) throws IOException {
        return needs.of(study);
    }

    /** {@return whether it is a study of its own, which {@code small} does not include} */
    public boolean isAlone() {
        return alone;
    }

    /** Makes it of the finished fits; what else it takes is done now. */
    Made make(Study study, Work work) throws IOException, InterruptedException {
        return working.of(study, work);
    }
}
