package org.isoloss.report;

import java.util.Locale;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Results as JSON files: indented, the same bytes on every machine. */
final class JsonText {
    private static final JsonMapper INDENTED =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private JsonText() {}

    static ObjectNode object() {
        return INDENTED.createObjectNode();
    }

    /** Returns the text, whose lines end in {@code \n}. */
    static String indented(Object value) {
        return INDENTED.writeValueAsString(value).replace("\r\n", "\n") + "\n";
    }

    /** Returns a power of ten as {@code 1e-8}. */
    static String power(double value) {
        return String.format(Locale.ROOT, "%.0e", value).replace("e-0", "e-");
    }
}
