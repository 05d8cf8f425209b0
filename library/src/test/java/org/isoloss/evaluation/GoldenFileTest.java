package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoldenFileTest {
    @TempDir
    Path folder;

    private List<GoldenCase> read(String text) throws IOException {
        return GoldenFile.read(Files.writeString(folder.resolve("golden.json"), text));
    }

    @Test
    void readsAListOfSequencesWithTheFirstLogits() throws IOException {
        List<GoldenCase> cases = read("""
                {"sequences": [{"name": "one", "input_ids": [4, 5], "float64": {"first64": [[1, 2], [3, 4.5]]},
                 "layers": {"12": {"ffn_input": [[1], [2]], "ffn_output": [[3], [4]]}}}]}
                """);
        assertThat(cases).singleElement().satisfies(golden -> {
            assertThat(golden.name()).isEqualTo("one");
            assertThat(golden.inputs().sizes("input_ids")).containsExactly(1, 2);
            assertThat(golden.inputs().numbers("input_ids")).containsExactly(4, 5);
            assertThat(golden.layers()).containsExactly(12);
            assertThat(golden.expected().numbers("output")).containsExactly(1, 2, 3, 4.5);
            assertThat(golden.expected().numbers("ffn_output 12")).containsExactly(3, 4);
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"cases\": []} | holds no cases; expected 'cases', 'sequences' or 'input_ids'",
                "{\"cases\": [{}]} | has no 'input_ids' where it is needed",
                "{\"cases\": [{\"input_ids\": [[1]]}]} | case 'only' has no output; expected one of logits, last_hidden_state, logits_float64",
                "{\"cases\": [{\"input_ids\": [[1]], \"logits\": [[[1]]], \"ffn_input\": [[[[1]]]]}]} | case 'only' has 1 layers of ffn_input, expected as many as 'ffn_layers' names",
                "{\"cases\": [{\"input_ids\": [[1.5]]}]} | holds '1.5' where a whole number is needed",
                "{\"input_ids\": [1], \"logits\": [[1, \"x\"]]} | holds '\"x\"' where a number is needed",
                "{\"input_ids\": [1], \"logits\": [[1, 2], [1]]} | has a matrix whose row 1 has 1 numbers, expected 2 as in row 0",
                "{\"input_ids\": [1], \"logits\": [[1]], \"layers\": {\"a\": {\"ffn_input\": [], \"ffn_output\": []}}} | 'layers' has 'a', expected a layer number",
            })
    void refusesWhatIsOfNoKnownForm(String text, String problem) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(folder.resolve("golden.json") + ": " + problem);
    }

    @Test
    void refusesWhatIsNotJson() {
        assertThatThrownBy(() -> read("<html>"))
                .hasMessageStartingWith(folder.resolve("golden.json") + ": not valid JSON: ");
    }
}
