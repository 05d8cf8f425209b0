package org.isoloss.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.evaluation.GoldenFile;
import org.isoloss.evaluation.Parity;
import org.isoloss.source.StoredModel.Reading;
import tools.jackson.databind.json.JsonMapper;

/**
 * How far the forward passes of many small models are from the golden numbers beside them. Prints one JSON object a model:
 * its largest differences in both arithmetics, or why it was refused.
 */
public final class ConfigurationParity {
    private ConfigurationParity() {}

    /**
     * Runs every model.
     *
     * @param arguments a folder of folders, each with config.json, weights and golden.json; not modified
     * @throws IOException when a file cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        List<Path> folders;
        try (Stream<Path> found = Files.list(Path.of(arguments[0]))) {
            folders = found.sorted().toList();
        }
        for (Path folder : folders) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("case", String.valueOf(folder.getFileName()));
            measure(folder, result);
            System.out.println(JsonMapper.shared().writeValueAsString(result));
        }
    }

    private static void measure(Path folder, Map<String, Object> result) throws IOException {
        try {
            Parity.Place output = Parity.measure(folder, Reading.PLAIN, GoldenFile.read(folder.resolve("golden.json")))
                    .places()
                    .getLast();
            result.put("float64", output.float64());
            result.put("float32", output.float32());
        } catch (CheckpointFormatException refusal) {
            result.put("refusal", refusal.getMessage());
        }
    }
}
