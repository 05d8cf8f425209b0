package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.isoloss.lie.GroupWord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class UniformBoundsTest {
    private static final UniformBounds CONSTANTS = new UniformBounds(0.01, 0.002, 0.003, 1.5, 4);

    @ParameterizedTest
    @CsvFileSource(resources = "uniform-bounds.csv", numLinesToSkip = 1)
    void theFormulasAreThoseOfTheProposition(
            double identity,
            double transport,
            double loss,
            double growth,
            double derivative,
            double length,
            double growthIntegral,
            double composition,
            double output,
            double inverse) {
        var bounds = new UniformBounds(identity, transport, loss, growth, derivative);
        assertThat(UniformBounds.growthIntegral(growth, length))
                .isCloseTo(growthIntegral, within(4e-15 * growthIntegral));
        assertThat(bounds.composition(length)).isCloseTo(composition, within(1e-14 * composition));
        assertThat(bounds.outputChange(length)).isCloseTo(output, within(1e-14 * output));
        assertThat(bounds.inverse(length)).isCloseTo(inverse, within(1e-14 * inverse));
    }

    @Test
    void aWordCountsByItsLength() {
        GroupWord word = GroupWord.parse("1:0.25,2:-0.5,1:-0.25");
        assertThat(CONSTANTS.composition(word)).isEqualTo(CONSTANTS.composition(1.0));
        assertThat(CONSTANTS.outputChange(word)).isEqualTo(CONSTANTS.outputChange(1.0));
        assertThat(CONSTANTS.composition(GroupWord.of(List.of()))).isEqualTo(0.01);
    }

    @Test
    void anExactActionStaysExactHoweverFastItsFieldsSpread() {
        var exact = new UniformBounds(0, 0, 0, 1e6, 1e9);
        assertThat(exact.composition(10)).isZero();
        assertThat(exact.inverse(10)).isZero();
        assertThat(exact.outputChange(10)).isZero();
        assertThat(new UniformBounds(0, 1e-9, 0, 1e6, 0).composition(10)).isInfinite();
    }

    @Test
    void theLargestHoldForAll() {
        var other = new UniformBounds(0.001, 0.02, 0.0003, 15, 0.4);
        assertThat(UniformBounds.largest(List.of(CONSTANTS, other)))
                .isEqualTo(new UniformBounds(0.01, 0.02, 0.003, 15, 4));
        assertThat(UniformBounds.largest(List.of())).isEqualTo(new UniformBounds(0, 0, 0, 0, 0));
    }

    @Test
    void whatIsNoConstantIsRefused() {
        assertThatThrownBy(() -> new UniformBounds(0, -1, 0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("UniformBounds: -1.0 is no constant of a bound, expected a number of at least 0");
        assertThatThrownBy(() -> new UniformBounds(0, 0, 0, Double.NaN, 0)).hasMessageContaining("NaN is no constant");
        assertThatThrownBy(() -> CONSTANTS.composition(-0.5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("UniformBounds: a path has length -0.5, expected a number of at least 0");
    }
}
