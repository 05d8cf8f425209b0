package org.isoloss.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Learns an action, once for each seed. */
@Command(
        name = "discover",
        description = "Learns a symmetry of the network that a task file names; an interrupted run goes on.",
        mixinStandardHelpOptions = true,
        modelTransformer = TaskExample.class)
final class DiscoverCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Mixin
    private final TaskOptions taskOptions = new TaskOptions();

    @Mixin
    private final FitOptions fits = new FitOptions();

    @Override
    public Integer call() throws Exception {
        return new SeedFits(spec, shared, fits).run(taskOptions.task(), taskOptions.folder());
    }
}
