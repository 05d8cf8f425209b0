package org.isoloss.checkpoint;

import java.nio.file.Path;
import java.util.Locale;

/** A file holds something else than it should. The message is one line, begins with the file and says what is wrong. */
public final class CheckpointFormatException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;
    private static final int LONGEST_NAME = 120;

    /**
     * Creates the exception.
     *
     * @param file the file that is wrong
     * @param problem what is wrong and what to do; control characters are shown as escapes
     */
    public CheckpointFormatException(Path file, String problem) {
        super(onOneLine(file + ": " + problem));
    }

    /**
     * Creates the exception with what brought it about.
     *
     * @param file the file that is wrong
     * @param problem what is wrong and what to do; control characters are shown as escapes
     * @param cause what a parser or decompressor reported
     */
    public CheckpointFormatException(Path file, String problem, Throwable cause) {
        super(onOneLine(file + ": " + problem), cause);
    }

    /**
     * Returns a name from a file as messages show it.
     *
     * @param name any text
     * @return in quotes, on one line, cut when it is very long
     */
    public static String quoted(String name) {
        String shown = onOneLine(name);
        if (shown.length() > LONGEST_NAME) {
            shown = shown.substring(0, LONGEST_NAME) + "... (" + name.length() + " characters)";
        }
        return "'" + shown + "'";
    }

    private static String onOneLine(String text) {
        if (text.chars().noneMatch(Character::isISOControl)) {
            return text;
        }
        var line = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (Character.isISOControl(character)) {
                line.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
            } else {
                line.append(character);
            }
        }
        return line.toString();
    }
}
