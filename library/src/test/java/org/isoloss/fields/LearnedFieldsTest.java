package org.isoloss.fields;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LearnedFieldsTest {
    /** A central difference with step 1e-5 of a function whose third derivative is about one. */
    private static final double DIFFERENCE = 1e-8;

    private static LearnedFields drawn(long seed) {
        var random = new SplittableRandom(seed);
        FieldShape shape = new FieldShape(5, 3, 2, 16);
        List<double[]> numbers = new ArrayList<>();
        for (int layer = 0; layer <= 2; layer++) {
            int inputs = shape.inputs(layer);
            numbers.add(Matrix.gaussian(inputs, shape.outputs(layer), random)
                    .scaled(1 / Math.sqrt(inputs))
                    .entries());
            numbers.add(Matrix.gaussian(1, shape.outputs(layer), random).entries());
        }
        return new LearnedFields(shape, numbers);
    }

    /** The second route: brackets from values alone, by differences. */
    private static Matrix bracketByDifferences(LearnedFields fields, Matrix points, int i, int j, double sign) {
        Matrix firstAlongSecond = slope(fields, points, i, j);
        Matrix secondAlongFirst = slope(fields, points, j, i);
        return firstAlongSecond.minus(secondAlongFirst.scaled(sign));
    }

    private static Matrix slope(LearnedFields fields, Matrix points, int of, int along) {
        double h = 1e-5;
        Matrix direction = fields.field(fields.at(points), along).scaled(h);
        return fields.field(fields.at(points.plus(direction)), of)
                .minus(fields.field(fields.at(points.minus(direction)), of))
                .scaled(1 / (2 * h));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void bracketsAreThoseOfFiniteDifferences(long seed) {
        LearnedFields fields = drawn(seed);
        Matrix points = Matrix.gaussian(4, 5, new SplittableRandom(seed + 10));
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                Matrix exact = fields.bracket(points, i, j);
                double size = 1 + exact.frobeniusNorm();
                assertThat(bracketByDifferences(fields, points, i, j, 1)
                                .minus(exact)
                                .frobeniusNorm())
                        .isLessThan(DIFFERENCE * size);
                if (i != j) { // the check fails where a sign is wrong
                    assertThat(bracketByDifferences(fields, points, i, j, -1)
                                    .minus(exact)
                                    .frobeniusNorm())
                            .isGreaterThan(0.1);
                }
            }
        }
    }

    @Test
    void theBracketOfLinearFieldsIsTheCommutator() {
        var random = new SplittableRandom(5);
        Matrix a = Matrix.gaussian(3, 3, random);
        Matrix b = Matrix.gaussian(3, 3, random);
        Matrix points = Matrix.gaussian(6, 3, random);
        Matrix expected = points.times(a.times(b).minus(b.times(a)).transpose());
        assertThat(PlantedFields.linear(List.of(a, b))
                        .bracket(points, 0, 1)
                        .minus(expected)
                        .frobeniusNorm())
                .isLessThan(1e-13); // some ten operations on numbers of unit size
    }

    /** What training records and what is measured are written apart, once for graphs and once for matrices. */
    @Test
    void theRecordedNetworkHasTheSameValuesAndTangents() {
        FieldShape shape = new FieldShape(5, 3, 2, 16);
        Graph graph = new Graph();
        FieldNetwork network = new FieldNetwork(graph, shape);
        Tensor input = graph.input(2, 5);
        Tensor output = network.fields(graph, Jet.of(input, new int[] {-1, 0})).stacked();
        var program = graph.compile(Precision.FLOAT64);
        network.initialize(program, new SplittableRandom(3));
        Matrix rows = Matrix.gaussian(2, 5, new SplittableRandom(4));
        program.set(input, rows.entries());
        program.forward();
        LearnedFields fields = new LearnedFields(
                shape,
                network.tensors().stream()
                        .map(tensor -> program.get(tensor).entries())
                        .toList());
        Matrix recorded = program.get(output);
        Matrix point = rows.rows(0, 1);
        assertThat(recorded.rows(0, 1).minus(fields.at(point)).frobeniusNorm()).isLessThan(1e-13);
        assertThat(recorded.rows(1, 2)
                        .minus(fields.derivative(point, rows.rows(1, 2)))
                        .frobeniusNorm())
                .isLessThan(1e-13);
    }
}
