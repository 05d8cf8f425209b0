package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.Networks;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.Support;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each law sees the defect that it watches, and the laws that the defect leaves true stay silent. */
class ActionLawsTest {
    private static final double ROUNDING = 1e-12;
    private static final double SEEN = 1e-3;

    private SiteCoordinates coordinates;
    private GroupAction exact;
    private Matrix points;

    @BeforeEach
    void plant() {
        var random = new SplittableRandom(1);
        DenseNetwork network = Networks.random(random, Activation.TANH, true, 3, 7, 2);
        coordinates = SiteCoordinates.reduced(CompensationSite.choose(
                network.block(0), Networks.gaussian(random, 3, 3), new MovingUnits.MostSensitive(1)));
        exact = CompensatingAction.at(coordinates);
        points = GroupActionContract.around(coordinates.origin(), 8, random);
    }

    private ActionLaws laws(GroupAction action) {
        return new ActionLaws(action, points, new SplittableRandom(2));
    }

    @Test
    void aConstantShiftBreaksTheIdentity() {
        ActionLaws laws = laws(new Altered(exact) {
            @Override
            public Matrix apply(Matrix elements, Matrix parameters) {
                return shifted(super.apply(elements, parameters), row -> 0.01);
            }
        });
        assertThat(laws.identity()).isGreaterThan(SEEN);
    }

