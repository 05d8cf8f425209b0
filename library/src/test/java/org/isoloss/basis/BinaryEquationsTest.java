package org.isoloss.basis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BinaryEquationsTest {
    static LongStream seeds() {
        return LongStream.rangeClosed(1, 50);
    }

    /** Equations that planted bits fulfil are fulfilled, and give them back where there are enough. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void plantedBitsAreFound(long seed) {
        var random = new SplittableRandom(seed);
        int count = 1 + random.nextInt(7);
        long planted = random.nextLong(1L << count);
        var equations = new BinaryEquations();
        long[] all = new long[2 * count];
        for (int i = 0; i < all.length; i++) {
            all[i] = random.nextLong(1L << count);
            equations.add(all[i], Long.bitCount(all[i] & planted) % 2 == 1);
        }
        double[] solution = equations.solution(count);
        long found = 0;
        for (int i = 0; i < count; i++) {
            found |= solution[i] == 1 ? 1L << i : 0;
        }
        for (long bits : all) {
            assertThat(Long.bitCount(bits & found) % 2).isEqualTo(Long.bitCount(bits & planted) % 2);
        }
        if (equations.rank() == count) {
            assertThat(found).isEqualTo(planted);
        }
    }

    @Test
    void whatContradictsIsPassedOver() {
        var equations = new BinaryEquations();
        equations.add(0b01, true);
        equations.add(0b11, true);
        equations.add(0b10, true);
        assertThat(equations.rank()).isEqualTo(2);
        assertThat(equations.solution(2)).containsExactly(1, 0);
    }
}
