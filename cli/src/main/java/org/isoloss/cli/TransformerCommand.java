package org.isoloss.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What can be done with pretrained transformers: each subcommand is a class of its own. */
@Command(
        name = "transformer",
        description = "Runs pretrained transformers, and finds symmetries of their feed-forward blocks.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            TransformerParityCommand.class,
            TransformerSitesCommand.class,
            TransformerDiscoverCommand.class,
            EvaluateCommand.class,
            TransformerInstallCommand.class,
            TransformerCompareCommand.class
        })
final class TransformerCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        CommandLine commandLine = spec.commandLine();
        commandLine.usage(commandLine.getErr());
        return ExitCode.USAGE;
    }
}
