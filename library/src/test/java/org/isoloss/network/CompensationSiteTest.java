package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;

class CompensationSiteTest {
    private final GoldenRows golden = GoldenRows.read("sites.csv");
    private final DenseNetwork network = Networks.random(new SplittableRandom(1), Activation.GELU, true, 5, 12, 3)
            .withParameters(golden.one("parameters"));
    private final Matrix inputs = Matrix.over(4, 5, golden.one("inputs"));

    @Test
    void unitsAreChosenAsScipyChoosesThem() {
        CompensationSite largest =
                CompensationSite.choose(network.block(0), inputs, new MovingUnits.LargestContribution(1));
        CompensationSite sensitive =
                CompensationSite.choose(network.block(0), inputs, new MovingUnits.MostSensitive(1));
        int[] compensators = Arrays.stream(golden.one("compensators"))
                .mapToInt(unit -> (int) unit)
                .toArray();
        assertThat(largest.compensators()).isEqualTo(compensators);
        assertThat(sensitive.compensators()).isEqualTo(compensators);
        assertThat(largest.moving()).containsExactly((int) golden.one("largest")[0]);
        assertThat(sensitive.moving()).containsExactly((int) golden.one("most_sensitive")[0]);
        assertThat(sensitive.moving()).isNotEqualTo(largest.moving());
        assertThat(largest.features().singularValues()).containsExactly(golden.one("singular_values"), within(1e-13));
    }

    @Test
    void effectsAgreeWithNumpy() {
        CompensationSite site =
                CompensationSite.choose(network.block(0), inputs, new MovingUnits.LargestContribution(1));
        double[] contribution = golden.one("contribution");
        double[] sensitivity = golden.one("sensitivity");
        assertThat(site.effects()).hasSize(8).allSatisfy(effect -> {
            assertThat(effect.contribution()).isCloseTo(contribution[effect.unit()], within(1e-13));
            assertThat(effect.sensitivity()).isCloseTo(sensitivity[effect.unit()], within(1e-13));
        });
    }

    @Test
    void givenUnitsMoveAndDoNotCompensate() {
        int first = (int) golden.one("compensators")[0];
        CompensationSite site =
                CompensationSite.choose(network.block(0), inputs, new MovingUnits.Given(List.of(first, 2)));
        assertThat(site.moving()).containsExactly(first, 2);
        assertThat(site.compensators()).hasSize(4).doesNotContain(first, 2);
        CompensationSite same = CompensationSite.of(network.block(0), inputs, site.moving(), site.compensators());
        assertThat(same.features().condition()).isEqualTo(site.features().condition());
    }

    @Test
    void severalUnitsMayMove() {
        CompensationSite site = CompensationSite.choose(network.block(0), inputs, new MovingUnits.MostSensitive(6));
        assertThat(site.moving()).hasSize(6).doesNotHaveDuplicates();
        List<Integer> strong = Arrays.stream(site.moving()).limit(4).boxed().toList();
        double median = site.effects().stream()
                .mapToDouble(CompensationSite.UnitEffect::contribution)
                .sorted()
                .skip(4)
                .findFirst()
                .orElseThrow();
        assertThat(site.effects())
                .filteredOn(effect -> strong.contains(effect.unit()))
                .allMatch(effect -> effect.contribution() >= median);
    }

    /** A unit far in the flat part of its activation contributes most and moves without effect. */
    @Test
    void aSaturatedUnitIsPassedOver() {
        DenseNetwork saturated = new DenseNetwork(
                Activation.TANH,
                List.of(
                        DenseLayer.of(Matrix.of(4, 1, 1, 0.3, 0.5, 0), new double[] {0, 0.2, 0.1, 30}),
                        DenseLayer.of(Matrix.of(1, 4, 1, 1, 1, 0.9))));
        Matrix batch = Matrix.of(1, 1, 4);
        CompensationSite largest =
                CompensationSite.choose(saturated.block(0), batch, new MovingUnits.LargestContribution(2));
        CompensationSite sensitive =
                CompensationSite.choose(saturated.block(0), batch, new MovingUnits.MostSensitive(1));
        assertThat(largest.compensators()).containsExactly(3);
        assertThat(largest.moving()).containsExactly(0, 2);
        assertThat(sensitive.moving()).containsExactly(2);
        CompensationSite given = CompensationSite.choose(saturated.block(0), batch, new MovingUnits.Given(List.of(3)));
        assertThat(given.effects())
                .filteredOn(effect -> effect.unit() == 3)
                .allSatisfy(effect -> assertThat(effect.sensitivity()).isLessThan(1e-20));
    }

