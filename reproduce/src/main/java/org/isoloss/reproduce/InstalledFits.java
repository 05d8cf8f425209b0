package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.installation.InstallationSite;
import org.isoloss.installation.InstalledComparison;
import org.isoloss.installation.Rounding;
import org.isoloss.installation.StoredCell;
import org.isoloss.installation.Texts;
import org.isoloss.task.ModelSetting;

/**
 * Fits at sites of transformers, installed at the original weights in float32: measured once, and shared by the tables and
 * figures that show them. Nothing stands for a fit that diverged.
 */
final class InstalledFits {
    private static final String BESIDE_THE_MODEL = "prefixes.json";

    private final Study study;
    private final Map<FitRequest, InstalledComparison> installed = new HashMap<>();
    private final Map<FitRequest, List<StoredCell>> stored = new HashMap<>();

    InstalledFits(Study study) {
        this.study = study;
    }

    /** The texts of a model: beside it, or among the examples. */
    private Texts texts(String setting, ModelSetting transformer) throws IOException {
        List<Integer> prefix = transformer.batch().tokens();
        Path beside = transformer.file().resolve(BESIDE_THE_MODEL);
        if (Files.isRegularFile(beside)) {
            return Texts.of(prefix, beside);
        }
        String file = switch (StudiedModel.of(setting).getFirst()) {
            case NEOX, PYTHIA_160M, PYTHIA_1B -> "pythia.json";
            case MINILM -> "all-minilm-l6-v2.json";
            case SMOLLM2 -> "smollm2-135m.json";
        };
        return Texts.of(prefix, study.examples().resolve("texts").resolve(file));
    }

    private ModelSetting transformer(FitRequest request) throws IOException {
        return (ModelSetting) study.cache().setting(request);
    }

    /** The fits of a setting beside their controls, seed by seed. */
    List<Optional<InstalledComparison>> comparisons(String setting, Variant variant) throws IOException {
        List<Optional<InstalledComparison>> comparisons = new ArrayList<>();
        for (FitRequest request : study.transformerRequests(setting, ObjectiveKind.HYBRID, variant)) {
            if (study.cache().hasDiverged(request)) {
                comparisons.add(Optional.empty());
                continue;
            }
            InstalledComparison known = installed.get(request);
            if (known == null) {
                ModelSetting transformer = transformer(request);
                known = InstalledComparison.of(
                        InstallationSite.open(transformer, Rounding.FLOAT32),
                        study.cache().action(request),
                        texts(setting, transformer),
                        request.seed());
                installed.put(request, known);
            }
            comparisons.add(Optional.of(known));
        }
        return comparisons;
    }

    /** The group law of stored weights, seed by seed. */
    List<Optional<List<StoredCell>>> stored(String setting, ObjectiveKind objective, Variant variant)
            throws IOException {
        List<Optional<List<StoredCell>>> cells = new ArrayList<>();
        for (FitRequest request : study.transformerRequests(setting, objective, variant)) {
            if (study.cache().hasDiverged(request)) {
                cells.add(Optional.empty());
                continue;
            }
            List<StoredCell> known = stored.get(request);
            if (known == null) {
                known = InstalledComparison.stored(
                        InstallationSite.open(transformer(request), Rounding.FLOAT32),
                        study.cache().action(request),
                        request.seed());
                stored.put(request, known);
            }
            cells.add(Optional.of(known));
        }
        return cells;
    }
}
