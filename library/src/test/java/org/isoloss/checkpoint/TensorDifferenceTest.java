package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TensorDifferenceTest {
    @TempDir
    Path folder;

    private List<TensorDifference> between(SafetensorsWriter first, SafetensorsWriter second) throws IOException {
        Path left = folder.resolve("a.safetensors");
        Path right = folder.resolve("b.safetensors");
        first.saveTo(left);
        second.saveTo(right);
        try (Checkpoint a = Checkpoint.open(left);
                Checkpoint b = Checkpoint.open(right)) {
            return TensorDifference.between(a, b);
        }
    }

    private static SafetensorsWriter with(String name, float... values) {
        return new SafetensorsWriter().add(name, Shape.of(values.length), values);
    }

    @Test
    void differencesAreCountedInUnitsInTheLastPlace() throws IOException {
        float one = 1;
        TensorDifference difference = between(with("w", one, 2, -4, 0f), with("w", Math.nextUp(one), 2, -4.5f, -0f))
                .getFirst();
        assertThat(difference.isSame()).isFalse();
        // 4.5 - 4 in units of 2^-21, the spacing between 4 and 8
        assertThat(difference.numbers()).isEqualTo(new TensorDifference.Numbers(4, 2, 0.5, 0.125, 1L, 1L << 20));
        assertThat(difference.first()).isEqualTo("F32 (4)");
    }

    @Test
    void equalTensorsAreTheSame() throws IOException {
        TensorDifference difference = between(with("w", 1, 2), with("w", 1, 2)).getFirst();
        assertThat(difference.isSame()).isTrue();
        assertThat(difference.numbers()).isEqualTo(new TensorDifference.Numbers(2, 0, 0, 0, 0L, 0L));
    }

    @Test
    void namesOfEitherFileAreListed() throws IOException {
        List<TensorDifference> differences = between(
                with("a", 1).add("b", Shape.of(1), new float[] {1}),
                with("b", 1).add("c", Shape.of(1), new float[] {1}));
        assertThat(differences)
                .extracting(TensorDifference::name, TensorDifference::first, TensorDifference::second)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("a", "F32 (1)", null),
                        org.assertj.core.groups.Tuple.tuple("b", "F32 (1)", "F32 (1)"),
                        org.assertj.core.groups.Tuple.tuple("c", null, "F32 (1)"));
        assertThat(differences.getFirst().isSame()).isFalse();
        assertThat(differences.getLast().numbers()).isNull();
    }

    @Test
    void otherShapesAreNotComparedAndOtherTypesByValue() throws IOException {
        assertThat(between(with("w", 1, 2), with("w", 1)).getFirst().numbers()).isNull();
        SafetensorsWriter half = new SafetensorsWriter().add("w", ElementType.F16, Shape.of(2), new double[] {1, 3});
        assertThat(between(with("w", 1, 2), half).getFirst().numbers())
                .isEqualTo(new TensorDifference.Numbers(2, 1, 1, 0.5, null, null));
    }

    @Test
    void aNumberThatIsNoneIsAnInfiniteDifference() throws IOException {
        assertThat(between(with("w", 1, Float.NaN), with("w", Float.NaN, Float.NaN))
                        .getFirst()
                        .numbers())
                .isEqualTo(new TensorDifference.Numbers(
                        2, 1, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Long.MAX_VALUE, Long.MAX_VALUE));
    }

    @Test
    void archivesOfNumpyAreCompared() throws IOException {
        Path left = folder.resolve("a.npz");
        Path right = folder.resolve("b.safetensors");
        new NpzWriter().add("w", Matrix.of(1, 2, 1, 2)).saveTo(left);
        new SafetensorsWriter()
                .add("w", ElementType.F64, Shape.of(1, 2), new double[] {1, 2})
                .saveTo(right);
        try (Checkpoint a = Checkpoint.open(left);
                Checkpoint b = Checkpoint.open(right)) {
            assertThat(TensorDifference.between(a, b).getFirst().isSame()).isTrue();
        }
    }
}
