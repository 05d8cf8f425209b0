package org.isoloss.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class FigureTest {
    private static final Pattern ID = Pattern.compile(" id=\"([^\"]+)\"");
    private static final Axis X = Axis.linear("x", "s");
    private static final double[] ONE = {1};

    static List<Figure> figures() {
        return SampleFigures.all();
    }

    @ParameterizedTest
    @MethodSource("figures")
    void hasATextAlternative(Figure figure) throws Exception {
        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(figure.svg().getBytes(UTF_8)));
        Element root = document.getDocumentElement();

        assertThat(root.getAttribute("role")).isEqualTo("img");
        assertThat(root.getAttribute("aria-label")).isEqualTo(figure.title() + ". " + figure.description());
        assertThat(root.getElementsByTagName("title").item(0).getTextContent()).isEqualTo(figure.title());
        assertThat(root.getElementsByTagName("desc").item(0).getTextContent()).isEqualTo(figure.description());
    }

    @ParameterizedTest
    @MethodSource("figures")
    void isTheSameEverywhere(Figure figure) {
        Locale locale = Locale.getDefault();
        String first = figure.svg();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG"));

            assertThat(figure.svg()).isEqualTo(first);
        } finally {
            Locale.setDefault(locale);
        }
    }

    @ParameterizedTest
    @MethodSource("figures")
    void namesNoFontButItsOwnFamilyAndLoadsNothing(Figure figure) {
        assertThat(figure.svg())
                .contains("font-family=\"Helvetica, Arial,")
                .doesNotContain("'Helvetica'", "Dialog", "href", "<image");
    }

    @Test
    void idsOfDifferentFiguresNeverMeet() {
        var ids = new HashSet<String>();
        for (Figure figure : figures()) {
            ID.matcher(figure.svg()).results().forEach(match -> {
                assertThat(match.group(1)).startsWith(figure.name() + "-");
                assertThat(ids.add(match.group(1))).isTrue();
            });
        }
    }

    /** {@code drift.svg} is this figure as drawn and looked at once; it changes only with the look of figures. */
    @Test
    void drawsAsItDid() throws IOException {
        try (InputStream golden = requireNonNull(FigureTest.class.getResourceAsStream("drift.svg"))) {
            assertThat(SampleFigures.drift().svg()).isEqualTo(new String(golden.readAllBytes(), UTF_8));
        }
    }

    @Test
    void everyNameAndLabelIsDrawn() {
        assertThat(SampleFigures.drift().svg())
                .contains("group parameter t", "relative output change", "random translation", "10\u207b\u2076");
        assertThat(SampleFigures.training().svg()).contains("loss (units of s)", "invariance", "transport", "15000");
        assertThat(SampleFigures.contributions().svg()).contains("unit 2", "unit 26", "\u22120.8");
        assertThat(SampleFigures.logits().svg()).contains("before", "after");
        assertThat(SampleFigures.errors().svg()).contains("0.125", "9.0e-3", "composition error", "10\u207b\u00b3");
        assertThat(SampleFigures.digits().svg()).contains("digit 7", "crispEdges");
    }

    @Test
    void whatALogAxisCannotShowStaysInTheData() {
        assertThat(SampleFigures.drift().data().toCsv())
                .startsWith("series,x,y,low,high\nlearned action (median and range),-0.5,1.15E-4,")
                .contains("learned action (median and range),0.0,0.0,0.0,0.0\n")
                .contains("random translation,0.0,0.0,,\n");
    }

    @Test
    void aBandIsSeenInTheDrawing() {
        Series bare = Series.of("a", Series.Style.LINE, new double[] {0, 1}, new double[] {1, 2});
        Series banded = bare.withBand(new double[] {0, 1}, new double[] {2, 3});

        assertThat(svg(LineChart.of(X, X, banded))).contains(" opacity=\"0.16\"");
        assertThat(svg(LineChart.of(X, X, bare))).doesNotContain(" opacity=\"0.16\"");
    }

    @Test
    void degenerateDataIsDrawn() {
        assertThat(svg(LineChart.of(X, X, Series.of("a", Series.Style.LINE, ONE, new double[] {0}))))
                .contains("x (s)");
        assertThat(svg(LineChart.of(
                        Axis.log("x", ""), Axis.log("y", ""), Series.of("a", Series.Style.LINE, ONE, new double[] {0
                        }))))
                .doesNotContain("NaN");
        assertThat(svg(BarChart.of("k", X, Map.of("a", 0.0)))).contains(">a<");
        assertThat(svg(new HeatMap("r", List.of("p"), "c", List.of("q"), X, Matrix.of(1, 1, 3))))
                .contains(">3<");
    }

    @Test
    void limitsAreKept() {
        Figure figure = figure(LineChart.of(X.between(0, 40), X, Series.of("a", Series.Style.POINTS, ONE, ONE)));

        assertThat(figure.svg()).contains(">40<");
    }

    @Test
    void writesDrawingAndNumbers(@TempDir Path folder) throws IOException {
        Figure figure = SampleFigures.logits();
        figure.write(folder.resolve("figures"));

        assertThat(folder.resolve("figures/logits.svg")).content(UTF_8).isEqualTo(figure.svg());
        assertThat(folder.resolve("figures/logits.csv"))
                .content(UTF_8)
                .isEqualTo(figure.data().toCsv());
    }

    record Refusal(String message, ThrowingCallable call) {
        @Override
        public String toString() {
            return message;
        }
    }

    static List<Refusal> refusals() {
        double[] two = {1, 2};
        double[] bad = {1, Double.NaN};
        Series series = Series.of("a", Series.Style.LINE, two, two);
        return List.of(
                new Refusal(
                        "Figure: name 'A b', expected small letters, digits and hyphens after a first letter",
                        () -> new Figure("A b", "t", "d", LineChart.of(X, X, series))),
                new Refusal(
                        "Figure a: title or description is empty, expected words for both",
                        () -> new Figure("a", "t", " ", LineChart.of(X, X, series))),
                new Refusal("LineChart: no series, expected at least one", () -> LineChart.of(X, X)),
                new Refusal(
                        "Series 'a': no points, expected at least one",
                        () -> Series.of("a", Series.Style.LINE, new double[0], new double[0])),
                new Refusal(
                        "Series 'a': 1 y values, expected 2, one a point",
                        () -> Series.of("a", Series.Style.LINE, two, ONE)),
                new Refusal(
                        "Series 'a': y value 1 is NaN, expected finite numbers",
                        () -> Series.of("a", Series.Style.LINE, two, bad)),
                new Refusal(
                        "Series 'a': band at 1 goes from 3.0 to 2.0, expected low <= high",
                        () -> series.withBand(new double[] {1, 3}, two)),
                new Refusal("Axis.Limits: 2.0 to 1.0, expected finite ends, the smaller first", () -> X.between(2, 1)),
                new Refusal(
                        "Axis 'y': a log axis cannot start at 0.0, expected more than 0",
                        () -> Axis.log("y", "").between(0, 1)),
                new Refusal(
                        "BarChart: bars start at zero, which the log axis 'y' has not; use a line chart",
                        () -> BarChart.of("k", Axis.log("y", ""), Map.of("a", 1.0))),
                new Refusal(
                        "BarChart: 0 categories and 1 series, expected at least one of each",
                        () -> BarChart.of("k", X, Map.of())),
                new Refusal(
                        "BarChart: series 's' has 1 values, expected 2, one a category",
                        () -> new BarChart("k", X, List.of("a", "b"), Map.of("s", ONE))),
                new Refusal(
                        "BarChart: series 's' at 'b' is NaN, expected finite numbers",
                        () -> new BarChart("k", X, List.of("a", "b"), Map.of("s", bad))),
                new Refusal(
                        "HeatMap: cells have shape (1, 1), expected (1, 2), both at least 1",
                        () -> new HeatMap("r", List.of("p"), "c", List.of("q", "s"), X, Matrix.of(1, 1, 3))),
                new Refusal(
                        "HeatMap: the cell 'p', 'q' is 0.0, expected a finite positive number",
                        () -> new HeatMap("r", List.of("p"), "c", List.of("q"), Axis.log("y", ""), Matrix.of(1, 1, 0))),
                new Refusal("GreyImages: no pictures, expected at least one", () -> new GreyImages(0, 1, List.of())),
                new Refusal(
                        "GreyImages: white is 1.0 and black 1.0, expected two different finite numbers",
                        () -> new GreyImages(1, 1, List.of(new GreyImages.Picture("p", Matrix.of(1, 1, 0))))),
                new Refusal(
                        "GreyImages: picture 'p' has shape (0, 3), expected at least one pixel",
                        () -> new GreyImages.Picture("p", Matrix.zeros(0, 3))),
                new Refusal(
                        "GreyImages: picture 'p' has a pixel NaN, expected finite numbers",
                        () -> new GreyImages.Picture("p", Matrix.of(1, 1, Double.NaN))));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refuses(Refusal refusal) {
        assertThatThrownBy(refusal.call())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(refusal.message());
    }

    private static Figure figure(Chart chart) {
        return new Figure("probe", "title", "description", chart);
    }

    private static String svg(Chart chart) {
        return figure(chart).svg();
    }
}
