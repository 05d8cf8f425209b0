package org.isoloss.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Small models as transformers stored them: their configuration, and the types and shapes of their tensors. */
final class StoredModel {
    private StoredModel() {}

    /** The type and the shape of a tensor. */
    record Entry(ElementType type, Shape shape) {}

    /** Writes the configuration of a model into a folder and returns what its weights are. */
    static SequencedMap<String, Entry> write(String name, Path folder) throws IOException {
        JsonNode model = JsonMapper.shared()
                .readTree(Resources.path("transformers/" + name + ".json").toFile());
        Files.writeString(folder.resolve("config.json"), model.get("config").toString());
        var tensors = new LinkedHashMap<String, Entry>();
        model.get("tensors").forEachEntry((tensor, entry) -> {
            List<Long> sizes = new ArrayList<>();
            entry.get(1).forEach(size -> sizes.add(size.longValue()));
            tensors.put(tensor, new Entry(ElementType.valueOf(entry.get(0).asString()), new Shape(sizes)));
        });
        return tensors;
    }
}
