package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NetworkJacobianTest {
    @ParameterizedTest
    @EnumSource(Activation.class)
    void agreesWithTheDenseNetwork(Activation activation) {
        var random = new SplittableRandom(7);
        List<Integer> widths = List.of(3, 4, 2, 3);
        Architecture architecture = Architecture.of(HiddenActivation.named(activation.label()), true, 3, 4, 2, 3);
        List<DenseLayer> layers = new ArrayList<>();
        for (int layer = 0; layer < 3; layer++) {
            int out = widths.get(layer + 1);
            layers.add(DenseLayer.of(Matrix.zeros(out, widths.get(layer)), new double[out]));
        }
        DenseNetwork dense = new DenseNetwork(activation, layers);
        double[] theta = draw(random, architecture.parameterCount());
        double[] input = draw(random, 3);
        Matrix expected = DenseTarget.outputs(dense, Support.all(dense.layout()), Matrix.of(1, 3, input))
                .jacobian(theta);
        Matrix actual = Matrix.zeros(3, theta.length);
        NetworkJacobian network = new NetworkJacobian(architecture);
        network.fill(theta, input, actual, 0);
        assertThat(actual.minus(expected).largestMagnitude()).isLessThan(1e-14);
        assertThat(network.outputs(theta, input)[2])
                .isCloseTo(dense.outputs(theta, Matrix.of(1, 3, input)).get(0, 2), offset(1e-14));
    }

    /** A difference quotient of step 1e-5 is off by at most about 1e-9 here; a planted sign error is off by much more. */
    @Test
    void mixedLayersAgreeWithDifferences() {
        Architecture architecture = new Architecture(
                List.of(2, 3, 3, 3, 2),
                List.of(HiddenActivation.named("z^3"), HiddenActivation.LEAKY_RELU, HiddenActivation.named("tanh")),
                List.of(true, false, true, false));
        var random = new SplittableRandom(3);
        double[] theta = draw(random, architecture.parameterCount());
        double[] input = draw(random, 2);
        NetworkJacobian network = new NetworkJacobian(architecture);
        Matrix jacobian = Matrix.zeros(4, theta.length);
        network.fill(theta, input, jacobian, 2);
        double worst = 0;
        double worstWithOneSignFlipped = 0;
        for (int a = 0; a < theta.length; a++) {
            double[] up = theta.clone();
            double[] down = theta.clone();
            up[a] += 1e-5;
            down[a] -= 1e-5;
            for (int c = 0; c < 2; c++) {
                double slope = (network.outputs(up, input)[c] - network.outputs(down, input)[c]) / 2e-5;
                worst = Math.max(worst, Math.abs(slope - jacobian.get(2 + c, a)));
                worstWithOneSignFlipped = Math.max(worstWithOneSignFlipped, Math.abs(slope + jacobian.get(2 + c, a)));
            }
        }
        assertThat(worst).isLessThan(1e-7);
        assertThat(worstWithOneSignFlipped).isGreaterThan(0.1);
    }

    private static double[] draw(SplittableRandom random, int count) {
        double[] draws = new double[count];
        for (int i = 0; i < count; i++) {
            draws[i] = 0.7 * random.nextGaussian();
        }
        return draws;
    }
}
