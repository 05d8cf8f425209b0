package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A value of a certificate, read strictly: no number is taken for a text, no fraction for a whole number, no repeated key
 * for either of its values.
 *
 * @param value as it was parsed
 * @param where it stands, in words
 */
record CertificateNode(JsonNode value, String where) {
    /** Characters of a foreign value that a message shows. */
    private static final int SHOWN = 60;

    private static final int SHOWN_OF_PARSER = 200;

    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** Parses the whole text, which must be one JSON object. */
    static CertificateNode root(String json) {
        JsonNode root;
        try {
            root = JSON.readTree(json);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("not JSON: " + cut(e.getOriginalMessage(), SHOWN_OF_PARSER), e);
        }
        if (!root.isObject()) {
            throw new IllegalArgumentException("the certificate is %s, expected a JSON object"
                    .formatted(root.isMissingNode() ? "empty" : cut(root.toString(), SHOWN)));
        }
        return new CertificateNode(root, "the certificate");
    }

    /** Quotes a foreign text in one line of bounded length. */
    static String shown(String text) {
        return "\"" + cut(text, SHOWN) + "\"";
    }

    private static String cut(String text, int length) {
        String whole = text.length() <= length
                ? text
                : "%s… (%d characters)".formatted(text.substring(0, length), text.length());
        return whole.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+", " ");
    }

    /** Demands an object with these keys and no others. */
    CertificateNode requireKeys(Set<String> needed, Set<String> allowed) {
        if (!value.isObject()) {
            throw expected("an object");
        }
        for (String key : needed) {
            if (!value.has(key)) {
                throw new IllegalArgumentException("%s has no \"%s\"".formatted(where, key));
            }
        }
        for (String key : value.propertyNames()) {
            if (!needed.contains(key) && !allowed.contains(key)) {
                throw new IllegalArgumentException("%s has an unknown key %s".formatted(where, shown(key)));
            }
        }
        return this;
    }

    boolean has(String key) {
        return value.has(key);
    }

    /** The value of a key that is there. */
    CertificateNode get(String key) {
        return new CertificateNode(value.get(key), where.equals("the certificate") ? key : key + " of " + where);
    }

    List<CertificateNode> items() {
        if (!value.isArray()) {
            throw expected("an array");
        }
        List<CertificateNode> items = new ArrayList<>();
        for (JsonNode item : value) {
            items.add(new CertificateNode(item, "item %d of %s".formatted(items.size() + 1, where)));
        }
        return items;
    }

    List<CertificateNode> items(int count) {
        List<CertificateNode> items = items();
        if (items.size() != count) {
            throw expected("an array of %d".formatted(count));
        }
        return items;
    }

    String text() {
        if (!value.isString()) {
            throw expected("text");
        }
        return value.asString();
    }

    boolean truth() {
        if (!value.isBoolean()) {
            throw expected("true or false");
        }
        return value.asBoolean();
    }

    long longNumber() {
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw expected("a whole number of at most 64 bits");
        }
        return value.asLong();
    }

    int wholeNumber(int least, int most) {
        if (!value.isIntegralNumber() || !value.canConvertToInt() || value.asInt() < least || value.asInt() > most) {
            throw expected("a whole number from %d to %d".formatted(least, most));
        }
        return value.asInt();
    }

    Fraction fraction() {
        return Fraction.parse(text())
                .orElseThrow(() ->
                        expected("a fraction such as \"-3/4\", of at most %d digits".formatted(Fraction.MOST_DIGITS)));
    }

    /** Says what stands here and what should. */
    IllegalArgumentException expected(String what) {
        return new IllegalArgumentException(
                "%s is %s, expected %s".formatted(where, cut(value.toString(), SHOWN), what));
    }
}
