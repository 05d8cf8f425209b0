package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.isoloss.checkpoint.TextFile;
import org.isoloss.discovery.ObjectiveKind;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Recipes of variants and objectives whose best is not the one of the setting's task file: {@code recipes/selected.yaml} beside the
 * task files, with levels variant, objective, setting, and below them changes of the task by dotted key.
 */
final class SelectedRecipes {
    private static final String FILE = "recipes/selected.yaml";
    private static final YAMLMapper YAML = YAMLMapper.shared();
    private static final TypeReference<Map<String, Map<String, Map<String, Map<String, String>>>>> LEVELS =
            new TypeReference<>() {};

    private final Map<String, Map<String, Map<String, Map<String, String>>>> byVariant;

    private SelectedRecipes(Map<String, Map<String, Map<String, Map<String, String>>>> byVariant) {
        this.byVariant = byVariant;
    }

    /** Reads those of a folder of task files; a folder without the file has none. */
    static SelectedRecipes in(Path examples) throws IOException {
        Path file = examples.resolve(FILE);
        if (!Files.exists(file)) {
            return new SelectedRecipes(Map.of());
        }
        try {
            SelectedRecipes recipes = new SelectedRecipes(YAML.readValue(TextFile.read(file), LEVELS));
            recipes.byVariant.keySet().forEach(Variant::named);
            return recipes;
        } catch (JacksonException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "%s: %s; expected variant, objective, setting, and below them keys of a task"
                            .formatted(
                                    file,
                                    String.valueOf(e.getMessage())
                                            .lines()
                                            .findFirst()
                                            .orElse("")),
                    e);
        }
    }

    /** The changes for one row, in the order of the file; none where the task file already has the recipe. */
    Map<String, String> changes(Variant variant, ObjectiveKind objective, String setting) {
        return new LinkedHashMap<>(byVariant
                .getOrDefault(variant.name(), Map.of())
                .getOrDefault(objective.toString().toLowerCase(Locale.ROOT), Map.of())
                .getOrDefault(setting, Map.of()));
    }
}
