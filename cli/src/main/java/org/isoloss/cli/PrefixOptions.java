package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.isoloss.source.PromptTokens;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A transformer and the tokens that are protected, as a mixin. */
final class PrefixOptions {
    @Parameters(paramLabel = "MODEL", description = "Folder with config.json and weights.")
    private Path model = Path.of(".");

    @Option(
            names = "--prefix",
            required = true,
            paramLabel = "PREFIX",
            description = "The protected prefix: a text, token ids such as 12,5,7, or a file that holds either.")
    private String prefix = "";

    @Option(
            names = "--tokens",
            paramLabel = "K",
            description = "Protects the first K tokens of the prefix; all where left out.")
    private int tokens;

    Path model() {
        return model;
    }

    /** The name of the model, for files and captions. */
    String modelName() {
        return ModelName.of(model);
    }

    /** Reads the protected tokens. */
    List<Integer> ids() throws IOException {
        List<Integer> ids =
                Arrays.stream(PromptTokens.of(prefix, model)).boxed().toList();
        if (tokens < 0) {
            throw new IllegalArgumentException("--tokens is %d, expected at least 1".formatted(tokens));
        }
        if (tokens > ids.size()) {
            throw new IllegalArgumentException(
                    "--tokens is %d, but the prefix has only %d tokens".formatted(tokens, ids.size()));
        }
        return tokens == 0 ? ids : ids.subList(0, tokens);
    }
}
