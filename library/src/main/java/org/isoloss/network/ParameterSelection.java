package org.isoloss.network;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Parameters chosen by text such as {@code 2.weight[0:4, 1]}: a tensor, and for each dimension an index or a range. */
final class ParameterSelection {
    private static final Pattern FORM = Pattern.compile("\\s*([^\\[\\]\\s]+)\\s*(?:\\[([^\\[\\]]*)\\])?\\s*");
    private static final Pattern RANGE = Pattern.compile("\\s*(\\d{0,9})\\s*(?:(:)\\s*(\\d{0,9}))?\\s*");

    private ParameterSelection() {}

    static IntStream indices(ParameterLayout layout, String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw unclear(text);
        }
        ParameterLayout.Entry entry = layout.entry(form.group(1));
        String places = form.group(2);
        String[] parts = places == null ? new String[0] : places.split(",", -1);
        if (parts.length > entry.shape().size()) {
            throw new IllegalArgumentException("'%s': %d places in brackets, %s has %d dimensions"
                    .formatted(text, parts.length, entry.name(), entry.shape().size()));
        }
        int[] rows = range(text, parts.length > 0 ? parts[0] : ":", entry.rows());
        int[] columns = range(text, parts.length > 1 ? parts[1] : ":", entry.columns());
        return IntStream.of(rows).flatMap(row -> IntStream.of(columns).map(column -> entry.index(row, column)));
    }

    private static int[] range(String text, String part, int size) {
        Matcher range = RANGE.matcher(part);
        if (!range.matches() || (range.group(2) == null && range.group(1).isEmpty())) {
            throw unclear(text);
        }
        boolean single = range.group(2) == null;
        int from = range.group(1).isEmpty() ? 0 : Integer.parseInt(range.group(1));
        int to = single ? from + 1 : range.group(3).isEmpty() ? size : Integer.parseInt(range.group(3));
        if (from >= to || to > size) {
            throw new IllegalArgumentException(
                    "'%s': '%s' is outside 0 to %d or selects nothing".formatted(text, part.strip(), size - 1));
        }
        return IntStream.range(from, to).toArray();
    }

    private static IllegalArgumentException unclear(String text) {
        return new IllegalArgumentException(
                "'%s' selects no parameters; expected a tensor such as 0.weight, or entries such as 0.weight[2, :], 2.weight[0:4, 1] or 0.bias[3]"
                        .formatted(text));
    }
}
