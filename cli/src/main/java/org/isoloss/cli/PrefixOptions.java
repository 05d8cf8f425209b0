package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A transformer and the tokens that are protected, as a mixin. */
final class PrefixOptions {
    private static final Pattern IDS = Pattern.compile("\\[?\\s*\\d+(?:\\s*[,\\s]\\s*\\d+)*\\s*]?");

    @Parameters(paramLabel = "MODEL", description = "Folder with config.json and weights.")
    private Path model = Path.of(".");

    @Option(
            names = "--prefix",
            required = true,
            paramLabel = "PREFIX",
            description = "The protected prefix: token ids such as 12,5,7, or a file that holds them.")
    private String prefix = "";

    @Option(
            names = "--tokens",
            paramLabel = "K",
            description = "Protects the first K tokens of the prefix; all where left out.")
    private int tokens;

    Path model() {
        return model;
    }

    /** The name of the model's folder, for files and captions. */
    String modelName() {
        Path name = model.toAbsolutePath().normalize().getFileName();
        return name == null ? "model" : name.toString();
    }

    /** Reads the protected tokens. */
    List<Integer> ids() throws IOException {
        List<Integer> ids = all();
        if (tokens < 0) {
            throw new IllegalArgumentException("--tokens is %d, expected at least 1".formatted(tokens));
        }
        if (tokens > ids.size()) {
            throw new IllegalArgumentException(
                    "--tokens is %d, but the prefix has only %d tokens".formatted(tokens, ids.size()));
        }
        return tokens == 0 ? ids : ids.subList(0, tokens);
    }

    private List<Integer> all() throws IOException {
        String text = isFile() ? Files.readString(Path.of(prefix)) : prefix;
        if (!IDS.matcher(text.strip()).matches()) {
            throw new IllegalArgumentException(
                    "--prefix %s: expected token ids such as 12,5,7, or a file that holds them".formatted(shortened()));
        }
        try {
            return Arrays.stream(text.replaceAll("[\\[\\]]", " ").strip().split("[,\\s]+", -1))
                    .map(Integer::valueOf)
                    .toList();
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--prefix %s: a token id is too large".formatted(shortened()), e);
        }
    }

    private boolean isFile() {
        try {
            return Files.isRegularFile(Path.of(prefix));
        } catch (InvalidPathException e) {
            return false; // a text may hold what no path can
        }
    }

    private String shortened() {
        return prefix.length() <= 40 ? "'%s'".formatted(prefix) : "'%s…'".formatted(prefix.substring(0, 40));
    }
}
