package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class QuantilesTest {
    /** Expected: {@code numpy.percentile(sample, [50, 95])} of NumPy 2. */
    @Test
    void percentilesAreThoseOfNumPy() {
        double[] sample = {0.3, -1.25, 4.0, 2.5, 7.75, 0.0, 3.5, 1e-3, 9.5, 6.125, -2.0};
        Quantiles odd = Quantiles.of(sample);
        assertThat(odd.p50()).isEqualTo(2.5);
        assertThat(odd.p95()).isEqualTo(8.625);
        assertThat(odd.max()).isEqualTo(9.5);
        assertThat(sample[0]).isEqualTo(0.3);

        Quantiles even = Quantiles.of(new double[] {0.3, 0.1, 0.4, 0.2});
        assertThat(even.p50()).isCloseTo(0.25, within(1e-16));
        assertThat(even.p95()).isCloseTo(0.385, within(1e-16));
        assertThat(Median.of(new double[] {0.3, 0.1, 0.4, 0.2}).p50()).isEqualTo(even.p50());
        assertThat(Quantiles.of(new double[] {7})).isEqualTo(new Quantiles(7, 7, 7));
    }

    @Test
    void whatIsNotFiniteCountsAsTheLargest() {
        double[] hundred = new double[101];
        hundred[3] = Double.NaN;
        hundred[4] = Double.POSITIVE_INFINITY;
        assertThat(Quantiles.of(hundred)).isEqualTo(new Quantiles(0, 0, Double.NaN));
        hundred[3] = 0;
        assertThat(Quantiles.of(hundred)).isEqualTo(new Quantiles(0, 0, Double.POSITIVE_INFINITY));
        assertThat(Quantiles.of(hundred).allFinite()).isFalse();
        assertThat(Quantiles.of(new double[] {Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY})
                        .p95())
                .isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(Quantiles.of(new double[] {1, Double.NaN}).p50()).isNaN();
    }

    @Test
    void nothingCannotBeSummarised() {
        assertThatThrownBy(() -> Quantiles.of(new double[0]))
                .hasMessage("Quantiles: the sample is empty, expected at least one number");
    }
}
