package org.isoloss.source;

import static java.util.Objects.requireNonNull;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds the models beside these tests and among the examples. */
public final class Models {
    public static final String TRAINED = "neox-wikitext-1.8m";

    private Models() {}

    public static Path folder(String name) {
        if (name.equals(TRAINED)) {
            Path examples = Path.of("examples");
            return (Files.isDirectory(examples) ? examples : Path.of("..").resolve(examples)).resolve(name);
        }
        try {
            return Path.of(requireNonNull(Models.class.getResource("/org/isoloss/transformer/" + name), name)
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** Where the numbers of a model lie: two folders hold one model under two configurations. */
    public static Path golden(String name) {
        return folder(name.replace("-newconfig", "")).resolve("golden.json");
    }

    public static Stream<String> all() {
        return Stream.concat(random().stream(), Stream.of("aidreams-260k", "gpt-nano-sort", TRAINED));
    }

    public static List<String> random() {
        return List.of(
                "gptneox-parallel-f32",
                "gptneox-parallel-f32-newconfig",
                "gptneox-sequential-f16",
                "gptneox-bf16",
                "gpt2-gelu-new",
                "llama-gqa",
                "bert-postln",
                "gemma-geglu",
                "qwen2-biases");
    }
}
