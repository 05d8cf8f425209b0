package org.isoloss.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Links between pages lead somewhere, and docs/index.md leads to every page. */
class LinksTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```$");

    static List<Path> pages() {
        return Pages.all();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkLeadsSomewhere(Path page) throws Exception {
        assertThat(broken(page)).isEmpty();
    }

    @Test
    void theIndexLeadsToEveryPage() {
        Path docs = Pages.REPOSITORY.resolve("docs");
        List<Path> linked = links(docs.resolve("index.md"))
                .map(link -> docs.resolve(link.split("#", -1)[0]).normalize())
                .toList();
        assertThat(linked)
                .containsAll(Pages.all().stream()
                        .filter(page -> page.startsWith(docs) && !page.endsWith("index.md"))
                        .map(Path::normalize)
                        .toList());
    }

    @Test
    void aBrokenLinkIsSeen(@TempDir Path folder) throws Exception {
        Path page = folder.resolve("page.md");
        Files.writeString(page, """
                # The *first* `part`, in words

                [here](#the-first-part-in-words) [away](#elsewhere) [gone](gone.md) [web](https://example.org/x)

                ```text
                [of a block](nowhere.md)
                ```
                """);
        assertThat(broken(page)).containsExactly("#elsewhere", "gone.md");
    }

    private static List<String> broken(Path page) throws Exception {
        Path folder = page.toAbsolutePath().normalize().getParent();
        List<String> broken = new ArrayList<>();
        for (String link : links(page).toList()) {
            int hash = link.indexOf('#');
            String file = hash < 0 ? link : link.substring(0, hash);
            Path target = file.isEmpty() || folder == null ? page : folder.resolve(file);
            boolean leads = Files.exists(target) && (hash < 0 || anchors(target).contains(link.substring(hash + 1)));
            if (!leads) {
                broken.add(link);
            }
        }
        return broken;
    }

    private static Stream<String> links(Path page) {
        String text = BLOCK.matcher(Pages.read(page)).replaceAll("");
        return LINK.matcher(text).results().map(link -> link.group(1)).filter(link -> !link.matches("[a-z]+:.*"));
    }

    /** The names that headings get on GitHub and in MkDocs. */
    private static List<String> anchors(Path page) {
        return HEADING.matcher(BLOCK.matcher(Pages.read(page)).replaceAll(""))
                .results()
                .map(LinksTest::anchor)
                .toList();
    }

    private static String anchor(MatchResult heading) {
        return heading.group(1)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .strip()
                .replace(' ', '-');
    }
}
