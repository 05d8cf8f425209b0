package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.isoloss.discovery.ActionArchitecture.Displacement;
import org.isoloss.discovery.GroupLaw;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.ObjectiveWeights;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.Streams;
import org.isoloss.discovery.Training;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.EvaluationGrid;
import org.isoloss.evaluation.Evaluator;
import org.isoloss.evaluation.JudgedAction;
import org.isoloss.network.GaussianPoints;
import org.junit.jupiter.api.Test;

/**
 * A shortened discovery on the linear network, from training to evaluation, and the same with a part of it broken: a
 * tenth of the steps, and an action network of a quarter of the width.
 */
class ShortDiscoveryTest {
    private static final Path EXAMPLES = Path.of("..", "examples");

    private static final Map<String, String> SHORT = Map.of("recipe.steps", "1500", "recipe.width", "64");

    private static final ObjectiveWeights WHOLE = Recipe.DEFAULT.weights();
    private static final GroupLaw LAWS = ((Displacement) Recipe.DEFAULT.architecture()).law();

    // Three times what the whole loss reached: output 2.1e-3, composition 6.0e-3, inverse 7.5e-3, transport 9.9e-3.
    // Without
    // preservation the output moved by 1.6e-1; without the laws these were 7.0e-2, 1.1e-1 and 1.4e-1.
    private static final double OUTPUT = 6e-3;
    private static final double LAW = 3e-2;

    private static ErrorCell trained(ObjectiveWeights weights, GroupLaw law, double deviation) throws IOException {
        Setting setting = Setting.of(TaskFile.read(EXAMPLES.resolve("linear.yaml"), SHORT), EXAMPLES);
        Recipe recipe = Recipes.of(setting.task()).withWeights(weights).withLaw(law.transport(), law.composition());
        Problem problem = setting.problem();
        Problem trainedOn = new Problem(
                problem.target(),
                deviation == 0 ? problem.points() : new GaussianPoints(setting.origin(), deviation, 0),
                problem.group(),
                problem.parameterScale(),
                problem.outputScale());
        Training training = new Training(trainedOn, ObjectiveKind.HYBRID, recipe, 101);
        while (training.stepsDone() < recipe.steps()) {
            assertThat(training.step()).isFinite();
        }
        return Evaluator.of(JudgedAction.of(training.action(), problem))
                .grid(EvaluationGrid.DECLARED)
                .run(Streams.TEST.stream(101))
                .cell(0.5, 1);
    }

    @Test
    void theWholeLossFindsAnActionThatPreservesAndComposes() throws IOException {
        ErrorCell cell = trained(WHOLE, LAWS, 0);

        assertThat(cell.output().p95()).isLessThan(OUTPUT);
        assertThat(cell.composition().p95()).isLessThan(LAW);
        assertThat(cell.inverse().p95()).isLessThan(LAW);
        assertThat(cell.transport().p95()).isLessThan(LAW);
        assertThat(cell.motionPercent().p50()).isGreaterThan(2);
    }

    @Test
    void withoutPreservationTheOutputsMove() throws IOException {
        ErrorCell cell = trained(new ObjectiveWeights(1e-9, 0, 1, 1), LAWS, 0);

        assertThat(cell.output().p95()).isGreaterThan(OUTPUT);
    }

    @Test
    void withoutTheLawsCompositionAndTransportFail() throws IOException {
        ErrorCell cell = trained(WHOLE, LAWS.weighed(1e-9, 0), 0);

        assertThat(cell.composition().p95()).isGreaterThan(LAW);
        assertThat(cell.inverse().p95()).isGreaterThan(LAW);
        assertThat(cell.transport().p95()).isGreaterThan(LAW);
    }

    @Test
    void trainedOnTheWrongPointsTheOutputsMove() throws IOException {
        ErrorCell cell = trained(WHOLE, LAWS, 0.002);

        assertThat(cell.output().p95()).isGreaterThan(OUTPUT);
    }
}
