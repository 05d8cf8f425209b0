package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;

class ReferenceSpanTest {
    /** Translations by constant vectors, one for each generator; only the fields are of interest. */
    private static final class Translations implements GroupAction {
        private final double[][] fields;

        Translations(double[]... fields) {
            this.fields = fields;
        }

        @Override
        public Generators generators() {
            List<Matrix> basis = new ArrayList<>();
            for (int i = 0; i < fields.length; i++) {
                Matrix matrix = Matrix.zeros(4, 4);
                matrix.set(i, 3, 1);
                basis.add(matrix);
            }
            return Generators.normalising(basis);
        }

        @Override
        public int parameterCount() {
            return 4;
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            return parameters.plus(derivative(elements, elements, parameters));
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            Matrix tangents = Matrix.zeros(parameters.rows(), 4);
            for (int row = 0; row < parameters.rows(); row++) {
                for (int i = 0; i < 4; i++) {
                    for (int j = 0; j < fields.length; j++) {
                        tangents.set(row, i, tangents.get(row, i) + directions.get(row, 4 * j + 3) * fields[j][i]);
                    }
                }
            }
            return tangents;
        }
    }

    private static ReferenceSpan compare(GroupAction action, GroupAction reference) {
        return ReferenceSpan.of(Judged.split(action), reference, new SplittableRandom(1));
    }

    @Test
    void anExactActionLiesInItsOwnSpan() {
        ReferenceSpan span = compare(new ShearAction(), new ShearAction());
        assertThat(span.maxError()).isLessThan(Judged.ROUNDING);
        assertThat(span.points()).isEqualTo(24);
        assertThat(span.orbitRank()).isEqualTo(1);
        assertThat(span.leastOrbitRank()).isEqualTo(1);
        assertThat(span.fieldDimension().orElseThrow().rank()).isEqualTo(1);
        assertThat(span.nonFinite()).isEmpty();
    }

    @Test
    void theErrorOfOneFieldIsTheSineOfItsAngle() {
        double angle = 0.01;
        var tilted = new Translations(new double[] {5 * Math.cos(angle), 0, 0, 5 * Math.sin(angle)});
        var plane = new Translations(new double[] {1, 1, 0, 0}, new double[] {1, -3, 0, 0});
        ReferenceSpan span = compare(tilted, plane);
        assertThat(span.meanError()).isCloseTo(Math.sin(angle), within(1e-14));
        assertThat(span.maxError()).isCloseTo(Math.sin(angle), within(1e-14));
        assertThat(compare(plane, plane).maxError()).isLessThan(Judged.ROUNDING);
        // of the plane, one direction lies along the tilted field up to that angle, the other is outside
        assertThat(compare(plane, tilted).meanError())
                .isCloseTo(Math.sqrt((1 + Math.pow(Math.sin(angle), 2)) / 2), within(1e-14));
    }

    @Test
    void dimensionsAreThoseOfTheFieldsWithATolerance() {
        var parallel = new Translations(new double[] {1, 0, 0, 0}, new double[] {1, 1e-5, 0, 0});
        ReferenceSpan span = compare(parallel, parallel);
        RankDecision dimension = span.fieldDimension().orElseThrow();
        assertThat(span.orbitRank()).isEqualTo(1);
        assertThat(dimension.rank()).isEqualTo(1);
        assertThat(dimension.spectrum()).hasSize(2);
        assertThat(dimension.at1e4()).isEqualTo(1);
        assertThat(dimension.at1e6()).isEqualTo(2);
        assertThat(dimension.at1e8()).isEqualTo(2);
        // singular values sqrt(2) and 1e-5 / sqrt(2), times the root of the number of points
        assertThat(dimension.gap().orElseThrow()).isCloseTo(2e5, within(1.0));
        var independent = new Translations(new double[] {1, 0, 0, 0}, new double[] {1, 1e-3, 0, 0});
        assertThat(compare(independent, independent)
                        .fieldDimension()
                        .orElseThrow()
                        .gap())
                .isEmpty();
        assertThat(compare(independent, independent).orbitRank()).isEqualTo(2);
    }

    @Test
    void whatDoesNotMoveOrIsNoNumberIsNoAgreement() {
        var still = new Translations(new double[4]);
        ReferenceSpan span = compare(still, new ShearAction());
        assertThat(span.meanError()).isNaN();
        assertThat(span.maxError()).isNaN();
        assertThat(span.orbitRank()).isZero();
        assertThat(span.fieldDimension().orElseThrow().rank()).isZero();
        assertThat(span.nonFinite()).containsExactly("error against the reference span");

        var broken = new Translations(new double[] {0, 0, Double.NaN, 0});
        assertThat(compare(broken, new ShearAction()).nonFinite()).containsExactly("error against the reference span");
        assertThat(compare(broken, new ShearAction()).fieldDimension()).isEmpty();
    }

    @Test
    void vectorsAreProjectedOnTheFieldsAtAPoint() {
        var plane = new Translations(new double[] {1, 1, 0, 0}, new double[] {1, -3, 0, 0});
        Matrix projected = ReferenceSpan.projection(plane, new double[4], Matrix.of(4, 1, 2, 3, 5, 7));
        assertThat(projected.minus(Matrix.of(4, 1, 2, 3, 0, 0)).largestMagnitude())
                .isLessThan(1e-14);
    }

    @Test
    void aReferenceOfAnotherSizeIsRefused() {
        GroupAction five = new GroupAction() {
            @Override
            public Generators generators() {
                return new ShearAction().generators();
            }

            @Override
            public int parameterCount() {
                return 5;
            }

            @Override
            public Matrix apply(Matrix elements, Matrix parameters) {
                return parameters;
            }

            @Override
            public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
                return parameters;
            }
        };
        assertThatThrownBy(() -> compare(new ShearAction(), five))
                .hasMessage("ReferenceSpan: the reference moves 5 parameters, the action 4");
    }
}
