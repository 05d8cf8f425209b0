package org.isoloss.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.checkpoint.OnnxBytes;
import org.isoloss.checkpoint.OnnxFile;
import org.isoloss.checkpoint.OnnxUntying;
import org.isoloss.model.Model;
import org.isoloss.symmetry.GraphSymmetries;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table that is looked up, and transposed as the head: two tensors afterwards, the same function, and more symmetries. */
class OnnxUntyingTest {
    private static final int TOKENS = 7;
    private static final int WIDTH = 4;

    @TempDir
    private Path folder;

    private static float[] numbers(int count, long seed) {
        var random = new SplittableRandom(seed);
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
    }

    private Path written(String head) throws IOException {
        byte[] bytes = new OnnxBytes()
                .opset(13)
                .input("ids", 3)
                .weights("table", numbers(TOKENS * WIDTH, 1), TOKENS, WIDTH)
                .weights("table.untied", numbers(TOKENS * WIDTH, 2), TOKENS, WIDTH)
                .node("Gather", "look up", List.of("table", "ids"), "stream")
                .node("Transpose", "turn", List.of(head), "head")
                .node("MatMul", "read", List.of("stream", "head"), "logits")
                .output("logits")
                .bytes();
        return Files.write(folder.resolve(head + ".onnx"), bytes);
    }

    private static double[] logits(Model model) {
        return model.computed(List.of(model.output("logits")), List.of(Map.of("ids", new double[] {5, 0, 3})))
                .getFirst();
    }

    @Test
    void aTiedHeadGetsATensorOfItsOwn() throws IOException {
        Path source = written("table");
        Path target = folder.resolve("apart.onnx");
        assertThat(OnnxUntying.write(source, target)).isEqualTo(Map.of("table", "table.untied_"));
        try (OnnxFile before = OnnxFile.open(source);
                OnnxFile after = OnnxFile.open(target)) {
            assertThat(after.names()).containsExactly("table", "table.untied_", "table.untied");
            assertThat(after.tensor("table.untied_").toDoubles())
                    .isEqualTo(before.tensor("table").toDoubles())
                    .isEqualTo(after.tensor("table").toDoubles());
            assertThat(after.metadata()).isEqualTo(before.metadata());
            assertThat(after.opsets()).isEqualTo(before.opsets());
            assertThat(after.graph().nodes().get(0).inputs()).containsExactly("table", "ids");
            assertThat(after.graph().nodes().get(1).inputs()).containsExactly("table.untied_");
        }
        try (OnnxModel tied = OnnxModel.open(source, Bindings.NONE);
                OnnxModel apart = OnnxModel.open(target, Bindings.NONE)) {
            assertThat(logits(apart.model())).isEqualTo(logits(tied.model()));
            assertThat(GraphSymmetries.of(tied.model(), 1, _ -> {}).rank()).isEqualTo(WIDTH * (WIDTH - 1) / 2);
            assertThat(GraphSymmetries.of(apart.model(), 1, _ -> {}).rank()).isEqualTo(WIDTH * WIDTH);
        }
    }

    @Test
    void whatIsNotTiedIsRefused() throws IOException {
        Path apart = written("table.untied");
        assertThatThrownBy(() -> OnnxUntying.write(apart, folder.resolve("no.onnx")))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageContaining("has no table that is looked up and read elsewhere too; leave out --untie");
        assertThat(folder.resolve("no.onnx")).doesNotExist();
    }
}
