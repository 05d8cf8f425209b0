package org.isoloss.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProvenanceTest {
    /** SHA-256 of the three bytes {@code abc}: the first example of FIPS 180-2. */
    private static final String ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    static Provenance sample() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("steps", "1500");
        settings.put("objective", "hybrid");
        return new Provenance(
                "0.1.0",
                List.of("./isoloss", "demo", "--out", "it's here"),
                settings,
                List.of(101L, 102L),
                List.of(new InputFile("tanh.safetensors", 3, ABC)),
                "25.0.3+9-LTS, Eclipse Adoptium",
                "Linux 6.1, amd64",
                "a processor",
                2,
                "SkylakeX");
    }

    @Test
    void jsonHasTheComponentsInOrderAndReadsBack() {
        assertThat(sample().toJson())
                .startsWith(
                        "{\n  \"version\" : \"0.1.0\",\n  \"command\" : [ \"./isoloss\", \"demo\", \"--out\", \"it's here\" ],")
                .contains("\"settings\" : {\n    \"steps\" : \"1500\",\n    \"objective\" : \"hybrid\"\n  }")
                .contains("\"sha256\" : \"" + ABC + "\"")
                .endsWith("}\n");
        assertThat(Provenance.fromJson(sample().toJson())).isEqualTo(sample());
    }

    @Test
    void otherJsonIsRefused() {
        String misspelt = sample().toJson().replace("\"cores\" : 2", "\"cores\" : 2, \"kores\" : 2");
        String missing = sample().toJson().replace(",\n  \"blas\" : \"SkylakeX\"", "");

        assertThatThrownBy(() -> Provenance.fromJson(misspelt))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Provenance: not the JSON of a provenance: Unrecognized property \"kores\"");
        assertThatThrownBy(() -> Provenance.fromJson(missing))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'blas'");
        assertThatThrownBy(() -> Provenance.fromJson("[")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void commandLineIsQuotedForAShell() {
        assertThat(sample().commandLine()).isEqualTo("./isoloss demo --out 'it'\\''s here'");
    }

    @Test
    void tableNamesEveryFact() {
        assertThat(sample().toTable().toText())
                .contains("isoloss", "0.1.0", "101, 102", "objective", "hybrid", "3 bytes, SHA-256 " + ABC)
                .contains("a processor, 2 cores", "SkylakeX");
    }

    @Test
    void hereReadsInputsAndMachine(@TempDir Path folder) throws IOException {
        Path input = Files.writeString(folder.resolve("abc.txt"), "abc");
        Provenance here = Provenance.here(List.of("isoloss"), Map.of(), List.of(1L), List.of(input), "Haswell");

        assertThat(here.inputs()).containsExactly(new InputFile(input.toString(), 3, ABC));
        assertThat(here.version()).isEqualTo(Version.current());
        assertThat(here.java()).startsWith(Runtime.version().toString());
        assertThat(here.cpu()).isNotBlank();
        assertThat(here.cores()).isPositive();
        here.write(folder.resolve("provenance.json"));
        assertThat(folder.resolve("provenance.json")).content(UTF_8).isEqualTo(here.toJson());
    }

    @Test
    void missingInputIsNamed(@TempDir Path folder) {
        assertThatThrownBy(() -> InputFile.of(folder.resolve("gone")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("gone");
        assertThatThrownBy(() -> new InputFile("a", -1, "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("InputFile 'a': -1 bytes with SHA-256 'x', expected at least 0 and 64 hexadecimal digits");
    }
}
