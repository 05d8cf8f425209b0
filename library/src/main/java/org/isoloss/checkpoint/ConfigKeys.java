package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The keys of a configuration, read by type. A value of another type is refused, and so is null where a number, a flag or a
 * text is expected: transformers does not take it for the default either.
 */
final class ConfigKeys {
    private final Path file;
    private final String place;
    private final ObjectNode json;

    ConfigKeys(Path file, ObjectNode json) {
        this(file, "", json);
    }

    private ConfigKeys(Path file, String place, ObjectNode json) {
        this.file = file;
        this.place = place;
        this.json = json;
    }

    Path file() {
        return file;
    }

    /** Tells whether the key is there, with whatever value, null among them. */
    boolean isThere(String key) {
        return json.has(key);
    }

    /** Tells whether the key is there with another value than null. */
    boolean isSet(String key) {
        return value(key) != null;
    }

    /** Returns a value; null also where the file says null. */
    @Nullable
    JsonNode value(String key) {
        JsonNode value = json.get(key);
        return value == null || value.isNull() ? null : value;
    }

    /** Returns the name of one key whose value is an object, if there is such a key. */
    Optional<String> nested() {
        return json.propertyStream()
                .filter(entry -> entry.getValue().isObject())
                .map(entry -> entry.getKey())
                .findFirst();
    }

    /** Returns the keys of an object; nothing where it is left out, null or empty. */
    Optional<ConfigKeys> object(String key) {
        JsonNode value = value(key);
        if (value == null) {
            return Optional.empty();
        }
        if (!(value instanceof ObjectNode object)) {
            throw wrong(key, "an object or null");
        }
        return object.isEmpty() ? Optional.empty() : Optional.of(new ConfigKeys(file, place + key + ".", object));
    }

    int size(String key) {
        if (!isThere(key)) {
            throw wrong("has no %s, expected a whole number from 1".formatted(place + key));
        }
        JsonNode value = json.get(key);
        if (!value.isIntegralNumber() || !value.canConvertToInt() || value.intValue() < 1) {
            throw wrong(key, "a whole number from 1");
        }
        return value.intValue();
    }

    int size(String key, int usual) {
        return isThere(key) ? size(key) : usual;
    }

    double number(String key, double usual) {
        if (!isThere(key)) {
            return usual;
        }
        JsonNode value = json.get(key);
        if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
            throw wrong(key, "a finite number");
        }
        return value.doubleValue();
    }

    boolean flag(String key, boolean usual) {
        if (!isThere(key)) {
            return usual;
        }
        JsonNode value = json.get(key);
        if (!value.isBoolean()) {
            throw wrong(key, "true or false");
        }
        return value.booleanValue();
    }

    String text(String key, String usual) {
        if (!isThere(key)) {
            return usual;
        }
        JsonNode value = json.get(key);
        if (!value.isString()) {
            throw wrong(key, "a name");
        }
        return value.asString();
    }

    /** Returns a value as it stands in the file, a text without its quotes; "null" where there is none. */
    String plain(String key) {
        JsonNode value = json.get(key);
        return value == null ? "null" : value.isString() ? value.asString() : value.toString();
    }

    CheckpointFormatException wrong(String key, String expected) {
        return wrong("%s is %s, expected %s".formatted(place + key, quoted(plain(key)), expected));
    }

    /** Says that a value asks for something that changes the output and is not computed. */
    CheckpointFormatException notComputed(String key, String computed) {
        return wrong("%s is %s, which is not computed here, expected %s"
                .formatted(place + key, quoted(plain(key)), computed));
    }

    CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file, problem);
    }

    CheckpointFormatException wrong(String problem, RuntimeException cause) {
        return new CheckpointFormatException(file, problem, cause);
    }
}
