package org.isoloss.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A headless Chromium that looks at a page: what axe-core finds wrong with it, and what does not fit the window. */
final class Browser {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final String START = "FOUND[";
    private static final String END = "]FOUND";

    /** Elements whose content is wider than they are, and the page itself, then axe-core's rules. */
    private static final String LOOK = """
            const found = [];
            const width = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth > width) found.push('cut: page ' + document.documentElement.scrollWidth);
            for (const e of document.querySelectorAll('body *')) {
              if (e.closest('svg') && e.localName !== 'svg') continue;
              const head = e.closest('thead');
              if (head && getComputedStyle(head).clipPath !== 'none') continue; // there for screen readers alone
              if (e.closest('figure.wide')) continue; // a drawing of a network scrolls in its frame, by keyboard too
              const box = e.getBoundingClientRect();
              if (box.width > 1 && (box.right > width + 1 || box.left < -1)) found.push('cut: ' + e.localName + ' ' + (e.className.baseVal ?? e.className));
            }
            axe.run().then(result => {
              for (const v of result.violations) for (const n of v.nodes) found.push(v.id + ': ' + n.target.join(' '));
              const pre = document.createElement('pre');
              pre.textContent = 'FOUND' + JSON.stringify(found) + 'FOUND';
              parent.document.body.append(pre);
            });
            """;

    private final String program;
    private final Path work;

    private Browser(String program, Path work) {
        this.program = program;
        this.work = work;
    }

    /**
     * Finds a browser.
     *
     * @param work an empty folder
     */
    static Optional<Browser> on(Path work) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .map(path -> new Browser(path.toString(), work));
    }

    /**
     * Returns what is wrong with a page, in a window and with the colours that the options say.
     *
     * @param html a document
     * @param width of the window in CSS pixels; a frame has it, since no window is as narrow as a phone
     * @param options of Chromium
     */
    List<String> findings(String html, int width, String... options) throws IOException, InterruptedException {
        Path page = work.resolve("page.html");
        String looked = html.replace("</body>", "<script>" + axe() + LOOK + "</script></body>");
        Files.writeString(
                page,
                "<!DOCTYPE html><body><iframe style=\"border:0;height:900px;width:%dpx\" srcdoc=\"%s\"></iframe>"
                        .formatted(width, Html.escape(looked)));
        List<String> line = new ArrayList<>(List.of(
                program,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--user-data-dir=" + work.resolve("profile"),
                "--window-size=1400,1000",
                "--virtual-time-budget=20000",
                "--dump-dom"));
        line.addAll(List.of(options));
        line.add(page.toUri().toString());
        Path seen = work.resolve("seen.html");
        Process chromium = new ProcessBuilder(line)
                .redirectOutput(seen.toFile())
                .redirectError(work.resolve("log").toFile())
                .start();
        if (!chromium.waitFor(2, TimeUnit.MINUTES)) {
            chromium.destroyForcibly();
            throw new IOException("the browser did not end");
        }
        return found(Files.readString(seen, UTF_8));
    }

    private static List<String> found(String dom) throws IOException {
        int start = dom.lastIndexOf(START);
        int end = dom.lastIndexOf(END);
        if (start < 0 || end < start) {
            throw new IOException("the browser ran no check");
        }
        String json = dom.substring(start + START.length() - 1, end + 1)
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&");
        return JsonMapper.shared()
                .readTree(json)
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }

    private static String axe() throws IOException {
        try (InputStream script = requireNonNull(Browser.class.getResourceAsStream("/axe.min.js"))) {
            return new String(script.readAllBytes(), UTF_8);
        }
    }
}
