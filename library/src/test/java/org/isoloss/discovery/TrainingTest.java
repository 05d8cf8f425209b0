package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.action.TrainedAction;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Short trainings on the linear network; {@code ShortDiscoveryTest} judges a longer one by its evaluation. */
class TrainingTest {
    @TempDir
    Path folder;

    private static Training trained(Group group, Recipe recipe, long seed) {
        Training training = new Training(TinyFit.linear(group), ObjectiveKind.HYBRID, recipe, seed);
        while (training.stepsDone() < recipe.steps()) {
            assertThat(training.step()).isFinite();
        }
        return training;
    }

    /** Field values at one point, one generator a row, in units of their own length. */
    private static Matrix fields(TrainedAction action) {
        Matrix points = Matrix.zeros(4, action.parameterCount());
        SplittableRandom random = new SplittableRandom(9);
        for (int row = 0; row < 4; row++) {
            TinyFit.linear(Group.ONE_GENERATOR).points().draw(random, points.entries(), row * points.columns());
        }
        int count = action.generators().count();
        Matrix fields = Matrix.zeros(count, 4 * points.columns());
        for (int i = 0; i < count; i++) {
            double[] generator = action.generators().get(i).entries();
            Matrix identities = Matrix.zeros(4, generator.length);
            Matrix directions = Matrix.zeros(4, generator.length);
            for (int row = 0; row < 4; row++) {
                System.arraycopy(
                        Matrix.identity(2).entries(),
                        0,
                        identities.entries(),
                        row * generator.length,
                        generator.length);
                System.arraycopy(generator, 0, directions.entries(), row * generator.length, generator.length);
            }
            double[] values = action.derivative(identities, directions, points).entries();
            System.arraycopy(values, 0, fields.entries(), i * values.length, values.length);
        }
        return fields;
    }

    @Test
    void twoLearnedGeneratorsAreIndependent() {
        Recipe recipe = TinyFit.recipe(300, 32);
        Training training = trained(Group.learned(2, 2), recipe, 101);

        Matrix fields = fields(training.action());
        double[] values = Svd.of(fields).singularValues();
        assertThat(values[1] / values[0])
                .as("second singular value over the first")
                .isGreaterThan(0.05);
        assertThat(training.terms()).containsKey("diversity");
    }

    @Test
    void aSuppliedAlgebraStaysAsItIs() {
        Generators supplied = Generators.normalising(List.of(Matrix.of(2, 2, 0, 1, 0, 0), Matrix.of(2, 2, 0, 0, 1, 0)));
        Training training = trained(Group.supplied(supplied), TinyFit.recipe(40, 16), 101);
        TrainedAction action = training.action();

        fields(action).requireFinite("fields");
        assertThat(fields(action).largestMagnitude()).isGreaterThan(1e-3);
        for (int i = 0; i < 2; i++) {
            assertThat(action.generators().get(i).entries())
                    .containsExactly(supplied.get(i).entries());
        }
        Matrix moved = action.apply(
                Matrix.of(1, 4, GroupWord.parse("1:0.2,2:-0.1").matrix(supplied).entries()),
                Matrix.of(1, 8, 1, 0, 0, 1, 1, 0, 0, 1));
        moved.requireFinite("moved");
    }

    /** Powers of two, so that the directions of norm 1 are the same bits. */
    @ParameterizedTest
    @ValueSource(doubles = {0x1p-20, 4, 1024})
    void theScaleOfASuppliedGeneratorIsKeptAndTrainsTheSameWeights(double scale) {
        Matrix unit = Matrix.of(2, 2, 0, 1, 0, 0);
        TrainedAction one = trained(Group.supplied(Generators.of(List.of(unit))), TinyFit.recipe(20, 16), 101)
                .action();
        TrainedAction scaled = trained(
                        Group.supplied(Generators.of(List.of(unit.scaled(scale)))), TinyFit.recipe(20, 16), 101)
                .action();

        assertThat(scaled.weights()).usingRecursiveComparison().isEqualTo(one.weights());
        assertThat(scaled.generators().get(0).entries())
                .containsExactly(unit.scaled(scale).entries());
        Matrix point = Matrix.of(1, 8, 1, 0, 0, 1, 1, 0, 0, 1);
        assertThat(moved(scaled, 0.25 / scale, point).entries())
                .containsExactly(moved(one, 0.25, point).entries());
        assertThat(moved(scaled, 0.25, point).entries())
                .isNotEqualTo(moved(one, 0.25, point).entries());
    }

