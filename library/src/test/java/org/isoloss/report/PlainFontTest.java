package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.awt.Font;
import org.junit.jupiter.api.Test;

/** Widths by hand from the font metrics that Adobe publishes for Helvetica: sums of thousandths of the size. */
class PlainFontTest {
    @Test
    void widthsAreHelveticas() {
        var font = new PlainFont(Font.PLAIN, 10);

        assertThat(font.width("AVA")).isEqualTo((667 + 667 + 667) / 100.0, within(1e-9));
        assertThat(font.width("illicit ~")).isEqualTo((222 * 5 + 500 + 278 + 278 + 584) / 100.0, within(1e-9));
        assertThat(font.width("0.5 @")).isEqualTo((556 + 278 + 556 + 278 + 1015) / 100.0, within(1e-9));
    }

    @Test
    void staysItselfHoweverItIsDerived() {
        var font = new PlainFont(Font.BOLD, 12.5f);

        assertThat(font.deriveFont(20f))
                .isInstanceOf(PlainFont.class)
                .extracting(Font::getSize2D)
                .isEqualTo(20f);
        assertThat(font.deriveFont(Font.PLAIN)).isInstanceOf(PlainFont.class);
        assertThat(font.getFamily()).isEqualTo("Helvetica");
        assertThat(font.metrics().getHeight()).isEqualTo(11 + 3);
    }
}
