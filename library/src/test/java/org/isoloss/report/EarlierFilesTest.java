package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EarlierFilesTest {
    @TempDir
    Path folder;

    @Test
    void removesWhatIsNamedAndNothingElse() throws IOException {
        Path tables = Files.createDirectory(folder.resolve("tables"));
        for (String name :
                List.of("outputs.csv", "outputs-fresh.csv", "outputs-fresh.tex", "mine.csv", "outputs.txt")) {
            Files.writeString(tables.resolve(name), "x");
        }
        Files.writeString(folder.resolve("check.json"), "{}");
        Files.writeString(folder.resolve("mine.json"), "{}");
        EarlierFiles.remove(folder, "tables/outputs*.{csv,tex}", "{check.json,report.html}", "figures/x.{svg,csv}");
        try (var files = Files.list(tables)) {
            assertThat(files).containsExactlyInAnyOrder(tables.resolve("mine.csv"), tables.resolve("outputs.txt"));
        }
        assertThat(folder.resolve("check.json")).doesNotExist();
        assertThat(folder.resolve("mine.json")).exists();
        EarlierFiles.remove(folder.resolve("absent"), "tables/x.csv");
    }
}
