package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.isoloss.checkpoint.EditReport.EditedTensor;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointEditTest {
    /** Header order is not data order; unknown field, odd spacing, escapes; no padding, so the data is not aligned. */
    private static final String HEADER =
            "{\"b\" : {\"dtype\":\"BF16\",\"shape\":[2,2],\"data_offsets\":[4,12],\"note\":[1,{}]},"
                    + " \"__metadata__\":{\"z\":\"\\u00e9\",\"format\":\"pt\"},"
                    + "\"i\":{\"shape\":[1],\"dtype\":\"I32\",\"data_offsets\":[0,4]},"
                    + "\"n\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[12,20]}}";

    private static final String BEFORE = "01000000"; // i
    private static final String B = "803f 0040 4040 8040"; // 1 2 3 4
    private static final String AFTER = "0000807f 0000803f"; // infinity, 1

    @TempDir
    Path folder;

    private Path source;

    @BeforeEach
    void writeSource() throws IOException {
        source = SafetensorsBytes.write(folder.resolve("source.safetensors"), HEADER, BEFORE + B + AFTER);
    }

    private static byte[] edited(String b, String n) {
        String padding = " ".repeat(Math.floorMod(-HEADER.length(), 8));
        return SafetensorsBytes.of(HEADER + padding, BEFORE + b + n);
    }

    @Test
    void changesTheSelectedTensorAndNoOtherByte() throws IOException {
        Path target = folder.resolve("target.safetensors");
        EditReport report = Checkpoint.edit(source).with("b", 1, 2.5, 3, 4).saveAs(target);
        assertThat(target).hasBinaryContent(edited("803f 2040 4040 8040", AFTER));
        assertThat(report)
                .isEqualTo(new EditReport(List.of(new EditedTensor("b", ElementType.BF16, 4, 1, 1, 32, 32, 0.5, 0))));
        assertThat(source).as("the source").hasBinaryContent(SafetensorsBytes.of(HEADER, BEFORE + B + AFTER));
    }

    @Test
    void anEditOfNothingPadsTheHeaderAndKeepsTheRest() throws IOException {
        EditReport report = Checkpoint.edit(source).saveAs(source);
        assertThat(source).hasBinaryContent(edited(B, AFTER));
        assertThat(report.tensors()).isEmpty();
        assertThat(report.roundedAway()).isFalse();
        Checkpoint.edit(source).saveAs(source);
        assertThat(source).as("again").hasBinaryContent(edited(B, AFTER));
    }

    @Test
    void theSourceCanBeTheTarget() throws IOException {
        Checkpoint.edit(source).with("b", Matrix.of(2, 2, 4, 3, 2, 1)).saveAs(source);
        assertThat(source).hasBinaryContent(edited("8040 4040 0040 803f", AFTER));
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(source);
        }
    }

    @Test
    void reportsWhatRoundingLeftOfAnEdit() throws IOException {
        Path target = folder.resolve("target.safetensors");
        double small = 1 + 0x1p-12; // less than half a unit in the last place of bfloat16
        EditReport away = Checkpoint.edit(source).with("b", small, 2, 3, 4).saveAs(target);
        assertThat(away.requested()).isEqualTo(1);
        assertThat(away.changed()).isZero();
        assertThat(away.roundedAway()).isTrue();
        assertThat(target).hasBinaryContent(edited(B, AFTER));

        double unit = 0x1p-7; // of bfloat16 at 1; twice that at 2
        EditReport partly = Checkpoint.edit(source)
                .with(Map.of("b", new double[] {1 + unit, 2 - 3 * unit, small * 3, 4 + 12 * unit}))
                .saveAs(target);
        double lost = small * 3 - 3;
        double meant = Math.hypot(Math.sqrt(1 + 9 + 144) * unit, lost);
        EditedTensor found = partly.tensors().getFirst();
        assertThat(found).isEqualTo(new EditedTensor("b", ElementType.BF16, 4, 4, 3, 3, 3, found.meantNorm(), lost));
        assertThat(found.meantNorm()).isCloseTo(meant, offset(1e-15));
        assertThat(partly.roundedAway()).isFalse();
    }

    @Test
    void aWidenedFileHoldsTheSameNumbersIn32Bits() throws IOException {
        Path target = folder.resolve("target.safetensors");
        EditReport report =
                Checkpoint.edit(source).with("b", 1.1, 2, 3, 4).widened().saveAs(target);
        assertThat(report)
                .isEqualTo(Checkpoint.edit(source)
                        .with("b", 1.1, 2, 3, 4)
                        .widened()
                        .report());
        assertThat(report.tensors().getFirst().type()).isEqualTo(ElementType.F32);
        try (Checkpoint wide = Checkpoint.open(target);
                Checkpoint narrow = Checkpoint.open(source)) {
            assertThat(wide.metadata()).isEqualTo(narrow.metadata());
            assertThat(wide.tensor("b").type()).isEqualTo(ElementType.F32);
            assertThat(wide.tensor("b").shape()).isEqualTo(narrow.tensor("b").shape());
            assertThat(wide.tensor("b").toDoubles()).containsExactly((float) 1.1, 2, 3, 4);
            assertThat(wide.tensor("i").type()).isEqualTo(ElementType.I32);
            assertThat(wide.tensor("i").toDoubles()).containsExactly(1);
            assertThat(wide.tensor("n").bytes().mismatch(narrow.tensor("n").bytes()))
                    .isEqualTo(-1);
        }
        Checkpoint.edit(source).widened().saveAs(source);
        try (Checkpoint wide = Checkpoint.open(source)) {
            assertThat(wide.tensor("b").toDoubles()).containsExactly(1, 2, 3, 4);
        }
    }

    @Test
    void aReportWritesNothing() throws IOException {
        CheckpointEdit edit = Checkpoint.edit(source).with("b", 1, 2.5, 3, 4);
        assertThat(edit.report().changed()).isEqualTo(1);
        assertThat(source).hasBinaryContent(SafetensorsBytes.of(HEADER, BEFORE + B + AFTER));
        assertThatThrownBy(() -> Checkpoint.edit(source).with("b", 1, 2).report())
                .hasMessageContaining("has shape (2, 2), 4 elements, but 2 new values are given");
    }

    @Test
    void largeTensorsAreWrittenInPieces() throws IOException {
        int count = 100_000; // in more than one piece, and more changes than are first expected
        double[] values = new double[count];
        Arrays.setAll(values, i -> i);
        new SafetensorsWriter()
                .add("a", ElementType.F64, Shape.of(count), values)
                .saveTo(source);
        double[] moved = values.clone();
        for (int i = 1; i <= 999; i++) { // i ulps each: median 500
            moved[100 * i] = Double.longBitsToDouble(Double.doubleToRawLongBits(values[100 * i]) + i);
        }
        EditReport report = Checkpoint.edit(source).with("a", moved).saveAs(source);
        EditedTensor edited = report.tensors().getFirst();
        assertThat(edited)
                .isEqualTo(new EditedTensor("a", ElementType.F64, count, 999, 999, 500, 999, edited.meantNorm(), 0));
        try (Checkpoint read = Checkpoint.open(source)) {
            assertThat(read.tensor("a").toDoubles()).isEqualTo(moved);
        }
    }

    @Test
    void whatIsNotFiniteIsRefusedUnlessItIsWhatIsStored() throws IOException {
        Path target = folder.resolve("target.safetensors");
        Checkpoint.edit(source).with("n", Double.POSITIVE_INFINITY, 2).saveAs(target);
        assertThat(target).hasBinaryContent(edited(B, "0000807f 00000040"));
        Files.delete(target);

        assertThatThrownBy(
                        () -> Checkpoint.edit(source).with("n", 1, Double.NaN).saveAs(target))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("edit: new value 1 of tensor 'n' is NaN, expected a finite number");
        assertThatThrownBy(() -> Checkpoint.edit(source).with("n", 1, 1e39).saveAs(target))
                .hasMessage("edit: new value 1 of tensor 'n' is 1.0E39, beyond the range of its type F32");
        try (var files = Files.list(folder)) {
            assertThat(files).as("no debris").containsExactly(source);
        }
    }

    @Test
    void refusesWhatDoesNotFit() {
        Path target = folder.resolve("target.safetensors");
        assertThatThrownBy(() -> Checkpoint.edit(source).with("c", 1).saveAs(target))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(source + ": no tensor 'c'; it holds 3: 'b', 'i', 'n'");
        assertThatThrownBy(() -> Checkpoint.edit(source).with("i", 1).saveAs(target))
                .hasMessage(source + ": tensor 'i' has type I32; only F64, F32, F16 and BF16 are edited");
        assertThatThrownBy(() -> Checkpoint.edit(source).with("b", 1).saveAs(target))
                .hasMessage(source + ": tensor 'b' has shape (2, 2), 4 elements, but 1 new values are given");
        assertThatThrownBy(() ->
                        Checkpoint.edit(source).with("b", Matrix.zeros(4, 1)).saveAs(target))
                .hasMessage(source + ": tensor 'b' has shape (2, 2), but a matrix of shape (4, 1) is given");
        assertThatThrownBy(() -> Checkpoint.edit(source).with("b", 1).with("b", 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("edit of " + source + ": tensor 'b' is given twice");
        assertThat(target).doesNotExist();
    }
}
