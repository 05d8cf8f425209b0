package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SeedListTest {
    private final SeedList.Converter converter = new SeedList.Converter();

    @Test
    void rangesAndListsAreRead() {
        assertThat(converter.convert("101..103").seeds()).containsExactly(101L, 102L, 103L);
        assertThat(converter.convert("7,-3..-2").seeds()).containsExactly(7L, -3L, -2L);
        assertThat(converter.convert("9223372036854775806..9223372036854775807").seeds())
                .hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "1,",
                "3..1",
                "1..",
                "1..1001,5000",
                "1..5000",
                "-9223372036854775808..9223372036854775807"
            })
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("expected seeds such as 101..105 or 101,102, at most 1000, got '%s'", text);
    }
}
