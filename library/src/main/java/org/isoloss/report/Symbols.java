package org.isoloss.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The paper's symbols in the words of a figure: {@code $s_F$} is drawn as a slanted s with a lowered F, {@code $\rho$} as
 * the Greek letter, and LaTeX gets it as it stands.
 */
final class Symbols {
    private static final Pattern SYMBOL = Pattern.compile("\\$(\\\\?[A-Za-z]+)(?:_(\\\\?[A-Za-z]+))?\\$");
    private static final Pattern RAISED = Pattern.compile("[" + PlainFont.SUPERSCRIPTS + "]+");
    private static final String LEVEL = "\u22120123456789";
    private static final Map<String, String> GREEK =
            Map.of("\\theta", "\u03b8", "\\rho", "\u03c1", "\\beta", "\u03b2", "\\sigma", "\u03c3");
    private static final double SMALL = 0.72;
    private static final double LOWERED = -0.18;
    private static final double LIFTED = 0.36;
    private static final double GAP = 0.04;

    private Symbols() {}

    /**
     * Words in one font on one line.
     *
     * @param text them
     * @param font with its size and slant
     * @param x where they start, right of the start of the whole text
     * @param rise of their baseline above that of the whole text
     */
    record Run(String text, PlainFont font, double x, double rise) {
        double end() {
            return x + font.plainWidth(text);
        }
    }

    /** Returns the pieces of a text from left to right; superscripts that are signs of their own stay in their words. */
    static List<Run> runs(String text, PlainFont font) {
        var line = new Line(font);
        Matcher symbol = SYMBOL.matcher(text);
        int from = 0;
        while (symbol.find()) {
            line.add(text.substring(from, symbol.start()), font, 0);
            line.add(letter(symbol.group(1)), font.slanted(), 0);
            if (symbol.group(2) != null) {
                line.add(letter(symbol.group(2)), font.slanted().scaled(SMALL), LOWERED);
            }
            from = symbol.end();
        }
        line.add(text.substring(from), font, 0);
        return line.runs;
    }

    /** Returns the pieces of a text for a font without signs for superscripts: these become small raised digits. */
    static List<Run> raisedRuns(String text, PlainFont font) {
        List<Run> runs = new ArrayList<>();
        for (Run run : runs(text, font)) {
            var line = new Line(run.font);
            Matcher raised = RAISED.matcher(run.text);
            int from = 0;
            while (raised.find()) {
                line.add(run.text.substring(from, raised.start()), run.font, 0);
                line.add(level(raised.group()), run.font.scaled(SMALL), LIFTED);
                from = raised.end();
            }
            line.add(run.text.substring(from), run.font, 0);
            line.runs.forEach(
                    piece -> runs.add(new Run(piece.text, piece.font, run.x + piece.x, run.rise + piece.rise)));
        }
        return runs;
    }

    /** Returns a text as plain words, for a table or a screen reader: {@code $s_F$} becomes {@code s_F}. */
    static String words(String text) {
        return SYMBOL.matcher(text)
                .replaceAll(symbol -> Matcher.quoteReplacement(
                        letter(symbol.group(1)) + (symbol.group(2) == null ? "" : "_" + letter(symbol.group(2)))));
    }

    /** Returns where the symbols of a text are. */
    static List<MatchResult> in(String text) {
        return SYMBOL.matcher(text).results().toList();
    }

    private static String letter(String name) {
        return GREEK.getOrDefault(name, name);
    }

    /** Returns raised digits, and the minus, as those of the line. */
    static String level(String raised) {
        var digits = new StringBuilder();
        raised.chars().forEach(digit -> digits.append(LEVEL.charAt(PlainFont.SUPERSCRIPTS.indexOf(digit))));
        return digits.toString();
    }

    /** Pieces that follow one another. */
    private static final class Line {
        private final double size;
        private final List<Run> runs = new ArrayList<>();

        Line(PlainFont font) {
            this.size = font.getSize2D();
        }

        void add(String text, PlainFont font, double rise) {
            if (!text.isEmpty()) {
                runs.add(new Run(
                        text,
                        font,
                        runs.isEmpty() ? 0 : runs.getLast().end() + (rise == 0 ? 0 : GAP * size),
                        rise * size));
            }
        }
    }
}
