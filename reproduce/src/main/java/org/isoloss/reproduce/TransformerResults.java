package org.isoloss.reproduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.apache.commons.csv.CSVRecord;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Quantiles;
import org.isoloss.installation.InstalledCell;
import org.isoloss.installation.InstalledComparison;
import org.isoloss.installation.StoredCell;
import org.isoloss.installation.Transformation;
import org.isoloss.report.Column;
import org.isoloss.report.Figure;
import org.isoloss.report.InstalledReport;
import org.jspecify.annotations.Nullable;

/**
 * Tables 7 to 9 and figures 3 and 7: actions at feed-forward sites of transformers.
 *
 * <p>Labels {@code tab:pythia-local}, {@code tab:pythia-installed}, {@code tab:pythia-stored}, {@code fig:pythia-controls} and
 * {@code fig:pythia160-controls} of the paper. Each model is named as what it is; the paper's numbers are Pythia's.
 */
final class TransformerResults {
    /** The objectives in the paper's order. */
    static final List<ObjectiveKind> OBJECTIVES = List.of(ObjectiveKind.FINITE, ObjectiveKind.HYBRID);

    private TransformerResults() {}

    /** All fits of all sites. */
    static List<FitRequest> needs(Study study) throws IOException {
        return needs(study, study.sites(), OBJECTIVES);
    }

    /** The hybrid fits of all sites. */
    static List<FitRequest> hybrid(Study study) throws IOException {
        return needs(study, study.sites(), List.of(ObjectiveKind.HYBRID));
    }

    private static List<FitRequest> needs(Study study, List<String> settings, List<ObjectiveKind> objectives)
            throws IOException {
        List<FitRequest> requests = new ArrayList<>();
        for (String setting : settings) {
            for (ObjectiveKind objective : objectives) {
                for (Variant variant : study.protocol().variants()) {
                    requests.addAll(study.transformerRequests(setting, objective, variant));
                }
            }
        }
        return requests;
    }

    static Made nearby(Study study) throws IOException {
        ComparedTable table = ComparedTable.of(
                "table7",
                "Nearby parameters at feed-forward sites: medians over seeds of 95th percentiles at radius 0.5, one factor; the paper's numbers, for a model of the paper: Pythia-160M's at layer 6 on 8 tokens",
                study.transformerProtocol(),
                siteKeys(),
                List.of(
                        Column.scientific("output", "Output", 2),
                        Column.scientific("composition", "Composition", 2),
                        Column.scientific("inverse", "Inverse", 2),
                        Column.scientific("transport", "Transport", 2),
                        Column.scientific("cancellation", "Cancellation", 2),
                        Column.count("fits", "Fits")),
                List.of(Column.count("seeds", "of seeds")));
        PaperTable paper = PaperTable.of("table7");
        for (String setting : study.sites()) {
            for (ObjectiveKind objective : OBJECTIVES) {
                for (Variant variant : variants(study, objective)) {
                    SettingFits fits = study.transformerFits(setting, objective, variant);
                    table = table.row(
                            siteKeys(fits.setting(), SettingFits.label(objective), variant),
                            List.of(
                                    fits.median(FitTables.declared("output")),
                                    fits.median(FitTables.declared("composition")),
                                    fits.median(FitTables.declared("inverse")),
                                    fits.median(FitTables.declared("transport")),
                                    fits.median(TransformerResults::cancellation),
                                    fits.fitCount()),
                            paper(paper, setting, "objective", SettingFits.label(objective)),
                            fits.seeds());
                }
            }
        }
        return Made.of(table);
    }

    private static double cancellation(Evaluation evaluation) {
        return evaluation
                .cell(FitTables.RADIUS, 1)
                .cancellation()
                .map(Quantiles::p95)
                .orElse(Double.NaN);
    }

