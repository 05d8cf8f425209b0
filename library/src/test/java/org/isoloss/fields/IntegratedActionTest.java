package org.isoloss.fields;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.lie.NamedAlgebra;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IntegratedActionTest {
    /** Runge-Kutta of order 4 with steps of 1/32: (1/32)^4 / 120 a unit of time. */
    private static final double FLOW = 1e-7;

    /** Fields {@code h theta}, which have the brackets of the matrices h. */
    private static IntegratedAction acting(Generators generators) {
        return new IntegratedAction(PlantedFields.linear(matrices(generators)), generators);
    }

    private static List<Matrix> matrices(Generators generators) {
        List<Matrix> matrices = new ArrayList<>();
        for (int i = 0; i < generators.count(); i++) {
            matrices.add(generators.get(i));
        }
        return matrices;
    }

    @ParameterizedTest
    @EnumSource(NamedAlgebra.class)
    void wordsAndProductsActAsTheMatrices(NamedAlgebra algebra) {
        Generators generators = algebra.generators();
        IntegratedAction action = acting(generators);
        GroupWord word = GroupWord.parse("1:0.3,2:-0.4,1:0.2,2:0.1");
        Matrix element = word.matrix(generators);
        int size = generators.size();
        Matrix point = Matrix.gaussian(1, size, new SplittableRandom(1));
        Matrix expected = point.times(element.transpose());
        assertThat(action.along(word, point).minus(expected).frobeniusNorm()).isLessThan(FLOW);
        Matrix row = Matrix.over(1, size * size, element.entries());
        assertThat(action.apply(row, point).minus(expected).frobeniusNorm()).isLessThan(FLOW);
    }

    /** Fields with the brackets of another algebra: the ordered product is then not the flow of the product. */
    @Test
    void compositionFailsWhereBracketsDo() {
        Generators rotations = NamedAlgebra.SO3.generators();
        List<Matrix> wrong = new ArrayList<>(matrices(rotations));
        wrong.set(2, wrong.get(2).scaled(-1)); // [x, y] = -z
        IntegratedAction action = new IntegratedAction(PlantedFields.linear(wrong), rotations);
        GroupWord word = GroupWord.parse("1:0.5,2:0.5");
        Matrix point = Matrix.of(1, 3, 1, 2, 3);
        Matrix element = Matrix.over(1, 9, word.matrix(rotations).entries());
        assertThat(action.apply(element, point).minus(action.along(word, point)).frobeniusNorm())
                .isGreaterThan(1e-2);
    }

    /** On spinors a whole turn is -1, although its matrix in so(3) is the identity: words act for the simply connected group. */
    @Test
    void aWholeTurnOfSpinorsIsMinusOne() {
        double half = 0.5 / Math.sqrt(2); // of generators of norm 1
        List<Matrix> spinors = List.of(
                Matrix.of(4, 4, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0)
                        .scaled(half),
                Matrix.of(4, 4, 0, 0, -1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, -1, 0, 0)
                        .scaled(half),
                Matrix.of(4, 4, 0, 0, 0, -1, 0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0)
                        .scaled(half));
        Generators rotations = NamedAlgebra.SO3.generators();
        LearnedFields fields = PlantedFields.linear(spinors);
        Matrix point = Matrix.of(1, 4, 1, 2, 3, 4);
        Matrix apart = fields.bracket(point, 0, 1)
                .minus(fields.field(fields.at(point), 2).scaled(1 / Math.sqrt(2)));
        assertThat(apart.frobeniusNorm()).isLessThan(1e-14);
        IntegratedAction action = new IntegratedAction(fields, rotations);
        GroupWord turn = GroupWord.exp(2 * Math.PI * Math.sqrt(2));
        assertThat(turn.isIdentity(rotations)).isTrue();
        assertThat(action.along(turn, point).plus(point).frobeniusNorm()).isLessThan(1e-5);
    }

    @Test
    void theLogarithmUndoesTheExponential() {
        Generators generators = NamedAlgebra.GL2.generators();
        IntegratedAction action = acting(generators);
        double[] coordinates = action.logarithm(GroupWord.parse("3:0.7").matrix(generators));
        assertThat(coordinates).containsExactly(new double[] {0, 0, 0.7, 0}, Offset.offset(1e-10));
    }

    @Test
    void elementsWithoutLogarithmAreRefused() {
        IntegratedAction action = acting(NamedAlgebra.SL2.generators());
        assertThatThrownBy(() -> action.logarithm(Matrix.of(2, 2, -2, 0, 0, -0.5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no logarithm near 0 among the generators; give a word");
    }

    @Test
    void batchesThatDoNotFitAreRefused() {
        IntegratedAction action = acting(NamedAlgebra.AFF1.generators());
        assertThatThrownBy(() -> action.apply(Matrix.zeros(2, 4), Matrix.zeros(1, 2)))
                .hasMessage(
                        "IntegratedAction: 2 matrices of 4 entries for 1 points of 2 parameters, expected one of 4 for each, of 2");
        assertThatThrownBy(() -> new IntegratedAction(
                        PlantedFields.linear(List.of(Matrix.identity(2))), NamedAlgebra.AFF1.generators()))
                .hasMessage("IntegratedAction: 1 fields for 2 generators, expected one for each");
    }

    @Test
    void theDerivativeIsTheFieldWhereTheElementLeads() {
        Generators generators = NamedAlgebra.GL2.generators();
        IntegratedAction action = acting(generators);
        Matrix element = GroupWord.parse("2:0.3,1:0.2").matrix(generators);
        Matrix direction = generators.get(1).times(element);
        Matrix point = Matrix.of(1, 2, 1, -2);
        double h = 1e-4; // error h^2, and that of the flow over h
        Matrix forward = action.apply(row(element.plus(direction.scaled(h))), point);
        Matrix backward = action.apply(row(element.minus(direction.scaled(h))), point);
        assertThat(forward.minus(backward)
                        .scaled(1 / (2 * h))
                        .minus(action.derivative(row(element), row(direction), point))
                        .frobeniusNorm())
                .isLessThan(1e-3);
    }

    private static Matrix row(Matrix matrix) {
        return Matrix.over(1, matrix.entries().length, matrix.entries());
    }
}
