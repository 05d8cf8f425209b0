package org.isoloss.reproduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PaperTableTest {
    @ParameterizedTest
    @CsvSource({
        "table1, 7",
        "table2, 15",
        "table3, 4",
        "table4, 5",
        "table5, 5",
        "table6, 4",
        "table7, 2",
        "table8, 8",
        "table9, 4"
    })
    void everyRowIsThere(String table, int rows) {
        assertThat(PaperTable.of(table).rows()).hasSize(rows);
    }

    /** Cells read off the paper by eye, independently of the transcription. */
    @ParameterizedTest
    @CsvSource({
        "table1, setting, linear, motion_percent, 5.25",
        "table1, setting, relu, output, 8.70e-4",
        "table1, setting, sigmoid-k1, composition, 3.71e-4",
        "table1, setting, sigmoid-k2, fits, 4",
        "table1, setting, tanh, inverse, 3.53e-3",
        "table1, setting, gelu, output, 1.07e-3",
        "table1, setting, local-host, composition, 4.29e-3",
        "table3, setting, sigmoid-k1, fresh, 1.11e-1",
        "table3, setting, gelu, conditioning, 9.23e-4",
        "table4, setting, relu, reference_error, 7.14e-3",
        "table4, setting, local-host, orbit_rank, 1",
        "table5, widths, '(2,2,2,2)', derived, 6",
        "table5, widths, '(2,2,2,2,2,1)', output, 1.26e-15",
        "table6, radius, 0.3, full_motion, 0.0416",
        "table6, radius, 0.8, local_output, 1.61e-3",
        "table7, objective, finite, inverse, 3.16e-3",
        "table7, objective, hybrid, cancellation, 9.98e-3",
        "table7, objective, hybrid, fits, 2"
    })
    void cellsAreThePapers(String table, String key, String value, String column, String cell) {
        @Nullable CSVRecord row = PaperTable.of(table).row(Map.of(key, value));
        assertThat(row == null ? null : row.get(column)).isEqualTo(cell);
    }

    @ParameterizedTest
    @CsvSource({
        "linear, finite, transport, 1.27e-2",
        "sigmoid-k1, infinitesimal, composition, 2.42e-3",
        "sigmoid-k2, infinitesimal, fits, 3",
        "tanh, finite, composition, 2.36e-2",
        "local-host, hybrid, transport, 7.66e-3"
    })
    void objectivesAreThePapers(String setting, String objective, String column, String cell) {
        @Nullable CSVRecord row = PaperTable.of("table2").row(Map.of("setting", setting, "objective", objective));
        assertThat(row == null ? null : row.get(column)).isEqualTo(cell);
    }

    @ParameterizedTest
    @CsvSource({
        "table8, transformation, 160M, analytic, cancellation, 1.95e-5",
        "table8, transformation, 160M, incoming only, motion_percent, 0.0231",
        "table8, transformation, 1B, learned, relative, 1.50e-6",
        "table8, transformation, 1B, random, rms, 6.90e-4",
        "table9, objective, 160M, hybrid, composition, 3.08e-4",
        "table9, objective, 1B, finite, inverse, 2.86e-3"
    })
    void installedCellsAreThePapers(String table, String key, String model, String value, String column, String cell) {
        @Nullable CSVRecord row = PaperTable.of(table).row(Map.of("model", model, key, value));
        assertThat(row == null ? null : row.get(column)).isEqualTo(cell);
    }

    @Test
    void anUnknownRowIsNull() {
        assertThat(PaperTable.of("table1").row(Map.of("setting", "softmax"))).isNull();
    }
}
