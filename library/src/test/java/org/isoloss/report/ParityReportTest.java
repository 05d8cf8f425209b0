package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.isoloss.evaluation.Parity;
import org.junit.jupiter.api.Test;

class ParityReportTest {
    private static ParityReport report(double last) {
        return new ParityReport(
                "model",
                "golden.json",
                new Parity(
                        List.of(
                                new Parity.Place("short", Parity.Kind.FEED_FORWARD_INPUT, 0, 1e-15, 1e-7),
                                new Parity.Place("short", Parity.Kind.FEED_FORWARD_OUTPUT, 0, 2e-15, 2e-7),
                                new Parity.Place("short", Parity.Kind.OUTPUT, 2, last, 3e-7)),
                        List.of()));
    }

    @Test
    void saysWhetherAndWhereThePassDeparts() {
        assertThat(report(1e-14).verdict())
                .isEqualTo("agrees at all 3 places: float64 within 1e-12, float32 within 3e-6 of the largest number");
        assertThat(report(0.25).verdict())
                .isEqualTo("departs first at the output of case 'short': float64 by 2.5e-01, float32 by 3.0e-07");
    }

    @Test
    void aDifferenceWithoutEndIsInTheTableAndTheJson() {
        ParityReport endless = report(Double.POSITIVE_INFINITY);
        assertThat(endless.table().toCsv()).contains("short,,output,Infinity,");
        assertThat(endless.json()).contains("\"float64\":\"Infinity\"").contains("\"agrees\":false");
        assertThat(endless.figure().svg()).startsWith("<svg");
        assertThat(report(1e-14).json()).contains("\"first_departure\":null");
    }
}
