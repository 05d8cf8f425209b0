package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.action.NetworkCompensatingAction;
import org.isoloss.action.RescalingAction;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples that the paper works out, in its order and its letters. */
class WorkedExamplesTest {
    private static final double ROUNDING = 1e-13;

    private static Matrix row(double... entries) {
        return Matrix.of(1, entries.length, entries);
    }

    private static Matrix flat(Matrix square) {
        return row(square.entries());
    }

    /** {@code D_theta L [v]} for one output. */
    private static double along(Closed loss, double[] theta, double[] v) {
        return loss.at(theta).times(Matrix.of(v.length, 1, v)).get(0, 0);
    }

    /** "An integrated action need not equal a prescribed map." */
    @Nested
    class IntegratedAgainstPrescribed {
        private final AdditiveMap a = AdditiveMap.PRESCRIBED;
        private final AdditiveMap integrated = AdditiveMap.INTEGRATED;

        private PathBound composition(AdditiveMap map, double s, double t, double theta) {
            return ErrorBounds.of(map, Closed.PARAMETER, Closed.PARAMETER)
                    .composition(
                            List.of(GroupPath.of(GroupWord.exp(s), map.generators())),
                            AdditiveMap.element(t),
                            row(theta))
                    .getFirst();
        }

        @Test
        void bothSatisfyTheIdentityAndHaveTheSameGenerators() {
            for (double theta : new double[] {-1.5, 0, 2}) {
                assertThat(a.at(0, theta)).isEqualTo(theta);
                assertThat(integrated.at(0, theta)).isEqualTo(theta);
                Matrix h = flat(a.generators().get(0));
                assertThat(a.field(h, row(theta)).get(0, 0)).isEqualTo(1);
                assertThat(integrated.field(h, row(theta)).get(0, 0)).isEqualTo(1);
            }
        }

        /** Numbers with few binary digits, so that no sum is rounded. */
        @ParameterizedTest
        @CsvSource({"0.5,0.25,1", "0.25,0.75,-2", "-0.5,0.25,0", "0.125,-1.5,4", "-0.25,-0.25,0.5", "0,0.5,1"})
        void twoStepsMissTheirProductByTwoSt(double s, double t, double theta) {
            assertThat(a.at(s + t, theta) - a.at(s, a.at(t, theta))).isEqualTo(2 * s * t);
            PathBound error = composition(a, s, t, theta);
            assertThat(error.measured()).isEqualTo(Math.abs(2 * s * t));
            assertThat(error.holds()).isTrue();
            assertThat(composition(integrated, s, t, theta).measured()).isZero();
        }

        /**
         * The residual at time q is 2 q. Along the two curves it is 2 (q + t) and 2 q: their difference integrates to 2 s t,
         * the sum of their sizes, for positive s and t, to 2 s t + 2 s^2.
         */
        @ParameterizedTest
        @CsvSource({"0.5,0.25", "0.25,0.75", "1,2", "0.125,0.125"})
        void theBoundsAreTheIntegralsOfTheResidual(double s, double t) {
            PathBound error = composition(a, s, t, 0);
            assertThat(error.initial()).isZero();
            assertThat(error.accumulated()).isCloseTo(2 * s * t + 2 * s * s, within(1e-12));
            assertThat(error.sharp()).isCloseTo(2 * s * t, within(1e-11));
            assertThat(error.constants().growth()).isZero();
            assertThat(error.constants().transport()).isCloseTo(2 * (s + t), within(1e-12)); // at the end of the path
            assertThat(composition(integrated, s, t, 0).bound()).isLessThan(1e-12);
        }
    }

    /** "Linear action of matrix groups": {@code a_x(g, theta) = g theta}. */
    @Nested
    class LinearActionOfMatrixGroups {
        private final SplittableRandom random = new SplittableRandom(1);

        /** Rotations keep the length. */
        private final LinearAction rotations = LinearAction.of(
                Matrix.of(3, 3, 0, -1, 0, 1, 0, 0, 0, 0, 0), Matrix.of(3, 3, 0, 0, 0, 0, 0, -1, 0, 1, 0));

        private final Closed squaredLength =
                new Closed(3, 1, x -> new double[] {x[0] * x[0] + x[1] * x[1] + x[2] * x[2]}, x ->
                        new double[] {2 * x[0], 2 * x[1], 2 * x[2]});

        /** Hyperbolic rotations keep the product, which is no length. */
        private final LinearAction squeezes = LinearAction.of(Matrix.of(2, 2, 1, 0, 0, -1));

