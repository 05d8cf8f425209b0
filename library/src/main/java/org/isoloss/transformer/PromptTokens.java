package org.isoloss.transformer;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Turns a prompt into token ids: a list of ids as it is, a text or a file by the {@code tokenizer.json} of the model.
 *
 * <p>The tokenizer is Hugging Face's own, as a native library that comes with the program; it is unpacked into the folder
 * {@code .djl.ai} of the user's home (or where {@code DJL_CACHE_DIR} says) at first use. Nothing is downloaded. Ids need
 * neither the library nor a tokenizer.
 */
public final class PromptTokens {
    private static final Pattern IDS = Pattern.compile("\\[?\\s*\\d+(\\s*[,\\s]\\s*\\d+)*\\s*]?\\s*");
    private static final String TOKENIZER = "tokenizer.json";

    private PromptTokens() {}

    /**
     * Reads a prompt as a command line gives it.
     *
     * @param prompt ids separated by commas or spaces, such as {@code 429,391,18}; or the name of a file that exists, with ids
     *     or text in UTF-8; or a text
     * @param model the model's folder
     * @return at least one id
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when a text gives no token, or there is no usable tokenizer
     */
    public static int[] of(String prompt, Path model) throws IOException {
        String text = isFile(prompt) ? Files.readString(Path.of(prompt)) : prompt;
        int[] ids = IDS.matcher(text.strip()).matches() ? ids(text) : ofText(text, model);
        if (ids.length == 0) {
            throw new IllegalArgumentException("the prompt gives no token; give a text, or ids such as 429,391,18");
        }
        return ids;
    }

    private static boolean isFile(String prompt) {
        try {
            return Files.isRegularFile(Path.of(prompt));
        } catch (InvalidPathException e) {
            return false; // a text that no file may be called
        }
    }

    private static int[] ids(String text) {
        return Pattern.compile("\\d+")
                .matcher(text)
                .results()
                .mapToInt(match -> id(match.group()))
                .toArray();
    }

    private static int id(String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the prompt holds the id %s, beyond 2^31 - 1".formatted(digits), e);
        }
    }

    /**
     * Turns a text into ids, with the special tokens that the model's tokenizer puts around it.
     *
     * @param text any text; empty gives no token but special ones
     * @param model the model's folder, with {@code tokenizer.json}
     * @return the ids
     * @throws IOException when the tokenizer cannot be read
     * @throws IllegalArgumentException when there is none, or its library cannot be used here
     */
    public static int[] ofText(String text, Path model) throws IOException {
        Path file = model.resolve(TOKENIZER);
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException(
                    "%s: has no %s; give token ids such as 429,391,18 in place of a text".formatted(model, TOKENIZER));
        }
        stayOffline();
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.newInstance(
                file, Map.of("truncation", "false", "padding", "false", "addSpecialTokens", "true"))) {
            return Arrays.stream(tokenizer.encode(text).getIds())
                    .mapToInt(Math::toIntExact)
                    .toArray();
        } catch (RuntimeException | LinkageError failure) {
            throw unusable(file, failure);
        }
    }

    /** The library asks a cloud's metadata service where it runs, and may fetch other builds of itself, unless told not to. */
    private static void stayOffline() {
        System.setProperty("OPT_OUT_TRACKING", "true");
        System.setProperty("ai.djl.offline", "true");
        System.setProperty("slf4j.internal.verbosity", "ERROR"); // it says on standard error that nothing logs
    }

    static IllegalArgumentException unusable(Path file, Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String reason = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        return new IllegalArgumentException(
                "%s: the tokenizer cannot be used (%s); give token ids such as 429,391,18 in place of a text"
                        .formatted(file, reason),
                failure);
    }
}