    static Made installed(Study study) throws IOException {
        ComparedTable table = ComparedTable.of(
                "table8",
                "Installed at the original weights, radius 0.5: median motion, 95th percentiles over 16 signed coefficients, medians over seeds; the paper's numbers, for its two models: Pythia-1B's at layer 3, Pythia-160M's at layer 6; outputs of the encoder are its last hidden states",
                study.transformerProtocol(),
                siteKeys("Transformation"),
                List.of(
                        Column.fixed("motion_percent", "Motion (%)", 4),
                        Column.scientific("relative", "Relative outputs", 2),
                        Column.scientific("rms", "RMS outputs", 2),
                        Column.scientific("cancellation", "Cancellation", 2)),
                List.of(
                        Column.ratio("over_learned", "Over learned", 2),
                        Column.scientific("relative_float64", "In float64", 2),
                        Column.scientific("continuation", "Continuation", 2),
                        Column.scientific("fresh", "Other texts", 2),
                        Column.scientific("noise", "Float32 noise", 2),
                        Column.count("seeds", "Seeds")));
        PaperTable paper = PaperTable.of("table8");
        for (String setting : study.sites()) {
            for (Variant variant : variants(study, ObjectiveKind.HYBRID)) {
                List<Optional<InstalledComparison>> seeds = study.installed().comparisons(setting, variant);
                double learned = median(
                        seeds, Transformation.LEARNED, cell -> cell.relative().p95());
                for (Transformation kind : Transformation.values()) {
                    double relative =
                            median(seeds, kind, cell -> cell.relative().p95());
                    table = table.row(
                            siteKeys(setting, kind.label(), variant),
                            List.of(
                                    median(
                                            seeds,
                                            kind,
                                            cell -> cell.motionPercent().p50()),
                                    relative,
                                    median(seeds, kind, cell -> cell.rms().p95()),
                                    median(
                                            seeds,
                                            kind,
                                            cell -> cell.cancellation().p95())),
                            paper(paper, setting, "transformation", kind.label()),
                            relative / learned,
                            known(median(seeds, kind, cell -> p95(cell.exact()))),
                            known(median(seeds, kind, cell -> p95(cell.continuation()))),
                            known(median(seeds, kind, cell -> p95(cell.fresh()))),
                            known(noise(seeds)),
                            seeds.size());
                }
            }
        }
        return Made.of(table);
    }

    /** The paper's row for its own models; numbers of another model are no measure for this one. */
    private static @Nullable CSVRecord paper(PaperTable paper, String setting, String key, String value) {
        List<StudiedModel> models = StudiedModel.of(setting);
        if (models.contains(StudiedModel.PYTHIA_1B)) {
            return paper.row(Map.of("model", "1B", key, value));
        }
        return models.contains(StudiedModel.PYTHIA_160M) ? paper.row(Map.of("model", "160M", key, value)) : null;
    }

    private static double p95(Optional<Quantiles> quantiles) {
        return quantiles.map(Quantiles::p95).orElse(Double.NaN);
    }

    private static double median(
            List<Optional<InstalledComparison>> seeds, Transformation kind, ToDoubleFunction<InstalledCell> of) {
        return Quantiles.of(seeds.stream()
                        .mapToDouble(seed -> seed.map(
                                        found -> of.applyAsDouble(found.cell(kind, InstalledComparison.DECLARED)))
                                .orElse(Double.POSITIVE_INFINITY))
                        .toArray())
                .p50();
    }

    /** Nothing where a text is missing. */
    private static @Nullable Double known(double number) {
        return Double.isNaN(number) ? null : Double.valueOf(number);
    }

    private static double noise(List<Optional<InstalledComparison>> seeds) {
        return seeds.stream()
                .flatMap(Optional::stream)
                .mapToDouble(seed -> seed.noise().relative())
                .findFirst()
                .orElse(Double.NaN);
    }

