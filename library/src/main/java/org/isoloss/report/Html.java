package org.isoloss.report;

/** Text as HTML. */
final class Html {
    private Html() {}

    /** Returns {@code text} such that it reads the same inside an element or a double-quoted attribute. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    /** Returns an element with escaped text. */
    static String element(String name, String text) {
        return "<" + name + ">" + escape(text) + "</" + name + ">";
    }
}
