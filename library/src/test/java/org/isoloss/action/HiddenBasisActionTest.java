package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.Networks;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class HiddenBasisActionTest {
    private static final Matrix UPPER = Matrix.of(2, 2, 0, 1, 0, 0);
    private static final Matrix LOWER = Matrix.of(2, 2, 0, 0, 1, 0);

    @Nested
    class TwoByTwo extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork network = Networks.random(random, Activation.IDENTITY, false, 2, 2, 2);
            return whole(network, HiddenBasisAction.of(network), random);
        }
    }

    @Nested
    class TwoHiddenLayersWithBiases extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork network = Networks.random(random, Activation.IDENTITY, true, 4, 3, 2, 3);
            return whole(network, HiddenBasisAction.of(network), random);
        }
    }

    @Nested
    class TwoCommutingGenerators extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            Generators diagonal =
                    Generators.normalising(List.of(Matrix.of(2, 2, 1, 0, 0, 0), Matrix.of(2, 2, 0, 0, 0, 1)));
            DenseNetwork network = Networks.random(random, Activation.IDENTITY, false, 2, 2, 2);
            return whole(network, HiddenBasisAction.of(network, diagonal), random);
        }
    }

    /** E12 and E21 do not commute and generate a three-dimensional algebra. */
    @Nested
    class TwoShears extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork network = Networks.random(random, Activation.IDENTITY, false, 2, 2, 2);
            return whole(network, HiddenBasisAction.of(network, shears()), random);
        }
    }

    private static Generators shears() {
        return Generators.normalising(List.of(UPPER, LOWER));
    }

    private static GroupActionContract.Instance whole(
            DenseNetwork network, GroupAction action, SplittableRandom random) {
        Matrix inputs = Networks.gaussian(random, 5, network.widths().getFirst());
        return new GroupActionContract.Instance(
                action,
                DenseTarget.outputs(network, Support.all(network.layout()), inputs),
                GroupActionContract.around(network.parameters(), 8, random));
    }

    @Test
    void theOrderOfTwoShearsMatters() {
        DenseNetwork network = Networks.random(new SplittableRandom(1), Activation.IDENTITY, false, 2, 2, 2);
        HiddenBasisAction action = HiddenBasisAction.of(network, shears());
        Matrix point = Matrix.over(1, 8, network.parameters());
        Matrix oneWay = moved(action, "1:0.4,2:0.3", point);
        Matrix otherWay = moved(action, "2:0.3,1:0.4", point);
        assertThat(oneWay.minus(otherWay).largestMagnitude()).isGreaterThan(0.01);
        Generators diagonal = Generators.normalising(List.of(Matrix.of(2, 2, 1, 0, 0, 0), Matrix.of(2, 2, 0, 0, 0, 1)));
        HiddenBasisAction commuting = HiddenBasisAction.of(network, diagonal);
        assertThat(moved(commuting, "1:0.4,2:0.3", point)
                        .minus(moved(commuting, "2:0.3,1:0.4", point))
                        .largestMagnitude())
                .isLessThan(1e-14);
    }

    /** The fields of E12 and E21 bracket to that of diag(1, -1): equation eq:generator-bracket-coordinates. */
    @Test
    void theFieldsHaveTheBracketsOfTheGenerators() {
        DenseNetwork network = Networks.random(new SplittableRandom(2), Activation.IDENTITY, false, 2, 2, 2);
        HiddenBasisAction action = HiddenBasisAction.of(network, shears());
        double[] point = network.parameters();
        Matrix upperDerivative = fieldDerivative(action, UPPER, point);
        Matrix lowerDerivative = fieldDerivative(action, LOWER, point);
        Matrix bracket = upperDerivative
                .times(field(action, LOWER, point).transpose())
                .minus(lowerDerivative.times(field(action, UPPER, point).transpose()));
        Matrix expected = field(action, Matrix.of(2, 2, 1, 0, 0, -1), point).transpose();
        assertThat(bracket.minus(expected).largestMagnitude()).isLessThan(1e-8);
        assertThat(expected.largestMagnitude()).isGreaterThan(0.1);
    }

    private static Matrix field(HiddenBasisAction action, Matrix direction, double[] point) {
        return action.field(Matrix.of(1, 4, direction.entries()), Matrix.of(1, 8, point));
    }

    private static Matrix fieldDerivative(HiddenBasisAction action, Matrix direction, double[] point) {
        return Networks.differences(at -> field(action, direction, at).entries(), point);
    }

    private static Matrix moved(GroupAction action, String word, Matrix point) {
        Matrix element = GroupWord.parse(word).matrix(action.generators());
        return action.apply(Matrix.over(1, 4, element.entries()), point);
    }

    @Test
    void theProductOfTheMatricesStays() {
        DenseNetwork network = Networks.random(new SplittableRandom(3), Activation.IDENTITY, false, 2, 2, 2)
                .withParameters(new double[] {1, 2, 3, 4, 1, 0, 0, 1});
        HiddenBasisAction action = HiddenBasisAction.of(network);
        double[] moved = action.apply(Matrix.of(1, 4, 0, 1, 2, 0), Matrix.over(1, 8, network.parameters()))
                .entries();
        assertThat(moved).containsExactly(3, 4, 2, 4, 0, 0.5, 1, 0);
        assertThat(action.generators().count()).isEqualTo(4);
    }

    @Test
    void whatAdmitsNoChangeOfBasisIsRefused() {
        DenseNetwork relu = Networks.random(new SplittableRandom(4), Activation.RELU, false, 2, 2, 2);
        assertThatThrownBy(() -> HiddenBasisAction.of(relu))
                .hasMessage(
                        "HiddenBasisAction: the activation is relu, expected identity: only linear networks admit every change of basis");
        DenseNetwork shallow = Networks.random(new SplittableRandom(4), Activation.IDENTITY, false, 2, 2);
        assertThatThrownBy(() -> HiddenBasisAction.of(shallow))
                .hasMessage("HiddenBasisAction: widths [2, 2] have no hidden layer");
        DenseNetwork deep = Networks.random(new SplittableRandom(4), Activation.IDENTITY, false, 1, 1, 1, 1);
        assertThatThrownBy(() -> HiddenBasisAction.of(deep, shears()))
                .hasMessage("HiddenBasisAction: generator 0 mixes hidden layers: entry (0, 1) is 1.0, expected 0");
        DenseNetwork wide = Networks.random(new SplittableRandom(4), Activation.IDENTITY, false, 1, 3, 1);
        assertThatThrownBy(() -> HiddenBasisAction.of(wide, shears()))
                .hasMessage(
                        "HiddenBasisAction: generators have size 2, expected 3, the sum of the hidden widths of [1, 3, 1]");
        DenseNetwork linear = Networks.random(new SplittableRandom(4), Activation.IDENTITY, false, 2, 2, 2);
        HiddenBasisAction action = HiddenBasisAction.of(linear);
        assertThatThrownBy(() -> action.apply(Matrix.of(1, 4, 1, 2, 2, 4), Matrix.zeros(1, 8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("HiddenBasisAction: group element 0 is singular in hidden layer 0");
    }
}
