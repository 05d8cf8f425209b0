package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Tensor;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random weights: the laws hold before any training. {@code ConjugatedTrainingTest} tests them after some. */
class ConjugatedActionTest {
    private static final Generators ROTATION_AND_SHEAR =
            Generators.normalising(List.of(Matrix.of(2, 2, 0, -1, 1, 0), Matrix.of(2, 2, 0, 1, 0, 0)));

    private static final LatentAction LINEAR = new LatentAction.Linear(List.of(1.5, 1.0));

    private static ConjugatedShape shape(LatentAction latent, int parameters) {
        return new ConjugatedShape(latent, parameters, 4, 12, 2, 5);
    }

    private static List<double[]> weights(ConjugatedShape shape, SplittableRandom random) {
        Graph graph = new Graph();
        List<double[]> weights = new ArrayList<>();
        for (Tensor tensor : new CouplingNetwork(graph, shape).tensors()) {
            double[] numbers = new double[tensor.size()];
            Arrays.setAll(numbers, i -> 0.5 * random.nextGaussian() / Math.sqrt(tensor.rows()));
            weights.add(numbers);
        }
        return weights;
    }

    private static ConjugatedAction translations(int dimension, int parameters, SplittableRandom random) {
        ConjugatedShape shape = shape(new LatentAction.Translation(dimension, 0.4), parameters);
        return new ConjugatedAction(shape, LatentAction.Translation.generators(dimension), weights(shape, random));
    }

    private static ConjugatedAction linear(SplittableRandom random) {
        ConjugatedShape shape = shape(LINEAR, 7);
        return new ConjugatedAction(shape, ROTATION_AND_SHEAR, weights(shape, random));
    }

    /** What random weights preserve is nothing: the laws of the group are all there is to test. */
    private static GroupActionContract.Instance instance(ConjugatedAction action, SplittableRandom random) {
        Target nothing = new Target() {
            @Override
            public int parameterCount() {
                return action.parameterCount();
            }

            @Override
            public int outputCount() {
                return 1;
            }

            @Override
            public Matrix outputs(Matrix parameters) {
                return Matrix.zeros(parameters.rows(), 1);
            }
        };
        return new GroupActionContract.Instance(
                action, nothing, GroupActionContract.around(new double[action.parameterCount()], 12, random));
    }

