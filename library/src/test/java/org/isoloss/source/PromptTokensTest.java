package org.isoloss.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    @ValueSource(
            strings = {
                "3,14,15",
                " 3 14  15 ",
                "[3, 14, 15]",
                "3\n14\n15\n",
                "3,\r\n14,\r\n15\r\n",
                "3,14,15,",
                "3, 14, 15 ;\n",
                "3;14;15",
                "[3,\n 14,\n 15,\n]\n",
                "3\t14\t15",
                "3\u00a014\u00a015",
                "03 014 015"
            })
    void takesIdsAsTheyAre(String ids) throws IOException {
        assertThat(PromptTokens.of(ids, folder)).as("no tokenizer is needed").containsExactly(3, 14, 15);
        Path file = Files.writeString(folder.resolve("ids"), ids);
        assertThat(PromptTokens.of(file.toString(), folder)).containsExactly(3, 14, 15);
    }

    @Test
    void aByteOrderMarkIsNoText() throws IOException {
        Path file = Files.writeString(folder.resolve("ids.txt"), "\uFEFF3,14,15\r\n");
        assertThat(PromptTokens.of(file.toString(), folder)).containsExactly(3, 14, 15);
        Path empty = Files.writeString(folder.resolve("empty.txt"), "\uFEFF\r\n");
        assertThatThrownBy(() -> PromptTokens.of(empty.toString(), MODEL))
                .hasMessageStartingWith(empty + ": the prompt gives no token; give a text");
        Path utf16 = Files.write(folder.resolve("wide.txt"), "\uFEFF3,14".getBytes(StandardCharsets.UTF_16LE));
        assertThatThrownBy(() -> PromptTokens.of(utf16.toString(), MODEL))
                .hasMessageStartingWith(utf16 + ": not UTF-8: it looks like UTF-16");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " | ",
            quoteCharacter = '~',
            value = {
                "3,-14,15 | : '-14' is no token id",
                "-3 | : '-3' is no token id",
                "+3,14 | : '+3' is no token id",
                "3,,14 | : a number is missing between two separators",
                ",3,14 | : a number is missing between two separators",
                "3,14,, | : a number is missing between two separators",
                "[3,14 | or a sign stands that separates nothing",
                "3,14] | or a sign stands that separates nothing",
                "(3,14) | or a sign stands that separates nothing",
                "[[3,14]] | or a sign stands that separates nothing",
                "{3,14} | or a sign stands that separates nothing",
                "'3','14' | or a sign stands that separates nothing",
                "3|14 | or a sign stands that separates nothing",
                "3:14 | or a sign stands that separates nothing",
                "3.5 | : '3.5' is no token id",
                "3. 14. | : '3.' is no token id",
                "1e3,4 | : '1e3' is no token id",
                "3,14,l5 | : 'l5' is no token id",
                "3,14,fifteen | : 'fifteen' is no token id",
                "3,14,15 # the prefix | or a sign stands that separates nothing",
                "3 14 15 // ids | or a sign stands that separates nothing",
                "3 + 14 = 17 | : '+' is no token id",
                "ids: 3,14,15 | : 'ids' is no token id",
                "{\"ids\": [3, 14, 15]} | : 'ids' is no token id",
                "prefix = [3, 14, 15] | : 'prefix' is no token id",
                "\u0663,\u0664 | : '\u0663' is no token id",
            })
    void whatIsNearlyAListOfIdsIsNoText(String prompt, String problem) throws IOException {
        assertThatThrownBy(() -> PromptTokens.of(prompt, MODEL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the prompt is nearly a list of token ids, and is not taken for a text: ")
                .hasMessageContaining(problem)
                .hasMessageEndingWith("; expected whole numbers from 0 such as 429,391,18");
        Path file = Files.writeString(folder.resolve("ids"), prompt + "\n");
        assertThatThrownBy(() -> PromptTokens.of(file.toString(), MODEL))
                .hasMessageStartingWith(file + ": the prompt is nearly a list of token ids");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "In 1996, 1998 and 2000, it rained",
                "In 1996 ,",
                "12 monkeys",
                "1996 was the year of 3 of them",
                "2+2=",
                "a b 3",
                "...",
                "GPT-2",
                "one, two, 3",
                "and/or",
                "5 @.@ 6 kilograms ( 11 \u2013 13 lb )"
            })
    void aTextWithDigitsStaysAText(String text) throws IOException {
        assertThat(PromptTokens.of(text, MODEL)).isEqualTo(PromptTokens.ofText(text, MODEL));
    }

    @Test
    void theNameOfAFileThatIsNotThereIsNoText() throws IOException {
        for (String name : List.of("ids.txt", "some/ids.csv", "prefix.json")) {
            assertThatThrownBy(() -> PromptTokens.of(name, MODEL))
                    .isInstanceOf(NoSuchFileException.class)
                    .hasMessageContaining(name);
        }
        Path dangling = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("gone"));
        assertThatThrownBy(() -> PromptTokens.of(dangling.toString(), MODEL)).isInstanceOf(NoSuchFileException.class);
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
