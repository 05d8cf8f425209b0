package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TableTest {
    private static final Table TABLE = Table.of(
                    "Errors & limits <50%>",
                    Column.text("setting", "setting"),
                    Column.count("steps", "steps"),
                    Column.scientific("output", "output error", 1),
                    Column.ratio("ratio", "of the paper", 2),
                    Column.percent("accuracy", "accuracy", 2),
                    Column.fixed("seconds", "time (s)", 1),
                    Column.flag("fit", "fits"))
            .row("linear", 15_000, 1.25e-4, 0.264, 0.94444, 71.25, true)
            .row("a_b, \"c\" <d>", 20L, 0.0, 1, Double.NaN, -1e-9, false)
            .row(null, null, null, null, null, null, null);

    /** Every kind of column, words that LaTeX and HTML take for their own, and no value. */
    static Table everyKind() {
        return TABLE;
    }

    @Test
    void sentencesBreakAndSymbolsStay() {
        Table table = Table.of("t", Column.text("a", "of $s_F$")).row("a sentence ".repeat(6));

        assertThat(table.toLatex())
                .contains("\\begin{table}\n", "{tabular}{p{0.4\\linewidth}}", "of $s_F$ \\\\")
                .doesNotContain("\\label");
        assertThat(table.toText()).contains("of s_F");
        assertThat(table.toHtml()).contains("of <i>s</i><sub><i>F</i></sub>");
    }

    @Test
    void textAlignsNumbersRightAndWordsLeft() {
        assertThat(TABLE.toText()).isEqualTo("""
                        Errors & limits <50%>

                        setting       steps  output error  of the paper  accuracy  time (s)  fits
                        ------------  -----  ------------  ------------  --------  --------  ----
                        linear        15000        1.3e-4         0.26x   94.44 %      71.3  yes
                        a_b, "c" <d>     20             0         1.00x     NaN %       0.0  no
                        -                 -             -             -         -         -  -
                        """);
    }

    @Test
    void csvKeepsEveryDigitAndQuotes() {
        assertThat(TABLE.toCsv()).isEqualTo("""
                        setting,steps,output,ratio,accuracy,seconds,fit
                        linear,15000,1.25E-4,0.264,0.94444,71.25,true
                        "a_b, ""c"" <d>",20,0.0,1,NaN,-1.0E-9,false
                        "",,,,,,
                        """);
    }

    @Test
    void latexIsBooktabsWithNumbersAsMathematics() {
        assertThat(TABLE.toLatex("errors")).isEqualTo("""
                        % Needs \\usepackage{booktabs}.
                        \\begin{table*}
                        \\centering
                        \\small
                        \\caption{Errors \\& limits \\textless{}50\\%\\textgreater{}.}
                        \\label{tab:errors}
                        \\begin{tabular}{lrrrrrl}
                        \\toprule
                        setting & steps & output error & of the paper & accuracy & time (s) & fits \\\\
                        \\midrule
                        linear & $15000$ & $1.3\\times10^{-4}$ & $0.26\\times$ & $94.44\\,\\%$ & $71.3$ & yes \\\\
                        a\\_b, "c" \\textless{}d\\textgreater{} & $20$ & $0$ & $1.00\\times$ & NaN \\% & $0.0$ & no \\\\
                        -- & -- & -- & -- & -- & -- & -- \\\\
                        \\bottomrule
                        \\end{tabular}
                        \\end{table*}
                        """);
    }

    @Test
    void htmlEscapesEverything() {
        assertThat(TABLE.toHtml())
                .contains("<caption>Errors &amp; limits &lt;50%&gt;</caption>")
                .contains("<th scope=\"col\" role=\"columnheader\" class=\"number\">output error</th>")
                .contains(">a_b, &quot;c&quot; &lt;d&gt;</td>")
                .doesNotContain("<d>");
    }

    @Test
    void jsonRowsKeepTypesAndOrder() {
        assertThat(TABLE.toJsonRows()).hasSize(3);
        assertThat(TABLE.toJsonRows().getFirst().toString())
                .isEqualTo(
                        "{setting=linear, steps=15000, output=1.25E-4, ratio=0.264, accuracy=0.94444, seconds=71.25, fit=true}");
    }

    @ParameterizedTest
    @CsvSource({
        "1.25e-4,1,1.3e-4",
        "-3.456e12,2,-3.46e12",
        "9.99,1,1.0e1",
        "0,3,0",
        "-0.0,3,0",
        "1,0,1e0",
        "5e-324,1,4.9e-324",
        "Infinity,1,Infinity"
    })
    void scientificIsShort(double value, int digits, String expected) {
        assertThat(Cells.scientific(value, digits)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "1.1649,3,1.16",
        "5,2,5.0",
        "0.42,2,0.42",
        "999.6,3,1000",
        "123.4,2,120",
        "8.08e-5,3,8.08e-5",
        "0,3,0",
        "NaN,3,NaN"
    })
    void numbersOfEverydaySizeReadSo(double value, int digits, String expected) {
        assertThat(Cells.number(value, digits)).isEqualTo(expected);
    }

    static List<Object[]> wrongRows() {
        return List.of(
                new Object[] {new Object[] {"a"}, "Table 't', row 1: 1 values, expected 2, one a column"},
                new Object[] {new Object[] {"a", "b"}, "Table 't', row 1: column 'n' is of kind COUNT, got String 'b'"},
                new Object[] {new Object[] {"a", 1.5}, "Table 't', row 1: column 'n' is of kind COUNT, got Double '1.5'"
                },
                new Object[] {
                    new Object[] {true, 1}, "Table 't', row 1: column 'name' is of kind TEXT, got Boolean 'true'"
                });
    }

    @ParameterizedTest
    @MethodSource("wrongRows")
    void aWrongRowIsRefused(Object[] row, String message) {
        Table table = Table.of("t", Column.text("name", "name"), Column.count("n", "n"))
                .row("x", 1);

        assertThatThrownBy(() -> table.row(row))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void wrongColumnsAreRefused() {
        assertThatThrownBy(() -> Table.of("t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Table 't': no columns, expected at least one");
        assertThatThrownBy(() -> Table.of("t", Column.text("a", "x"), Column.count("a", "y")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Table 't': two columns have key 'a', expected different keys");
        assertThatThrownBy(() -> Column.text("a b", "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Column: key 'a b', expected letters, digits, dots and underscores after a first letter");
        assertThatThrownBy(() -> Column.fixed("a", "x", 18))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Column a: 18 digits, expected 0 to 17");
    }

    @Test
    void writesCsvAndLatex(@TempDir Path folder) throws IOException {
        TABLE.write(folder.resolve("new"), "errors");

        try (var files = Files.list(folder.resolve("new"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("errors.csv", "errors.tex");
        }
        assertThat(folder.resolve("new/errors.csv")).hasContent(TABLE.toCsv());
        assertThat(folder.resolve("new/errors.tex")).hasContent(TABLE.toLatex("errors"));
    }

    @Test
    void rowsDoNotChangeTheShorterTable() {
        Table empty = Table.of("t", Column.text("name", "name"));
        Object[] values = {"a"};
        Table longer = empty.row(values);
        values[0] = "b";

        assertThat(empty.rows()).isEmpty();
        assertThat(longer.rows()).isEqualTo(List.of(Arrays.asList((Object) "a")));
    }

    @Test
    void columnsCanBeLeftOut() {
        Table table = Table.of("c", Column.text("a", "A"), Column.count("b", "B"), Column.text("c", "C"))
                .row("x", 1, null)
                .row("y", null, "z");
        Table narrower = table.without(Set.of("b", "unknown"));
        assertThat(narrower.columns()).extracting(Column::key).containsExactly("a", "c");
        assertThat(narrower.toCsv()).isEqualTo("a,c\nx,\ny,z\n");
        assertThatThrownBy(() -> table.without(Set.of("a", "b", "c"))).hasMessageContaining("expected at least one");
    }
}
