package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.junit.jupiter.api.Test;

class DenseTrainingTest {
    private final SplittableRandom random = new SplittableRandom(3);
    private final Matrix inputs = Matrix.gaussian(20, 3, random);
    private final DenseNetwork start = network();
    private final DenseNetwork teacher = network();
    private final Matrix wanted = teacher.outputs(teacher.parameters(), inputs);

    private DenseNetwork network() {
        return new DenseNetwork(
                Activation.TANH,
                List.of(
                        DenseLayer.of(Matrix.gaussian(4, 3, random), new double[4]),
                        DenseLayer.of(Matrix.gaussian(2, 4, random), new double[2])));
    }

    /** By another route: the mean over inputs of the squared distance. */
    @Test
    void lossIsTheMeanSquaredDistance() {
        Matrix error = start.outputs(start.parameters(), inputs).minus(wanted);
        double sum = error.frobeniusNorm() * error.frobeniusNorm();
        assertThat(new DenseTraining(start, inputs, wanted).loss())
                .isCloseTo(sum / 20, within(1e-12 * sum)); // sums of 40 squares
        assertThat(new DenseTraining(teacher, inputs, wanted).loss()).isLessThan(1e-25); // squares of rounding
    }

    @Test
    void trainingLearnsAndTakesNoStepTwice() {
        DenseTraining whole = new DenseTraining(start, inputs, wanted);
        double before = whole.loss();
        whole.runTo(300, 1e-2);
        assertThat(whole.loss()).isLessThan(0.1 * before);
        DenseTraining halves = new DenseTraining(start, inputs, wanted);
        halves.runTo(100, 1e-2);
        assertThat(halves.network().parameters()).isNotEqualTo(whole.network().parameters());
        halves.loss();
        halves.runTo(300, 1e-2);
        halves.runTo(200, 1e-2);
        assertThat(halves.network().parameters()).isEqualTo(whole.network().parameters());
    }
}
