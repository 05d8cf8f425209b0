package org.isoloss.cli;

import java.util.List;
import java.util.Map;
import org.isoloss.task.RecipeChoice.StopChoice;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Which fits of a task to make, as a mixin. */
final class FitOptions {
    @Mixin
    private final SeedsOption seeds = new SeedsOption();

    @Mixin
    private final ThreadsOption threads = new ThreadsOption();

    @Option(
            names = "--until-fit",
            description =
                    "End each fit when validation meets every tolerance twice over, which recipe.stop also says; by recipe.steps at the latest.")
    private boolean untilFit;

    /** The task, which a file or a program stated, with the end that is asked for here. */
    Task ending(Task task) {
        return untilFit && task.stopMargin().isEmpty()
                ? TaskFile.parse(
                        task.name(),
                        TaskFile.write(task),
                        Map.of("recipe.stop.margin", Double.toString(StopChoice.MARGIN)))
                : task;
    }

    List<Long> seeds(Task task, CommandSpec spec, SharedOptions shared) {
        List<Long> ofTask = task.seeds();
        return seeds.given(spec, shared).orElse(ofTask == null ? List.of(101L) : ofTask);
    }

    int threads() {
        return threads.threads();
    }
}
