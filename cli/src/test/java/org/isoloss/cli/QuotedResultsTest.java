package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
 * Tables of README and docs that quote a finished study. A line such as {@code <!-- results/table1.json action=paper: setting
 * output fits -->} above a table says which rows and columns it quotes, and the table must be those, digit by digit.
 */
class QuotedResultsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern MARK = Pattern.compile("<!-- (results/\\S+\\.json)((?: \\S+=\\S+)*): ([^>]+) -->");
    private static final int HEADER_LINES = 2;

    /** A table in a page, and what it should be. */
    record Quote(String where, List<String> written, List<String> measured) {
        @Override
        public String toString() {
            return where;
        }
    }

    static Stream<Quote> quotes() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            docs.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        List<Quote> quotes = new ArrayList<>();
        for (Path page : pages) {
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
                        Arrays.stream(mark.group(2).split(" "))
                                .filter(part -> !part.isEmpty())
                                .map(part -> part.split("=", 2))
                                .collect(Collectors.toMap(part -> part[0], part -> part[1])),
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
        List<String> rows = new ArrayList<>();
        for (JsonNode row : JsonMapper.shared().readTree(Files.readString(file)).get("rows")) {
            boolean wanted = where.entrySet().stream()
                    .allMatch(
                            condition -> row.get(condition.getKey()).asString().equals(condition.getValue()));
            if (wanted) {
                rows.add(columns.stream()
                        .map(column -> cell(column, row.get(column)))
                        .collect(Collectors.joining(" | ", "| ", " |")));
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
            return String.format(Locale.ROOT, column.equals("radius") ? "%.1f" : "%.2f", number);
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
}
