package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.isoloss.checkpoint.TextFile;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Reads task files, YAML 1.2 in UTF-8. Unknown keys, wrong types and impossible values are refused with file, line, key and
 * what is allowed.
 */
public final class TaskFile {
    private static final YAMLMapper YAML = TaskYaml.MAPPER;

    private TaskFile() {}

    /**
     * Reads a task.
     *
     * @param file YAML
     * @param overrides values by dotted key, such as {@code recipe.steps} to {@code 1500}, in place of the file's
     * @return the task
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException naming what is wrong
     */
    public static Task read(Path file, Map<String, String> overrides) throws IOException {
        return parse(file.toString(), TextFile.read(file), overrides);
    }

    /**
     * Reads a task from text.
     *
     * @param where how messages call the text
     * @param text YAML
     * @param overrides as in {@link #read}
     * @return the task
     */
    public static Task parse(String where, String text, Map<String, String> overrides) {
        return parse(where, text, overrides, Task.class);
    }

    /**
     * Reads text of another kind by the same rules.
     *
     * @param <T> a record whose components are the keys
     * @param where how messages call the text
     * @param text YAML
     * @param overrides as in {@link #read}
     * @param kind the record
     * @return what the text states
     */
    public static <T> T parse(String where, String text, Map<String, String> overrides, Class<T> kind) {
        try {
            try (JsonParser parser = YAML.createParser(text)) {
                TaskKeys.check(where, parser, kind);
            }
            T read = YAML.readValue(text, kind);
            if (read == null) {
                throw new IllegalArgumentException("%s is empty, expected a task".formatted(where));
            }
            if (overrides.isEmpty()) {
                return read;
            }
            JsonNode tree = YAML.readTree(text);
            overrides.forEach((key, value) -> set(where, (ObjectNode) tree, key, value));
            try (JsonParser parser = YAML.treeAsTokens(tree)) {
                TaskKeys.check(where, parser, kind);
            }
            return YAML.treeToValue(tree, kind);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(describe(where, e), e);
        }
    }

    private static void set(String where, ObjectNode tree, String key, String value) {
        ObjectNode node = tree;
        String[] parts = key.split("\\.", -1);
        for (int i = 0; i < parts.length - 1; i++) {
            JsonNode next = node.get(parts[i]);
            if (next instanceof ObjectNode object) {
                node = object;
            } else if (next == null) {
                node = node.putObject(parts[i]);
            } else {
                throw new IllegalArgumentException(
                        "%s: --set %s=%s: '%s' is a value, not a group of keys".formatted(where, key, value, parts[i]));
            }
        }
        node.set(parts[parts.length - 1], tree(where, key, value));
    }

    private static JsonNode tree(String where, String key, String value) {
        JsonNode tree;
        try {
            tree = YAML.readTree(value);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("%s: --set %s=%s: the value is no YAML".formatted(where, key, value), e);
        }
        if (tree == null || tree.isMissingNode()) {
            throw new IllegalArgumentException("%s: --set %s=: the value is empty".formatted(where, key));
        }
        return tree;
    }

    /**
     * Writes a task.
     *
     * @param task the task
     * @return YAML that {@link #read} reads back
     */
    public static String write(Task task) {
        JsonNode tree = YAML.valueToTree(task);
        prune(tree);
        return YAML.writeValueAsString(tree);
    }

    private static void prune(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.removeIf(JsonNode::isNull);
            object.forEach(TaskFile::prune);
        }
    }

    private static String describe(String where, JacksonException e) {
        Optional<TaskYaml.Problem> problem = TaskYaml.problem(e);
        if (problem.isPresent()) {
            return "%s, line %d: %s"
                    .formatted(where, problem.get().line(), problem.get().text());
        }
        TokenStreamLocation location = e.getLocation();
        String line = location == null || location.getLineNr() < 1 ? "" : ", line " + location.getLineNr();
        String path = e.getPath().stream()
                .map(step -> step.getPropertyName() == null ? "[" + step.getIndex() + "]" : step.getPropertyName())
                .collect(Collectors.joining("."))
                .replace(".[", "[");
        String key = path.isEmpty() ? "" : ": key '" + path + "'";
        return switch (e) {
            case UnrecognizedPropertyException unknown ->
                "%s%s%s is unknown; allowed here: %s"
                        .formatted(
                                where,
                                line,
                                key,
                                unknown.getKnownPropertyIds().stream()
                                        .map(Object::toString)
                                        .sorted()
                                        .collect(Collectors.joining(", ")));
            case InvalidFormatException format
            when format.getTargetType().isEnum() ->
                "%s%s%s has the value '%s'; allowed: %s"
                        .formatted(where, line, key, format.getValue(), allowed(format.getTargetType()));
            case InvalidFormatException format ->
                "%s%s%s has the value '%s', expected %s"
                        .formatted(where, line, key, format.getValue(), typeName(format.getTargetType()));
            case MismatchedInputException mismatch
            when mismatch.getTargetType() != null ->
                "%s%s%s holds another type, expected %s"
                        .formatted(where, line, key, typeName(mismatch.getTargetType()));
            default -> "%s%s%s: %s".formatted(where, line, key, cause(e));
        };
    }

    /** The refusal of a record, or what the parser says. */
    private static String cause(JacksonException e) {
        Throwable cause = e.getCause() instanceof IllegalArgumentException refusal ? refusal : null;
        String message = cause == null ? e.getOriginalMessage() : cause.getMessage();
        return message == null ? "cannot be read" : message.lines().findFirst().orElse("cannot be read");
    }

    private static String allowed(Class<?> type) {
        return java.util.Arrays.stream(type.getEnumConstants())
                .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }

    private static String typeName(Class<?> type) {
        if (type == Integer.class || type == Long.class || type == int.class || type == long.class) {
            return "a whole number";
        }
        if (type == Double.class || type == double.class) {
            return "a number";
        }
        if (type == Boolean.class) {
            return "true or false";
        }
        if (type == String.class) {
            return "text";
        }
        return java.util.Collection.class.isAssignableFrom(type) ? "a list" : "a group of keys";
    }
}
