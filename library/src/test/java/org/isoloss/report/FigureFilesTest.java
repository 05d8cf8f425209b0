package org.isoloss.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.cos.COSName;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.text.PDFTextStripper;
import org.isoloss.report.FigureFiles.Format;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FigureFilesTest {
    private static final FigureFiles COLUMN =
            new FigureFiles(EnumSet.allOf(Format.class), OptionalDouble.of(3.25), false);
    private static final FigureFiles TITLED = new FigureFiles(Set.of(Format.PDF), OptionalDouble.of(6.75), true);

    static List<Figure> figures() {
        return SampleFigures.all();
    }

    @ParameterizedTest
    @MethodSource("figures")
    void aPdfHasOnePageOfTheWidthAndEveryFontInIt(Figure figure) throws IOException {
        try (PDDocument document = Loader.loadPDF(figure.pdf(COLUMN))) {
            assertThat(document.getNumberOfPages()).isEqualTo(1);
            // points of 1/72 inch, stored as floats
            assertThat((double) document.getPage(0).getMediaBox().getWidth()).isEqualTo(3.25 * 72, within(1e-4));
            assertThat(document.getDocumentInformation().getTitle()).isEqualTo(figure.title());
            int fonts = 0;
            for (COSName name : document.getPage(0).getResources().getFontNames()) {
                PDFont font = document.getPage(0).getResources().getFont(name);
                assertThat(font.isEmbedded()).isTrue();
                fonts++;
            }
            assertThat(fonts).isPositive();
            assertThat(document.getPage(0).getResources().getXObjectNames()).isEmpty(); // no pixels
        }
    }

    @ParameterizedTest
    @MethodSource("figures")
    void theSameFigureHasTheSameBytes(Figure figure) {
        assertThat(figure.pdf(COLUMN)).isEqualTo(figure.pdf(COLUMN));
        assertThat(figure.latex(COLUMN)).isEqualTo(figure.latex(COLUMN));
    }

    @Test
    void theTitleIsDrawnWhereItIsAskedForAlone() throws IOException {
        Figure figure = SampleFigures.logits();

        assertThat(words(figure.pdf(COLUMN))).contains("before", "digit").doesNotContain(figure.title());
        assertThat(words(figure.pdf(TITLED))).contains(figure.title());
        assertThat(figure.svg()).doesNotContain(">" + figure.title() + "</text>");
    }

    private static String words(byte[] pdf) throws IOException {
        try (PDDocument document = Loader.loadPDF(pdf)) {
            return new PDFTextStripper().getText(document);
        }
    }

    @Test
    void powersOfTenAndSymbolsAreReadInThePdf() throws IOException {
        var figure = new Figure(
                "probe",
                "t",
                "d",
                LineChart.of(
                        Axis.linear("coefficient $t$", ""),
                        Axis.log("drift", "$s_\\theta$"),
                        Series.of("a", Series.Style.LINE, new double[] {0, 1}, new double[] {1e-8, 1e-3})));

        assertThat(words(figure.pdf(COLUMN)).replaceAll("\\s", ""))
                .contains("drift(s\u03b8)", "coefficientt", "\u22126");
    }

    @Test
    void latexHasCaptionLabelAndPackages() {
        assertThat(SampleFigures.drift().latex(COLUMN))
                .startsWith("% Protected outputs along the curve\n% Needs \\usepackage{tikz}.")
                .contains(
                        "\\begin{figure}\n\\centering\n\\begin{tikzpicture}",
                        "fill opacity=0.16",
                        "10\\textsuperscript{\\ensuremath{-}6}",
                        "\\caption{Protected outputs along the curve. The learned curve changes",
                        "\\label{fig:drift}\n\\end{figure}\n");
        assertThat(SampleFigures.drift().latex(TITLED)).contains("\\begin{figure*}", "{Protected outputs along");
    }

    @Test
    void theRunningCommandChoosesTheFiles(@TempDir Path folder) throws IOException {
        Figure figure = SampleFigures.logits();
        figure.write(folder.resolve("all"));
        TITLED.<Path, IOException>during(() -> {
            figure.write(folder.resolve("pdf"));
            return folder;
        });
        COLUMN.<Path, IOException>during(() -> {
            figure.write(folder.resolve("column"));
            return folder;
        });

        assertThat(names(folder.resolve("all")))
                .containsExactly("logits.csv", "logits.pdf", "logits.svg", "logits.tex");
        assertThat(names(folder.resolve("pdf"))).containsExactly("logits.csv", "logits.pdf");
        assertThat(folder.resolve("column/logits.svg"))
                .content(UTF_8)
                .contains("width=\"3.25in\"", "viewBox=\"0 0 351 ");
        assertThat(folder.resolve("all/logits.svg")).content(UTF_8).isEqualTo(figure.svg());
    }

    private static List<String> names(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void refusesNoFormatAndWidthsOfNoPaper() {
        assertThatThrownBy(() -> new FigureFiles(Set.of(), OptionalDouble.empty(), false))
                .hasMessage("FigureFiles: no format, expected at least one");
        assertThatThrownBy(() -> new FigureFiles(Set.of(Format.SVG), OptionalDouble.of(0.1), false))
                .hasMessage("FigureFiles: a figure 0.1 inches wide, expected 1.5 to 20.0");
    }
}
