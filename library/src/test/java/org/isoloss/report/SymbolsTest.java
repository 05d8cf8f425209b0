package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Font;
import java.util.List;
import org.junit.jupiter.api.Test;

class SymbolsTest {
    private static final PlainFont FONT = new PlainFont(Font.PLAIN, 12);

    @Test
    void aSymbolIsSlantedAndItsIndexSmallAndLow() {
        List<Symbols.Run> runs = Symbols.runs("drift ($s_F$), $\\rho$", FONT);

        assertThat(runs).extracting(Symbols.Run::text).containsExactly("drift (", "s", "F", "), ", "\u03c1");
        assertThat(runs).extracting(run -> run.font().isItalic()).containsExactly(false, true, true, false, true);
        assertThat(runs.get(2).font().getSize2D()).isLessThan(FONT.getSize2D());
        assertThat(runs.get(2).rise()).isNegative();
        assertThat(runs).isSortedAccordingTo((a, b) -> Double.compare(a.x(), b.x()));
        assertThat(FONT.width("drift ($s_F$), $\\rho$"))
                .isEqualTo(runs.getLast().end());
    }

    @Test
    void amountsOfMoneyAreNoSymbols() {
        assertThat(Symbols.runs("from $3 to $4, $HOME/a", FONT)).hasSize(1);
        assertThat(LatexText.of("from $3 to $4")).isEqualTo("from \\$3 to \\$4");
    }

    @Test
    void tablesHavePlainWordsAndLatexTheSymbol() {
        assertThat(Axis.log("output drift", "$s_\\theta$").words()).isEqualTo("output drift (s_\u03b8)");
        assertThat(LatexText.of("50 % of $s_F$, 10\u207b\u00b3"))
                .isEqualTo("50 \\% of $s_F$, 10\\textsuperscript{\\ensuremath{-}3}");
    }

    @Test
    void superscriptsThatAFontHasNotAreRaisedDigits() {
        List<Symbols.Run> runs = Symbols.raisedRuns("2\u00d710\u207b\u00b9\u2070", FONT);

        assertThat(runs).extracting(Symbols.Run::text).containsExactly("2\u00d710", "\u221210");
        assertThat(runs.getLast().rise()).isPositive();
    }
}