    @Test
    void tooManyInputsAreRefusedInOneLine() {
        TwoLayerBlock block = network.block(0);
        Matrix many = Networks.gaussian(new SplittableRandom(2), 12, 5);
        assertThatThrownBy(() -> CompensationSite.choose(block, many, new MovingUnits.MostSensitive(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "CompensationSite: 12 protected inputs need 12 compensating units beside 1 moving, but the layer has 12 hidden units; protect at most 11 inputs");
        assertThat(CompensationSite.of(block, inputs, new int[] {9, 10, 11, 8, 7, 6, 5, 4}, new int[] {0, 1, 2, 3})
                        .moving())
                .hasSize(8);
        assertThatThrownBy(() -> CompensationSite.choose(block, many, new MovingUnits.LargestContribution(20)))
                .hasMessageEndingWith("protect at most 0 inputs");
    }

    @Test
    void aRepeatedInputIsRefusedWithThatReason() {
        Matrix repeated = inputs.copy();
        System.arraycopy(inputs.row(0), 0, repeated.entries(), 10, 5);
        assertThatThrownBy(() ->
                        CompensationSite.choose(network.block(0), repeated, new MovingUnits.LargestContribution(1)))
                .hasMessage(
                        "CompensationSite: inputs 0 and 2 (from 0) are equal here, so no unit tells them apart; protect inputs that differ");
    }

    @Test
    void singularCompensatorsAreRefused() {
        DenseNetwork dead = new DenseNetwork(
                Activation.RELU,
                List.of(DenseLayer.of(Matrix.of(3, 2, -1, -1, 1, 1, -1, -2)), DenseLayer.of(Matrix.of(1, 3, 1, 1, 1))));
        assertThatThrownBy(() -> CompensationSite.choose(
                        dead.block(0), Matrix.of(2, 2, 1, 0, 0, 1), new MovingUnits.LargestContribution(1)))
                .hasMessageStartingWith(
                        "CompensationSite: the compensating units cannot tell the 2 inputs apart: condition Infinity")
                .hasMessageContaining("singular values [1.41, 0.00]");
    }

    @Test
    void batchesAndUnitsThatDoNotFitAreRefused() {
        TwoLayerBlock block = network.block(0);
        MovingUnits one = new MovingUnits.LargestContribution(1);
        assertThatThrownBy(() -> CompensationSite.choose(block, Matrix.zeros(2, 4), one))
                .hasMessage(
                        "TwoLayerBlock: the batch has shape (2, 4), expected at least one row of 5, the input width");
        assertThatThrownBy(() -> CompensationSite.choose(block, Matrix.of(1, 5, 0, 0, Double.NaN, 0, 0), one))
                .hasMessage("TwoLayerBlock: the batch: entry (0, 2) is NaN; all entries must be finite");
        assertThatThrownBy(() -> CompensationSite.choose(block, inputs, new MovingUnits.Given(List.of(12))))
                .hasMessage("CompensationSite: unit 12 does not exist, the layer has units 0 to 11");
        assertThatThrownBy(() -> CompensationSite.of(block, inputs, new int[] {1}, new int[] {0, 1, 2, 3}))
                .hasMessage(
                        "CompensationSite: moving units [1] and compensating units [0, 1, 2, 3], expected at least one moving unit and no unit twice");
        assertThatThrownBy(() -> CompensationSite.of(block, inputs, new int[] {1}, new int[] {0, 2, 3}))
                .hasMessage("CompensationSite: 3 compensating units for 4 inputs, expected as many units as inputs");
        assertThatThrownBy(() -> new MovingUnits.Given(List.of(1, 1)))
                .hasMessage("moving units [1, 1]: expected at least one, all different");
        assertThatThrownBy(() -> new MovingUnits.MostSensitive(0)).hasMessage("0 moving units, expected at least 1");
        assertThatThrownBy(() -> network.block(1))
                .hasMessage("hidden layer 1 does not exist: the network has 1 hidden layers");
        DenseNetwork unbiased = Networks.random(new SplittableRandom(3), Activation.TANH, false, 2, 3, 1);
        assertThatThrownBy(() -> CompensationSite.choose(unbiased.block(0), Matrix.zeros(1, 2), one))
                .hasMessage("CompensationSite: every protected input is zero, so no incoming weight has an effect");
    }
}