    static Made stored(Study study) throws IOException {
        ComparedTable table = ComparedTable.of(
                "table9",
                "Group law of stored float32 weights at radius 0.5, from the original weights, rounded after each application: median motion, 95th percentiles over 16 signed coefficients, medians over seeds; the paper's numbers, for its two models; rounding alone is the composition error of an exact action that moves as far",
                study.transformerProtocol(),
                siteKeys(),
                List.of(
                        Column.scientific("motion", "Raw motion", 2),
                        Column.scientific("composition", "Composition", 2),
                        Column.scientific("inverse", "Inverse", 2)),
                List.of(Column.scientific("rounding", "Rounding alone", 2), Column.count("seeds", "Seeds")));
        PaperTable paper = PaperTable.of("table9");
        int declared = InstalledComparison.RADII.indexOf(InstalledComparison.DECLARED);
        for (String setting : study.sites()) {
            for (ObjectiveKind objective : OBJECTIVES) {
                for (Variant variant : variants(study, objective)) {
                    List<Optional<List<StoredCell>>> seeds = study.installed().stored(setting, objective, variant);
                    table = table.row(
                            siteKeys(setting, SettingFits.label(objective), variant),
                            List.of(
                                    median(
                                            seeds,
                                            declared,
                                            cell -> cell.motion().p50()),
                                    median(
                                            seeds,
                                            declared,
                                            cell -> cell.composition().p95()),
                                    median(
                                            seeds,
                                            declared,
                                            cell -> cell.inverse().p95())),
                            paper(paper, setting, "objective", SettingFits.label(objective)),
                            known(median(
                                    seeds, declared, cell -> cell.rounding().p95())),
                            seeds.size());
                }
            }
        }
        return Made.of(table);
    }

    private static double median(List<Optional<List<StoredCell>>> seeds, int radius, ToDoubleFunction<StoredCell> of) {
        return Quantiles.of(seeds.stream()
                        .mapToDouble(seed -> seed.map(cells -> of.applyAsDouble(cells.get(radius)))
                                .orElse(Double.POSITIVE_INFINITY))
                        .toArray())
                .p50();
    }

    /** The paper's figure of its larger model, or what stands for it where that is not there. */
    static String largeSite(Study study) {
        return study.sites().contains("pythia-1b-layer3-16") ? "pythia-1b-layer3-16" : "neox-layer3-16";
    }

    /** The paper's figure of its smaller model, or what stands for it where that is not there. */
    static String smallSite(Study study) {
        return study.sites().contains("pythia-160m-layer6-8") ? "pythia-160m-layer6-8" : "neox-layer6-8";
    }

    static List<FitRequest> needs(Study study, String setting) throws IOException {
        return needs(study, List.of(setting), OBJECTIVES);
    }

    static Made figure(Study study, String name, String setting) throws IOException {
        Variant variant = study.protocol().variants().getFirst();
        List<InstalledComparison> learned = study.installed().comparisons(setting, variant).stream()
                .flatMap(Optional::stream)
                .toList();
        Map<String, List<List<StoredCell>>> laws = new LinkedHashMap<>();
        for (ObjectiveKind objective : OBJECTIVES) {
            if (variant.objectives().contains(objective)) {
                laws.put(
                        objective.name().toLowerCase(Locale.ROOT),
                        study.installed().stored(setting, objective, variant).stream()
                                .flatMap(Optional::stream)
                                .toList());
            }
        }
        laws.values().removeIf(List::isEmpty);
        if (learned.isEmpty() || laws.isEmpty()) {
            throw new IllegalArgumentException(
                    "every fit of %s diverged, so there is nothing to draw".formatted(setting));
        }
        String model = StudiedModel.of(setting).getFirst().label();
        List<Figure> figures = new InstalledReport("%s, %s".formatted(model, setting), learned, laws)
                .figures(name, study.transformerProtocol().words());
        return Made.of(figures);
    }

    private static List<Variant> variants(Study study, ObjectiveKind objective) {
        return study.protocol().variants().stream()
                .filter(variant -> variant.objectives().contains(objective))
                .toList();
    }

    private static List<Column> siteKeys() {
        return siteKeys("Objective");
    }

    private static List<Column> siteKeys(String second) {
        return List.of(
                Column.text("model", "Model"),
                Column.text("setting", "Setting"),
                Column.text(second.toLowerCase(Locale.ROOT), second),
                Column.text("recipe", "Recipe"),
                Column.text("action", "Action"));
    }

    private static List<Object> siteKeys(String setting, String second, Variant variant) {
        return List.of(
                StudiedModel.of(setting).getFirst().label(), setting, second, variant.recipe(), variant.action());
    }
}
