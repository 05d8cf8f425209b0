package org.isoloss.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The scripts see to a locale in which Java can read every file name. */
class LocaleTest {
    private static String locale(String variable, String value) throws IOException, InterruptedException {
        ProcessBuilder shell = new ProcessBuilder(
                "sh",
                "-euc",
                ". .mvn/find-jdk.sh; LC_ALL=${LC_ALL:-}; printf '%s %s' \"$(locale charmap)\" \"${LC_ALL:-unset}\"");
        shell.directory(Path.of("..").toFile());
        for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
            shell.environment().remove(name);
        }
        shell.environment().put(variable, value);
        Process process = shell.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return output;
    }

    /** The first two name locales that no machine has. */
    @ParameterizedTest
    @CsvSource({"LANG, xx_XX.UTF-8", "LC_ALL, xx_XX.ISO-8859-1", "LC_CTYPE, xx", "LANG, C", "LC_ALL, POSIX", "LANG, ''"
    })
    void aLocaleThatTheMachineLacksGivesWayToUtf8(String variable, String value) throws Exception {
        assumeThat(locale("LC_ALL", "C.UTF-8")).startsWith("UTF-8"); // not on every system
        assertThat(locale(variable, value)).startsWith("UTF-8 ").doesNotEndWith(value + " ");
    }

    @ParameterizedTest
    @CsvSource({"LANG, C.UTF-8", "LC_CTYPE, C.UTF-8"})
    void aLocaleThatServesStays(String variable, String value) throws Exception {
        assumeThat(locale("LC_ALL", "C.UTF-8")).startsWith("UTF-8");
        assertThat(locale(variable, value)).isEqualTo("UTF-8 unset");
    }
}
