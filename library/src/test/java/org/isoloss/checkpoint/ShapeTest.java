package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ShapeTest {
    @Test
    void countsElements() {
        assertThat(Shape.of(3, 4).count()).isEqualTo(12);
        assertThat(Shape.of().count()).as("a single number").isEqualTo(1);
        assertThat(Shape.of(3, 0).count()).isZero();
        assertThat(Shape.of(1L << 31, 1L << 31).count()).isEqualTo(1L << 62);
        assertThat(Shape.of(3, 4)).hasToString("(3, 4)").isEqualTo(Shape.of(3, 4));
    }

    @Test
    void refusesWhatNoArrayHas() {
        assertThatThrownBy(() -> Shape.of(-1, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("shape (-1, -1) has the negative size -1, expected sizes of at least 0");
        assertThatThrownBy(() -> Shape.of(1L << 32, 1L << 31))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("shape (4294967296, 2147483648) has more than 2^63 - 1 elements");
        assertThatThrownBy(() -> Shape.of(1L << 32, 1L << 32)).isInstanceOf(IllegalArgumentException.class);
    }
}
