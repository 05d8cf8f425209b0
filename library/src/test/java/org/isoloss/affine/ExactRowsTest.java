package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.isoloss.exact.ModularRank;
import org.isoloss.model.Elementary;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The exact constraints, in both code paths. */
class ExactRowsTest {
    /** Taylor coefficients at 0 as any table has them, "numerator/denominator", in both code paths. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "tanh; 0/1 1/1 0/1 -1/3 0/1 2/15 0/1 -17/315",
                "sigmoid; 1/2 1/4 0/1 -1/48 0/1 1/480 0/1 -17/80640",
                "silu; 0/1 1/2 1/4 0/1 -1/48 0/1 1/480"
            })
    void taylorCoefficientsAreThoseOfTheTables(String name, String coefficients) {
        long[] here = ModularSeries.taylor(Activation.named(name), 12);
        long[] there = TaylorSeries.of(name, 13);
        String[] expected = coefficients.split(" ", -1);
        for (int k = 0; k < expected.length; k++) {
            String[] parts = expected[k].split("/", -1);
            long numerator = Long.parseLong(parts[0]);
            long denominator = Long.parseLong(parts[1]);
            assertThat(here[k]).isEqualTo(ModularRank.residue(numerator, denominator));
            assertThat(there[k])
                    .isEqualTo(
                            Math.floorMod(numerator * PrimeElimination.inverse(denominator), PrimeElimination.PRIME));
        }
    }

    /**
     * GELU and softplus against the same derivatives at 0 by hand: with r the root of 2/pi, GELU is z/2 + r z^2/2 - r
     * z^4/12 + ..., softplus log 2 + z/2 + z^2/8 - z^4/192 + ....
     */
    @Test
    void transcendentalConstantsStandWhereTheyBelong() {
        long[] gelu = ModularSeries.taylor(Activation.GELU, 6);
        assertThat(gelu[1]).isEqualTo(ModularRank.residue(1, 2));
        assertThat(gelu[4]).isEqualTo(gelu[2] * ModularRank.residue(-1, 6) % ModularRank.PRIME);
        assertThat(gelu[3]).isZero();
        long[] softplus = ModularSeries.taylor(Activation.SOFTPLUS, 6);
        assertThat(softplus[2]).isEqualTo(ModularRank.residue(1, 8));
        assertThat(softplus[4]).isEqualTo(ModularRank.residue(-1, 192));
        long[] approximate = ModularSeries.taylor(Activation.GELU_TANH, 6);
        assertThat(approximate[1]).isEqualTo(ModularRank.residue(1, 2));
        assertThat(approximate[2]).isEqualTo(gelu[2]);
        assertThatThrownBy(() -> ModularSeries.taylor(Activation.RELU, 3))
                .hasMessage("ModularSeries: relu is not transcendental");
    }

    /** Known fields satisfy every exact constraint; a field with a wrong sign does not. */
    @ParameterizedTest
    @ValueSource(strings = {"identity", "relu", "leaky_relu", "z^2", "z^3"})
    void knownFieldsSatisfyTheConstraints(String name) {
        Architecture architecture = Architecture.of(HiddenActivation.named(name), true, 2, 2, 2, 2);
        ExactNetwork network = new ExactNetwork(architecture);
        IntegerPoints points = new IntegerPoints(9);
        int missed = 0;
        for (int i = 0; i < 6; i++) {
            int[] theta = points.next(architecture.parameterCount());
            int[] input = points.next(2);
            Optional<ExactRows> rows = network.rows(theta, input);
            if (rows.isEmpty()) {
                continue;
            }
            for (ReferenceFamily family : ReferenceFamily.of(architecture)) {
                for (ReferenceFamily.Generator generator : family.generators()) {
                    for (int row = 0; row < rows.get().count(); row++) {
                        assertThat(value(rows.get(), row, generator.field(), 1)).isZero();
                        missed += value(rows.get(), row, generator.field(), -1) == 0 ? 0 : 1;
                    }
                }
            }
        }
        assertThat(missed).isPositive();
    }

    /** A linear layer behind tanh has its basis changes in every order of t; with a wrong sign they fail. */
    @Test
    void knownFieldsSatisfyTheConstraintsAlongRays() {
        Architecture architecture = new Architecture(
                List.of(2, 2, 2, 1),
                List.of(HiddenActivation.named("tanh"), HiddenActivation.IDENTITY),
                List.of(true, true, true));
        IntegerPoints points = new IntegerPoints(2);
        ExactRows rows = new ExactNetwork(architecture)
                .rows(points.next(architecture.parameterCount()), points.next(2))
                .orElseThrow();
        int missed = 0;
        for (ReferenceFamily family : ReferenceFamily.of(architecture)) {
            for (ReferenceFamily.Generator generator : family.generators()) {
                for (int row = 0; row < rows.count(); row++) {
                    assertThat(value(rows, row, generator.field(), 1)).isZero();
                    missed += value(rows, row, generator.field(), -1) == 0 ? 0 : 1;
                }
            }
        }
        assertThat(missed).isPositive();
    }

    @Test
    void pointsOnAKinkHaveNoRows() {
        ExactNetwork network = new ExactNetwork(Architecture.relu(1, 1, 1));
        assertThat(network.rows(new int[] {0, 1}, new int[] {3})).isEmpty();
        assertThat(network.rows(new int[] {1, 1}, new int[] {3})).isPresent();
    }

    /** A function that is not analytic at 0 behind series, or transcendental at a number that is not 0. */
    @Test
    void layersThatHaveNoExactSlopesAreRefused() {
        Architecture mixed = new Architecture(
                List.of(1, 1, 1, 1),
                List.of(HiddenActivation.named("tanh"), HiddenActivation.RELU),
                List.of(false, false, false));
        assertThatThrownBy(() -> new ExactNetwork(mixed).rows(new int[] {1, 1, 1}, new int[] {1}))
                .hasMessageEndingWith("the side of a kink is decided by a number known only by its residue");
        ModularSeries numbers = new ModularSeries(1);
        assertThatThrownBy(() -> numbers.apply(Activation.TANH, numbers.constant(1)))
                .hasMessage("tanh is expanded at 0 alone");
        assertThatThrownBy(() -> numbers.apply(Elementary.EXP, numbers.constant(0)))
                .hasMessage("EXP has no power series");
    }

    /** The value of a constraint row on a field whose negative coefficients are multiplied by a sign. */
    private static long value(ExactRows rows, int row, AffineField field, int signOfNegatives) {
        long sum = 0;
        var flat = field.flatten();
        int stride = field.parameterCount() + 1;
        for (int k = 0; k < flat.count(); k++) {
            long coefficient = flat.value(k).numerator().longValueExact();
            long factor =
                    Math.floorMod(coefficient < 0 ? signOfNegatives * coefficient : coefficient, ModularRank.PRIME);
            sum = (sum + factor * rows.coefficient(row, flat.index(k) / stride, flat.index(k) % stride))
                    % ModularRank.PRIME;
        }
        return sum;
    }
}
