package org.isoloss.report;

import java.awt.Font;

/** Text as HTML. */
final class Html {
    private static final PlainFont PLAIN = new PlainFont(Font.PLAIN, 12);

    private Html() {}

    /** Returns {@code text} such that it reads the same inside an element or a double-quoted attribute. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    /** Returns text for the inside of an element: escaped, with the paper's symbols as they are written. */
    static String text(String text) {
        var html = new StringBuilder();
        for (Symbols.Run run : Symbols.runs(text, PLAIN)) {
            String words = escape(run.text());
            String slanted = run.font().isItalic() ? "<i>" + words + "</i>" : words;
            html.append(run.rise() < 0 ? "<sub>" + slanted + "</sub>" : slanted);
        }
        return html.toString();
    }

    /** Returns an element with escaped text. */
    static String element(String name, String text) {
        return "<" + name + ">" + text(text) + "</" + name + ">";
    }
}
