package org.isoloss.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/equations.md leads from the paper to the code, and the Javadoc back. */
class EquationsTest {
    private static List<Equations.Row> rows() {
        return Equations.rows(Pages.read(Pages.REPOSITORY.resolve(Path.of("docs", "equations.md"))));
    }

    @Test
    void everyRowLeadsToCodeThatNamesTheLabelAndBack() {
        assertThat(rows()).hasSizeGreaterThan(30);
        assertThat(Equations.disagreements(rows(), Equations.SOURCES)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lie.Word#length|there is no lie.Word#length",
                "lie.GroupWord#breadth|there is no lie.GroupWord#breadth",
                "lie.Curriculum#ramp|no Javadoc of org/isoloss/lie/Curriculum.java names it"
            })
    void aWrongRowIsSeen(String place, String message) {
        List<Equations.Row> wrong = new ArrayList<>(rows());
        wrong.addAll(Equations.rows("| `eq:map-a` | planted | `%s` |".formatted(place)));

        assertThat(Equations.disagreements(wrong, Equations.SOURCES)).containsExactly("eq:map-a: " + message);
    }

    @Test
    void aLabelThatThePageLacksIsSeen(@TempDir Path sources) throws Exception {
        Files.writeString(sources.resolve("Planted.java"), """
                /** Equation {@code eq:planted}. */
                final class Planted {
                    // eq:of-a-comment is no Javadoc
                }
                """);

        assertThat(Equations.disagreements(List.of(), List.of(sources)))
                .containsExactly("eq:planted: Planted.java names it, the page does not");
    }

    @Test
    void aRowWithoutAPlaceIsRefused() {
        assertThatThrownBy(() -> Equations.rows("| `eq:map-a` | a map | nowhere |"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no place 'package.Class#method': | `eq:map-a` | a map | nowhere |");
        assertThatThrownBy(() -> Equations.rows("| `eq:map-a` | a map |"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no row of a label, a meaning and a place: | `eq:map-a` | a map |");
    }
}