        private final Closed product =
                new Closed(2, 1, x -> new double[] {x[0] * x[1]}, x -> new double[] {x[1], x[0]});

        private static double coordinates(Closed loss, Matrix h, double[] theta) {
            Matrix gradient = loss.at(theta);
            double sum = 0;
            for (int i = 0; i < theta.length; i++) {
                for (int j = 0; j < theta.length; j++) {
                    sum += gradient.get(0, i) * h.get(i, j) * theta[j];
                }
            }
            return sum;
        }

        @Test
        void theFieldIsHTheta() {
            double[] theta = Networks.gaussian(random, 1, 3).entries();
            Matrix h = rotations.generators().get(1);
            assertThat(rotations.field(flat(h), row(theta)).entries())
                    .containsExactly(h.times(Matrix.of(3, 1, theta)).entries());
        }

        @Test
        void theSumOverCoordinatesVanishesAndTheLossIsKept() {
            for (int draw = 0; draw < 50; draw++) {
                keeps(rotations, squaredLength);
                keeps(squeezes, product);
            }
        }

        private void keeps(LinearAction action, Closed loss) {
            double[] theta = Networks.gaussian(random, 1, loss.parameterCount()).entries();
            Generators generators = action.generators();
            Matrix g = Matrix.identity(generators.size());
            for (int i = 0; i < generators.count(); i++) {
                assertThat(coordinates(loss, generators.get(i), theta)).isCloseTo(0, within(ROUNDING));
                g = MatrixExponential.of(generators.get(i).scaled(random.nextGaussian()))
                        .times(g);
            }
            double before = loss.outputs(row(theta)).get(0, 0);
            double after = loss.outputs(action.apply(flat(g), row(theta))).get(0, 0);
            assertThat(after).isCloseTo(before, within(1e-12 * Math.max(1, g.frobeniusNorm() * g.frobeniusNorm())));
            assertThat(loss.derivativeError(theta)).isLessThan(1e-8);
        }

        /** The criterion is one about the generator: a shear changes the length and has a sum that does not vanish. */
        @Test
        void aShearKeepsNeither() {
            Matrix shear = Matrix.of(2, 2, 0, 1, 0, 0);
            assertThat(coordinates(product, shear, new double[] {1, 2})).isEqualTo(4);
            LinearAction action = LinearAction.of(shear);
            GroupPath path = GroupPath.of(GroupWord.exp(0.5), action.generators());
            PathBound change = ErrorBounds.of(action, product, product)
                    .outputChange(List.of(path), row(1, 2))
                    .getFirst();
            assertThat(change.measured()).isCloseTo(2, within(ROUNDING));
            assertThat(change.sharp()).isCloseTo(2, within(1e-11));
        }
    }

    /** "Homogeneous two-layer neural network": {@code L = w_2 sigma(w_1 x)} with {@code sigma(a z) = a^c sigma(z)}. */
    @Nested
    class HomogeneousTwoLayerNetwork {
        private static final double X = 1.7;

        private static double sigma(double c, double z) {
            return z > 0 ? Math.pow(z, c) : 0.5 * Math.pow(-z, c);
        }

        private static double slope(double c, double z) {
            return z > 0 ? c * Math.pow(z, c - 1) : -0.5 * c * Math.pow(-z, c - 1);
        }

        private static Closed loss(double c) {
            return new Closed(2, 1, w -> new double[] {w[1] * sigma(c, w[0] * X)}, w ->
                    new double[] {w[1] * slope(c, w[0] * X) * X, sigma(c, w[0] * X)});
        }

        private static RescalingAction action(double c) {
            ParameterLayout layout = new DenseNetwork(
                            Activation.RELU,
                            List.of(DenseLayer.of(Matrix.identity(1)), DenseLayer.of(Matrix.identity(1))))
                    .layout();
            return RescalingAction.ofDegree(
                    c, layout, Support.all(layout), List.of(new RescalingAction.HiddenUnit(0, 0)));
        }

