package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.isoloss.network.RowActivation;
import org.isoloss.network.RowwiseBlock;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RowwiseCompensatingActionTest {
    /** V row by row, then U: the first two units see the two inputs in opposite orders, so they compensate well near here. */
    private static final double[] ORIGIN = {
        1, -1, 0.2, 1, 0.3, 0.8, -0.6, 0.4, 0.7, -0.2, 0.5, 0.9, -0.4, 0.6, 0.3, -0.8
    };

    private static final Matrix INPUTS = Matrix.of(2, 2, 0.9, -0.4, -0.7, 0.8);

    private static GroupActionContract.Instance instance(RowActivation activation, SplittableRandom random) {
        RowwiseBlock block = RowwiseBlock.of(activation, INPUTS, 4, 2);
        return new GroupActionContract.Instance(
                RowwiseCompensatingAction.of(block, 0, 1), block, GroupActionContract.around(ORIGIN, 6, random));
    }

    @Nested
    class SoftmaxOverTheBatch extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return RowwiseCompensatingActionTest.instance(RowActivation.SOFTMAX, random);
        }
    }

    @Nested
    class EntryByEntry extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return RowwiseCompensatingActionTest.instance(Activation.TANH, random);
        }
    }

    private static Matrix moved(GroupAction action, double[] point) {
        Matrix element = GroupWord.parse("1:0.3,4:-0.2,7:0.4").matrix(action.generators());
        return action.apply(
                Matrix.over(1, element.entries().length, element.entries()), Matrix.over(1, point.length, point));
    }

    @Test
    void entryByEntryItIsTheActionOnTheNetwork() {
        RowwiseBlock block = RowwiseBlock.of(Activation.TANH, INPUTS, 4, 2);
        DenseNetwork network = Networks.random(new SplittableRandom(1), Activation.TANH, false, 2, 4, 2);
        GroupAction whole = NetworkCompensatingAction.of(network, 0, INPUTS, 0, 1);
        GroupAction rowwise = RowwiseCompensatingAction.of(block, 0, 1);
        assertThat(rowwise.generators().count())
                .isEqualTo(whole.generators().count())
                .isEqualTo((4 - 2) * (2 + 2));
        assertThat(block.outputs(Matrix.over(1, 16, ORIGIN)).entries())
                .containsExactly(network.outputs(ORIGIN, INPUTS).entries(), within(1e-15));
        Matrix byNetwork = moved(whole, ORIGIN);
        Matrix byRows = moved(rowwise, ORIGIN);
        assertThat(byRows.minus(Matrix.over(1, 16, ORIGIN)).largestMagnitude()).isGreaterThan(0.1);
        // the two number the outgoing weights of the moving units alike: unit by unit within an output
        assertThat(byRows.entries()).containsExactly(byNetwork.entries(), within(1e-14));
    }

    /** By hand: softmax is over the inputs of each unit. */
    @Test
    void theFeaturesOfSoftmaxSumToOneOverTheBatch() {
        RowwiseBlock block = RowwiseBlock.of(RowActivation.SOFTMAX, INPUTS, 4, 2);
        Matrix features = block.features(ORIGIN, 0, 1, 2, 3);
        for (int unit = 0; unit < 4; unit++) {
            assertThat(features.get(unit, 0) + features.get(unit, 1)).isCloseTo(1, within(1e-15));
        }
        // unit 0 sums 0.9 + 0.4 on the first input and -0.7 - 0.8 on the second
        assertThat(features.get(0, 0)).isCloseTo(1 / (1 + Math.exp(-1.5 - 1.3)), within(1e-15));
    }

    /** Softmax over the units is not row-wise: a unit's feature depends on the others, and the outputs are not kept. */
    @Test
    void softmaxOverTheUnitsIsNotCovered() {
        RowActivation overUnits = new RowActivation() {
            @Override
            public Matrix values(Matrix sums) {
                return SOFTMAX.values(sums.transpose()).transpose();
            }

            @Override
            public Matrix derivative(Matrix sums, Matrix change) {
                return SOFTMAX.derivative(sums.transpose(), change.transpose()).transpose();
            }
        };
        GroupActionContract.Instance wrong = instance(overUnits, new SplittableRandom(3));
        GroupActionContract.Instance right = instance(RowActivation.SOFTMAX, new SplittableRandom(3));
        assertThat(change(wrong)).isGreaterThan(0.01);
        assertThat(change(right)).isLessThan(1e-13);
    }

    private static double change(GroupActionContract.Instance instance) {
        Matrix before = instance.target().outputs(Matrix.over(1, 16, ORIGIN));
        return instance.target()
                .outputs(moved(instance.action(), ORIGIN))
                .minus(before)
                .largestMagnitude();
    }

    @Test
    void unitsThatCannotCompensateAreRefused() {
        RowwiseBlock block = RowwiseBlock.of(RowActivation.SOFTMAX, INPUTS, 4, 2);
        assertThatThrownBy(() -> RowwiseCompensatingAction.of(block, 0))
                .hasMessage(
                        "RowwiseCompensatingAction: compensating units [0] for 2 inputs, expected as many different units of 0 to 3 as inputs");
        double[] same = ORIGIN.clone();
        same[2] = same[0];
        same[3] = same[1];
        GroupAction action = RowwiseCompensatingAction.of(block, 0, 1);
        assertThatThrownBy(() -> moved(action, same))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "RowwiseCompensatingAction: point 0: the compensating units cannot tell the 2 inputs apart");
        assertThatThrownBy(() -> RowwiseBlock.of(RowActivation.SOFTMAX, INPUTS, 0, 2))
                .hasMessage("RowwiseBlock: 2 inputs, 0 units, 2 outputs; expected at least 1 of each");
        assertThatThrownBy(() -> block.outputs(Matrix.zeros(1, 15)))
                .hasMessage("RowwiseBlock: points have 15 parameters, expected 16");
    }
}
