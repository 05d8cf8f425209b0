package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.discovery.Group;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Recipe;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingTest {
    private static final Path EXAMPLES = Path.of("..", "examples");

    private static DenseSetting setting(String name) throws IOException {
        return Setting.of(TaskFile.read(EXAMPLES.resolve(name + ".yaml"), Map.of()), EXAMPLES)
                .dense();
    }

    @ParameterizedTest
    @CsvSource({"linear, 8", "relu, 16", "sigmoid-k1, 2", "sigmoid-k2, 6", "local-host, 10", "digits, 16"})
    void anExampleMovesTheParametersOfThePaper(String name, int parameters) throws IOException {
        DenseSetting setting = setting(name);

        assertMoves(setting, parameters);
        assertRepeats(setting, setting(name));
        assertPreserved(setting, setting.reference().orElseThrow());
    }

    /** Each trains a student for 3,000 steps. */
    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"tanh, 96", "gelu, 96"})
    void aStudentMovesTheParametersOfThePaper(String name, int parameters) throws IOException {
        DenseSetting setting = setting(name);

        assertMoves(setting, parameters);
        assertRepeats(setting, setting(name));
        assertThat(setting.reference()).isEmpty();
    }

    private static void assertMoves(DenseSetting setting, int parameters) {
        assertThat(setting.origin()).hasSize(parameters);
        assertThat(setting.problem().target().parameterCount()).isEqualTo(parameters);
        assertThat(setting.networkAt(setting.origin()).parameters())
                .as("the network at its own coordinates")
                .containsExactly(setting.network().parameters());
        assertThat(setting.task().fresh() == null)
                .isEqualTo(setting.freshInputs().isEmpty());
        setting.freshInputs()
                .ifPresent(fresh -> assertThat(fresh.columns())
                        .isEqualTo(setting.network().widths().getFirst()));
    }

    private static void assertRepeats(DenseSetting first, DenseSetting second) {
        assertThat(second.network().parameters())
                .containsExactly(first.network().parameters());
        assertThat(second.inputs().entries()).containsExactly(first.inputs().entries());
        assertThat(second.origin()).containsExactly(first.origin());
        assertThat(second.problem().parameterScale()).isEqualTo(first.problem().parameterScale());
        assertThat(second.problem().outputScale()).isEqualTo(first.problem().outputScale());
    }

    private static void assertPreserved(Setting setting, GroupAction reference) {
        Problem problem = setting.problem();
        SplittableRandom random = new SplittableRandom(5);
        Matrix points = Matrix.zeros(8, problem.points().parameterCount());
        for (int row = 0; row < points.rows(); row++) {
            problem.points().draw(random, points.entries(), row * points.columns());
        }
        Matrix moved = moved(reference, 0.5, points);
        Target target = problem.target();

        // the closed forms are exact; rounding grows with the conditioning of the drawn factors
        assertThat(target.outputs(moved).minus(target.outputs(points)).frobeniusNorm() / problem.outputScale())
                .isLessThan(1e-10);
        assertThat(moved.minus(points).frobeniusNorm() / problem.parameterScale())
                .isGreaterThan(0.1);

        Matrix planted = moved.copy();
        planted.set(0, 0, planted.get(0, 0) + 1e-3 * problem.parameterScale());
        assertThat(target.outputs(planted).minus(target.outputs(points)).frobeniusNorm() / problem.outputScale())
                .as("a planted change is seen")
                .isGreaterThan(1e-10);
    }

    private static Matrix moved(GroupAction action, double coefficient, Matrix points) {
        double[] element =
                GroupWord.exp(coefficient).matrix(action.generators()).entries();
        Matrix elements = Matrix.zeros(points.rows(), element.length);
        for (int row = 0; row < points.rows(); row++) {
            System.arraycopy(element, 0, elements.entries(), row * element.length, element.length);
        }
        return action.apply(elements, points);
    }

    @Test
    void whatDoesNotFitIsOneLine() throws IOException {
        assertRefused(
                Map.of("site.compensators", "9"),
                "site: 9 compensators asked for, but 8 protected inputs take exactly 8");
        assertRefused(Map.of("data.rows", "[0, 40]"), "40 protected inputs need 40 compensating units");
        assertRefused(Map.of("data.rows", "[0, 4000]"), "data: rows [0, 4000] asked for, but");
        assertRefused(Map.of("data.label", "false"), "has 65 numbers an input, the network takes 64");
        assertRefused(
                Map.of("site.layer", "7"), "site: hidden layer 7 does not exist, the network has 1 (counted from 0)");
        assertRefused(
                Map.of("points.nonsingular", "true"),
                "points: 'nonsingular' goes with a 'support' of whole layers, and no layer moves as a whole at a site");
        assertRefused(
                Map.of("action", "conjugated", "recipe.base", "paper-base"),
                "recipe: base 'paper-base' is unknown; allowed for a conjugated action: default");
        assertRefused(
                Map.of("recipe.base", "best"),
                "recipe: base 'best' is unknown; allowed: default, paper-base, paper-strong");
    }

    private static void assertRefused(Map<String, String> overrides, String message) throws IOException {
        Task task = TaskFile.read(EXAMPLES.resolve("digits.yaml"), overrides);

        assertThatThrownBy(() -> {
                    Recipes.of(task);
                    Setting.of(task, EXAMPLES);
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .message()
                .doesNotContain("\n");
    }

    @Test
    void aConjugatedActionHasARecipeAndAGroupOfItsOwn() throws IOException {
        Map<String, String> adam = Map.of("recipe.optimizer", "adam");
        Task task = conjugated(adam);

        assertThat(Recipes.of(task)).isEqualTo(Recipe.CONJUGATED);
        assertThat(Setting.of(task, EXAMPLES).problem().group()).satisfies(group -> assertTranslations(group, 1));
        assertThat(Setting.of(conjugated(Map.of("group.generators", "2")), EXAMPLES)
                        .problem()
                        .group())
                .satisfies(group -> assertTranslations(group, 2));
        assertThat(Setting.of(conjugated(Map.of("group.size", "2")), EXAMPLES)
                        .problem()
                        .group())
                .isEqualTo(Group.learned(2, 1));
        Task paper = TaskFile.read(EXAMPLES.resolve("linear.yaml"), adam);
        assertThat(Recipes.of(paper)).isEqualTo(Recipe.DEFAULT);
        assertThat(Setting.of(paper, EXAMPLES).problem().group()).isEqualTo(Group.ONE_GENERATOR);
        assertThat(TaskFile.write(paper.resolved(EXAMPLES))).contains("action: \"DISPLACEMENT\"");
    }

    private static void assertTranslations(Group group, int dimension) {
        assertThat(group.size()).isEqualTo(dimension + 1);
        assertThat(group.count()).isEqualTo(dimension);
        for (int i = 0; i < dimension; i++) {
            double[] generator = group.supplied().orElseThrow().get(i).entries();
            assertThat(generator[i * (dimension + 1) + dimension]).isEqualTo(1);
            assertThat(Arrays.stream(generator).sum()).isEqualTo(1);
        }
    }

    private static Task conjugated(Map<String, String> more) throws IOException {
        Map<String, String> overrides = new HashMap<>(more);
        overrides.put("action", "conjugated");
        return TaskFile.read(EXAMPLES.resolve("linear.yaml"), overrides);
    }

    @Test
    void anotherTaskSeedMakesAnotherNetwork() throws IOException {
        Path file = EXAMPLES.resolve("relu.yaml");
        DenseSetting one = Setting.of(TaskFile.read(file, Map.of()), EXAMPLES).dense();
        DenseSetting other =
                Setting.of(TaskFile.read(file, Map.of("seed", "7")), EXAMPLES).dense();

        assertThat(other.network().parameters()).isNotEqualTo(one.network().parameters());
        assertThat(other.inputs().entries()).isNotEqualTo(one.inputs().entries());
    }
}
