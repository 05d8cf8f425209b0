package org.isoloss.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The JSON files beside weights: configurations and indices. A name given twice is refused, as nobody can tell which counts. */
final class JsonFile {
    private static final long LONGEST = 100_000_000;
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(128).build())
                    .build())
            .build();

    private JsonFile() {}

    /** Reads a file that holds one JSON object. */
    static ObjectNode read(Path file) throws IOException {
        MappedFile.requireFile(file);
        long size = Files.size(file);
        if (size > LONGEST) {
            throw new CheckpointFormatException(
                    file, "holds %d bytes, expected a JSON file of at most %d".formatted(size, LONGEST));
        }
        return parse(file, Files.readAllBytes(file));
    }

    /**
     * Reads one JSON object.
     *
     * @param file for messages
     */
    static ObjectNode parse(Path file, byte[] text) {
        try {
            JsonNode node = MAPPER.readTree(text);
            if (node instanceof ObjectNode object) {
                return object;
            }
            throw new CheckpointFormatException(file, "not a JSON object" + ForeignFile.describe(text));
        } catch (JacksonException e) {
            throw new CheckpointFormatException(
                    file, "not valid JSON: %s%s".formatted(e.getOriginalMessage(), ForeignFile.describe(text)), e);
        }
    }

    /** Returns the text of a changed object, indented. */
    static String text(ObjectNode object) {
        return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(object) + "\n";
    }
}
