package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.checkpoint.EditReport.EditedTensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where an edit begins to count as undone by rounding, in units in the last place of each type. */
class EditReportTest {
    /** One unit in the last place of numbers from 1 to 2. */
    private static double unit(ElementType type) {
        return switch (type) {
            case F64 -> 0x1p-52;
            case F32 -> 0x1p-23;
            case F16 -> 0x1p-10;
            default -> 0x1p-7;
        };
    }

    /** Weights of 1 that are meant to move by so many units. */
    private static EditedTensor tensor(String name, ElementType type, double... units) {
        double[] values = Arrays.stream(units).map(by -> 1 + by * unit(type)).toArray();
        return EditedTensor.of(stored(name, type, units.length), values, type);
    }

    private static StoredTensor stored(String name, ElementType type, int count) {
        var one = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            byte[] code = switch (type) {
                case F64 -> new byte[] {0, 0, 0, 0, 0, 0, (byte) 0xF0, 0x3F};
                case F32 -> new byte[] {0, 0, (byte) 0x80, 0x3F};
                case F16 -> new byte[] {0, 0x3C};
                default -> new byte[] {(byte) 0x80, 0x3F};
            };
            one.writeBytes(code);
        }
        return new StoredTensor(Path.of("x"), name, type, Shape.of(count), MemorySegment.ofArray(one.toByteArray()));
    }

    private static boolean isUndone(EditedTensor... tensors) {
        EditReport report = new EditReport(List.of(tensors));
        assertThat(report.undone().isPresent()).isEqualTo(report.roundedAway());
        return report.roundedAway();
    }

    private static double[] of(int count, double by) {
        double[] units = new double[count];
        Arrays.fill(units, by);
        return units;
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F16", "BF16"})
    void aSingleWeightHasToMoveByTwoThirdsOfAUnit(ElementType type) {
        String name = "layer.weight";
        assertThat(isUndone(tensor(name, type, 0.49))).isTrue();
        assertThat(isUndone(tensor(name, type, 0.5))).as("half a unit, to even").isTrue();
        assertThat(isUndone(tensor(name, type, 0.66))).isTrue();
        assertThat(isUndone(tensor(name, type, 0.67))).isFalse();
        assertThat(isUndone(tensor(name, type, 1))).isFalse();
        assertThat(isUndone(tensor(name, type, 1.4))).isFalse();
        assertThat(isUndone(tensor(name, type, 100.5))).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F16", "BF16"})
    void oneOf1024WeightsThatChangedIsNotTheEdit(ElementType type) {
        double[] units = of(1024, 0.3);
        units[7] = 0.6;
        EditReport report = new EditReport(List.of(tensor("mlp.weight", type, units)));
        assertThat(report.changed()).isEqualTo(1);
        assertThat(report.requested()).isEqualTo(1024);
        assertThat(report.undone())
                .hasValue("rounding to %s undoes 100 %% of the change of 'mlp.weight' (changed 1 of 1024 weights meant)"
                        .formatted(type));
    }

    /** 1, 0.4 and 0.4 units: lost 0.566 of 1.149; with one more 0.4 0.693 of 1.217, which is 57 %. */
    @Test
    void theShareIsOneOfNorms() {
        assertThat(isUndone(tensor("w", ElementType.BF16, 1, 0.4, 0.4))).isFalse();
        assertThat(isUndone(tensor("w", ElementType.BF16, 1, 0.4, 0.4, 0.4))).isTrue();
        assertThat(new EditReport(List.of(tensor("w", ElementType.BF16, 1, 0.4, 0.4, 0.4))).undone())
                .hasValue("rounding to BF16 undoes 57 % of the change of 'w' (changed 1 of 4 weights meant)");
    }

    /** Twice the root mean square of a rounding error, 1/sqrt(12) = 0.289 of a unit; 5 % on either side of it. */
    @ParameterizedTest
    @EnumSource(names = {"F32", "F16", "BF16"})
    void manyWeightsHaveToMoveBy58HundredthsOfAUnitOnAverage(ElementType type) {
        SplittableRandom random = new SplittableRandom(5);
        double[] normal =
                random.doubles(20_000).map(u -> 2 * Math.sqrt(3) * (u - 0.5)).toArray();
        for (double size : new double[] {0.3, 0.5, 1, 3}) {
            double[] units = Arrays.stream(normal).map(x -> Math.abs(x) * size).toArray();
            double lost = Math.sqrt(Arrays.stream(units)
                    .map(x -> x - Math.rint(x))
                    .map(x -> x * x)
                    .sum());
            double meant = Math.sqrt(Arrays.stream(units).map(x -> x * x).sum());
            assertThat(isUndone(tensor("w", type, units))).as("%s", size).isEqualTo(lost > meant / 2);
        }
    }

    @Test
    void aLayerIsItsWeightAndItsBias() {
        EditedTensor weight = tensor("up.weight", ElementType.F16, of(64, 5));
        assertThat(isUndone(weight, tensor("up.bias", ElementType.F16, 0.3)))
                .as("a bias that hardly moves beside its weights")
                .isFalse();
        assertThat(isUndone(weight, tensor("down.weight", ElementType.F16, of(64, 0.3))))
                .as("the compensation is lost")
                .isTrue();
        assertThat(isUndone(weight, tensor("down.weight", ElementType.F16, of(64, 0.004))))
                .as("less than a thousandth of the edit")
                .isFalse();
        assertThat(isUndone(tensor("down.weight", ElementType.F16, of(64, 0.004))))
                .isTrue();
    }

    @Test
    void nothingMeantIsNothingUndone() {
        assertThat(isUndone()).isFalse();
        assertThat(isUndone(tensor("w", ElementType.F16, 0, 0))).isFalse();
    }

    @Test
    void widerTypesHelpNarrowTensorsThatWereMeantToChange() {
        assertThat(new EditReport(List.of(tensor("w", ElementType.F16, 0.1))).isNarrow())
                .isTrue();
        assertThat(new EditReport(List.of(tensor("w", ElementType.F16, 0))).isNarrow())
                .isFalse();
        assertThat(new EditReport(List.of(tensor("w", ElementType.F32, 0.1))).isNarrow())
                .isFalse();
    }
}
