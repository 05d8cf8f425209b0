package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.NetworkTarget;
import org.isoloss.network.Networks;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Test;

class OutputJacobianTest {
    /** The recorded target gives output by output what the network's own Jacobian gives input by input. */
    @Test
    void isTheNetworksJacobianWithItsRowsInAnotherOrder() {
        var random = new SplittableRandom(1);
        DenseNetwork network = Networks.random(random, Activation.TANH, true, 3, 4, 2);
        NetworkTarget target =
                NetworkTarget.outputs(network, Support.all(network.layout()), Networks.gaussian(random, 5, 3));
        OutputJacobian jacobian = OutputJacobian.of(target);
        for (int draw = 0; draw < 3; draw++) {
            double[] point =
                    Networks.gaussian(random, 1, target.parameterCount()).entries();
            Matrix expected = target.jacobian(point);
            Matrix actual = jacobian.at(point);
            for (int input = 0; input < 5; input++) {
                for (int output = 0; output < 2; output++) {
                    Matrix one = expected.rows(input * 2 + output, input * 2 + output + 1);
                    Matrix other = actual.rows(output * 5 + input, output * 5 + input + 1);
                    assertThat(one.minus(other).largestMagnitude()).isLessThan(1e-13);
                }
            }
            assertThat(Svd.valuesOf(actual)[0]).isGreaterThan(0.1);
        }
    }
}
