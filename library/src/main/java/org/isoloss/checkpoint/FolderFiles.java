package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the weights in a folder as Hugging Face lays it out. */
public final class FolderFiles {
    /** The configuration of a model. */
    public static final String CONFIG = "config.json";

    private static final String INDEX = "model" + ShardIndex.SUFFIX;
    private static final String SINGLE = "model.safetensors";

    private static final String ADAPTER = "adapter_config.json";

    private FolderFiles() {}

    /**
     * Refuses the folder of an adapter, or of a model with one, which transformers would add to the weights; and lost links.
     *
     * @param folder of a model
     * @throws IOException when a link cannot be read
     */
    public static void requireModel(Path folder) throws IOException {
        requireLed(folder.resolve(CONFIG));
        if (Files.exists(folder.resolve(ADAPTER))) {
            throw new CheckpointFormatException(
                    folder,
                    "holds %s, an adapter (LoRA); merge it into its base model first: PeftModel's merge_and_unload(), then save_pretrained()"
                            .formatted(ADAPTER));
        }
    }

    /**
     * Tells of a link that leads nowhere, as a cache of downloads leaves when its files are moved or removed.
     *
     * @param file that does not exist
     * @return a clause for the end of a message, or "" when there is no link
     * @throws IOException when the link cannot be read
     */
    static String dangling(Path file) throws IOException {
        return Files.isSymbolicLink(file) && !Files.exists(file)
                ? "is a link to %s, which is not there; download it again or copy the file in place of the link"
                        .formatted(quoted(Files.readSymbolicLink(file).toString()))
                : "";
    }

    private static void requireLed(Path file) throws IOException {
        String dangling = dangling(file);
        if (!dangling.isEmpty()) {
            throw new CheckpointFormatException(file, dangling);
        }
    }

    /**
     * Returns the file that leads to the weights of a folder: a safetensors file, an index of several, or else a single GGUF
     * or ONNX file, or the first of the files of one GGUF model.
     *
     * @param folder of a model
     * @return the file
     * @throws IOException when the folder cannot be read
     * @throws CheckpointFormatException when there is none or more than one, or only a link to one that is gone
     */
    public static Path weights(Path folder) throws IOException {
        requireLed(folder.resolve(INDEX));
        requireLed(folder.resolve(SINGLE));
        List<String> names;
        try (Stream<Path> files = Files.list(folder)) {
            names = files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith(".")) // also what a killed save left
                    .sorted()
                    .toList();
        }
        if (names.contains(INDEX) && names.contains(SINGLE)) {
            throw new CheckpointFormatException(
                    folder, "holds both %s and %s; remove the one that is not meant".formatted(SINGLE, INDEX));
        }
        for (String usual : List.of(INDEX, SINGLE)) {
            if (names.contains(usual)) {
                return folder.resolve(usual);
            }
        }
        for (String suffix : List.of(ShardIndex.SUFFIX, ".safetensors", ".gguf", ".onnx")) {
            List<String> found = names.stream()
                    .filter(endsWith(suffix))
                    .filter(name -> !GgufFile.isLaterPart(name))
                    .toList();
            if (found.size() == 1) {
                return folder.resolve(found.getFirst());
            }
            if (found.size() > 1) {
                throw new CheckpointFormatException(
                        folder,
                        "holds %d files that could be the weights: %s; name one of them"
                                .formatted(
                                        found.size(),
                                        found.stream()
                                                .limit(4)
                                                .map(CheckpointFormatException::quoted)
                                                .collect(Collectors.joining(", "))));
            }
        }
        for (Path link : links(folder)) {
            requireLed(link);
        }
        String problem = names.stream()
                .filter(endsWith(".bin").or(endsWith(".pt")).or(endsWith(".pth")))
                .findFirst()
                .map(pickle ->
                        "holds its weights only as %s, a Python pickle, which can run code and is never loaded; %s"
                                .formatted(quoted(pickle), ForeignFile.CONVERT))
                .orElse("holds no weights, expected %s or %s".formatted(SINGLE, INDEX));
        throw new CheckpointFormatException(folder, problem);
    }

    private static List<Path> links(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isSymbolicLink).sorted().toList();
        }
    }

    private static Predicate<String> endsWith(String suffix) {
        return name -> name.endsWith(suffix);
    }
}
