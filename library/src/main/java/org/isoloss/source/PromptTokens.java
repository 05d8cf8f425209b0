package org.isoloss.source;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.isoloss.checkpoint.TextFile;

/**
 * Turns a prompt into token ids: a list of ids as it is, a text or a file by the {@code tokenizer.json} of the model.
 *
 * <p>Ids are whole numbers from 0, separated by commas, semicolons, blanks or line ends, in brackets or not, with one
 * separator at the end or none. What is nearly such a list is refused, not taken for a text of digits: a prompt that begins
 * with a number and has more numbers than other words, or one of whose words three quarters are numbers. Words are what
 * stands between blanks, commas, semicolons, colons, equals signs, bars, brackets and quotes; a comment after {@code #} or
 * {@code //} has none.
 *
 * <p>The tokenizer is Hugging Face's own, as a native library that comes with the program; it is unpacked into the folder
 * {@code .djl.ai} of the user's home (or where {@code DJL_CACHE_DIR} says) at first use. Nothing is downloaded. Ids need
 * neither the library nor a tokenizer.
 */
public final class PromptTokens {
    private static final String BLANK = "[\\s\\p{Z}]";
    private static final String SEPARATOR = "(?:%1$s*[,;]%1$s*|%1$s+)".formatted(BLANK);
    private static final String LIST = "%1$s*\\d+(?:%2$s\\d+)*%1$s*[,;]?%1$s*".formatted(BLANK, SEPARATOR);
    private static final Pattern IDS = Pattern.compile("%1$s*\\[%2$s]%1$s*|%2$s".formatted(BLANK, LIST));
    private static final Pattern BETWEEN_WORDS = Pattern.compile("[\\s\\p{Z}\\p{Cf},;:=|<>(){}\\[\\]\"'`]+");
    private static final Pattern COMMENT = Pattern.compile("(?m)(?:^|\\s)(?:#|//).*$");
    private static final Pattern NUMBER =
            Pattern.compile("[-+\u2212]?\\p{Nd}+(?:[._]\\p{Nd}*)*(?:[eE][-+]?\\d+)?|[-+\u2212]?\\.\\p{Nd}+");
    private static final Pattern FILE_NAME = Pattern.compile("\\S+\\.(?:txt|csv|tsv|json|jsonl|ids|npy|npz|md)");
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
     * @throws IllegalArgumentException when a text gives no token, there is no usable tokenizer, the prompt is nearly a list of
     *     ids, or names a file that is not there
     */
    public static int[] of(String prompt, Path model) throws IOException {
        Optional<Path> file = file(prompt);
        String text = file.isPresent() ? TextFile.read(file.get()) : prompt;
        String where = file.map(path -> path + ": ").orElse("");
        int[] ids = IDS.matcher(text).matches() ? ids(where, text) : ofText(requireText(where, text), model);
        if (ids.length == 0 || text.isBlank()) { // of line ends alone a tokenizer makes tokens
            throw new IllegalArgumentException(
                    where + "the prompt gives no token; give a text, or ids such as 429,391,18");
        }
        return ids;
    }

    /** The file that is meant; refuses the name of one that is not there, which would otherwise be protected as a text. */
    private static Optional<Path> file(String prompt) throws IOException {
        Path path;
        try {
            path = Path.of(prompt);
        } catch (InvalidPathException e) {
            return Optional.empty(); // a text that no file may be called
        }
        if (Files.isRegularFile(path)) {
            return Optional.of(path);
        }
        boolean named = FILE_NAME.matcher(prompt).matches() || Files.isSymbolicLink(path);
        if (named && !Files.isDirectory(path)) {
            throw new NoSuchFileException(prompt, null, "the prompt names a file that is not there");
        }
        return Optional.empty();
    }

    private static String requireText(String where, String text) {
        List<String> words = BETWEEN_WORDS
                .splitAsStream(COMMENT.matcher(text).replaceAll(""))
                .filter(word -> !word.isEmpty())
                .toList();
        List<String> numbers =
                words.stream().filter(word -> NUMBER.matcher(word).matches()).toList();
        if (numbers.isEmpty()) {
            return text;
        }
        boolean first = words.getFirst().equals(numbers.getFirst());
        if (4 * numbers.size() < 3 * words.size() && !(first && 2 * numbers.size() > words.size())) {
            return text;
        }
        String odd = words.stream()
                .filter(word -> !word.matches("\\d+"))
                .findFirst()
                .map(word -> ": '%s' is no token id".formatted(word))
                .orElse(": a number is missing between two separators, or a sign stands that separates nothing");
        throw new IllegalArgumentException(
                "%sthe prompt is nearly a list of token ids, and is not taken for a text%s; expected whole numbers from 0 such as 429,391,18"
                        .formatted(where, odd));
    }

    private static int[] ids(String where, String text) {
        return Pattern.compile("\\d+")
                .matcher(text)
                .results()
                .mapToInt(match -> id(where, match.group()))
                .toArray();
    }

    private static int id(String where, String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "%sthe prompt holds the id %s, beyond 2^31 - 1".formatted(where, digits), e);
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
