package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExtractionTest {
    private static final Sampling FEW = new Sampling(64, 4, 1, 1);

    /** Homogeneous networks know no units: the same spectrum up to rounding, whatever weights and inputs are multiplied by. */
    @ParameterizedTest
    @CsvSource({"1e-6, 1", "1e6, 1", "1, 1e-6", "1, 1e6", "1e-6, 1e6", "1e6, 1e6", "1e6, 1e-6", "1e-6, 1e-6"})
    void unitsOfWeightsAndInputsChangeNoDimension(double weights, double inputs) {
        Sampling scaled = new Sampling(64, 4, weights, inputs);
        for (ConstraintSolver solver : ConstraintSolver.values()) {
            assertThat(decided(Architecture.linear(2, 2, 2), scaled, solver)).isEqualTo(4);
            assertThat(decided(Architecture.relu(2, 3, 2), scaled, solver)).isEqualTo(3);
            assertThat(decided(Architecture.of(HiddenActivation.RELU, true, 2, 2, 2), scaled, solver))
                    .isEqualTo(2);
            assertThat(decided(Architecture.of(HiddenActivation.named("z^3"), false, 2, 2, 2), scaled, solver))
                    .isEqualTo(2);
        }
        for (String name : List.of("relu", "leaky_relu", "z^2", "identity")) {
            Architecture deep = Architecture.of(HiddenActivation.named(name), true, 2, 2, 2, 1);
            // a linear one also has aff(2) twice, and, behind one output w, what is orthogonal to w in three columns of
            // layer 2
            int expected = name.equals("identity") ? 2 * (4 + 2) + 3 : 4;
            assertThat(decided(deep, scaled, ConstraintSolver.GRADED)).as(name).isEqualTo(expected);
        }
    }

    /** tanh z is z to 12 digits where z is 1e-6: float64 must not call that a linear layer, with the 4 fields of one. */
    @ParameterizedTest
    @CsvSource({"1e-6, 1", "1, 1e-6", "1e6, 1", "1, 1e6"})
    void curvesThatFloat64CannotSeeAreUndecided(double weights, double inputs) {
        Extraction extraction = Extraction.of(
                Architecture.of(HiddenActivation.named("tanh"), false, 2, 2, 2),
                new Sampling(64, 4, weights, inputs),
                ConstraintSolver.DENSE,
                101);
        assertThat(extraction.doubt())
                .isEqualTo("only 0.0 % of the pre-activations of transcendental layers lie between 0.01 and 15.0,"
                        + " where float64 sees a curve");
    }

    /** At a fraction of the usual size the cubic part of tanh has singular values around 1e-4. */
    @Test
    void thresholdsThatDisagreeAreUndecided() {
        Recovery recovery = AffineFields.of(Architecture.of(HiddenActivation.named("tanh"), false, 2, 2, 2))
                .sampling(new Sampling(256, 4, 0.04, 0.3))
                .recover();
        assertThat(recovery.decided()).isFalse();
        assertThat(recovery.dimension()).isEmpty();
        assertThat(recovery.obstacle())
                .hasValueSatisfying(reason -> assertThat(reason)
                        .matches("seed 101: the null space has dimension \\d at threshold 1e-04 and 0 at 1e-08"));
        assertThatThrownBy(recovery::orThrow)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("tanh (2, 2, 2): undecided: seed 101: the null space has dimension");
    }

    @Test
    void aGapBelowAHundredIsUndecided() {
        Spectrum spectrum = new Spectrum();
        spectrum.add(new double[] {1, 0.5, 2e-8, 9e-9}, 1);
        assertThat(spectrum.gap(1e-8)).isBetween(2.2, 2.3);
        assertThat(spectrum.doubt()).isEqualTo("the gap at threshold 1e-08 is a factor 2.2, less than 100");
        assertThat(spectrum.nullity(1e-8)).isEqualTo(1);
        assertThat(spectrum.nullity(1e-4)).isEqualTo(2);
        assertThat(spectrum.condition(1e-8)).isEqualTo(5e7);
        assertThat(spectrum.smallest(3)).containsExactly(9e-9, 2e-8, 0.5);
        assertThat(spectrum.size()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void rowsAreAtLeastTwiceTheUnknowns(long seed) {
        Architecture architecture = Architecture.linear(4, 4, 4);
        Extraction graded = Extraction.of(architecture, FEW, ConstraintSolver.GRADED, seed);
        assertThat(graded.rows()).isGreaterThanOrEqualTo(2L * graded.largestBlock());
        assertThat(graded.largestBlock()).isEqualTo(32);
        assertThat(graded.spectrum().size()).isEqualTo(32 * 33);
        Extraction dense = Extraction.of(architecture, FEW, ConstraintSolver.DENSE, seed);
        assertThat(dense.rows()).isGreaterThanOrEqualTo(2L * 32 * 33);
        assertThat(dense.vectors()).isGreaterThan(64);
    }

    /** The unknowns in any order: the same span. */
    @Test
    void orderOfTheUnknownsDoesNotMatter() {
        Architecture architecture = Architecture.linear(2, 2, 2);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 72; i++) {
            order.add(i);
        }
        Collections.shuffle(order, new Random(4));
        ConstraintSamples samples = new ConstraintSamples(architecture, FEW, 3);
        BlockSolution shuffled = BlockSolution.of(new Grading.Block(order), samples, 64, 1e-8);
        BlockSolution straight = BlockSolution.of(Grading.of(architecture).whole(), samples, 64, 1e-8);
        assertThat(Reconstruction.of(8, shuffled.nullVectors()).span())
                .isEqualTo(Reconstruction.of(8, straight.nullVectors()).span());
    }

    @Test
    void samplingIsChecked() {
        assertThatThrownBy(() -> new Sampling(0, 4, 1, 1))
                .hasMessage("Sampling: 0 vectors with 4 inputs each, expected at least 1 of both");
        assertThatThrownBy(() -> new Sampling(1, 4, Double.NaN, 1))
                .hasMessage("Sampling: scale of the weights is NaN, expected 1e-9 to 1e9");
        assertThatThrownBy(() -> new Sampling(1, 4, 1, 1e10))
                .hasMessage("Sampling: scale of the inputs is 1.0E10, expected 1e-9 to 1e9");
        assertThatThrownBy(() -> AffineFields.of(Architecture.linear(2, 2)).seeds())
                .hasMessage("AffineFields: no seed given, expected at least one");
    }

    private static long decided(Architecture architecture, Sampling sampling, ConstraintSolver solver) {
        Extraction extraction = Extraction.of(architecture, sampling, solver, 101);
        assertThat(extraction.doubt()).isEmpty();
        return extraction.spectrum().nullity(1e-8);
    }
}
