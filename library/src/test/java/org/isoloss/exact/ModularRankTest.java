package org.isoloss.exact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModularRankTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void rankOfSmallIntegersIsTheirRankOverTheRationals(long seed) {
        var random = new SplittableRandom(seed);
        int columns = random.nextInt(1, 9);
        ModularRank modular = new ModularRank(columns);
        List<RationalVector> rows = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            long[] row = random.longs(columns, -1, 2).toArray();
            rows.add(RationalVector.of(row));
            boolean grew = modular.add(random(row));
            assertThat(grew)
                    .isEqualTo(Subspace.span(columns, rows).dimension()
                            > Subspace.span(columns, rows.subList(0, i)).dimension());
        }
        assertThat(modular.rank()).isEqualTo(Subspace.span(columns, rows).dimension());
    }

    /** The prime itself is 0 modulo the prime: the rank may only drop, never rise. */
    @Test
    void rankMayOnlyDrop() {
        ModularRank modular = new ModularRank(1);
        assertThat(modular.add(new long[] {ModularRank.residue(ModularRank.PRIME, 1)}))
                .isFalse();
        assertThat(modular.add(new long[] {ModularRank.residue(-1, 3)})).isTrue();
        assertThat(modular.rank()).isEqualTo(1);
    }

    @Test
    void residuesOfFractions() {
        assertThat(ModularRank.residue(1, 2) * 2 % ModularRank.PRIME).isEqualTo(1);
        assertThat(ModularRank.residue(-1, 1)).isEqualTo(ModularRank.PRIME - 1);
        assertThatThrownBy(() -> ModularRank.residue(1, ModularRank.PRIME))
                .hasMessage("ModularRank: the denominator 2147483647 is divisible by the prime");
        assertThatThrownBy(() -> new ModularRank(2).add(new long[1]))
                .hasMessage("ModularRank: row of length 1, expected 2");
    }

    private static long[] random(long[] row) {
        return Arrays.stream(row).map(entry -> ModularRank.residue(entry, 1)).toArray();
    }
}
