package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Small valid, odd and broken files (see malformed/README.md): what must be read, what must be refused, in which words. */
class SafetensorsMalformedTest {
    private static final JsonNode EXPECTED = json("malformed/expected.json");
    private static final JsonNode MESSAGES = json("malformed/messages.json");

    private static JsonNode json(String name) {
        return JsonMapper.shared().readTree(Resources.path(name).toFile());
    }

    static Stream<String> readable() {
        return EXPECTED.propertyNames().stream().filter(name -> !MESSAGES.has(name));
    }

    static Stream<String> refused() {
        return MESSAGES.propertyNames().stream();
    }

    @ParameterizedTest
    @MethodSource("readable")
    void readsWhatIsValid(String name) throws IOException {
        JsonNode expected = EXPECTED.get(name);
        assertThat(expected.get("must").asString()).contains("read");
        try (Checkpoint file = Checkpoint.open(Resources.path("malformed/" + name))) {
            JsonNode tensors = expected.path("tensors");
            if (name.startsWith("special-")) {
                return; // bit by bit in FloatFormatTest
            }
            assertThat(file.names()).containsExactlyInAnyOrderElementsOf(tensors.propertyNames());
            for (String tensor : file.names()) {
                if (file.tensor(tensor).type() == ElementType.F8_E4M3) {
                    assertThatThrownBy(() -> file.tensor(tensor).toDoubles())
                            .isInstanceOf(CheckpointFormatException.class)
                            .hasMessageEndingWith(
                                    "tensor 'a' has type F8_E4M3, which is carried but not read as numbers");
                    continue;
                }
                assertThat(file.tensor(tensor).toDoubles()).containsExactly(flat(tensors.get(tensor)));
                assertThat(file.tensor(tensor).shape().sizes()).isEqualTo(sizes(tensors.get(tensor)));
            }
            if (expected.has("metadata")) {
                assertThat(file.metadata().size())
                        .isEqualTo(expected.get("metadata").size());
                expected.get("metadata")
                        .forEachEntry(
                                (key, value) -> assertThat(file.metadata()).containsEntry(key, value.asString()));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesWhatIsBrokenInOneLine(String name) {
        Path file = Resources.path("malformed/" + name);
        assertThat(EXPECTED.get(name).get("must").asString()).contains("refuse");
        assertThatThrownBy(() -> open(file).close())
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(file + ": " + MESSAGES.get(name).asString());
        if (EXPECTED.get(name).has("duplicate")) {
            assertThat(MESSAGES.get(name).asString())
                    .contains("'" + EXPECTED.get(name).get("duplicate").asString() + "' twice");
        }
    }

    private static Checkpoint open(Path file) throws IOException {
        return file.toString().endsWith(ShardIndex.SUFFIX) ? Checkpoint.open(file) : SafetensorsFile.open(file);
    }

    @Test
    void everyFileIsExpectedAndEveryExpectationHasItsFile() throws IOException {
        Set<String> files = new TreeSet<>();
        try (var folder = Files.newDirectoryStream(Resources.path("malformed"), "*.safetensors")) {
            folder.forEach(file -> files.add(file.getFileName().toString()));
        }
        try (var folders = Files.newDirectoryStream(Resources.path("malformed"), "index-*")) {
            folders.forEach(folder -> files.add(folder.getFileName() + "/model.safetensors.index.json"));
        }
        assertThat(files).hasSize(72).containsExactlyInAnyOrderElementsOf(EXPECTED.propertyNames());
    }

    private static double[] flat(JsonNode value) {
        return value.isNumber()
                ? new double[] {value.asDouble()}
                : value.valueStream()
                        .flatMapToDouble(part -> java.util.Arrays.stream(flat(part)))
                        .toArray();
    }

    private static List<Long> sizes(JsonNode value) {
        List<Long> sizes = new ArrayList<>();
        for (JsonNode axis = value; axis.isArray(); axis = axis.path(0)) {
            sizes.add((long) axis.size());
        }
        return sizes;
    }
}
