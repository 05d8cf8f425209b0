package org.isoloss.lie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WordSamplerTest {
    private static final int DRAWS = 20_000;

    /** Means of uniform variables over 20,000 draws have standard errors below 0.0021 of the range; bounds are 5 of them. */
    @Test
    void lengthsCountsSignsAndGeneratorsAreUniform() {
        var sampler = new WordSampler(WordDistribution.upTo(0.5, 3), 4);
        var random = new SplittableRandom(1);
        double[] lengths = new double[DRAWS];
        int[] counts = new int[4];
        int[] used = new int[4];
        int negative = 0;
        int factors = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            GroupWord word = sampler.draw(random);
            lengths[draw] = word.length();
            counts[word.factors().size()]++;
            factors += word.factors().size();
            for (GroupWord.Factor factor : word.factors()) {
                used[factor.generator()]++;
                negative += factor.coefficient() < 0 ? 1 : 0;
            }
        }
        Arrays.sort(lengths);
        assertThat(lengths[0]).isBetween(0.1 - 1e-15, 0.101);
        assertThat(lengths[DRAWS - 1]).isBetween(0.499, 0.5 + 1e-15);
        assertThat(lengths[DRAWS / 4]).isCloseTo(0.2, within(0.0085));
        assertThat(lengths[DRAWS / 2]).isCloseTo(0.3, within(0.0085));
        for (int m = 1; m <= 3; m++) {
            assertThat(counts[m] / (double) DRAWS).isCloseTo(1 / 3.0, within(0.017));
        }
        for (int count : used) {
            assertThat(count / (double) factors).isCloseTo(0.25, within(0.011));
        }
        assertThat(negative / (double) factors).isCloseTo(0.5, within(0.0125));
    }

    /** The largest of m uniform spacings has the mean (1 + 1/2 + ... + 1/m) / m. */
    @Test
    void aLengthIsCutByUniformSpacings() {
        var sampler = new WordSampler(WordDistribution.exactly(1, 4), 1);
        var random = new SplittableRandom(2);
        double sum = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            GroupWord word = sampler.draw(random);
            assertThat(word.factors()).hasSize(4);
            sum += word.factors().stream()
                            .mapToDouble(factor -> Math.abs(factor.coefficient()))
                            .max()
                            .orElseThrow()
                    / word.length();
        }
        assertThat(sum / DRAWS).isCloseTo((1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0) / 4, within(0.007));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void unusedSlotsAreTheIdentityAndOthersAreLeftAlone(long seed) {
        var sampler = new WordSampler(WordDistribution.upTo(0.8, 3), 2);
        double[] coefficients = new double[8];
        int[] indices = new int[8];
        Arrays.fill(coefficients, 9);
        Arrays.fill(indices, 9);
        int factors = sampler.draw(new SplittableRandom(seed), coefficients, indices, 2, 5);
        for (int i = 0; i < 8; i++) {
            if (i < 2 || i >= 7) {
                assertThat(coefficients[i]).isEqualTo(9);
                assertThat(indices[i]).isEqualTo(9);
            } else if (i >= 2 + factors) {
                assertThat(coefficients[i]).isEqualTo(0);
                assertThat(indices[i]).isEqualTo(0);
            } else {
                assertThat(Math.abs(coefficients[i])).isBetween(1e-9, 0.8);
            }
        }
        GroupWord word = sampler.draw(new SplittableRandom(seed));
        assertThat(word.factors()).hasSize(factors);
        assertThat(word.factors().getFirst()).isEqualTo(new GroupWord.Factor(indices[2], coefficients[2]));
    }

    @Test
    void theInverseOfSlotsIsTheInverseWord() {
        double[] coefficients = {0.1, -0.2, 0, 0, 0, 0};
        int[] indices = {1, 2, 0, 7, 7, 7};
        WordSampler.invert(coefficients, indices, 0, 3, coefficients, indices, 3);
        assertThat(coefficients).containsExactly(0.1, -0.2, 0, -0.0, 0.2, -0.1);
        assertThat(indices).containsExactly(1, 2, 0, 0, 2, 1);
    }

    @Test
    void drawingAllocatesNothing() {
        var sampler = new WordSampler(WordDistribution.upTo(0.8, 6), 2);
        var random = new SplittableRandom(3);
        double[] coefficients = new double[12];
        int[] indices = new int[12];
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = 0;
        for (int draw = 0; draw < 30_000; draw++) {
            if (draw == 20_000) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            sampler.draw(random, coefficients, indices, 0, 6);
            WordSampler.invert(coefficients, indices, 0, 6, coefficients, indices, 6);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000); // one byte a draw
    }

    @Test
    void theSameStreamGivesTheSameWord() {
        var sampler = new WordSampler(WordDistribution.upTo(0.8, 6), 2);
        assertThat(sampler.draw(new SplittableRandom(4))).isEqualTo(sampler.draw(new SplittableRandom(4)));
        assertThat(sampler.draw(new SplittableRandom(4))).isNotEqualTo(sampler.draw(new SplittableRandom(5)));
    }

    @Test
    void impossibleDistributionsAreRefused() {
        assertThatThrownBy(() -> WordDistribution.upTo(0, 3))
                .hasMessage("WordDistribution: radius is 0.0, expected a positive finite number");
        assertThatThrownBy(() -> WordDistribution.upTo(Double.NaN, 3))
                .hasMessage("WordDistribution: radius is NaN, expected a positive finite number");
        assertThatThrownBy(() -> new WordDistribution(1, 3, 2))
                .hasMessage("WordDistribution: 3 to 2 factors, expected 1 <= fewest <= most");
        assertThatThrownBy(() -> new WordSampler(WordDistribution.upTo(1, 3), 0))
                .hasMessage("WordSampler: 0 generators, expected at least 1");
        var sampler = new WordSampler(WordDistribution.upTo(1, 3), 1);
        assertThatThrownBy(() -> sampler.draw(new SplittableRandom(1), new double[2], new int[2], 0, 2))
                .hasMessage("WordSampler: 2 slots for words of up to 3 factors");
    }
}
