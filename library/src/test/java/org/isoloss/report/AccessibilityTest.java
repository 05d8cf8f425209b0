package org.isoloss.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages in a browser, where one is installed (Debian: chromium). */
class AccessibilityTest {
    private static final int PHONE = 390;
    private static final int DESK = 1280;
    private static final String DARK = "--blink-settings=preferredColorScheme=0";

    @TempDir
    private Path folder;

    private Optional<Browser> browser = Optional.empty();

    @BeforeEach
    void needsABrowser() {
        browser = Browser.on(folder);
        assumeTrue(browser.isPresent(), "no Chromium on the PATH");
    }

    @Test
    void thePageOfARunViolatesNothingAndFits() throws Exception {
        RunPageTest.write(folder.resolve("run"));
        String page = Files.readString(folder.resolve("run/report.html"), UTF_8);

        assertThat(browser.orElseThrow().findings(page, PHONE)).isEmpty();
        assertThat(browser.orElseThrow().findings(page, DESK, DARK)).isEmpty();
    }

    @Test
    void thePageOfSeveralRunsViolatesNothingAndFits() throws Exception {
        RunComparisonTest.sample().write(folder.resolve("runs"), ProvenanceTest.sample());
        String page = Files.readString(folder.resolve("runs/report.html"), UTF_8);

        assertThat(browser.orElseThrow().findings(page, PHONE)).isEmpty();
    }

    @Test
    void aPageOfEveryKindOfFigureViolatesNothingAndFits() throws Exception {
        String page = HtmlPageTest.sample().html();

        assertThat(browser.orElseThrow().findings(page, PHONE)).isEmpty();
        assertThat(browser.orElseThrow().findings(page, DESK, DARK)).isEmpty();
    }

    @Test
    void plantedViolationsAreFound() throws Exception {
        String page = HtmlPageTest.sample()
                .html()
                .replace("</main>", "<img src=\"data:,\"><p style=\"color:#eee;width:900px\">pale and wide</p></main>");

        assertThat(browser.orElseThrow().findings(page, PHONE))
                .anyMatch(found -> found.startsWith("image-alt: "))
                .anyMatch(found -> found.startsWith("color-contrast: "))
                .anyMatch(found -> found.startsWith("cut: p"));
    }
}
