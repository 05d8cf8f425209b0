package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TransformerSitesCommandTest {
    private static final Path MODEL = Path.of("..", "examples", "neox-wikitext-1.8m");

    @TempDir
    Path folder;

    private static Run sites(String prefix, String... more) {
        String[] arguments = new String[5 + more.length];
        System.arraycopy(
                new String[] {"transformer", "sites", MODEL.toString(), "--prefix", prefix}, 0, arguments, 0, 5);
        System.arraycopy(more, 0, arguments, 5, more.length);
        return Run.of(arguments);
    }

    @Test
    void aTextIsItsTokens() throws IOException {
        JsonNode first = JsonMapper.shared()
                .readTree(MODEL.resolve("prefixes.json"))
                .get("training")
                .get(0);
        String text = first.get("text").asString();
        StringBuilder ids = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            ids.append(i == 0 ? "" : ",").append(first.get("ids").get(i).asInt());
        }
        Path file = Files.writeString(folder.resolve("prefix.txt"), text);
        Run byIds = sites(ids.toString(), "--layers", "3,6");
        assertThat(byIds.code()).as(byIds.err()).isEqualTo(ExitCode.DONE);
        assertThat(sites(text, "--tokens", "8", "--layers", "3,6").out()).isEqualTo(byIds.out());
        assertThat(sites(file.toString(), "--tokens", "8", "--layers", "3,6").out())
                .isEqualTo(byIds.out());
    }

    @Test
    void everyLayerIsShownAndDrawn() {
        Path out = folder.resolve("out");
        Run run = sites("354,325,287,350,346,324,77", "--format", "json", "--out", out.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        JsonNode json = JsonMapper.shared().readTree(run.out());
        assertThat(json.get("tokens")).hasSize(7);
        assertThat(json.get("layers")).hasSize(8);
        assertThat(out.resolve("figures")).isDirectoryContaining("glob:**.svg");
        assertThat(out.resolve("report.html"))
                .content()
                .contains("In 8 of 8 blocks one unit can move while 7 others", "How to repeat this");
        assertThat(out.resolve("tables")).isDirectoryContaining("glob:**.csv");
    }

    @Test
    void withoutASiteTheCodeSaysSo() {
        Run run = sites("5,5,5", "--layers", "0");
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.out()).contains("token 5 stands at positions");
    }

    @Test
    void refusesInOneLine() {
        assertThat(sites("354,325", "--tokens", "3").err())
                .hasLineCount(1)
                .contains("--tokens is 3, but the prefix has only 2 tokens");
        assertThat(sites("354,99999").err()).hasLineCount(1).contains("99999");
        assertThat(sites("354,325", "--layers", "12").err()).hasLineCount(1).contains("12");
    }
}
