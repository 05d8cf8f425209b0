package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.isoloss.action.HiddenBasisAction;
import org.isoloss.action.ParameterDerivative;
import org.isoloss.action.RescalingAction;
import org.isoloss.lie.Generators;
import org.isoloss.lie.WordDistribution;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.Calibration;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.junit.jupiter.api.Test;

class AdjointEquivarianceTest {
    /** Some tens of operations of relative error 1e-16. */
    private static final double ROUNDING = 1e-13;

    private static final LinearAction SHEARS =
            LinearAction.of(Matrix.of(2, 2, 0, 1, 0, 0), Matrix.of(2, 2, 0, 0, 1, 0));

    private static Quantiles residual(ParameterDerivative action, double radius) {
        var random = new SplittableRandom(1);
        Matrix points = Networks.gaussian(random, 64, action.parameterCount());
        return AdjointEquivariance.at(action, points, WordDistribution.upTo(radius, 2), random)
                .residual();
    }

    /** A map that an action is changed into. */
    private abstract static class Changed implements ParameterDerivative {
        @Override
        public Generators generators() {
            return SHEARS.generators();
        }

        @Override
        public int parameterCount() {
            return 2;
        }
    }

    /** {@code a(g, theta) = g^T theta}: it has the identity and composes in the wrong order, a right action. */
    private static final class Transposed extends Changed {
        private static Matrix transposed(Matrix elements) {
            Matrix transposed = elements.copy();
            for (int row = 0; row < elements.rows(); row++) {
                transposed.set(row, 1, elements.get(row, 2));
                transposed.set(row, 2, elements.get(row, 1));
            }
            return transposed;
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            return SHEARS.apply(transposed(elements), parameters);
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            return SHEARS.apply(transposed(directions), parameters);
        }

        @Override
        public Matrix parameterDerivative(Matrix elements, Matrix parameters, Matrix velocities) {
            return apply(elements, velocities);
        }
    }

    /**
     * {@code a(g, theta) = g theta + |g - I|^2 theta}: the fields are those of {@code g theta}, with all their brackets, and
     * the finite map is another.
     */
    private static final class Stretched extends Changed {
        private static double stretch(Matrix elements, int row) {
            return Matrix.over(2, 2, elements.row(row))
                    .minus(Matrix.identity(2))
                    .frobeniusNorm();
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            Matrix moved = SHEARS.apply(elements, parameters);
            for (int row = 0; row < moved.rows(); row++) {
                double size = stretch(elements, row);
                // along one axis only: a multiple of the identity would commute with everything and pass
                moved.set(row, 0, moved.get(row, 0) + size * size * parameters.get(row, 0));
            }
            return moved;
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            return SHEARS.apply(directions, parameters); // asked for at the identity, where |g - I|^2 is flat
        }

        @Override
        public Matrix parameterDerivative(Matrix elements, Matrix parameters, Matrix velocities) {
            return apply(elements, velocities);
        }
    }

    @Test
    void exactActionsPassToRounding() {
        assertThat(residual(SHEARS, 2).max()).isLessThan(ROUNDING);
        DenseNetwork linear = Networks.random(new SplittableRandom(2), Activation.IDENTITY, true, 2, 2, 2, 1);
        assertThat(residual(HiddenBasisAction.of(linear), 1).max()).isLessThan(ROUNDING);
        DenseNetwork relu = Networks.random(new SplittableRandom(3), Activation.RELU, false, 2, 3, 1);
        assertThat(residual(RescalingAction.of(relu), 1).max()).isLessThan(ROUNDING);
    }

    @Test
    void aRightActionFails() {
        assertThat(residual(new Transposed(), 0.5).p95()).isGreaterThan(0.05);
        assertThat(residual(new Transposed(), 0.5).max()).isLessThanOrEqualTo(1);
    }

    /** Its brackets pass, so this sees what they cannot. */
    @Test
    void aMapThatHasTheFieldsAloneFails() {
        assertThat(residual(new Stretched(), 0.5).p95()).isGreaterThan(0.01);
        assertThat(residual(new Stretched(), 1e-3).max()).isLessThan(1e-5);
    }

    @Test
    void aLearnedActionHasAResidualAndAskingForItChangesNothing() {
        BoundCase learned = BoundCase.untrained();
        var tested = new JudgedAction(learned.action(), learned.target(), learned.points(), new Calibration(1, 1));
        InfinitesimalAction with = InfinitesimalAction.of(tested, true, new SplittableRandom(4));
        InfinitesimalAction without = InfinitesimalAction.of(tested, false, new SplittableRandom(4));

        AdjointEquivariance adjoint = with.adjoint().orElseThrow();
        assertThat(adjoint.samples()).isEqualTo(512);
        assertThat(adjoint.residual().p50()).isGreaterThan(1e-3);
        assertThat(adjoint.residual().max()).isLessThanOrEqualTo(1);
        assertThat(without.adjoint()).isEmpty();
        assertThat(with.brackets()).isEqualTo(without.brackets());
        assertThat(with.fields()).isEqualTo(without.fields());
    }

    @Test
    void notANumberIsNotOverlooked() {
        var points = Networks.gaussian(new SplittableRandom(5), 8, 2);
        points.set(3, 0, Double.NaN);
        assertThat(AdjointEquivariance.at(SHEARS, points, WordDistribution.upTo(0.5, 2), new SplittableRandom(6))
                        .residual()
                        .max())
                .isNaN();
    }
}
