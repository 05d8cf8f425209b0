package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LearnedActionTest {
    private static final ActionShape SHAPE = new ActionShape(2, 1, 3, 8, 2, Activation.SILU);
    private static final Generators GENERATORS = Generators.normalising(List.of(Matrix.of(2, 2, 1, 2, -1, 0.5)));

    private static LearnedAction action() {
        SplittableRandom random = new SplittableRandom(3);
        int[] sizes = {8 * 7, 8, 8 * 8, 8, 3 * 8};
        return new LearnedAction(
                SHAPE,
                GENERATORS,
                IntStream.of(sizes)
                        .mapToObj(size -> gaussian(1, size, random).scaled(0.4).entries())
                        .toList());
    }

    private static Matrix gaussian(int rows, int columns, SplittableRandom random) {
        Matrix matrix = Matrix.zeros(rows, columns);
        Arrays.setAll(matrix.entries(), i -> random.nextGaussian());
        return matrix;
    }

    @Test
    void theIdentityElementChangesNothing() {
        Matrix points = gaussian(130, 3, new SplittableRandom(1));
        Matrix identities = Matrix.zeros(130, 4);
        for (int row = 0; row < 130; row++) {
            identities.set(row, 0, 1);
            identities.set(row, 3, 1);
        }

        assertThat(action().apply(identities, points).entries()).containsExactly(points.entries());
    }

    @Test
    void severalElementsAtEachPointAreTreatedAsOneByOne() {
        SplittableRandom random = new SplittableRandom(2);
        new SeveralElements(action(), gaussian(12, 3, random), 17, random).requireOneByOne(1e-14);
        assertThatThrownBy(() -> action().at(gaussian(2, 3, random)).apply(gaussian(3, 4, random)))
                .hasMessage("LearnedAction: 3 group elements for 2 points, expected the same number for each");
    }

    @Test
    void madeForFewRowsItIsTheSameMap() {
        SplittableRandom random = new SplittableRandom(4);
        LearnedAction action = action();
        Matrix elements = gaussian(5, 4, random);
        Matrix points = gaussian(5, 3, random);
        for (int rows : new int[] {1, 2, 7}) {
            LearnedAction few = action.forRows(rows);
            assertThat(few.apply(elements, points)
                            .minus(action.apply(elements, points))
                            .largestMagnitude())
                    .isLessThan(1e-14);
            assertThat(few.field(elements, points)
                            .minus(action.field(elements, points))
                            .largestMagnitude())
                    .isLessThan(1e-13);
        }
    }

    @Test
    void theDerivativeOfTheFieldAgreesWithCentralDifferences() {
        SplittableRandom random = new SplittableRandom(5);
        Matrix directions = gaussian(5, 4, random);
        Matrix points = gaussian(5, 3, random);
        Matrix velocities = gaussian(5, 3, random);
        LearnedAction action = action();
        double step = Math.cbrt(Math.ulp(1.0));
        Matrix differences = action.field(directions, points.plus(velocities.scaled(step)))
                .minus(action.field(directions, points.minus(velocities.scaled(step))))
                .scaled(1 / (2 * step));

        Matrix derivative = action.fieldDerivative(directions, points, velocities);

        assertThat(derivative.minus(differences).largestMagnitude()).isLessThan(1e-8);
        assertThat(derivative.largestMagnitude()).isGreaterThan(1e-2);
        assertThat(action.fieldDerivative(directions.scaled(-1), points, velocities)
                        .minus(differences)
                        .largestMagnitude())
                .as("a wrong sign is seen")
                .isGreaterThan(1e-2);
        assertThatThrownBy(() -> action.fieldDerivative(directions, points, gaussian(5, 4, random)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("LearnedAction: velocities have shape (5, 4), expected (5, 3)");
    }

    @Test
    void theDerivativeInTheParametersAgreesWithCentralDifferences() {
        SplittableRandom random = new SplittableRandom(6);
        Matrix elements = gaussian(130, 4, random); // more than one run of the recording
        Matrix points = gaussian(130, 3, random);
        Matrix velocities = gaussian(130, 3, random);
        LearnedAction action = action();
        double step = Math.cbrt(Math.ulp(1.0));
        Matrix differences = action.apply(elements, points.plus(velocities.scaled(step)))
                .minus(action.apply(elements, points.minus(velocities.scaled(step))))
                .scaled(1 / (2 * step));

        Matrix derivative = action.parameterDerivative(elements, points, velocities);

        assertThat(derivative.minus(differences).largestMagnitude()).isLessThan(1e-8);
        assertThat(derivative.minus(velocities).largestMagnitude())
                .as("the network has a part in it")
                .isGreaterThan(1e-2);
        assertThatThrownBy(() -> action.parameterDerivative(elements, points, gaussian(130, 4, random)))
                .hasMessage("LearnedAction: velocities have shape (130, 4), expected (130, 3)");
    }

    @Test
    void theDerivativeAgreesWithCentralDifferences() {
        SplittableRandom random = new SplittableRandom(2);
        Matrix elements = gaussian(5, 4, random);
        Matrix directions = gaussian(5, 4, random);
        Matrix points = gaussian(5, 3, random);
        LearnedAction action = action();
        double step = Math.cbrt(Math.ulp(1.0));
        Matrix differences = action.apply(elements.plus(directions.scaled(step)), points)
                .minus(action.apply(elements.minus(directions.scaled(step)), points))
                .scaled(1 / (2 * step));

        Matrix derivative = action.derivative(elements, directions, points);

        // truncation and rounding are both of order step^2, 4e-11
        assertThat(derivative.minus(differences).largestMagnitude()).isLessThan(1e-8);
        assertThat(derivative.largestMagnitude()).isGreaterThan(1e-2);
        assertThat(action.derivative(elements, directions.scaled(-1), points)
                        .minus(differences)
                        .largestMagnitude())
                .as("a wrong sign is seen")
                .isGreaterThan(1e-2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 127, 128, 129, 257})
    void rowsAreIndependentAcrossChunks(int rows) {
        SplittableRandom random = new SplittableRandom(4);
        Matrix elements = gaussian(rows, 4, random);
        Matrix directions = gaussian(rows, 4, random);
        Matrix points = gaussian(rows, 3, random);
        LearnedAction action = action();
        Matrix applied = action.apply(elements, points);
        Matrix derivative = action.derivative(elements, directions, points);

        assertThat(applied.rows()).isEqualTo(rows);
        for (int row : new int[] {0, rows / 2, rows - 1}) {
            Matrix element = elements.rows(row, row + 1);
            Matrix point = points.rows(row, row + 1);
            Matrix direction = directions.rows(row, row + 1);
            // the same sums, in blocks that may differ
            assertThat(action.apply(element, point)
                            .minus(applied.rows(row, row + 1))
                            .largestMagnitude())
                    .isLessThan(1e-14);
            assertThat(action.derivative(element, direction, point)
                            .minus(derivative.rows(row, row + 1))
                            .largestMagnitude())
                    .isLessThan(1e-14);
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        LearnedAction action = action();
        assertThatThrownBy(() -> action.apply(Matrix.zeros(2, 4), Matrix.zeros(2, 4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("LearnedAction: parameters have shape (2, 4), expected (2, 3)");
        assertThatThrownBy(() -> action.apply(Matrix.zeros(1, 4), Matrix.zeros(2, 3)))
                .hasMessage("LearnedAction: elements have shape (1, 4), expected (2, 4)");
        assertThatThrownBy(() ->
                        new LearnedAction(SHAPE, GENERATORS, action.weights().subList(0, 4)))
                .hasMessage("Program.set: numbers of 4 tensors, expected 5");
        Generators two = Generators.normalising(List.of(Matrix.identity(2), Matrix.of(2, 2, 0, 1, 0, 0)));
        assertThatThrownBy(() -> new LearnedAction(SHAPE, two, action.weights()))
                .hasMessage("LearnedAction: 2 generators of size 2, expected 1 of size 2");
    }
}
