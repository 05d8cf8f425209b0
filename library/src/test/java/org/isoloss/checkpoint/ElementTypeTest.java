package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ElementTypeTest {
    @Test
    void sizesInBytesAreExactOrRefused() {
        assertThat(ElementType.F64.bytes(3)).isEqualTo(24);
        assertThat(ElementType.BF16.bytes(0)).isZero();
        assertThat(ElementType.F4.bytes(2)).isEqualTo(1);
        assertThat(ElementType.F4.bytes(3)).as("one and a half bytes").isEqualTo(-1);
        assertThat(ElementType.F6_E2M3.bytes(4)).isEqualTo(3);
        assertThat(ElementType.F64.bytes(Long.MAX_VALUE / 8 + 1)).as("overflow").isEqualTo(-1);
        assertThat(ElementType.F4.bytes(Long.MAX_VALUE)).as("overflow").isEqualTo(-1);
    }

    @Test
    void nearestIsWhatStoringKeeps() {
        assertThat(ElementType.F32.nearest(0.1)).isEqualTo(0.1f);
        assertThat(ElementType.BF16.nearest(1 + 0x1p-9)).isEqualTo(1);
        assertThat(ElementType.F16.nearest(1e6)).isInfinite();
        assertThat(ElementType.F64.nearest(Math.PI)).isEqualTo(Math.PI);
        assertThatThrownBy(() -> ElementType.I64.nearest(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("I64 holds no floats that can be edited, expected one of F64, F32, F16, BF16");
    }

    @Test
    void onlyTheFormatsOwnNamesAreKnown() {
        assertThat(ElementType.named("F8_E4M3")).contains(ElementType.F8_E4M3);
        assertThat(ElementType.named("f32")).isEmpty();
    }
}
