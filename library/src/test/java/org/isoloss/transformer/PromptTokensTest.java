package org.isoloss.transformer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PromptTokensTest {
    private static final Path MODEL = Models.folder(Models.TRAINED);

    @TempDir
    Path folder;

    @Test
    void givesTheIdsThatTheTokenizerOfTransformersGives() throws IOException {
        JsonNode golden =
                JsonMapper.shared().readTree(Models.golden(Models.TRAINED).toFile());
        assertThat(golden.get("tokenizer")).hasSize(5);
        for (JsonNode check : golden.get("tokenizer")) {
            int[] expected = JsonMapper.shared().treeToValue(check.get("ids"), int[].class);
            String text = check.get("text").asString();
            assertThat(PromptTokens.of(text, MODEL)).as(text).isEqualTo(expected);
            Path file = Files.writeString(folder.resolve("prompt.txt"), text);
            assertThat(PromptTokens.of(file.toString(), MODEL)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"3,14,15", " 3 14  15 ", "[3, 14, 15]", "3\n14\n15\n"})
    void takesIdsAsTheyAre(String ids) throws IOException {
        assertThat(PromptTokens.of(ids, folder)).as("no tokenizer is needed").containsExactly(3, 14, 15);
        Path file = Files.writeString(folder.resolve("ids"), ids);
        assertThat(PromptTokens.of(file.toString(), folder)).containsExactly(3, 14, 15);
    }

    @Test
    void refusesInOneLine() throws IOException {
        assertThatThrownBy(() -> PromptTokens.of("words", folder))
                .hasMessage(folder + ": has no tokenizer.json; give token ids such as 429,391,18 in place of a text");
        assertThatThrownBy(() -> PromptTokens.of("99999999999", folder))
                .hasMessage("the prompt holds the id 99999999999, beyond 2^31 - 1");
        assertThatThrownBy(() -> PromptTokens.of("", MODEL))
                .hasMessage("the prompt gives no token; give a text, or ids such as 429,391,18");
        Path broken = Files.writeString(folder.resolve("tokenizer.json"), "{}");
        assertThatThrownBy(() -> PromptTokens.of("words", folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(broken + ": the tokenizer cannot be used (")
                .hasMessageEndingWith("); give token ids such as 429,391,18 in place of a text")
                .hasMessageNotContaining("\n");
    }

    @Test
    void saysWhyALibraryThatCannotBeLoadedIsOfNoUse() {
        var failure = new ExceptionInInitializerError(new UnsatisfiedLinkError("no tokenizers in path\nmore"));
        assertThat(PromptTokens.unusable(Path.of("m", "tokenizer.json"), failure))
                .hasMessage(Path.of("m", "tokenizer.json")
                        + ": the tokenizer cannot be used (no tokenizers in path); give token ids such as 429,391,18 in"
                        + " place of a text");
    }
}
