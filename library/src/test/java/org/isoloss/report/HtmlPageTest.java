package org.isoloss.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HtmlPageTest {
    private static final String HOSTILE = "<script>alert('x')</script> & \"q\"";
    private static final String HARMLESS = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;q&quot;";

    static HtmlPage sample() {
        Table table = Table.of(
                        "Errors at radius 0.5",
                        Column.text("law", "law"),
                        Column.scientific("p95", "95th percentile", 1))
                .row("output", 1.1e-4)
                .row("composition", 1.2e-3);
        HtmlPage page = HtmlPage.of(
                        "A continuous symmetry of a trained digits network",
                        "Nine hidden units move together; the logits of eight protected digits stay where they are.")
                .keyFigures(List.of(
                        new HtmlPage.KeyFigure("1.1e-4", "largest relative change of a protected logit vector"),
                        new HtmlPage.KeyFigure("94.44 %", "accuracy before and after"),
                        new HtmlPage.KeyFigure("600", "weights moved")))
                .section("How exact it is")
                .paragraph("All errors are within their tolerances.")
                .table(table);
        SampleFigures.all().forEach(page::figure);
        return page.howToRepeat(ProvenanceTest.sample());
    }

    @Test
    void isOneDocumentWithoutAnythingOutside() {
        assertThat(sample().html())
                .startsWith("<!DOCTYPE html>\n<html lang=\"en\">")
                .contains("<meta name=\"viewport\"", "@media print", "<svg ", "<figcaption>", "</html>\n")
                .doesNotContain("<script", "<link", "@import", "url(http", "<img");
        assertThat(sample().html().split("<section>", -1)).hasSize(3);
        assertThat(sample().html().split("</section>", -1)).hasSize(3);
        assertThat(sample().html().split("<h1>", -1)).hasSize(2);
    }

    @Test
    void escapesEverything() {
        var figure = new Figure(
                "probe",
                HOSTILE,
                HOSTILE,
                LineChart.of(
                        Axis.linear(HOSTILE, HOSTILE),
                        Axis.linear("y", ""),
                        Series.of(HOSTILE, Series.Style.POINTS, new double[] {1}, new double[] {1}),
                        Series.of(HOSTILE, Series.Style.LINE, new double[] {1}, new double[] {1})));
        String html = HtmlPage.of(HOSTILE, HOSTILE)
                .section(HOSTILE)
                .paragraph(HOSTILE)
                .keyFigures(List.of(new HtmlPage.KeyFigure(HOSTILE, HOSTILE)))
                .table(Table.of(HOSTILE, Column.text("a", HOSTILE)).row(HOSTILE))
                .figure(figure)
                .html();

        assertThat(html).doesNotContain("<script").contains("<title>" + HARMLESS, "<td>" + HARMLESS, "<dd>" + HARMLESS);
    }

    @Test
    void figuresOfOneNameAreRefused() {
        HtmlPage page = HtmlPage.of("t", "l").figure(SampleFigures.drift());

        assertThatThrownBy(() -> page.figure(SampleFigures.drift()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("HtmlPage: two figures are called 'drift', expected different names");
    }

    @Test
    void isWrittenWhole(@TempDir Path folder) throws IOException {
        sample().write(folder.resolve("new/report.html"));

        assertThat(folder.resolve("new/report.html")).content(UTF_8).isEqualTo(sample().html());
    }
}