    /** a(t, theta) = theta + t + t^2 has the generators of a translation, and does not compose. */
    @Test
    void aQuadraticTermBreaksCompositionInverseAndTransport() {
        ActionLaws laws = laws(new Altered(exact) {
            @Override
            public Matrix apply(Matrix elements, Matrix parameters) {
                return shifted(super.apply(elements, parameters), row -> square(lastColumn(elements, row)));
            }

            @Override
            public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
                return shifted(
                        super.derivative(elements, directions, parameters),
                        row -> 2 * dot(lastColumn(elements, row), lastColumn(directions, row)));
            }
        });
        assertThat(laws.identity()).isZero();
        assertThat(laws.field()).isLessThan(1e-7);
        assertThat(laws.derivative()).isLessThan(1e-7);
        assertThat(laws.composition()).isGreaterThan(SEEN);
        assertThat(laws.inverse()).isGreaterThan(SEEN);
        assertThat(laws.transport()).isGreaterThan(SEEN);
    }

    @Test
    void forgottenCompensationBreaksPreservationAlone() {
        ActionLaws laws = laws(new Altered(exact) {
            @Override
            public Matrix apply(Matrix elements, Matrix parameters) {
                return uncompensated(super.apply(elements, parameters), parameters);
            }

            @Override
            public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
                Matrix tangents = super.derivative(elements, directions, parameters);
                return uncompensated(tangents, Matrix.zeros(tangents.rows(), tangents.columns()));
            }
        });
        assertThat(laws.composition()).isLessThan(ROUNDING);
        assertThat(laws.transport()).isLessThan(ROUNDING);
        assertThat(laws.derivative()).isLessThan(1e-7);
        assertThat(laws.preservation(coordinates)).isGreaterThan(SEEN);
    }

    @Test
    void aFlippedSignBreaksTheDerivatives() {
        ActionLaws laws = laws(new Altered(exact) {
            @Override
            public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
                return super.derivative(elements, directions, parameters).scaled(-1);
            }
        });
        assertThat(laws.composition()).isLessThan(ROUNDING);
        assertThat(laws.preservation(coordinates)).isLessThan(ROUNDING);
        assertThat(laws.derivative()).isGreaterThan(SEEN);
        assertThat(laws.field()).isGreaterThan(SEEN);
    }

    /** A right action taken for a left one: only groups that do not commute tell. */
    @Test
    void theWrongOrderBreaksComposition() {
        var random = new SplittableRandom(3);
        DenseNetwork network = Networks.random(random, Activation.IDENTITY, false, 2, 2, 2);
        points = GroupActionContract.around(network.parameters(), 8, random);
        Generators shears = Generators.normalising(List.of(Matrix.of(2, 2, 0, 1, 0, 0), Matrix.of(2, 2, 0, 0, 1, 0)));
        ActionLaws laws = laws(new Altered(HiddenBasisAction.of(network, shears)) {
            @Override
            public Matrix apply(Matrix elements, Matrix parameters) {
                Matrix transposed = elements.copy();
                for (int row = 0; row < elements.rows(); row++) {
                    transposed.set(row, 1, elements.get(row, 2));
                    transposed.set(row, 2, elements.get(row, 1));
                }
                return super.apply(transposed, parameters);
            }
        });
        assertThat(laws.inverse()).isLessThan(ROUNDING);
        assertThat(laws.composition()).isGreaterThan(SEEN);
    }

    @Test
    void aWrongExponentBreaksPreservationAlone() {
        var random = new SplittableRandom(4);
        DenseNetwork network = Networks.random(random, Activation.RELU, false, 2, 4, 2);
        Support all = Support.all(network.layout());
        points = GroupActionContract.around(network.parameters(), 8, random);
        List<RescalingAction.HiddenUnit> unit = List.of(new RescalingAction.HiddenUnit(0, 0));
        ActionLaws laws = laws(RescalingAction.ofDegree(2, network.layout(), all, unit));
        assertThat(laws.composition()).isLessThan(ROUNDING);
        assertThat(laws.transport()).isLessThan(ROUNDING);
        assertThat(laws.preservation(DenseTarget.outputs(network, all, Networks.gaussian(random, 6, 2))))
                .isGreaterThan(SEEN);
    }

    @Test
    void anActionThatDoesNothingDoesNotMove() {
        ActionLaws laws = laws(new Altered(exact) {
            @Override
            public Matrix apply(Matrix elements, Matrix parameters) {
                return parameters.copy();
            }

            @Override
            public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
                return Matrix.zeros(parameters.rows(), parameters.columns());
            }
        });
        assertThat(laws.composition()).isZero();
        assertThat(laws.preservation(coordinates)).isZero();
        assertThat(laws.leastMotion()).isZero();
        assertThat(laws.leastFieldValue()).isZero();
    }

    @Test
    void aNanIsNeverASmallViolation() {
        ActionLaws laws = laws(new Altered(exact) {
            @Override
            public Matrix apply(Matrix elements, Matrix parameters) {
                return shifted(super.apply(elements, parameters), row -> Double.NaN);
            }
        });
        assertThat(laws.identity()).isInfinite();
        assertThat(laws.composition()).isInfinite();
    }

    /** An action with something changed. */
    private abstract static class Altered implements GroupAction {
        private final GroupAction action;

        Altered(GroupAction action) {
            this.action = action;
        }

        @Override
        public Generators generators() {
            return action.generators();
        }

        @Override
        public int parameterCount() {
            return action.parameterCount();
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            return action.apply(elements, parameters);
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            return action.derivative(elements, directions, parameters);
        }
    }

    private interface Shift {
        double of(int row);
    }

    private static Matrix shifted(Matrix moved, Shift shift) {
        for (int row = 0; row < moved.rows(); row++) {
            moved.set(row, 0, moved.get(row, 0) + shift.of(row));
        }
        return moved;
    }

    private Matrix uncompensated(Matrix moved, Matrix kept) {
        for (int row = 0; row < moved.rows(); row++) {
            for (int i = 0; i < coordinates.outgoingCount(); i++) {
                moved.set(row, i, kept.get(row, i));
            }
        }
        return moved;
    }

    private static double[] lastColumn(Matrix elements, int row) {
        int size = (int) Math.round(Math.sqrt(elements.columns()));
        return Matrix.over(size, size, elements.row(row)).rows(0, size - 1).column(size - 1);
    }

    private static double square(double[] x) {
        return dot(x, x);
    }

    private static double dot(double[] x, double[] y) {
        double sum = 0;
        for (int i = 0; i < x.length; i++) {
            sum += x[i] * y[i];
        }
        return sum;
    }
}
