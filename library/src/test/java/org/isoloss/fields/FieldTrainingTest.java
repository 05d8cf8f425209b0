package org.isoloss.fields;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.action.VectorField;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Streams;
import org.isoloss.lie.BracketConstants;
import org.isoloss.lie.Generators;
import org.isoloss.lie.Inertia;
import org.isoloss.lie.MeasuredStructure;
import org.isoloss.lie.NamedAlgebra;
import org.isoloss.linalg.Matrix;
import org.isoloss.task.Setting;
import org.isoloss.task.TaskFile;
import org.junit.jupiter.api.Test;

/** On the linear network of two factors, whose symmetries are gl(2). */
class FieldTrainingTest {
    private static final FieldShape FOUR = new FieldShape(8, 4, 0, 1);
    private static final Brackets CLOSED = new Brackets.Closed();

    private static Problem problem() throws Exception {
        Path file = Path.of("..", "examples", "linear.yaml");
        return Setting.of(TaskFile.read(file, Map.of()), Path.of("..", "examples"))
                .problem();
    }

    private static List<Matrix> changesOfBasis() {
        Generators generators = NamedAlgebra.GL2.generators();
        List<Matrix> fields = new ArrayList<>();
        for (int i = 0; i < generators.count(); i++) {
            fields.add(PlantedFields.changeOfBasis(generators.get(i)));
        }
        return fields;
    }

    private static Brackets supplied(Generators generators) {
        return new Brackets.Supplied(BracketConstants.of(generators), generators.size());
    }

    private static FieldMeasures measured(LearnedFields fields, Brackets brackets) throws Exception {
        return FieldMeasures.of(problem(), fields, brackets, Streams.TEST.stream(1));
    }

    @Test
    void affineFieldsLearnTheAlgebraOfTheNetwork() throws Exception {
        LearnedFields fields = FieldTraining.run(problem(), FOUR, CLOSED, FieldRecipe.AFFINE, 21, _ -> {});
        FieldMeasures measures = measured(fields, CLOSED);
        assertThat(measures.largestRank()).isEqualTo(4);
        assertThat(measures.bracketResidual()).isLessThan(1e-2);
        MeasuredStructure structure = measures.structure().orElseThrow();
        assertThat(structure.center()).isEqualTo(1);
        assertThat(structure.derived()).isEqualTo(3);
        assertThat(structure.killing()).isEqualTo(new Inertia(2, 1, 1));
        LearnedFields exact = PlantedFields.linear(changesOfBasis());
        assertThat(FieldMeasures.spanError(
                        problem(),
                        fields,
                        changesOfBasis().stream()
                                .<VectorField>map(matrix -> point ->
                                        matrix.times(Matrix.over(8, 1, point)).entries())
                                .toList(),
                        Streams.TEST.stream(2)))
                .isLessThan(1e-2);
        assertThat(measured(exact, supplied(NamedAlgebra.GL2.generators()))
                        .suppliedResidual()
                        .orElseThrow())
                .isLessThan(1e-13);
    }

    @Test
    void theSameSeedGivesTheSameBits() throws Exception {
        FieldRecipe few = FieldRecipe.AFFINE.withSteps(20);
        Matrix points = Matrix.gaussian(3, 8, new SplittableRandom(1));
        double[] once = FieldTraining.run(problem(), FOUR, CLOSED, few, 1, _ -> {})
                .at(points)
                .entries();
        assertThat(FieldTraining.run(problem(), FOUR, CLOSED, few, 1, _ -> {})
                        .at(points)
                        .entries())
                .isEqualTo(once);
        assertThat(FieldTraining.run(problem(), FOUR, CLOSED, few, 2, _ -> {})
                        .at(points)
                        .entries())
                .isNotEqualTo(once);
    }

    /** Two symmetric matrices of trace 0, whose commutator is a rotation: they are symmetries and no algebra. */
    @Test
    void fieldsThatDoNotCloseAreReportedWithTheirResidual() throws Exception {
        List<Matrix> open = List.of(
                PlantedFields.changeOfBasis(Matrix.of(2, 2, 1, 0, 0, -1)),
                PlantedFields.changeOfBasis(Matrix.of(2, 2, 0, 1, 1, 0)));
        FieldMeasures measures = measured(PlantedFields.linear(open), CLOSED);
        assertThat(measures.closes()).isFalse();
        assertThat(measures.invariance()).isLessThan(1e-14);
        assertThat(measures.largestRank()).isEqualTo(2);
        // the bracket is orthogonal to both on the mean, so nearly all of it is left
        assertThat(measures.bracketResidual()).isGreaterThan(0.5);
    }

    @Test
    void fieldsThatAreNoSymmetriesAreSeen() throws Exception {
        FieldMeasures measures = measured(PlantedFields.linear(List.of(Matrix.identity(8))), CLOSED);
        assertThat(measures.invariance()).isGreaterThan(0.1);
    }

    @Test
    void moreFieldsThanAPointAllowsAreDetected() throws Exception {
        List<Matrix> five = new ArrayList<>(changesOfBasis());
        five.add(five.get(0).plus(five.get(1)));
        FieldMeasures measures = measured(PlantedFields.linear(five), CLOSED);
        assertThat(measures.tooMany()).isTrue();
        assertThat(measures.functions()).isEqualTo(4);
        assertThat(measures.nullity()).isEqualTo(4);
        assertThat(measured(PlantedFields.linear(changesOfBasis()), CLOSED).tooMany())
                .isFalse();
    }

    @Test
    void wordsOfExactFieldsObeyTheLawsAndOfOthersNot() throws Exception {
        Generators generators = NamedAlgebra.GL2.generators();
        IntegratedAction exact = new IntegratedAction(PlantedFields.linear(changesOfBasis()), generators);
        WordLaws laws = WordLaws.of(problem(), exact, 0.5, Streams.TEST.stream(3));
        assertThat(laws.output()).isLessThan(1e-7);
        assertThat(laws.composition()).isLessThan(1e-7);
        assertThat(laws.inverse()).isLessThan(1e-7);
        List<Matrix> wrong = new ArrayList<>(changesOfBasis());
        wrong.set(0, wrong.get(0).scaled(-1));
        WordLaws broken = WordLaws.of(
                problem(), new IntegratedAction(PlantedFields.linear(wrong), generators), 0.5, Streams.TEST.stream(3));
        assertThat(broken.output()).isLessThan(1e-7); // symmetries all the same
        assertThat(broken.composition()).isGreaterThan(1e-2);
        assertThat(broken.inverse()).isGreaterThan(1e-2);
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> FieldTraining.run(
                        problem(), new FieldShape(7, 2, 0, 1), CLOSED, FieldRecipe.AFFINE, 1, _ -> {}))
                .hasMessage("FieldTraining: fields of 7 parameters, the problem has 8");
        assertThatThrownBy(() -> FieldTraining.run(
                        problem(),
                        new FieldShape(8, 2, 0, 1),
                        supplied(NamedAlgebra.SO3.generators()),
                        FieldRecipe.AFFINE,
                        1,
                        _ -> {}))
                .hasMessage("FieldTraining: constants of 3 elements for 2 fields");
        assertThatThrownBy(() -> FieldRecipe.FREE.withSteps(0)).hasMessageContaining("expected at least 1 step");
        assertThatThrownBy(() -> new FieldShape(8, 13, 0, 1)).hasMessageContaining("expected 1 to 12 fields");
    }
}
