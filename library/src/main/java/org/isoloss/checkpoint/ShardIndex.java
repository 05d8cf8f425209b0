package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The index of a checkpoint in several safetensors files: which file, its shard, holds which tensor.
 *
 * @see "https://huggingface.co/docs/safetensors, and model.safetensors.index.json as transformers writes it"
 */
final class ShardIndex {
    /** How the names of such files end. */
    static final String SUFFIX = ".safetensors.index.json";

    private static final String MAP = "weight_map";

    private final Path file;
    private final ObjectNode json;
    private final SequencedMap<String, String> shards;

    private ShardIndex(Path file, ObjectNode json, SequencedMap<String, String> shards) {
        this.file = file;
        this.json = json;
        this.shards = shards;
    }

    static ShardIndex read(Path file) throws IOException {
        return of(file, JsonFile.read(file));
    }

    static ShardIndex of(Path file, ObjectNode json) {
        JsonNode map = json.get(MAP);
        if (map == null || !map.isObject()) {
            throw new CheckpointFormatException(
                    file,
                    "the index has %s, expected an object that gives each tensor its file"
                            .formatted(map == null ? "no weight_map" : "a weight_map that is no object"));
        }
        var shards = new LinkedHashMap<String, String>();
        for (Map.Entry<String, JsonNode> entry : map.properties()) {
            shards.put(entry.getKey(), shard(file, entry.getKey(), entry.getValue()));
        }
        return new ShardIndex(file, json, shards);
    }

    private static String shard(Path file, String tensor, JsonNode value) {
        if (!value.isString()) {
            throw new CheckpointFormatException(
                    file, "the index gives tensor %s no file name, expected a string".formatted(quoted(tensor)));
        }
        String name = value.asString();
        boolean plain = name.chars().noneMatch(c -> c == '/' || c == '\\' || c == ':' || Character.isISOControl(c));
        if (!plain || name.startsWith("..")) {
            throw new CheckpointFormatException(
                    file,
                    "the index puts tensor %s into %s, which is not in its folder; expected a file name alone"
                            .formatted(quoted(tensor), quoted(name)));
        }
        if (!name.endsWith(".safetensors")) {
            String advice = name.endsWith(".bin") || name.endsWith(".pt") ? "; " + ForeignFile.CONVERT : "";
            throw new CheckpointFormatException(
                    file,
                    "the index puts tensor %s into %s, expected a name that ends with .safetensors%s"
                            .formatted(quoted(tensor), quoted(name), advice));
        }
        return name;
    }

    Path file() {
        return file;
    }

    /** Returns the file name of each tensor, in the order of the index. */
    SequencedMap<String, String> shards() {
        return shards;
    }

    /** Returns the distinct file names, sorted. */
    SequencedSet<String> names() {
        return new TreeSet<>(shards.values());
    }

    /** Returns this index with one more tensor. */
    ShardIndex with(String tensor, String shard) {
        ObjectNode copy = json.deepCopy();
        ((ObjectNode) copy.get(MAP)).put(tensor, shard);
        return of(file, copy);
    }

    /** Returns the text of this index with another number of bytes of all tensors, where it states one. */
    String withBytes(long bytes) {
        ObjectNode copy = json.deepCopy();
        if (copy.get("metadata") instanceof ObjectNode metadata && metadata.has("total_size")) {
            metadata.put("total_size", bytes);
        }
        return JsonFile.text(copy);
    }

    /** Returns the text of this index with some files renamed, all else kept. */
    String renamed(Map<String, String> newNames) {
        ObjectNode copy = json.deepCopy();
        var map = (ObjectNode) copy.get(MAP);
        shards.forEach((tensor, shard) -> map.put(tensor, newNames.getOrDefault(shard, shard)));
        return JsonFile.text(copy);
    }
}
