package org.isoloss.sweep;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A sweep as its file states it. Each list of what varies is a list of values or a group of named values; paths are relative to
 * the file.
 *
 * @param name of the sweep, letters, digits and hyphens
 * @param task file of the task
 * @param kernel what must multiply; that of whoever begins the sweep where left out
 * @param set changes for every fit, by dotted key of the task
 * @param models files or folders, in place of the one that the task names
 * @param layers of the site
 * @param prefixes lists of token ids, the protected prefix
 * @param protect rows of the data file, or groups of keys of {@code data}
 * @param recipes groups of keys of the recipe, or the name of a base
 * @param vary values of any other key, by its dotted name
 * @param seeds of the fits, a list or {@code 101..105}; those of the task where left out
 */
record SweepFile(
        String name,
        String task,
        @Nullable String kernel,
        @Nullable Map<String, JsonNode> set,
        @Nullable JsonNode models,
        @Nullable JsonNode layers,
        @Nullable JsonNode prefixes,
        @Nullable JsonNode protect,
        @Nullable JsonNode recipes,
        @Nullable Map<String, JsonNode> vary,
        @Nullable JsonNode seeds) {
    /** Refuses a sweep without its parts. */
    SweepFile {
        require(name, "name");
        require(task, "task");
        if (!name.matches("[A-Za-z0-9-]+")) {
            throw new IllegalArgumentException("name must be letters, digits and hyphens, got '%s'".formatted(name));
        }
    }

    private static void require(@Nullable String value, String key) {
        if (value == null) {
            throw new IllegalArgumentException("'%s' is missing".formatted(key));
        }
    }
}
