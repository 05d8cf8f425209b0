package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/internals/decisions.md gives a reason for every dependency and every plugin. */
class DecisionsTest {
    private static final Pattern COORDINATES =
            Pattern.compile("<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>");

    private static final Pattern PLUGIN =
            Pattern.compile("<artifactId>([^<]+-maven-plugin|maven-[^<]+-plugin)</artifactId>");

    @Test
    void everyDependencyHasItsReason() throws IOException {
        String decisions = Files.readString(Path.of("..", "docs", "internals", "decisions.md"));

        assertThat(dependencies())
                .hasSizeGreaterThan(10)
                .allSatisfy(dependency -> assertThat(decisions).contains("`" + dependency + "`"));
    }

    @Test
    void everyPluginHasItsReason() throws IOException {
        String decisions = Files.readString(Path.of("..", "docs", "internals", "decisions.md"));
        List<String> plugins = PLUGIN.matcher(Files.readString(Path.of("..", "pom.xml")))
                .results()
                .map(match -> match.group(1))
                .distinct()
                .toList();

        assertThat(plugins)
                .hasSizeGreaterThan(10)
                .allSatisfy(plugin -> assertThat(decisions).contains("`" + plugin + "`"));
    }

    private static List<String> dependencies() throws IOException {
        String pom = Files.readString(Path.of("..", "pom.xml"));
        String managed = pom.substring(pom.indexOf("<dependencyManagement>"), pom.indexOf("<build>"));
        return COORDINATES
                .matcher(managed)
                .results()
                .map(match -> match.group(1) + ":" + match.group(2))
                .filter(name -> !name.startsWith("org.isoloss") && !name.startsWith("*")) // * excludes what comes along
                .distinct()
                .toList();
    }
}
