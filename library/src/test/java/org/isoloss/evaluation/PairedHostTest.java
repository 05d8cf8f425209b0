package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.RescalingAction;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.PointSampler;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Test;

class PairedHostTest {
    private static final DenseNetwork HOST = host();
    private static final Support UNIT = Support.units(HOST.layout(), 0, 0);
    private static final RescalingAction EXACT =
            RescalingAction.of(HOST, UNIT, List.of(new RescalingAction.HiddenUnit(0, 0)));
    private static final PointSampler POINTS = new GaussianPoints(HOST.parameters(), 0.2, 0);

    private static DenseNetwork host() {
        SplittableRandom random = new SplittableRandom(1);
        return new DenseNetwork(
                Activation.RELU,
                List.of(
                        DenseLayer.of(gaussian(8, 2, random)),
                        DenseLayer.of(gaussian(8, 8, random)),
                        DenseLayer.of(gaussian(1, 8, random))));
    }

    private static Matrix gaussian(int rows, int columns, SplittableRandom random) {
        Matrix matrix = Matrix.zeros(rows, columns);
        Arrays.setAll(matrix.entries(), i -> random.nextGaussian());
        return matrix;
    }

    private static ModelTarget target() {
        return DenseTarget.outputs(HOST, Support.all(HOST.layout()), gaussian(16, 2, new SplittableRandom(2)));
    }

    /** The exact rescaling of one unit, on the part and lifted to the whole, is the same action: both errors are rounding. */
    @Test
    void anExactActionOnThePartKeepsTheHost() {
        RescalingAction whole =
                RescalingAction.of(HOST, Support.all(HOST.layout()), List.of(new RescalingAction.HiddenUnit(0, 0)));
        List<PairedHost> pairs = PairedHost.of(EXACT, UNIT, whole, target(), POINTS, new SplittableRandom(3));
        assertThat(pairs).extracting(PairedHost::radius).isEqualTo(PairedHost.RADII);
        for (PairedHost pair : pairs) {
            assertThat(pair.localMotion()).isPositive().isEqualTo(pair.fullMotion());
            assertThat(pair.localOutput()).isLessThan(1e-13).isEqualTo(pair.fullOutput());
            assertThat(pair.ratio()).isEqualTo(1);
        }
    }

    /** An action of another unit's rescaling on this unit's weights would break the host; here the part is misplaced. */
    @Test
    void aMisplacedPartIsSeenInTheOutputs() {
        RescalingAction whole =
                RescalingAction.of(HOST, Support.all(HOST.layout()), List.of(new RescalingAction.HiddenUnit(0, 0)));
        Support wrong = Support.rows(HOST.layout(), "2.weight", 0).and(Support.rows(HOST.layout(), "0.weight", 3));
        List<PairedHost> pairs = PairedHost.of(EXACT, wrong, whole, target(), POINTS, new SplittableRandom(3));
        assertThat(pairs.getLast().localOutput()).isGreaterThan(1e-3);
    }

    @Test
    void sizesThatDoNotFitAreRefused() {
        assertThatThrownBy(() -> PairedHost.of(EXACT, UNIT, EXACT, target(), POINTS, new SplittableRandom(3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "PairedHost: the local action moves 10 parameters and its part has 10 of 88, the full action moves 10, the host has 88 and the points have 88");
    }
}