        @ParameterizedTest
        @ValueSource(doubles = {0.25, 0.5, 1, 1.5, 2, 3, 7})
        void rescalingOneWeightIsCompensatedByTheNext(double c) {
            RescalingAction a = action(c);
            Closed loss = loss(c);
            var random = new SplittableRandom(2);
            for (int draw = 0; draw < 50; draw++) {
                double alpha = Math.exp(random.nextDouble(-1, 1));
                double[] w = {(random.nextBoolean() ? 1 : -1) * random.nextDouble(0.2, 2), random.nextGaussian()};
                double[] moved = a.apply(row(alpha), row(w)).entries();
                assertThat(moved[0]).isCloseTo(alpha * w[0], within(ROUNDING));
                assertThat(moved[1]).isCloseTo(Math.pow(alpha, -c) * w[1], within(1e-10));
                double before = loss.outputs(row(w)).get(0, 0);
                assertThat(loss.outputs(row(moved)).get(0, 0))
                        .isCloseTo(before, within(1e-12 * (1 + Math.abs(before))));
                double[] v = a.field(row(1), row(w)).entries();
                assertThat(v[0]).isCloseTo(w[0], within(ROUNDING));
                assertThat(v[1]).isCloseTo(-c * w[1], within(ROUNDING));
                assertThat(along(loss, w, v)).isCloseTo(0, within(1e-11 * (1 + Math.abs(before))));
            }
        }

        /** With the exponent of another activation the loss changes, as its derivative says. */
        @Test
        void aWrongExponentIsSeen() {
            double[] w = {0.8, 1.1};
            double[] v = action(1).field(row(1), row(w)).entries();
            double loss = loss(2).outputs(row(w)).get(0, 0);
            assertThat(along(loss(2), w, v)).isCloseTo(loss, within(1e-12));
            GroupPath path = GroupPath.of(GroupWord.exp(0.5), action(1).generators());
            PathBound change = ErrorBounds.of(action(1), loss(2), loss(2))
                    .outputChange(List.of(path), row(w))
                    .getFirst();
            assertThat(change.measured()).isCloseTo(loss * Math.expm1(0.5), within(1e-12));
            assertThat(change.sharp()).isCloseTo(loss * Math.expm1(0.5), within(1e-6));
            assertThat(change.holds()).isTrue();
        }
    }

    /** "Two sigmoid units": the second changes its incoming weight, and the first cancels its output change. */
    @Nested
    class TwoSigmoidUnits {
        private static final double X = 0.9;
        private final double u1 = 0.7;
        private final double u2 = -1.2;
        private final double v1 = 0.4;
        private final double v2 = 1.1;
        private final DenseNetwork network = new DenseNetwork(
                Activation.SIGMOID, List.of(DenseLayer.of(Matrix.of(2, 1, v1, v2)), DenseLayer.of(row(u1, u2))));

        private static double sigmoid(double z) {
            return 1 / (1 + Math.exp(-z));
        }

        private GroupAction action() {
            Support second = Support.units(network.layout(), 0, 1);
            // the coordinate of v_2 alone: P is 0
            return NetworkCompensatingAction.along(network, 0, row(X), new int[] {0}, second, row(1, 0));
        }

        @ParameterizedTest
        @ValueSource(doubles = {-40, -2, -0.3, 0, 0.5, 3, 40})
        void anyQGivesAnExactTransformation(double q) {
            double[] moved =
                    action().apply(row(1, q, 0, 1), row(v1, v2, u1, u2)).entries();
            double compensated = u1 + u2 * (sigmoid(v2 * X) - sigmoid((v2 + q) * X)) / sigmoid(v1 * X);

            assertThat(moved).containsExactly(new double[] {v1, v2 + q, compensated, u2}, within(1e-14));
            assertThat(moved[2] * sigmoid(moved[0] * X) + moved[3] * sigmoid(moved[1] * X))
                    .isCloseTo(u1 * sigmoid(v1 * X) + u2 * sigmoid(v2 * X), within(1e-14));
        }

        @Test
        void theTransformationsComposeByAddition() {
            Matrix theta = row(v1, v2, u1, u2);
            Matrix twoSteps = action().apply(row(1, 0.5, 0, 1), action().apply(row(1, -1.25, 0, 1), theta));
            Matrix oneStep = action().apply(row(1, -0.75, 0, 1), theta);
            assertThat(twoSteps.minus(oneStep).largestMagnitude()).isLessThan(1e-14);
            assertThat(action().apply(row(1, 0.5, 0, 1), theta).minus(theta).largestMagnitude())
                    .as("the action is free")
                    .isGreaterThan(0.1);
        }

        @Test
        void onAnotherInputTheOutputChanges() {
            double[] moved =
                    action().apply(row(1, 1, 0, 1), row(v1, v2, u1, u2)).entries();
            double other = -1.5;
            double before = u1 * sigmoid(v1 * other) + u2 * sigmoid(v2 * other);
            double after = moved[2] * sigmoid(moved[0] * other) + moved[3] * sigmoid(moved[1] * other);
            assertThat(Math.abs(after - before)).isGreaterThan(0.01);
        }
    }
}
