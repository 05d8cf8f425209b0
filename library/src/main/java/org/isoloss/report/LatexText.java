package org.isoloss.report;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Words as LaTeX: what it takes for its own is escaped, symbols of the paper stay as they are. */
final class LatexText {
    private static final Pattern RAISED = Pattern.compile("[" + PlainFont.SUPERSCRIPTS + "]+");

    private LatexText() {}

    /** Returns {@code text} such that LaTeX sets it as it reads. */
    static String of(String text) {
        var latex = new StringBuilder();
        int from = 0;
        for (MatchResult symbol : Symbols.in(text)) {
            latex.append(escape(text.substring(from, symbol.start()))).append(symbol.group());
            from = symbol.end();
        }
        return latex.append(escape(text.substring(from))).toString();
    }

    /** Returns words for a comment, which ends where the line does. */
    static String comment(String text) {
        return text.replaceAll("\\s+", " ");
    }

    private static String escape(String text) {
        String raised = RAISED.matcher(text).replaceAll(digits -> "\u0002" + Symbols.level(digits.group()) + "\u0003");
        return raised.chars().mapToObj(LatexText::escape).collect(Collectors.joining());
    }

    private static String escape(int character) {
        return switch (character) {
            case '\u0002' -> "\\textsuperscript{";
            case '\u0003' -> "}";
            case '\\' -> "\\textbackslash{}";
            case '~' -> "\\textasciitilde{}";
            case '^' -> "\\textasciicircum{}";
            case '<' -> "\\textless{}";
            case '>' -> "\\textgreater{}";
            case '|' -> "\\textbar{}";
            case '&', '%', '$', '#', '_', '{', '}' -> "\\" + (char) character;
            case '\u2212' -> "\\ensuremath{-}";
            case '\u00d7' -> "\\ensuremath{\\times}";
            case '\u2026' -> "\\dots{}";
            default -> character < ' ' ? " " : String.valueOf((char) character);
        };
    }
}
