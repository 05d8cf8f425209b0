package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.OptionalDouble;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.text.PDFTextStripper;
import org.isoloss.report.FigureFiles.Format;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sets tables and figures as a paper would, where a {@code pdflatex} is installed (Debian: texlive-latex-base, texlive-pictures, texlive-latex-recommended). */
class LatexTest {
    @BeforeEach
    void needsLatex() {
        assumeTrue(
                Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "pdflatex"))),
                "no pdflatex on the PATH");
    }

    @Test
    void everyKindOfFigureAndTableCompiles(@TempDir Path folder) throws Exception {
        var column = new FigureFiles(EnumSet.allOf(Format.class), OptionalDouble.of(3.2), false);
        var body = new StringBuilder();
        for (Figure figure : SampleFigures.all()) {
            column.<Path, IOException>during(() -> {
                figure.write(folder.resolve("figures"));
                return folder;
            });
            body.append("\\input{figures/").append(figure.name()).append("}\nFigure~\\ref{fig:");
            body.append(figure.name())
                    .append("}.\n\\includegraphics{figures/")
                    .append(figure.name())
                    .append(".pdf}\n");
        }
        TableTest.everyKind().write(folder.resolve("tables"), "kinds");
        body.append("\\input{tables/kinds}\nTable~\\ref{tab:kinds}.\n");

        String words = set(folder, body.toString());

        assertThat(words)
                .contains("Figure 1: Protected outputs", "Table 1: ", "Figure 8.", "Table 1.")
                .doesNotContain("??");
    }

    @Test
    void whatDoesNotCompileIsSeen(@TempDir Path folder) throws Exception {
        Files.writeString(
                folder.resolve("bad.tex"),
                SampleFigures.logits().latex(FigureFiles.DEFAULT).replace("{tikz", "{tixz"));

        assertThat(compile(folder, "\\input{bad}")).isNotZero();
    }

    private static String set(Path folder, String body) throws Exception {
        assertThat(compile(folder, body)).as("pdflatex").isZero();
        assertThat(compile(folder, body)).as("pdflatex, with references").isZero();
        try (PDDocument document = Loader.loadPDF(folder.resolve("paper.pdf").toFile())) {
            return new PDFTextStripper().getText(document);
        }
    }

    private static int compile(Path folder, String body) throws Exception {
        Files.writeString(folder.resolve("paper.tex"), """
                \\documentclass[twocolumn]{article}
                \\usepackage{booktabs,graphicx,tikz}
                \\begin{document}
                %s
                \\end{document}
                """.formatted(body));
        Process latex = new ProcessBuilder("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("paper.out").toFile())
                .start();
        return latex.waitFor();
    }
}
