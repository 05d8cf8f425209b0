package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tables and sentences of README and docs that quote a finished study. A line such as {@code <!-- results/table1.json
 * action=paper: setting output fits -->} above a table says which rows and columns it quotes, and the table must be those, digit
 * by digit. A line such as {@code <!-- results/table6.json radius=0\.5 in the text: min least_seed_ratio %.1f -->} above a
 * paragraph says which numbers stand in it: the smallest or largest of a column among the rows whose keys match, or of the
 * ratio of a column's values for two objectives ({@code max composition finite/hybrid %.1f}).
 */
class QuotedResultsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern MARK = Pattern.compile("<!-- (results/\\S+\\.json)((?: \\S+=\\S+)*): ([^>]+) -->");
    private static final Pattern IN_TEXT =
            Pattern.compile("<!-- (results/\\S+\\.json)((?: \\S+=\\S+)*) in the text: ([^>]+) -->");
    private static final Pattern NUMBER = Pattern.compile("(min|max) (\\w+)(?: (\\w+)/(\\w+))? (%\\.\\d[ef])");
    private static final int HEADER_LINES = 2;

    /** Numbers that a paragraph must have, as they are written there. */
    record Sentence(String where, String text, List<String> numbers) {
        @Override
        public String toString() {
            return where;
        }

        /** Those that do not stand in the text as numbers of their own. */
        List<String> missing() {
            return numbers.stream()
                    .filter(number -> !Pattern.compile(
                                    "(?<![\\d.e-])%s(?![\\d]|[.e][\\d-])".formatted(Pattern.quote(number)))
                            .matcher(text)
                            .find())
                    .toList();
        }
    }

    static Stream<Sentence> sentences() throws IOException {
        List<Sentence> sentences = new ArrayList<>();
        for (Path page : pages()) {
            sentences.addAll(sentences(page.getFileName().toString(), Files.readAllLines(page), ROOT));
        }
        return sentences.stream();
    }

    private static List<Sentence> sentences(String page, List<String> lines, Path root) throws IOException {
        List<Sentence> sentences = new ArrayList<>();
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher mark = IN_TEXT.matcher(lines.get(i));
            if (!mark.matches()) {
                assertThat(lines.get(i)).as("%s:%d", page, i + 1).doesNotContain(" in the text: ");
                continue;
            }
            numbers.addAll(numbers(root.resolve(mark.group(1)), conditions(mark.group(2)), mark.group(3)));
            if (!lines.get(i + 1).startsWith("<!--")) {
                int last = i + 1;
                while (last < lines.size() && !lines.get(last).isBlank()) {
                    last++;
                }
                sentences.add(new Sentence(
                        "%s:%d".formatted(page, i + 1),
                        String.join(" ", lines.subList(i + 1, last)),
                        List.copyOf(numbers)));
                numbers.clear();
            }
        }
        return sentences;
    }

    private static List<String> numbers(Path file, Map<String, String> where, String wanted) throws IOException {
        List<JsonNode> rows = matching(file, where);
        List<String> numbers = new ArrayList<>();
        for (String one : wanted.split(", ", -1)) {
            Matcher number = NUMBER.matcher(one);
            assertThat(number.matches()).as("%s: '%s'", file, one).isTrue();
            DoubleSummaryStatistics values = (number.group(3) == null
                            ? rows.stream()
                            : rows.stream()
                                    .filter(row ->
                                            row.get("objective").asString().equals(number.group(3))))
                    .mapToDouble(row -> row.get(number.group(2)).asDouble()
                            / (number.group(3) == null ? 1 : of(rows, row, number.group(4), number.group(2))))
                    .summaryStatistics();
            assertThat(values.getCount()).as("%s: rows for '%s'", file, one).isPositive();
            numbers.add(String.format(
                            Locale.ROOT,
                            number.group(5),
                            number.group(1).equals("min") ? values.getMin() : values.getMax())
                    .replaceFirst("e([+-])0(\\d)$", "e$1$2"));
        }
        return numbers;
    }

    /** A number of the row that differs from another by its objective. */
    private static double of(List<JsonNode> rows, JsonNode like, String objective, String column) {
        return rows.stream()
                .filter(row -> row.get("setting").equals(like.get("setting"))
                        && row.get("objective").asString().equals(objective))
                .mapToDouble(row -> row.get(column).asDouble())
                .findFirst()
                .orElse(Double.NaN);
    }

    @ParameterizedTest
    @MethodSource("sentences")
    void aQuotedNumberIsTheMeasuredOne(Sentence sentence) {
        assertThat(sentence.missing()).as(sentence.where()).isEmpty();
        assertThat(sentence.numbers()).as(sentence.where()).isNotEmpty();
    }

    /** A table in a page, and what it should be. */
    record Quote(String where, List<String> written, List<String> measured) {
        @Override
        public String toString() {
            return where;
        }
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            docs.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        return pages;
    }

    private static Map<String, String> conditions(String text) {
        return Arrays.stream(text.split(" "))
                .filter(part -> !part.isEmpty())
                .map(part -> part.split("=", 2))
                .collect(Collectors.toMap(part -> part[0], part -> part[1]));
    }

    static Stream<Quote> quotes() throws IOException {
        List<Quote> quotes = new ArrayList<>();
        for (Path page : pages()) {
            quotes.addAll(quotes(page.getFileName().toString(), Files.readAllLines(page), ROOT));
        }
        return quotes.stream();
    }

    private static List<Quote> quotes(String page, List<String> lines, Path root) throws IOException {
        List<Quote> quotes = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher mark = MARK.matcher(lines.get(i));
            if (mark.matches()) {
                List<String> measured = rows(
                        root.resolve(mark.group(1)),
                        conditions(mark.group(2)),
                        List.of(mark.group(3).split(" ")));
                int first = i + 1 + HEADER_LINES;
                int last = first;
                while (last < lines.size() && lines.get(last).startsWith("|")) {
                    last++;
                }
                quotes.add(new Quote("%s:%d".formatted(page, i + 1), lines.subList(first, last), measured));
            }
        }
        return quotes;
    }

    private static List<String> rows(Path file, Map<String, String> where, List<String> columns) throws IOException {
        return matching(file, where).stream()
                .map(row -> columns.stream()
                        .map(column -> cell(column, row.get(column)))
                        .collect(Collectors.joining(" | ", "| ", " |")))
                .toList();
    }

    /** The rows whose keys match patterns. */
    private static List<JsonNode> matching(Path file, Map<String, String> where) throws IOException {
        List<JsonNode> rows = new ArrayList<>();
        for (JsonNode row : JsonMapper.shared().readTree(Files.readString(file)).get("rows")) {
            if (where.entrySet().stream()
                    .allMatch(
                            condition -> row.get(condition.getKey()).asString().matches(condition.getValue()))) {
                rows.add(row);
            }
        }
        return rows;
    }

    private static String cell(String column, JsonNode value) {
        if (value == null || value.isNull()) {
            return "";
        }
        if (value.isString() || value.isIntegralNumber()) {
            return value.asString();
        }
        double number = value.asDouble();
        if (column.matches(".*(ratio|percent).*|over_.*|radius")) {
            String format = column.equals("radius") ? "%.1f" : column.equals("ratio") ? "%.3f" : "%.2f";
            return String.format(Locale.ROOT, format, number);
        }
        return String.format(Locale.ROOT, "%.2e", number).replaceFirst("e([+-])0(\\d)$", "e$1$2");
    }

    @ParameterizedTest
    @MethodSource("quotes")
    void aQuotedTableIsTheMeasuredOne(Quote quote) {
        assertThat(quote.written()).as(quote.where()).isEqualTo(quote.measured());
        assertThat(quote.written()).as(quote.where()).isNotEmpty();
    }

    @Test
    void aWrongDigitIsSeen() throws IOException {
        Path folder = Files.createTempDirectory("quoted");
        Files.createDirectories(folder.resolve("results"));
        Files.writeString(
                folder.resolve("results").resolve("t.json"),
                "{\"rows\": [{\"setting\": \"a\", \"output\": 0.000123456, \"output_ratio\": 0.261, \"fits\": 5},"
                        + " {\"setting\": \"b\", \"output\": 1, \"output_ratio\": 1, \"fits\": 4}]}");
        List<String> page = List.of(
                "<!-- results/t.json setting=a: setting output output_ratio fits -->",
                "| setting | output | ratio | fits |",
                "|---|---|---|---|",
                "| a | 1.23e-4 | 0.26 | 5 |",
                "");
        Quote right = quotes("page", page, folder).getFirst();
        assertThat(right.written()).isEqualTo(right.measured());
        List<String> other = new ArrayList<>(page);
        other.set(3, "| a | 1.24e-4 | 0.26 | 5 |");
        Quote wrong = quotes("page", other, folder).getFirst();
        assertThat(wrong.written()).isNotEqualTo(wrong.measured());
    }

    @Test
    void aWrongNumberInASentenceIsSeen() throws IOException {
        Path folder = Files.createTempDirectory("quoted");
        Files.createDirectories(folder.resolve("results"));
        Files.writeString(
                folder.resolve("results").resolve("t.json"),
                "{\"rows\": [{\"setting\": \"a\", \"objective\": \"hybrid\", \"output\": 0.002},"
                        + " {\"setting\": \"a\", \"objective\": \"finite\", \"output\": 0.0131},"
                        + " {\"setting\": \"b\", \"objective\": \"finite\", \"output\": 5}]}");
        String first = "<!-- results/t.json setting=a in the text: min output %.1e, max output %.2e -->";
        String second = "<!-- results/t.json setting=a in the text: max output finite/hybrid %.1f -->";
        List<String> page = List.of(first, second, "From 2.0e-3 to 1.31e-2,", "6.6 times.", "", "9");
        Sentence right = sentences("page", page, folder).getFirst();
        assertThat(right.numbers()).containsExactly("2.0e-3", "1.31e-2", "6.6");
        assertThat(right.missing()).isEmpty();
        for (String other :
                List.of("From 2.0e-3 to 11.31e-2, 6.6", "From 2.0e-30 to 1.31e-2, 6.6", "2.0e-3 1.31e-2 6.61")) {
            assertThat(sentences("page", List.of(first, second, other), folder)
                            .getFirst()
                            .missing())
                    .as(other)
                    .hasSize(1);
        }
    }
}
