package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.isoloss.lie.WordDistribution;
import org.isoloss.lie.WordSampler;
import org.isoloss.linalg.Matrix;

/** Random group elements and directions, several at each of some points, and what an action makes of them in both ways. */
final class SeveralElements {
    private final GroupAction action;
    private final Matrix points;
    private final Matrix elements;
    private final Matrix directions;

    SeveralElements(GroupAction action, Matrix points, int atEach, SplittableRandom random) {
        this.action = action;
        this.points = points;
        int size = action.generators().size();
        int rows = atEach * points.rows();
        elements = Matrix.zeros(rows, size * size);
        directions = Matrix.zeros(rows, size * size);
        var sampler = new WordSampler(
                WordDistribution.upTo(0.5, 3), action.generators().count());
        for (int row = 0; row < rows; row++) {
            Matrix element = sampler.draw(random).matrix(action.generators());
            Matrix generator =
                    action.generators().get(random.nextInt(action.generators().count()));
            Batches.setRow(elements, row, element.entries());
            Batches.setRow(directions, row, generator.times(element).entries());
        }
    }

    /** Compares with each element in a call of its own: batches may round otherwise. */
    void requireOneByOne(double rounding) {
        OrbitMap map = action.at(points);
        Matrix moved = map.apply(elements);
        Matrix derivatives = map.derivative(elements, directions);
        Matrix fields = map.field(directions.rows(0, points.rows()));
        for (int row = 0; row < elements.rows(); row++) {
            Matrix point = row(points, row % points.rows());
            requireSame(moved, row, action.apply(row(elements, row), point), rounding);
            requireSame(derivatives, row, action.derivative(row(elements, row), row(directions, row), point), rounding);
            if (row < points.rows()) {
                requireSame(fields, row, action.field(row(directions, row), point), rounding);
            }
        }
    }

    private static Matrix row(Matrix rows, int row) {
        return rows.rows(row, row + 1);
    }

    private static void requireSame(Matrix together, int row, Matrix alone, double rounding) {
        for (int i = 0; i < alone.columns(); i++) {
            assertThat(together.get(row, i)).isCloseTo(alone.get(0, i), within(rounding));
        }
    }
}
