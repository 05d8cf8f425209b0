package org.isoloss.exact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RationalsTest {
    @ParameterizedTest
    @CsvSource({"3/1, 3", "-6/8, -3/4", "0/5, 0", "123456789012345678901234567890/2, 61728394506172839450617283945"})
    void textIsInLowestTermsAndReadsBack(String read, String written) {
        assertThat(Rationals.text(Rationals.parse(read))).isEqualTo(written);
        assertThat(Rationals.parse(written)).isEqualTo(Rationals.parse(read));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.5", "1/", "/2", "1/-2", "one", "1 / 2"})
    void textThatIsNoFractionIsRefused(String text) {
        assertThatThrownBy(() -> Rationals.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Rationals: \"%s\" is no fraction; expected a form such as 3 or -3/4", text);
    }

    @Test
    void zeroDenominatorsAreRefused() {
        assertThatThrownBy(() -> Rationals.of(1, 0)).hasMessage("Rationals: 1/0 is no number");
        assertThatThrownBy(() -> Rationals.parse("1/0")).hasMessage("Rationals: 1/0 is no number");
    }

    @Test
    void doublesAreTakenAsTheBinaryFractionsThatTheyAre() {
        assertThat(Rationals.of(0.75)).isEqualTo(Rationals.of(3, 4));
        assertThat(Rationals.of(0.1)).isNotEqualTo(Rationals.of(1, 10));
        assertThat(Rationals.text(Rationals.of(0.1))).isEqualTo("3602879701896397/36028797018963968");
        assertThat(Rationals.toDouble(Rationals.of(Double.MIN_VALUE))).isEqualTo(Double.MIN_VALUE);
        assertThat(Rationals.toDouble(Rationals.of(Double.MAX_VALUE))).isEqualTo(Double.MAX_VALUE);
        assertThatThrownBy(() -> Rationals.of(Double.NaN)).hasMessage("Rationals: NaN is no rational number");
    }

    @Test
    void doublesInDigitsAreTheDecimalFractionsThatTheySay() {
        assertThat(Rationals.ofDecimal(0.1)).isEqualTo(Rationals.of(1, 10));
        assertThat(Rationals.ofDecimal(-0.044715)).isEqualTo(Rationals.of(-44_715, 1_000_000));
        assertThat(Rationals.ofDecimal(3e20)).isEqualTo(Rationals.parse("300000000000000000000"));
    }

    @Test
    void roundingHoldsForLargeOperands() {
        String digits = "1".repeat(400);
        assertThat(Rationals.toDouble(Rationals.parse(digits + "/" + digits + "0")))
                .isEqualTo(0.1);
        assertThat(Rationals.toDouble(Rationals.parse("1/3"))).isEqualTo(1.0 / 3);
    }
}
