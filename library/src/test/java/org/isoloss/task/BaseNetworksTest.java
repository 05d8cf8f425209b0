package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.DenseNetwork;
import org.isoloss.task.NetworkSource.Start;
import org.junit.jupiter.api.Test;

class BaseNetworksTest {
    private static DenseNetwork make(Start start, List<Integer> widths, boolean biases, SplittableRandom random) {
        return BaseNetworks.make(
                new NetworkSource(null, null, null, null, null, widths, "tanh", biases, start), widths, random);
    }

    /** The teacher and the first student come from the two first splits of the stream, the inputs from the third. */
    @Test
    void aStudentComesNearItsTeacher() {
        List<Integer> widths = List.of(2, 4, 1);
        SplittableRandom random = new SplittableRandom(3);
        DenseNetwork teacher = make(Start.RANDOM, widths, false, random.split());
        DenseNetwork untrained = make(Start.RANDOM, widths, false, random.split());
        DenseNetwork student = make(Start.STUDENT, widths, false, new SplittableRandom(3));
        Matrix inputs = Matrix.gaussian(512, 2, new SplittableRandom(8)); // not those of the training

        assertThat(error(student, teacher, inputs)).isLessThan(0.1 * error(untrained, teacher, inputs));
    }

    private static double error(DenseNetwork network, DenseNetwork teacher, Matrix inputs) {
        double norm = network.outputs(network.parameters(), inputs)
                .minus(teacher.outputs(teacher.parameters(), inputs))
                .frobeniusNorm();
        return norm * norm / inputs.rows();
    }

    @Test
    void weightsHaveVarianceOneOverInputs() {
        DenseNetwork network = make(Start.RANDOM, List.of(100, 100), true, new SplittableRandom(1));
        Matrix weight = network.layers().getFirst().weight();

        // 10,000 normal numbers: the relative deviation of their sum of squares is 0.014
        assertThat(weight.frobeniusNorm() * weight.frobeniusNorm()).isBetween(95.0, 105.0);
        assertThat(network.layers().getFirst().bias()).isPresent();
    }

    @Test
    void identityNeedsEqualWidths() {
        assertThatThrownBy(() -> make(Start.IDENTITY, List.of(2, 3), false, new SplittableRandom(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("network: start 'identity' needs equal widths, got [2, 3]");
        assertThat(make(Start.IDENTITY, List.of(2, 2), true, new SplittableRandom(1))
                        .parameters())
                .containsExactly(1, 0, 0, 1, 0, 0);
    }
}
