package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.FieldDerivative;
import org.isoloss.action.HiddenBasisAction;
import org.isoloss.action.RescalingAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.junit.jupiter.api.Test;

class InfinitesimalActionTest {
    private static Matrix points(int columns) {
        return Networks.gaussian(new SplittableRandom(3), 24, columns);
    }

    /**
     * An action of R^r on the plane that moves y by a polynomial of x: generator i by {@code t_i x^(power i)}, or not at all
     * where the power is negative. All fields point along y, so they commute and span a line.
     */
    private record Polynomials(List<Integer> powers, Generators generators) implements FieldDerivative {
        static Polynomials of(Integer... powers) {
            List<Matrix> basis = new ArrayList<>();
            for (int i = 0; i < powers.length; i++) {
                Matrix generator = Matrix.zeros(powers.length + 1, powers.length + 1);
                generator.set(i, powers.length, 1);
                basis.add(generator);
            }
            return new Polynomials(List.of(powers), Generators.normalising(basis));
        }

        @Override
        public int parameterCount() {
            return 2;
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            return parameters.plus(derivative(elements, elements, parameters));
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            return field(directions, parameters, false);
        }

        @Override
        public Matrix fieldDerivative(Matrix directions, Matrix parameters, Matrix velocities) {
            Matrix slopes = field(directions, parameters, true);
            for (int row = 0; row < slopes.rows(); row++) {
                slopes.set(row, 1, slopes.get(row, 1) * velocities.get(row, 0));
            }
            return slopes;
        }

        private Matrix field(Matrix directions, Matrix parameters, boolean slope) {
            Matrix values = Matrix.zeros(parameters.rows(), 2);
            int size = powers.size() + 1;
            for (int row = 0; row < values.rows(); row++) {
                double x = parameters.get(row, 0);
                double sum = 0;
                for (int i = 0; i < powers.size(); i++) {
                    int power = powers.get(i);
                    double t = directions.get(row, i * size + size - 1);
                    if (power >= (slope ? 1 : 0)) {
                        sum += t * (slope ? power * Math.pow(x, power - 1) : Math.pow(x, power));
                    }
                }
                values.set(row, 1, sum);
            }
            return values;
        }
    }

    @Test
    void threeNumbersThatDiffer() {
        InfinitesimalAction action = InfinitesimalAction.at(Polynomials.of(0, 1, 2, -1, -1), points(2));

        assertThat(action.generators()).isEqualTo(5);
        assertThat(action.algebraDimension()).isEqualTo(5);
        assertThat(action.kernelDimension()).as("two generators do nothing").isEqualTo(2);
        assertThat(action.effectiveDimension())
                .as("1, x and x^2 are independent functions")
                .isEqualTo(3);
        assertThat(action.largestPointwiseRank())
                .as("and one direction at each point")
                .isEqualTo(1);
        assertThat(action.leastPointwiseRank()).isEqualTo(1);
        assertThat(action.brackets().orElseThrow().largest()).isZero();
    }

    @Test
    void theFieldsOfAnAlgebraMayDependAtEveryPoint() {
        DenseNetwork narrow = Networks.random(new SplittableRandom(4), Activation.IDENTITY, false, 1, 2, 1);
        InfinitesimalAction action = InfinitesimalAction.at(HiddenBasisAction.of(narrow), points(4));

        assertThat(action.algebraDimension()).isEqualTo(4);
        assertThat(action.kernelDimension()).isZero();
        assertThat(action.effectiveDimension()).isEqualTo(4);
        assertThat(action.largestPointwiseRank())
                .as("the stabiliser of a point is a line")
                .isEqualTo(3);
    }

    @Test
    void theRankMayFallAtSomePoints() {
        InfinitesimalAction action = InfinitesimalAction.at(
                LinearAction.of(Matrix.of(2, 2, 1, 0, 0, 0), Matrix.of(2, 2, 0, 0, 0, 1)),
                Matrix.of(3, 2, 1, 2, 0, 3, 0, 0));

        assertThat(action.largestPointwiseRank()).isEqualTo(2);
        assertThat(action.leastPointwiseRank()).isZero();
        assertThat(action.effectiveDimension()).isEqualTo(2);
    }

    /** Two shears generate sl(2): the third direction is their bracket, and it acts too. */
    @Test
    void bracketsBelongToTheAlgebra() {
        DenseNetwork network = Networks.random(new SplittableRandom(5), Activation.IDENTITY, false, 2, 2, 2);
        var shears = Generators.normalising(List.of(Matrix.of(2, 2, 0, 1, 0, 0), Matrix.of(2, 2, 0, 0, 1, 0)));
        InfinitesimalAction action = InfinitesimalAction.at(HiddenBasisAction.of(network, shears), points(8));

        assertThat(action.generators()).isEqualTo(2);
        assertThat(action.algebraDimension()).isEqualTo(3);
        assertThat(action.effectiveDimension()).isEqualTo(3);
        assertThat(action.kernelDimension()).isZero();
    }

    @Test
    void aFieldThatIsNotFiniteHasNoRank() {
        Matrix points = points(2);
        points.set(5, 0, Double.POSITIVE_INFINITY);
        InfinitesimalAction action = InfinitesimalAction.at(Polynomials.of(0, 1), points);

        assertThat(action.fields()).isEmpty();
        assertThat(action.effectiveDimension()).isZero();
    }

    @Test
    void tooFewPointsAreRefused() {
        assertThatThrownBy(() -> InfinitesimalAction.at(
                        Polynomials.of(0, 1, 2, 3, 4), points(2).rows(0, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "InfinitesimalAction: 2 points of 2 parameters cannot tell 5 fields apart; draw at least 3 points");
    }

    @Test
    void rescalingsCommuteAndActFreely() {
        DenseNetwork relu = Networks.random(new SplittableRandom(6), Activation.RELU, false, 2, 3, 1);
        InfinitesimalAction action = InfinitesimalAction.at(RescalingAction.of(relu), points(9));

        assertThat(action.kernelDimension()).isZero();
        assertThat(action.effectiveDimension()).isEqualTo(3);
        assertThat(action.leastPointwiseRank()).isEqualTo(3);
        assertThat(action.brackets().orElseThrow().holds(1e-13)).isTrue();
    }
}
