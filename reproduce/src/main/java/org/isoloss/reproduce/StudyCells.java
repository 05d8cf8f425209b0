package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.discovery.SimultaneousFits;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** The parts of a study that can be done apart: several at once, each kept in a file when it is done, so that an interrupted study goes on. */
final class StudyCells {
    private static final TypeReference<List<Map<String, Object>>> ROWS = new TypeReference<>() {};

    private StudyCells() {}

    /** What is left to do of a study beside its fits. */
    record Work(int threads, StudyProgress progress) {}

    /** Computes the rows of a part. */
    interface Rows {
        /** Returns them; the same ones each time. */
        List<Map<String, Object>> compute();
    }

    /**
     * A part.
     *
     * @param name of its file: small letters, digits and hyphens
     * @param rows what it adds to the study
     */
    record Cell(String name, Rows rows) {
        /** Names a part by what it is about, so that no other part takes its file when a study changes. */
        static Cell of(String about, long seed, Rows rows) {
            String words = about.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
            return new Cell("%s-%d".formatted(words, seed), rows);
        }
    }

    /** All rows in the order of the cells. */
    static List<Map<String, Object>> rows(String what, Path folder, List<Cell> cells, Work work)
            throws IOException, InterruptedException {
        Files.createDirectories(folder);
        List<Cell> missing =
                cells.stream().filter(cell -> !Files.exists(file(folder, cell))).toList();
        work.progress().begin(what, missing.size());
        List<SimultaneousFits.Work<Cell>> tasks = new ArrayList<>();
        for (Cell cell : missing) {
            tasks.add(() -> {
                AtomicFile.writeText(
                        file(folder, cell),
                        JsonMapper.shared().writeValueAsString(cell.rows().compute()));
                work.progress().advance(1);
                return cell;
            });
        }
        if (!tasks.isEmpty()) {
            SimultaneousFits.run(work.threads(), tasks);
        }
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Cell cell : cells) {
            rows.addAll(JsonMapper.shared().readValue(Files.readString(file(folder, cell)), ROWS));
        }
        return rows;
    }

    private static Path file(Path folder, Cell cell) {
        return folder.resolve(cell.name() + ".json");
    }
}
