package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.isoloss.task.UnitMove.Part;
import org.isoloss.task.UnitMove.Place;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UnitMoveTest {
    private final SplittableRandom random = new SplittableRandom(5);
    private final DenseNetwork network = Networks.random(random, Activation.GELU, true, 3, 7, 6, 2);
    private final Matrix inputs = Networks.gaussian(random, 3, 3);

    private static List<ElementType> stored(ElementType type) {
        return Collections.nCopies(6, type);
    }

    private Place place(Part part) {
        return new Place(network, 1, inputs, List.of(4, 2), List.of(), part);
    }

    /** In the second hidden layer, for one path of the whole network. */
    @ParameterizedTest
    @EnumSource(Part.class)
    void protectedOutputsStayAlongTheCurve(Part part) {
        UnitMove move =
                UnitMove.of(place(part), UnitMove.randomChange(place(part), 0.3, random), stored(ElementType.F64));
        for (double t : new double[] {-1, 0.5, 1}) {
            assertThat(largest(move.drift(move.at(t), inputs))).isLessThan(1e-13);
            assertThat(largest(move.drift(move.uncompensated(t), inputs))).isGreaterThan(1e-3);
        }
        Matrix both = move.contributions(1);
        Matrix sum = both.rows(0, 1).plus(both.rows(1, 2));
        assertThat(both.largestMagnitude()).isGreaterThan(1e-3);
        assertThat(sum.largestMagnitude()).isLessThan(1e-14);
        assertThat(move.at(0).parameters()).containsExactly(network.parameters(), within(1e-15));
    }

    @Test
    void everyUnitMovesByTheSizeAskedFor() {
        Place place = place(Part.INCOMING);
        double[] change = UnitMove.randomChange(place, -0.25, new SplittableRandom(1));
        double[] opposite = UnitMove.randomChange(place, 0.25, new SplittableRandom(1));
        double[] weights = place.moved().gather(network.parameters());
        assertThat(weights).hasSize(2 * 8); // seven weights and a bias each
        for (int unit = 0; unit < 2; unit++) {
            assertThat(norm(change, unit) / norm(weights, unit)).isCloseTo(0.25, within(1e-15));
        }
        for (int i = 0; i < change.length; i++) {
            assertThat(opposite[i]).isEqualTo(-change[i]);
        }
        assertThat(UnitMove.of(place, change, stored(ElementType.F64)).size()).isCloseTo(0.25, within(1e-15));
    }

    private static double largest(double[] drift) {
        return Arrays.stream(drift).max().orElseThrow();
    }

    private static double norm(double[] numbers, int unit) {
        return Matrix.over(1, 8, Arrays.copyOfRange(numbers, 8 * unit, 8 * unit + 8))
                .frobeniusNorm();
    }

    @Test
    void movedWeightsAreNumbersOfTheStoredType() {
        Place place = place(Part.ALL);
        UnitMove move = UnitMove.of(place, UnitMove.randomChange(place, 0.3, random), stored(ElementType.BF16));
        double[] moved = place.moved().gather(move.at(1).parameters());
        for (double weight : moved) {
            assertThat(weight).isCloseTo(ElementType.BF16.nearest(weight), within(1e-15));
        }
        assertThat(largest(move.drift(move.at(1), inputs))).isLessThan(1e-13);
    }

    @Test
    void whatDoesNotFitIsRefused() {
        Place place = place(Part.OUTGOING);
        assertThatThrownBy(() -> UnitMove.of(place, new double[3], stored(ElementType.F64)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("3 numbers for the change, expected 4: 2 for each of 2 moving units");
        assertThatThrownBy(() -> UnitMove.of(place, new double[] {1, 2, Double.NaN, 3}, stored(ElementType.F64)))
                .hasMessage("the change: entry (0, 2) is NaN; all entries must be finite");
        assertThatThrownBy(() -> UnitMove.randomChange(place, Double.NaN, random))
                .hasMessage("size NaN of a move, expected a finite number other than 0");
        double[] silent = network.parameters();
        for (int index : place.moved().indices()) {
            silent[index] = 0;
        }
        Place nothing = new Place(network.withParameters(silent), 1, inputs, List.of(4), List.of(), Part.OUTGOING);
        assertThatThrownBy(() -> UnitMove.randomChange(nothing, 0.1, random))
                .hasMessage(
                        "unit 4: the weights that would change are all zero, so a relative size says nothing; give the change itself");
        UnitMove given = UnitMove.of(nothing, new double[] {1, -1}, stored(ElementType.F64));
        assertThat(given.size()).isInfinite();
        assertThat(largest(given.drift(given.at(1), inputs))).isLessThan(1e-13);
    }
}
