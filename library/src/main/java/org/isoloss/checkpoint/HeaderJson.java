package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.checkpoint.SafetensorsHeader.Entry;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads the JSON of a safetensors header, token by token, so that nothing is allocated that the text does not hold.
 * Repeated names are found here, after escapes are resolved, rather than by Jackson's {@code STRICT_DUPLICATE_DETECTION}:
 * its message cannot say which tensor or field is meant.
 */
final class HeaderJson implements AutoCloseable {
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(128) // as the reference
                    .maxNameLength(SafetensorsHeader.LONGEST)
                    .maxStringLength(SafetensorsHeader.LONGEST)
                    .build())
            // names are read once each: a shared symbol table would only grow
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .build();

    private final Path file;
    private final JsonParser parser;

    HeaderJson(Path file, String text) {
        this.file = file;
        this.parser = JSON.createParser(ObjectReadContext.empty(), text);
    }

    /**
     * Reads the whole header.
     *
     * @param entries receives the tensors; modified
     * @param metadata receives the metadata; modified
     */
    void readHeader(Map<String, Entry> entries, Map<String, String> metadata) {
        Set<String> seen = new HashSet<>();
        parser.nextToken();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            boolean isTensor = !name.equals(SafetensorsHeader.METADATA);
            if (!seen.add(name)) {
                throw wrong(
                        isTensor
                                ? "the header names tensor %s twice".formatted(quoted(name))
                                : "the header holds __metadata__ twice");
            }
            parser.nextToken();
            if (isTensor) {
                entries.put(name, readEntry(name));
            } else {
                readMetadata(metadata);
            }
        }
        if (parser.nextToken() != null) {
            throw wrong("the header goes on after its JSON object: %s at character %d; only spaces may follow"
                    .formatted(found(), parser.currentTokenLocation().getCharOffset()));
        }
    }

    private void readMetadata(Map<String, String> metadata) {
        if (parser.hasToken(JsonToken.VALUE_NULL)) { // some writers do this for "none"
            return;
        }
        if (!parser.hasToken(JsonToken.START_OBJECT)) {
            throw wrong("__metadata__ is %s, expected an object with strings".formatted(found()));
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = parser.currentName();
            if (parser.nextToken() != JsonToken.VALUE_STRING) {
                throw wrong("__metadata__ has %s for key %s, expected a string".formatted(found(), quoted(key)));
            }
            if (metadata.put(key, whole(parser.getString())) != null) {
                throw wrong("__metadata__ has key %s twice".formatted(quoted(key)));
            }
        }
    }

    private Entry readEntry(String name) {
        if (!parser.hasToken(JsonToken.START_OBJECT)) {
            throw wrong(
                    name,
                    "is described by %s, expected an object with dtype, shape and data_offsets".formatted(found()));
        }
        ElementType type = null;
        List<Long> sizes = null;
        List<Long> offsets = null;
        Set<String> seen = new HashSet<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String field = parser.currentName();
            if (!seen.add(field)) {
                throw wrong(name, "has %s twice".formatted(field));
            }
            parser.nextToken();
            switch (field) {
                case "dtype" -> type = readType(name);
                case "shape" -> sizes = readWholeNumbers(name, field);
                case "data_offsets" -> offsets = readWholeNumbers(name, field);
                default -> parser.skipChildren(); // kept in the text of the header
            }
        }
        return entry(
                name,
                required(name, "dtype", type),
                required(name, "shape", sizes),
                required(name, "data_offsets", offsets));
    }

    private Entry entry(String name, ElementType type, List<Long> sizes, List<Long> offsets) {
        if (offsets.size() != 2 || offsets.get(0) > offsets.get(1)) {
            throw wrong(name, "has data_offsets %s, expected [begin, end] with begin <= end".formatted(offsets));
        }
        Shape shape;
        try {
            shape = new Shape(sizes);
        } catch (IllegalArgumentException e) {
            throw new CheckpointFormatException(file, "tensor %s: %s".formatted(quoted(name), e.getMessage()), e);
        }
        long stored = offsets.get(1) - offsets.get(0);
        long needed = type.bytes(shape.count());
        if (needed < 0) {
            throw wrong(
                    name, "of shape %s and type %s fills no whole number of bytes below 2^63".formatted(shape, type));
        }
        if (needed != stored) {
            throw wrong(
                    name,
                    "of shape %s and type %s needs %d bytes, but its data_offsets %s hold %d"
                            .formatted(shape, type, needed, offsets, stored));
        }
        return new Entry(name, type, shape, offsets.get(0), offsets.get(1));
    }

    private ElementType readType(String name) {
        if (!parser.hasToken(JsonToken.VALUE_STRING)) {
            throw wrong(name, "has %s for dtype, expected a string".formatted(found()));
        }
        String dtype = parser.getString();
        return ElementType.named(dtype)
                .orElseThrow(() -> wrong(
                        name,
                        "has the unknown dtype %s, expected one of %s".formatted(quoted(dtype), ElementType.names())));
    }

    private List<Long> readWholeNumbers(String name, String field) {
        if (!parser.hasToken(JsonToken.START_ARRAY)) {
            throw wrong(name, "has %s for %s, expected an array of whole numbers".formatted(found(), field));
        }
        List<Long> numbers = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (!parser.hasToken(JsonToken.VALUE_NUMBER_INT)
                    || parser.getString().startsWith("-")) {
                throw wrong(name, "has %s in %s, expected whole numbers from 0".formatted(found(), field));
            }
            if (parser.getNumberType() != JsonParser.NumberType.INT
                    && parser.getNumberType() != JsonParser.NumberType.LONG) {
                throw wrong(name, "has %s in %s, expected numbers below 2^63".formatted(found(), field));
            }
            numbers.add(parser.getLongValue());
        }
        return numbers;
    }

    /** Jackson refuses half of a surrogate pair in names, but not in values; UTF-8 cannot hold it. */
    private String whole(String text) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw wrong("__metadata__ holds half of a surrogate pair in %s".formatted(quoted(text)));
        }
        return text;
    }

    private <T> T required(String name, String field, @Nullable T value) {
        if (value == null) {
            throw wrong(name, "has no %s".formatted(field));
        }
        return value;
    }

    private String found() {
        JsonToken token = parser.currentToken();
        return switch (token) {
            case START_OBJECT, END_OBJECT -> "an object";
            case START_ARRAY, END_ARRAY -> "an array";
            case VALUE_STRING -> "the string " + quoted(parser.getString());
            case null -> "the end of the header";
            default -> quoted(parser.getString()).replace("'", "");
        };
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file, problem);
    }

    private CheckpointFormatException wrong(String name, String problem) {
        return new CheckpointFormatException(file, "tensor %s %s".formatted(quoted(name), problem));
    }

    @Override
    public void close() {
        parser.close();
    }
}
