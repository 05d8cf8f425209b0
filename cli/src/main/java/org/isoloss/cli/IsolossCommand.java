package org.isoloss.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root command: it does nothing itself; each subcommand is a class of its own. */
@Command(
        name = "isoloss",
        description =
                "Finds the continuous symmetries of a neural network's parameters and applies them to its weights.",
        versionProvider = VersionLine.class,
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            DiscoverCommand.class,
            EvaluateCommand.class,
            ApplyCommand.class,
            ReportCommand.class,
            CompensateCommand.class,
            MoveCommand.class,
            RunCommand.class,
            CheckCommand.class,
            RecoverCommand.class,
            ReproduceCommand.class,
            SearchCommand.class,
            SweepCommand.class,
            SubnetworkCommand.class,
            SymmetriesCommand.class,
            CensusCommand.class,
            FieldsCommand.class,
            TransformCommand.class,
            AlignCommand.class,
            DecomposeCommand.class,
            VerifyCertificateCommand.class,
            TransformerCommand.class,
            HelpCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:failed; one line on standard error says why",
            "2:wrong usage",
            "3:the result is not usable (diverged, or a required tolerance missed), or two networks differ"
        })
final class IsolossCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--stacktrace", scope = ScopeType.INHERIT, description = "On an error, also print the stack trace.")
    private boolean stackTrace;

    @Option(names = "--quiet", description = "No progress on standard error, as after the command.")
    private boolean quiet;

    @Option(
            names = "--verbose",
            description =
                    "With --version: also the Java, the BLAS and its kernel, the cores and the memory that are used.")
    private boolean verbose;

    boolean stackTrace() {
        return stackTrace;
    }

    boolean quiet() {
        return quiet;
    }

    boolean verbose() {
        return verbose;
    }

    @Override
    public Integer call() {
        CommandLine commandLine = spec.commandLine();
        commandLine.usage(commandLine.getErr());
        return ExitCode.USAGE;
    }
}
