package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.isoloss.report.FigureFiles.Format;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

class FigureOptionsTest {
    /** Commands that write no figure, and so take no option for them. */
    private static final List<String> WITHOUT_FIGURES =
            List.of("discover", "apply", "run", "transform", "verify-certificate", "transformer", "help");

    @ParameterizedTest
    @CsvSource({"3.25in, 3.25", "8.255cm, 3.25", "82.55mm, 3.25", "234.8775pt, 3.25"})
    void lengthsAreReadInEveryUnit(String text, double inches) {
        // the last place of a quotient
        assertThat(new FigureOptions.Inches().convert(text).getAsDouble()).isCloseTo(inches, within(1e-12));
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.25", "in", "-3in", "3,25in", "3 in"})
    void otherLengthsAreRefused(String text) {
        assertThatThrownBy(() -> new FigureOptions.Inches().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("expected a number with in, cm, mm or pt, such as 3.25in, got '" + text + "'");
    }

    @Test
    void aFigureThatIsTooNarrowOrTooWideIsRefused() {
        assertThatThrownBy(() -> new FigureOptions.Inches().convert("1cm"))
                .hasMessage("expected a width from 1.5 to 20.0 inches, got '1cm'");
        assertThatThrownBy(() -> new FigureOptions.Inches().convert("3000pt"))
                .hasMessage("expected a width from 1.5 to 20.0 inches, got '3000pt'");
    }

    @Test
    void formatsAreNamedWithCommas() {
        assertThat(new FigureOptions.Formats().convert("svg,pdf")).containsExactly(Format.SVG, Format.PDF);
        assertThatThrownBy(() -> new FigureOptions.Formats().convert("svg,png"))
                .hasMessage("expected svg, pdf or tex, got 'png'");
    }

    @Test
    void everyCommandThatWritesFiguresTakesTheOptions() {
        new CommandLine(new IsolossCommand())
                .getSubcommands()
                .forEach((name, command) -> assertThat(command.getCommandSpec().findOption("--figure-width") != null)
                        .as(name)
                        .isEqualTo(!WITHOUT_FIGURES.contains(name)));
    }
}
