package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;

class DrawnNetworkTest {
    /** A difference quotient of step 1e-5 is off by at most about 1e-9 here; a planted sign error is off by much more. */
    @Test
    void derivativesAgreeWithDifferences() {
        Architecture architecture = new Architecture(
                List.of(2, 3, 3, 3, 2),
                List.of(HiddenActivation.named("z^3"), HiddenActivation.LEAKY_RELU, HiddenActivation.named("tanh")),
                List.of(true, false, true, false));
        var random = new SplittableRandom(3);
        DrawnNetwork network = new DrawnNetwork(architecture, 2);
        double[] theta = draw(random, architecture.parameterCount());
        double[] inputs = draw(random, 4);
        Matrix jacobian = network.jacobian(theta, inputs);
        assertThat(jacobian.rows()).isEqualTo(4);
        double worst = 0;
        double worstWithOneSignFlipped = 0;
        for (int a = 0; a < theta.length; a++) {
            double[] up = theta.clone();
            double[] down = theta.clone();
            up[a] += 1e-5;
            down[a] -= 1e-5;
            double[] above = network.sums(up, inputs).getLast();
            double[] below = network.sums(down, inputs).getLast();
            for (int c = 0; c < 4; c++) {
                double slope = (above[c] - below[c]) / 2e-5;
                worst = Math.max(worst, Math.abs(slope - jacobian.get(c, a)));
                worstWithOneSignFlipped = Math.max(worstWithOneSignFlipped, Math.abs(slope + jacobian.get(c, a)));
            }
        }
        assertThat(worst).isLessThan(1e-7);
        assertThat(worstWithOneSignFlipped).isGreaterThan(0.1);
    }

    private static double[] draw(SplittableRandom random, int count) {
        return random.doubles(count).map(_ -> 0.7 * random.nextGaussian()).toArray();
    }
}
