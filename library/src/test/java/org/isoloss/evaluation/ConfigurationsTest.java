package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.source.HuggingFaceFolder;
import org.isoloss.source.Models;
import org.isoloss.source.StoredModel.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What transformers makes of configurations that differ key by key is met, or the key is refused by name. */
class ConfigurationsTest {
    static List<String> names() throws IOException {
        try (Stream<Path> folders = Files.list(Models.folder("configurations"))) {
            return folders.filter(Files::isDirectory)
                    .map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    private static Path folder(String name) {
        return Models.folder("configurations").resolve(name);
    }

    private static JsonNode about(String name) {
        return JsonMapper.shared()
                .readTree(folder(name).resolve("golden.json").toFile())
                .get("configuration");
    }

    @ParameterizedTest
    @MethodSource("names")
    void isRightOrRefusedByName(String name) throws IOException {
        JsonNode about = about(name);
        if (about.get("kind").asString().equals("refused")) {
            assertThatThrownBy(() -> HuggingFaceFolder.open(folder(name)).close())
                    .isInstanceOf(CheckpointFormatException.class)
                    .hasMessageStartingWith(folder(name).resolve("config.json") + ": ")
                    .hasMessageContaining(about.get("key").asString());
            return;
        }
        boolean wide = about.get("precision").asString().equals("float64");
        Parity parity = Parity.measure(
                folder(name), Reading.PLAIN, GoldenFile.read(folder(name).resolve("golden.json")));
        assertThat(parity.places()).hasSize(1).allSatisfy(place -> {
            assertThat(place.float64()).isLessThan(wide ? Parity.FLOAT64_TOLERANCE : Parity.FLOAT32_TOLERANCE);
            assertThat(place.float32()).isLessThan(Parity.FLOAT32_TOLERANCE);
        });
    }

    /** A key that is understood changes what transformers computes, so that a reader that passed it over would fail here. */
    @Test
    void everyArchitectureIsThereRightAndRefused() throws IOException {
        Set<String> seen = new TreeSet<>();
        for (String name : names()) {
            seen.add(name.substring(0, name.indexOf('-')) + " "
                    + about(name).get("kind").asString());
        }
        assertThat(seen).hasSize(24);
    }
}
