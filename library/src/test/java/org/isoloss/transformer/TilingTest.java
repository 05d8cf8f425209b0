package org.isoloss.transformer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TilingTest {
    @ParameterizedTest
    @CsvSource({
        "1, 768, 2304",
        "16, 768, 50304",
        "16, 8192, 2048",
        "16, 3072, 766",
        "32, 8192, 2049",
        "33, 8192, 2048",
        "16, 64, 3"
    })
    void coversEachOutputOnce(int rows, int in, int outputs) {
        var tiling = new Tiling(rows, in, outputs);
        var covered = new AtomicIntegerArray(outputs);
        tiling.run(() -> (from, count) -> {
            assertThat(count).isBetween(1, tiling.width());
            for (int i = from; i < from + count; i++) {
                covered.incrementAndGet(i);
            }
        });
        for (int i = 0; i < outputs; i++) {
            assertThat(covered.get(i)).isEqualTo(1);
        }
    }

    /** OpenBLAS packs products of more than a million multiplications, which takes twice as long for sixteen rows. */
    @ParameterizedTest
    @CsvSource({"1, 16384", "16, 768", "16, 2048", "16, 3072", "16, 8192", "30, 8192", "32, 1024", "32, 4096"})
    void tilesOfFewRowsAreSmallProducts(int rows, int in) {
        long multiplications = (long) rows * in * new Tiling(rows, in, 4096).width();
        assertThat(multiplications).isLessThanOrEqualTo(1_000_000);
    }
}
