package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class FloatFormatTest {
    private static final int CODES_OF_16_BITS = 1 << 16;

    @ParameterizedTest
    @EnumSource(names = {"BINARY16", "BFLOAT16"})
    void everyCodeOf16BitsSurvivesTheRoundTrip(FloatFormat format) {
        for (int code = 0; code < CODES_OF_16_BITS; code++) {
            assertThat(format.encode(format.decode(code))).isEqualTo(code);
        }
    }

    @Test
    void theProcessorsConversionQuietsSignallingNans() {
        int changed = 0;
        for (int code = 0; code < CODES_OF_16_BITS; code++) {
            changed += Float.floatToFloat16(Float.float16ToFloat((short) code)) == (short) code ? 0 : 1;
        }
        assertThat(changed).as("so the test above would catch it").isPositive();
    }

    @Test
    void binary16AgreesWithTheJdkWhereThatIsExact() {
        for (int code = 0; code < CODES_OF_16_BITS; code++) {
            float expected = Float.float16ToFloat((short) code);
            double value = Double.longBitsToDouble(FloatFormat.BINARY16.decode(code));
            if (Float.isNaN(expected)) {
                assertThat(value).isNaN();
            } else {
                assertThat(Double.doubleToRawLongBits(value)).isEqualTo(Double.doubleToRawLongBits(expected));
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void binary32AgreesWithTheJdkAndKeepsEveryNan(long seed) {
        var random = new SplittableRandom(seed);
        for (int i = 0; i < 100_000; i++) {
            int code = random.nextInt();
            long decoded = FloatFormat.BINARY32.decode(Integer.toUnsignedLong(code));
            assertThat((int) FloatFormat.BINARY32.encode(decoded)).isEqualTo(code);
            float value = Float.intBitsToFloat(code);
            if (!Float.isNaN(value)) {
                assertThat(decoded).isEqualTo(Double.doubleToRawLongBits(value));
            }
            double wide = Double.longBitsToDouble(random.nextLong());
            if (!Double.isNaN(wide)) {
                assertThat((int) FloatFormat.BINARY32.encode(Double.doubleToRawLongBits(wide)))
                        .isEqualTo(Float.floatToRawIntBits((float) wide));
            }
        }
    }

    static Stream<String> golden() throws IOException {
        return Files.readAllLines(Resources.path("float-codes.csv")).stream().skip(1);
    }

    @ParameterizedTest
    @MethodSource("golden")
    void roundsToNearestTiesToEven(String row) {
        String[] hex = row.split(",", -1);
        long bits = HexFormat.fromHexDigitsToLong(hex[0]);
        assertThat(FloatFormat.BINARY32.encode(bits)).isEqualTo(HexFormat.fromHexDigitsToLong(hex[1]));
        assertThat(FloatFormat.BINARY16.encode(bits)).isEqualTo(HexFormat.fromHexDigitsToLong(hex[2]));
        assertThat(FloatFormat.BFLOAT16.encode(bits)).isEqualTo(HexFormat.fromHexDigitsToLong(hex[3]));
        assertThat(FloatFormat.BINARY64.encode(bits)).isEqualTo(bits);
    }

    @Test
    void roundsOnceWhereTheWayThroughFloat32RoundsTwice() {
        double value = 1 + 0x1p-11 + 0x1p-40; // just above the middle of 1 and its successor in binary16
        assertThat(ElementType.F16.nearest(value)).isEqualTo(1 + 0x1p-10);
        assertThat(Float.float16ToFloat(Float.floatToFloat16((float) value))).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"F16", "BF16"})
    void specialValuesAreReadBitByBit(String type) throws IOException {
        String name = "special-" + type.toLowerCase(java.util.Locale.ROOT) + ".safetensors";
        JsonNode expected = JsonMapper.shared()
                .readTree(Resources.path("malformed/expected.json").toFile())
                .get(name);
        try (var file = SafetensorsFile.open(Resources.path("malformed/" + name))) {
            StoredTensor values = file.tensor("values");
            float[] floats = values.toFloats();
            double[] doubles = values.toDoubles();
            for (int i = 0; i < floats.length; i++) {
                long stored = Long.decode(expected.get("stored_bits").get(i).asString());
                long binary32 = Long.decode(expected.get("float32_bits").get(i).asString());
                String what = expected.get("meaning").get(i).asString();
                assertThat(values.code(i)).as(what).isEqualTo(stored);
                assertThat(Float.floatToRawIntBits(floats[i])).as(what).isEqualTo((int) binary32);
                long bits = Double.doubleToRawLongBits(doubles[i]);
                assertThat(FloatFormat.BINARY32.encode(bits)).as(what).isEqualTo(binary32);
                assertThat(values.type().format().encode(bits)).as(what).isEqualTo(stored);
            }
        }
    }

    @Test
    void distancesAreCountedInRepresentableNumbers() {
        long one = FloatFormat.BINARY32.encode(Double.doubleToRawLongBits(1));
        assertThat(FloatFormat.BINARY32.distance(one, one)).isZero();
        assertThat(FloatFormat.BINARY32.distance(one, one - 3)).isEqualTo(3);
        assertThat(FloatFormat.BINARY16.distance(0, 0x8000)).as("0 and -0").isZero();
        assertThat(FloatFormat.BINARY16.distance(2, 0x8003)).as("through zero").isEqualTo(5);
        long largest = Double.doubleToRawLongBits(Double.MAX_VALUE);
        assertThat(FloatFormat.BINARY64.distance(largest, largest | Long.MIN_VALUE))
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aNanWhosePayloadDoesNotFitStaysANan() {
        long lowPayload = 0x7FF0_0000_0000_0001L;
        assertThat(FloatFormat.BFLOAT16.encode(lowPayload)).isEqualTo(0x7FC0);
        assertThat(FloatFormat.BINARY16.encode(lowPayload | Long.MIN_VALUE)).isEqualTo(0xFE00);
        assertThat(FloatFormat.BINARY32.encode(lowPayload)).isEqualTo(0x7FC0_0000);
    }
}