    @Nested
    class OneTranslation extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return ConjugatedActionTest.instance(translations(1, 9, random), random);
        }
    }

    @Nested
    class TwoTranslations extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return ConjugatedActionTest.instance(translations(2, 4, random), random);
        }
    }

    @Nested
    class MatricesOnTwoCoordinates extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return ConjugatedActionTest.instance(linear(random), random);
        }
    }

    private static ActionLaws laws(GroupAction action, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return new ActionLaws(
                action, GroupActionContract.around(new double[action.parameterCount()], 12, random), random);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void inSinglePrecisionTheLawsHoldToItsRounding(long seed) {
        ConjugatedShape shape = shape(new LatentAction.Translation(1, 0.4), 9);
        ConjugatedAction single = new ConjugatedAction(
                shape,
                LatentAction.Translation.generators(1),
                weights(shape, new SplittableRandom(seed)),
                Precision.FLOAT32);
        ActionLaws laws = laws(single, seed);

        assertThat(laws.composition()).isLessThan(1e-5);
        assertThat(laws.inverse()).isLessThan(1e-5);
        assertThat(laws.transport()).isLessThan(1e-5);
        assertThat(laws.composition()).as("it is single precision").isGreaterThan(1e-9);
    }

    @Test
    void manySmallStepsAreOneLargeStep() {
        ConjugatedAction action = translations(1, 9, new SplittableRandom(1));
        Matrix point = GroupActionContract.around(new double[9], 1, new SplittableRandom(2));
        Matrix stepped = point;
        for (int i = 0; i < 8; i++) {
            stepped = action.apply(element(action, 0.1), stepped);
        }

        Matrix once = action.apply(element(action, 0.8), point);
        assertThat(stepped.minus(once).largestMagnitude()).isLessThan(1e-12);
        assertThat(once.minus(point).largestMagnitude()).isGreaterThan(0.01);
    }

    private static Matrix element(GroupAction action, double coefficient) {
        Matrix element = GroupWord.exp(coefficient).matrix(action.generators());
        return Matrix.over(1, element.entries().length, element.entries());
    }

    @Test
    void theHalvesDependOnTheirSeed() {
        ConjugatedShape shape = shape(new LatentAction.Translation(1, 0.4), 9);
        ConjugatedShape other = new ConjugatedShape(shape.latent(), 9, 4, 12, 2, 6);
        List<double[]> weights = weights(shape, new SplittableRandom(1));
        Generators generators = LatentAction.Translation.generators(1);
        Matrix point = GroupActionContract.around(new double[9], 1, new SplittableRandom(2));
        ConjugatedAction action = new ConjugatedAction(shape, generators, weights);

        Matrix moved = action.apply(element(action, 0.5), point);
        Matrix elsewhere = new ConjugatedAction(other, generators, weights).apply(element(action, 0.5), point);
        assertThat(moved.minus(elsewhere).largestMagnitude()).isGreaterThan(1e-3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDescriptionIsReadBack(boolean translation) {
        ConjugatedAction action =
                translation ? translations(1, 9, new SplittableRandom(1)) : linear(new SplittableRandom(1));
        Map<String, double[]> tensors = new LinkedHashMap<>();
        for (int i = 0; i < action.weights().size(); i++) {
            tensors.put(action.tensors().get(i).name(), action.weights().get(i));
        }
        assertThat(tensors).hasSameSizeAs(action.weights());

        TrainedAction read = TrainedAction.read(
                ActionKind.CONJUGATED,
                key -> action.description().getOrDefault(key, ""),
                action.generators(),
                tensor -> tensors.getOrDefault(tensor.name(), new double[0]));
        assertThat(read.description()).isEqualTo(action.description());
        Matrix points = GroupActionContract.around(new double[action.parameterCount()], 1, new SplittableRandom(2));
        assertThat(read.apply(element(action, 0.3), points).entries())
                .containsExactly(action.apply(element(action, 0.3), points).entries());
    }

    @Test
    void whatDoesNotFitIsRefused() {
        ConjugatedAction action = translations(1, 9, new SplittableRandom(1));
        assertThatThrownBy(() -> action.apply(Matrix.of(1, 4, 2, 0, 0, 1), Matrix.zeros(1, 9)))
                .hasMessageContaining("not of the form [[I, x], [0, 1]] of the additive group");
        assertThatThrownBy(() -> new ConjugatedAction(
                        action.shape(), action.generators(), action.weights().subList(0, 3)))
                .hasMessage("Program.set: numbers of 3 tensors, expected 32");
        assertThatThrownBy(() ->
                        new ConjugatedAction(action.shape(), LatentAction.Translation.generators(2), action.weights()))
                .hasMessage("ConjugatedAction: generators of size 3, expected 2");
        assertThatThrownBy(() -> shape(LINEAR, 1))
                .hasMessage(
                        "ConjugatedShape: 1 parameters, expected at least 2 and as many as the 2 coordinates that move");
        assertThatThrownBy(() -> new ConjugatedShape(LINEAR, 7, 3, 12, 2, 5))
                .hasMessage(
                        "ConjugatedShape: couplings 3 must be even and at least 2, width 12 and depth 2 at least 1");
        assertThatThrownBy(() -> new LatentAction.Linear(List.of(0.0, 0.0)))
                .hasMessageContaining("must be finite and not zero, since zero is a singular point");
        assertThatThrownBy(() -> new LatentAction.Translation(1, 0))
                .hasMessage("LatentAction.Translation: dimension 1 must be at least 1 and stride 0.0 positive");
        assertThatThrownBy(() -> ConjugatedShape.described(key -> key.equals("latent") ? "twist" : "1"))
                .hasMessage("ConjugatedShape: the latent action is 'twist', expected 'translation' or 'linear'");
    }
}
