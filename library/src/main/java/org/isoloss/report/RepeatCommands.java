package org.isoloss.report;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.isoloss.evaluation.Evaluation;

/** The commands that make a run and its page again, as a shell takes them: from the task file that a run keeps on. */
final class RepeatCommands {
    private static final double DECLARED = 0.5;

    private final List<String> commands = new ArrayList<>();
    private final List<String> runs = new ArrayList<>();

    /**
     * Adds a run, with the options of the evaluation that it shows.
     *
     * @param folder of the run
     * @param seed of its training
     * @param evaluation of it
     * @return these commands
     */
    RepeatCommands run(Path folder, long seed, Evaluation evaluation) {
        String again = again(folder);
        add(List.of("discover", folder.resolve("task.yaml").toString(), "--seed", Long.toString(seed), "--out", again));
        List<String> evaluate = new ArrayList<>(List.of("evaluate", again));
        if (evaluation.cells().stream().allMatch(cell -> cell.radius() == DECLARED)) {
            evaluate.add("--declared");
        }
        if (evaluation.bounds().isPresent()) {
            evaluate.add("--bounds");
        }
        if (evaluation.yardstick().isPresent()) {
            evaluate.add("--yardstick");
        }
        add(evaluate);
        runs.add(again);
        return this;
    }

    /** Returns the commands with that of the page of one run at their end. */
    List<String> page() {
        return page(List.of());
    }

    /** Returns the commands with that of a page of several runs at their end, in a folder beside this one. */
    List<String> page(Path folder) {
        return page(List.of("--out", again(folder)));
    }

    private List<String> page(List<String> where) {
        List<String> report = new ArrayList<>(List.of("report"));
        report.addAll(runs);
        report.addAll(where);
        add(report);
        return List.copyOf(commands);
    }

    private void add(List<String> words) {
        commands.add("isoloss " + Provenance.shell(words));
    }

    private static String again(Path folder) {
        return folder.resolveSibling(folder.getFileName() + "-again").toString();
    }
}
