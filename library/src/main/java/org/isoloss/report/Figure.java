package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.isoloss.checkpoint.AtomicFile;

/**
 * A chart with its name and its words: SVG, PDF and TikZ for readers, CSV for programs. The same figure has the same bytes
 * on every machine.
 *
 * @param name file name without its ending, and the start of every id inside: small letters, digits and hyphens
 * @param title what the figure is: the start of its caption, and in the drawing where {@link FigureFiles} asks for it
 * @param description what can be seen in it, for those who cannot see it; also the rest of the caption
 * @param chart what it shows
 */
public record Figure(String name, String title, String description, Chart chart) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");

    /** Checks the name and that no words are missing. */
    public Figure {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "Figure: name '%s', expected small letters, digits and hyphens after a first letter"
                            .formatted(name));
        }
        if (title.isBlank() || description.isBlank()) {
            throw new IllegalArgumentException(
                    "Figure %s: title or description is empty, expected words for both".formatted(name));
        }
    }

    /**
     * {@return the drawing for a page, an {@code svg} element with {@code title}, {@code desc} and {@code aria-label}; the
     * title is not drawn, it stands in the caption}
     */
    public String svg() {
        return svg(Picture.onPage(this));
    }

    private String svg(Picture picture) {
        return VectorCanvas.draw(name, picture, title, description);
    }

    /** Returns the drawing for the screen of a phone, its letters as large; empty for one that needs a page's width. */
    String narrowSvg() {
        return Picture.onPhone(this)
                .map(picture -> VectorCanvas.draw(name + "-narrow", picture, title, description))
                .orElse("");
    }

    /**
     * Returns the drawing as a document.
     *
     * @param files its width and whether it is titled
     * @return a PDF of one page of the figure's size; the same figure gives the same bytes
     */
    public byte[] pdf(FigureFiles files) {
        Picture picture = Picture.of(this, files);
        return PdfInk.draw(title, picture.paper(), picture.painter());
    }

    /**
     * Returns the drawing as LaTeX.
     *
     * @param files its width and whether it is titled
     * @return a {@code figure} environment with a {@code tikzpicture}, caption and label
     */
    public String latex(FigureFiles files) {
        Picture picture = Picture.of(this, files);
        String environment = picture.isWide() ? "figure*" : "figure";
        return """
                %% %s
                %% Needs \\usepackage{tikz}. Words are sans serif and were measured in Helvetica: \\usepackage{helvet} fits them exactly.
                %% The numbers are in %s.csv.
                \\begin{%s}
                \\centering
                %s\\caption{%s. %s}
                \\label{fig:%s}
                \\end{%s}
                """.formatted(
                        LatexText.comment(title),
                        name,
                        environment,
                        TikzInk.draw(picture.paper(), picture.painter()),
                        LatexText.of(title),
                        LatexText.of(description),
                        name,
                        environment);
    }

    /** {@return the numbers behind the drawing, every number, whether or not an axis can show it} */
    public Table data() {
        return chart.data(title);
    }

    /**
     * Writes {@code name.csv} and the drawing in the formats of the running command, each file at once or not at all.
     *
     * @param folder made where it is missing
     * @throws IOException if a file cannot be written
     * @see FigureFiles
     */
    public void write(Path folder) throws IOException {
        FigureFiles files = FigureFiles.chosen();
        Files.createDirectories(folder);
        EarlierFiles.remove(folder, FigureFiles.glob(name)); // in a format that is not written now
        for (FigureFiles.Format format : files.formats()) {
            Path file = folder.resolve(name + "." + format.ending());
            switch (format) {
                case SVG -> AtomicFile.writeText(file, svg(Picture.of(this, files)));
                case PDF -> AtomicFile.writeBytes(file, pdf(files));
                case TEX -> AtomicFile.writeText(file, latex(files));
            }
        }
        AtomicFile.writeText(folder.resolve(name + ".csv"), data().toCsv());
    }
}
