package org.isoloss.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.isoloss.checkpoint.AtomicFile;

/**
 * One self-contained page: no script, no font, no file beside it. It reads at the width of a phone and prints in black.
 *
 * <p>Every method adds to the page and returns it; everything given is escaped.
 */
public final class HtmlPage {
    private final String title;
    private final StringBuilder body = new StringBuilder();
    private final SequencedMap<String, Figure> figures = new LinkedHashMap<>();
    private final SequencedMap<String, Table> tables = new LinkedHashMap<>();
    private boolean inSection;

    /**
     * A number that matters, on a card.
     *
     * @param value the number with its unit, as it reads
     * @param label what it is, a few words
     */
    public record KeyFigure(String value, String label) {}

    /**
     * An answer of the first screen.
     *
     * @param question in a few words
     * @param answer one sentence or two
     */
    public record Fact(String question, String answer) {}

    private HtmlPage(String title) {
        this.title = title;
    }

    /**
     * Starts a page.
     *
     * @param title the heading
     * @param lead one or two sentences below it that say what was found
     * @return the page
     */
    public static HtmlPage of(String title, String lead) {
        var page = new HtmlPage(title);
        page.body.append("<header>\n").append(Html.element("h1", title)).append('\n');
        page.body.append("<p class=\"lead\">").append(Html.text(lead)).append("</p>\n</header>\n");
        return page;
    }

    /**
     * Starts a section; what follows belongs to it.
     *
     * @param heading its heading
     * @return this page
     */
    public HtmlPage section(String heading) {
        endSection();
        inSection = true;
        body.append("<section>\n").append(Html.element("h2", heading)).append('\n');
        return this;
    }

    private void endSection() {
        if (inSection) {
            body.append("</section>\n");
        }
        inSection = false;
    }

    /**
     * Adds a paragraph.
     *
     * @param text plain text
     * @return this page
     */
    public HtmlPage paragraph(String text) {
        body.append(Html.element("p", text)).append('\n');
        return this;
    }

    /**
     * Adds a row of cards.
     *
     * @param keyFigures from left to right
     * @return this page
     */
    public HtmlPage keyFigures(List<KeyFigure> keyFigures) {
        body.append("<dl class=\"cards\">\n");
        for (KeyFigure one : keyFigures) {
            body.append("<div>").append(Html.element("dt", one.label()));
            body.append(Html.element("dd", one.value())).append("</div>\n");
        }
        body.append("</dl>\n");
        return this;
    }

    /**
     * Adds the first screen: answers beside one picture, below each other where the screen is narrow.
     *
     * @param facts in the order of reading
     * @param figure the picture
     * @return this page
     */
    public HtmlPage opening(List<Fact> facts, Figure figure) {
        body.append("<div class=\"opening\">\n<dl class=\"facts\">\n");
        for (Fact fact : facts) {
            body.append(Html.element("dt", fact.question()))
                    .append(Html.element("dd", fact.answer()))
                    .append('\n');
        }
        body.append("</dl>\n");
        figure(figure);
        body.append("</div>\n");
        return this;
    }

    /**
     * Adds what words mean, beside where they stand.
     *
     * @param heading what the words are
     * @param terms a sentence for each
     * @return this page
     */
    public HtmlPage terms(String heading, SequencedMap<String, String> terms) {
        body.append(Html.element("h3", heading)).append("\n<dl class=\"terms\">\n");
        terms.forEach((term, sentence) -> body.append(Html.element("dt", term))
                .append(Html.element("dd", sentence))
                .append('\n'));
        body.append("</dl>\n");
        return this;
    }

    /**
     * Adds a table.
     *
     * @param table with its caption
     * @return this page
     */
    public HtmlPage table(Table table) {
        body.append(table.toHtml());
        return this;
    }

    /**
     * Adds a table that {@link #save} also writes as a file.
     *
     * @param name of the file without its ending, which no other table of the page has
     * @param table with its caption
     * @return this page
     */
    public HtmlPage table(String name, Table table) {
        tables.put(name, table);
        return table(table);
    }

    /**
     * Adds a figure; its title and its description become the caption.
     *
     * @param figure with a name that no other figure of the page has
     * @return this page
     * @throws IllegalArgumentException if the name is taken
     */
    public HtmlPage figure(Figure figure) {
        if (figures.putIfAbsent(figure.name(), figure) != null) {
            throw new IllegalArgumentException(
                    "HtmlPage: two figures are called '%s', expected different names".formatted(figure.name()));
        }
        String narrow = figure.narrowSvg();
        if (narrow.isEmpty()) {
            body.append("<figure class=\"wide\" tabindex=\"0\">\n").append(figure.svg());
        } else {
            body.append("<figure>\n<div class=\"broad\">").append(figure.svg()).append("</div>\n");
            body.append("<div class=\"narrow\">").append(narrow).append("</div>\n");
        }
        body.append("<figcaption>")
                .append(Html.element("strong", figure.title() + "."))
                .append(' ');
        body.append(Html.text(figure.description())).append("</figcaption>\n</figure>\n");
        return this;
    }

    /**
     * Adds a section that says how to make this page again.
     *
     * @param provenance where the results came from
     * @return this page
     */
    public HtmlPage howToRepeat(Provenance provenance) {
        return howToRepeat(List.of(provenance.commandLine()), provenance);
    }

    /**
     * Adds a section that says how to make this page again, from the first command on.
     *
     * @param commands as a shell takes them, in their order
     * @param provenance where the results came from
     * @return this page
     */
    public HtmlPage howToRepeat(List<String> commands, Provenance provenance) {
        section("How to repeat this");
        body.append("<pre><code>")
                .append(Html.escape(String.join("\n", commands)))
                .append("</code></pre>\n");
        return table(provenance.toTable());
    }

    /**
     * Ends the page with how to repeat it, and writes {@code report.html}, its figures below {@code figures/} and its named
     * tables below {@code tables/}.
     *
     * @param folder made where it is missing
     * @param provenance where the results came from
     * @throws IOException when a file cannot be written
     */
    public void save(Path folder, Provenance provenance) throws IOException {
        save(folder, List.of(provenance.commandLine()), provenance);
    }

    /**
     * As {@link #save(Path, Provenance)}, where more than one command repeats the page.
     *
     * @param folder made where it is missing
     * @param commands as a shell takes them, in their order
     * @param provenance where the results came from
     * @throws IOException when a file cannot be written
     */
    public void save(Path folder, List<String> commands, Provenance provenance) throws IOException {
        howToRepeat(commands, provenance).write(folder.resolve("report.html"));
        for (Figure figure : figures.values()) {
            figure.write(folder.resolve("figures"));
        }
        for (Map.Entry<String, Table> table : tables.entrySet()) {
            table.getValue().write(folder.resolve("tables"), table.getKey());
        }
    }

    /** {@return the whole page, an HTML document} */
    public String html() {
        endSection();
        return """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <title>%s</title>
                <style>
                %s</style>
                </head>
                <body>
                <main>
                %s</main>
                </body>
                </html>
                """.formatted(Html.escape(title), style(), body);
    }

    private static String style() {
        try (InputStream in = HtmlPage.class.getResourceAsStream("page.css")) {
            if (in == null) {
                throw new IllegalStateException("HtmlPage: page.css is missing from the library; build it again");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes the page at once or not at all.
     *
     * @param file the file; its folder is made where it is missing
     * @throws IOException if it cannot be written
     */
    public void write(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        AtomicFile.writeText(file, html());
    }
}
