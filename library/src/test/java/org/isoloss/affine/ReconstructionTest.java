package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.exact.RationalReconstruction;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.exact.Subspace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReconstructionTest {
    /** Two vectors with a span over fractions, mixed at random, as a decomposition would return them. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void spansSurviveMixingAndRounding(long seed) {
        var random = new SplittableRandom(seed);
        List<RationalVector> exact = List.of(
                RationalVector.of(List.of(
                        Rationals.of(1),
                        Rationals.ZERO,
                        Rationals.of(-1),
                        Rationals.of(1, 2),
                        Rationals.ZERO,
                        Rationals.of(1, 3))),
                RationalVector.of(0, 1, 0, 2, -1, 0));
        List<FieldEstimate> mixed = new ArrayList<>();
        Grading.Block block = new Grading.Block(List.of(0, 1, 2, 3, 4, 5));
        for (int i = 0; i < 2; i++) {
            double[] first = exact.get(0).toDoubles();
            double[] second = exact.get(1).toDoubles();
            double a = random.nextDouble(-1, 1);
            double b = random.nextDouble(-1, 1);
            double[] sum = new double[6];
            for (int j = 0; j < 6; j++) {
                sum[j] = a * first[j] + b * second[j] + 1e-10 * random.nextDouble(-1, 1);
            }
            mixed.add(FieldEstimate.normalising(block, sum));
        }
        Reconstruction reconstruction = Reconstruction.of(2, mixed);
        assertThat(reconstruction.span()).isEqualTo(Subspace.span(6, exact));
        assertThat(reconstruction.largestError()).isBetween(1e-13, 1e-7);
    }

    @Test
    void whatIsNoSmallFractionIsRefused() {
        Grading.Block block = new Grading.Block(List.of(0, 1));
        List<FieldEstimate> irrational = List.of(FieldEstimate.normalising(block, new double[] {1, Math.sqrt(0.5)}));
        assertThatThrownBy(() -> Reconstruction.of(1, irrational))
                .isInstanceOf(RationalReconstruction.NoSuchFractionException.class)
                .hasMessageStartingWith("no fraction with denominator up to 32 lies within 1.0e-06 of 0.7071067811865");
    }
}
