package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The keys of a configuration, read by type. A value of another type is refused, and so is null where a number, a flag or a
 * text is expected: transformers does not take it for the default either.
 */
public final class ConfigKeys {
    private final Path file;
    private final String place;
    private final ObjectNode json;
    private final Set<String> asked = new TreeSet<>();

    ConfigKeys(Path file, ObjectNode json) {
        this(file, "", json);
    }

    private ConfigKeys(Path file, String place, ObjectNode json) {
        this.file = file;
        this.place = place;
        this.json = json;
    }

    /**
     * Reads a configuration.
     *
     * @param file such as {@code config.json}
     * @return its keys
     * @throws IOException when it cannot be read
     * @throws CheckpointFormatException when it is no JSON object
     */
    public static ConfigKeys read(Path file) throws IOException {
        return new ConfigKeys(file, JsonFile.read(file));
    }

    /**
     * Wraps a configuration that a file of another kind says.
     *
     * @param file where it comes from
     * @param json its keys, a JSON object
     * @return the keys
     */
    public static ConfigKeys of(Path file, String json) {
        return new ConfigKeys(file, (ObjectNode) JsonMapper.shared().readTree(json));
    }

    /** {@return the file} */
    public Path file() {
        return file;
    }

    /** {@return the keys that were asked for until now, whether they are there or not} */
    public Set<String> asked() {
        return Set.copyOf(asked);
    }

    /**
     * Tells whether the key is there, with whatever value, null among them.
     *
     * @param key its name
     * @return whether it is there
     */
    public boolean isThere(String key) {
        asked.add(key);
        return json.has(key);
    }

    /**
     * Tells whether the key is there with another value than null.
     *
     * @param key its name
     * @return whether it is set
     */
    public boolean isSet(String key) {
        asked.add(key);
        return value(key) != null;
    }

    /** Returns a value; null also where the file says null. */
    @Nullable
    JsonNode value(String key) {
        JsonNode value = json.get(key);
        return value == null || value.isNull() ? null : value;
    }

    /** {@return the name of one key whose value is an object, if there is such a key} */
    public Optional<String> nested() {
        return json.propertyStream()
                .filter(entry -> entry.getValue().isObject())
                .map(entry -> entry.getKey())
                .findFirst();
    }

    /** {@return the names of all keys, in the order of the file} */
    public List<String> names() {
        return json.propertyStream().map(entry -> entry.getKey()).toList();
    }

    /**
     * Returns the keys of an object.
     *
     * @param key its name
     * @return nothing where it is left out, null or empty
     */
    public Optional<ConfigKeys> object(String key) {
        asked.add(key);
        JsonNode value = value(key);
        if (value == null) {
            return Optional.empty();
        }
        if (!(value instanceof ObjectNode object)) {
            throw wrong(key, "an object or null");
        }
        return object.isEmpty() ? Optional.empty() : Optional.of(new ConfigKeys(file, place + key + ".", object));
    }

    /**
     * Returns the entries of a list.
     *
     * @param key its name
     * @return each as it stands in the file, a text without its quotes; nothing where the key is left out or null
     */
    public Optional<List<String>> list(String key) {
        asked.add(key);
        JsonNode value = value(key);
        if (value == null) {
            return Optional.empty();
        }
        if (!value.isArray()) {
            throw wrong(key, "a list or null");
        }
        List<String> entries = new ArrayList<>();
        value.forEach(entry -> entries.add(entry.isString() ? entry.asString() : entry.toString()));
        return Optional.of(entries);
    }

    /**
     * Returns a list of numbers.
     *
     * @param key its name, which must be there
     * @return its entries, finite
     */
    public List<Double> numbers(String key) {
        asked.add(key);
        JsonNode value = value(key);
        if (value == null || !value.isArray()) {
            throw wrong(key, "a list of numbers");
        }
        return value.valueStream()
                .map(entry -> {
                    if (!entry.isNumber() || !Double.isFinite(entry.doubleValue())) {
                        throw wrong(key, "a list of numbers");
                    }
                    return entry.doubleValue();
                })
                .toList();
    }

    /**
     * Returns a whole number from 1.
     *
     * @param key its name, which must be there
     * @return the number
     */
    public int size(String key) {
        asked.add(key);
        if (!isThere(key)) {
            throw wrong("has no %s, expected a whole number from 1".formatted(place + key));
        }
        JsonNode value = json.get(key);
        if (!value.isIntegralNumber() || !value.canConvertToInt() || value.intValue() < 1) {
            throw wrong(key, "a whole number from 1");
        }
        return value.intValue();
    }

    /**
     * Returns a whole number from 1.
     *
     * @param key its name
     * @param usual where it is left out
     * @return the number
     */
    public int size(String key, int usual) {
        return isThere(key) ? size(key) : usual;
    }

    /**
     * Returns a whole number from 0.
     *
     * @param key its name
     * @param usual where it is left out
     * @return the number
     */
    public int count(String key, int usual) {
        return plain(key).equals("0") ? 0 : size(key, usual);
    }

    /**
     * Returns a number.
     *
     * @param key its name
     * @param usual where it is left out
     * @return finite
     */
    public double number(String key, double usual) {
        if (!isThere(key)) {
            return usual;
        }
        JsonNode value = json.get(key);
        if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
            throw wrong(key, "a finite number");
        }
        return value.doubleValue();
    }

    /**
     * Returns whether something holds.
     *
     * @param key its name
     * @param usual where it is left out
     * @return true or false
     */
    public boolean flag(String key, boolean usual) {
        if (!isThere(key)) {
            return usual;
        }
        JsonNode value = json.get(key);
        if (!value.isBoolean()) {
            throw wrong(key, "true or false");
        }
        return value.booleanValue();
    }

    /**
     * Returns a text.
     *
     * @param key its name
     * @param usual where it is left out
     * @return the text
     */
    public String text(String key, String usual) {
        if (!isThere(key)) {
            return usual;
        }
        JsonNode value = json.get(key);
        if (!value.isString()) {
            throw wrong(key, "a name");
        }
        return value.asString();
    }

    /**
     * Returns a value as it stands in the file.
     *
     * @param key its name
     * @return a text without its quotes; "null" where there is none
     */
    public String plain(String key) {
        asked.add(key);
        JsonNode value = json.get(key);
        return value == null ? "null" : value.isString() ? value.asString() : value.toString();
    }

    /**
     * Says that a value is not what it should be.
     *
     * @param key its name
     * @param expected what it should be
     * @return the exception, to be thrown
     */
    public CheckpointFormatException wrong(String key, String expected) {
        return wrong("%s is %s, expected %s".formatted(place + key, quoted(plain(key)), expected));
    }

    /**
     * Says that a value asks for something that changes the output and is not computed.
     *
     * @param key its name
     * @param computed what it may be
     * @return the exception, to be thrown
     */
    public CheckpointFormatException notComputed(String key, String computed) {
        return wrong("%s is %s, which is not computed here, expected %s"
                .formatted(place + key, quoted(plain(key)), computed));
    }

    /**
     * Says what is wrong.
     *
     * @param problem in a line
     * @return the exception, to be thrown
     */
    public CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file, problem);
    }

    /**
     * Says what is wrong.
     *
     * @param problem in a line
     * @param cause what brought it about
     * @return the exception, to be thrown
     */
    public CheckpointFormatException wrong(String problem, RuntimeException cause) {
        return new CheckpointFormatException(file, problem, cause);
    }
}
