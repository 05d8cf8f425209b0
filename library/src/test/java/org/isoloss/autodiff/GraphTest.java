package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.isoloss.autodiff.Graph.Term;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;

class GraphTest {
    private final Graph graph = new Graph();
    private final Tensor input = graph.differentiableInput(3, 4);

    @Test
    void viewsSeeTheSameNumbers() {
        Tensor regrouped = input.shaped(4, 3);
        Tensor part = regrouped.rows(1, 3).shaped(1, 6);
        assertThat(part).hasToString("(1, 6)");
        assertThat(input.whole()).isTrue();
        assertThat(regrouped.whole()).isTrue();
        assertThat(part.whole()).isFalse();
        Program program = graph.compile(Precision.FLOAT64);
        program.set(part, new double[] {1, 2, 3, 4, 5, 6});
        assertThat(program.get(input).entries()).containsExactly(0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0);
    }

    @Test
    void constantsKeepTheirOwnNumbers() {
        Matrix numbers = Matrix.of(1, 2, 1, 2);
        Tensor constant = graph.constant(numbers);
        numbers.set(0, 0, 7);
        assertThat(graph.compile(Precision.FLOAT32).get(constant).entries()).containsExactly(1, 2);
        assertThat(graph.compile(Precision.FLOAT64).get(constant).entries()).containsExactly(1, 2);
    }

    @Test
    void rowsThatNoTermFillsAreZero() {
        Tensor none = graph.combine(Term.of(1, input, -1, 2));
        Program program = graph.compile(Precision.FLOAT64);
        program.set(none, new double[] {9, 9, 9, 9, 9, 9, 9, 9});
        program.forward();
        assertThat(program.get(none).entries()).containsOnly(0);
    }

    @Test
    void columnsAreThoseOfAllSourcesSideBySide() {
        Tensor other = graph.input(3, 2);
        Tensor chosen = graph.columns(List.of(input, other), List.of(4, 0, 3));
        Program program = graph.compile(Precision.FLOAT32);
        program.set(input, new double[] {1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24});
        program.set(other, new double[] {5, 6, 15, 16, 25, 26});
        program.forward();
        assertThat(program.get(chosen).entries()).containsExactly(5, 1, 4, 15, 11, 14, 25, 21, 24);
    }

    @Test
    void columnsThatAreNotThereOrComeTwiceAreRefused() {
        assertThatThrownBy(() -> graph.columns(List.of(input), List.of(0, 4)))
                .hasMessage("Graph.columns: column 4 of 4 is not there, or chosen twice");
        assertThatThrownBy(() -> graph.columns(List.of(input), List.of(-1)))
                .hasMessage("Graph.columns: column -1 of 4 is not there, or chosen twice");
        assertThatThrownBy(() -> graph.columns(List.of(input), List.of(2, 2)))
                .hasMessage("Graph.columns: column 2 of 4 is not there, or chosen twice");
        assertThatThrownBy(() -> graph.columns(List.of(input, graph.input(2, 4)), List.of(1)))
                .hasMessage("Graph.columns: each source has shape (2, 4), expected (3, 4)");
    }

    @Test
    void rowNumbersAreListed() {
        assertThat(Graph.range(2, 5)).containsExactly(2, 3, 4);
        assertThat(Graph.repeat(-1, 3)).containsExactly(-1, -1, -1);
    }

    @Test
    void shapesThatDoNotFitAreRefused() {
        refused(() -> graph.input(0, 2), "Graph: shape (0, 2) is empty");
        refused(() -> graph.product(input, input), "Graph: product of (3, 4) and (3, 4): the inner sizes differ");
        refused(() -> graph.add(input, 1, input.rows(0, 2)), "Graph.Term: row 2 of a source with 2 rows");
        refused(() -> graph.times(input, input.shaped(4, 3)), "Graph.times: shapes (3, 4) and (4, 3) differ");
        refused(
                () -> graph.innerProduct(1, input, input.rows(0, 1)),
                "Graph.innerProduct: shapes (3, 4) and (1, 4) differ");
        refused(
                () -> graph.dense(Jet.of(input), graph.parameter(4, 2), graph.parameter(2, 1)),
                "Graph.dense: the bias has shape (2, 1), expected (1, 2)");
        refused(
                () -> graph.words(input, new Words(1, 1), 3),
                "Graph.words: the matrix of generators has shape (3, 4), expected (3, 9)");
        refused(
                () -> graph.matrixProducts(input, input, 3),
                "Graph.matrixProducts: each factor has shape (3, 4), expected (3, 9)");
    }

    @Test
    void combinedRowsMustMatch() {
        refused(
                () -> graph.combine(Term.of(1, input, 0, 1), Term.of(1, input, 0)),
                "Graph.combine: term 2 has 1 rows of 4 columns, expected 2 of 4");
        refused(
                () -> graph.combine(Term.of(1, input, 0), Term.of(1, input.shaped(4, 3), 0)),
                "Graph.combine: term 2 has 1 rows of 3 columns, expected 1 of 4");
        refused(() -> Term.of(1, input, 3), "Graph.Term: row 3 of a source with 3 rows");
        refused(() -> Term.live(1, input, new int[] {0, 3}), "Graph.Term: row 3 of a source with 3 rows");
    }

    @Test
    void valuesStandBeforeTangentsInADenseLayer() {
        Jet mixed = Jet.of(input, new int[] {-1, 0, -1});
        refused(
                () -> graph.dense(mixed, graph.parameter(4, 2), graph.parameter(1, 2)),
                "Graph.dense: row 2 holds values behind tangents");
    }

    @Test
    void jetsNameTheirValues() {
        assertThat(Jet.of(input).valueRow(2)).isEqualTo(-1);
        assertThat(Jet.of(input, new int[] {-1, -1, 1}).with(input.shaped(3, 4)).valueRow(2))
                .isEqualTo(1);
        refused(() -> Jet.of(input, new int[2]), "Jet: 2 row numbers for 3 rows");
        refused(() -> Jet.of(input, new int[] {-1, 0, 1}), "Jet: row 1 is named as values but holds a tangent");
        refused(() -> Jet.of(input, new int[] {-1, 0, 3}), "Jet: row 3 is named as values, but there are 3 rows");
    }

    @Test
    void viewsStayWithinTheirTensor() {
        refused(() -> input.rows(1, 4), "Tensor.rows: rows 1 to 4 of 3 asked for");
        refused(() -> input.rows(2, 2), "Tensor.rows: rows 2 to 2 of 3 asked for");
        refused(() -> input.shaped(5, 2), "Tensor.shaped: (3, 4) has 12 entries, (5, 2) has 10");
    }

    @Test
    void aCompiledGraphIsComplete() {
        graph.compile(Precision.FLOAT32);
        assertThatThrownBy(() -> graph.add(input, 1, input))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Graph: nothing can be recorded after a program was compiled");
    }

    private static void refused(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }
}