    private static Matrix moved(TrainedAction action, double t, Matrix point) {
        return action.apply(
                Matrix.of(1, 4, GroupWord.exp(t).matrix(action.generators()).entries()), point);
    }

    @Test
    void aRateFarTooHighStopsAndNamesATerm() throws IOException {
        Recipe recipe = TinyFit.recipe(50, 16).withLearningRate(new LearningRate.Constant(1e30));
        Training training = new Training(TinyFit.linear(Group.ONE_GENERATOR), ObjectiveKind.HYBRID, recipe, 1);
        RunDirectory run = RunDirectory.create(folder.resolve("run"), "name: x\n", 1);

        Fit.Outcome outcome = Fit.of(training, recipe, run).run((step, steps, loss) -> {});

        assertThat(outcome.stop()).isEqualTo(Fit.Stop.NOT_FINITE);
        assertThat(outcome.step()).isLessThan(50).isEqualTo(training.stepsDone());
        assertThat(outcome.reason()).isPresent();
        assertThat(outcome.reason().orElseThrow()).isIn(training.terms().keySet());
        assertThatThrownBy(run::action).hasMessageContaining("the fit is not finished");
    }

    @Test
    void aStateOfAnotherShapeIsRefused() {
        Training training =
                new Training(TinyFit.linear(Group.ONE_GENERATOR), ObjectiveKind.HYBRID, TinyFit.recipe(5, 8), 1);
        String kernel = training.state().kernel();
        assertThatThrownBy(() -> training.restore(
                        new TrainingState(kernel, 1, List.of(), new double[0], new double[0], List.of())))
                .hasMessage("Program.set: numbers of 0 tensors, expected 6");
    }

    @Test
    void theSameSeedTakesTheSameSteps() {
        Recipe recipe = TinyFit.recipe(10, 8);
        double[] first = losses(recipe, 1);

        assertThat(losses(recipe, 1)).containsExactly(first);
        assertThat(losses(recipe, 2)).isNotEqualTo(first);
    }

    /** Saved between two turns of the bases of SOAP, and past one of them. */
    @ParameterizedTest
    @EnumSource
    void aRestoredTrainingTakesTheStepsOfTheOther(OptimizerKind optimizer) {
        Recipe recipe = TinyFit.recipe(220, 8, optimizer);
        Training one = new Training(TinyFit.linear(Group.ONE_GENERATOR), ObjectiveKind.HYBRID, recipe, 1);
        Training other = new Training(TinyFit.linear(Group.ONE_GENERATOR), ObjectiveKind.HYBRID, recipe, 1);
        for (int step = 0; step < 150; step++) {
            one.step();
        }
        other.restore(one.state());
        for (int step = 150; step < 220; step++) {
            assertThat(other.step()).isEqualTo(one.step());
        }
    }

    private static double[] losses(Recipe recipe, long seed) {
        Training training = new Training(TinyFit.linear(Group.ONE_GENERATOR), ObjectiveKind.HYBRID, recipe, seed);
        double[] losses = new double[recipe.steps()];
        Arrays.setAll(losses, i -> training.step());
        return losses;
    }

    @Test
    void groupsThatCannotBeAreRefused() {
        assertThatThrownBy(() -> Group.learned(2, 5))
                .hasMessage("Group: 5 generators of size 2 cannot be independent, expected at most 4");
        assertThatThrownBy(() -> new Group(0, 1, Optional.empty()))
                .hasMessage("Group: size 0 and 1 generators, expected at least 1 of each");
        Generators skew = Generators.normalising(List.of(Matrix.identity(2), Matrix.of(2, 2, 1, 0, 0, 0)));
        assertThatThrownBy(() -> Group.supplied(skew)).hasMessageContaining("expected 0: give an orthogonal basis");
    }
}
