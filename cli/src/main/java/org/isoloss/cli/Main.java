package org.isoloss.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Entry point of the {@code isoloss} command. */
public final class Main {
    private Main() {}

    /**
     * Runs the command and exits with its code.
     *
     * @param arguments the command line; not modified
     */
    public static void main(String[] arguments) {
        Locale.setDefault(Locale.ROOT); // the same digits and points everywhere
        PrintWriter out = utf8(FileDescriptor.out);
        PrintWriter err = utf8(FileDescriptor.err);
        int code = commandLine(out, err).execute(arguments);
        out.flush();
        err.flush();
        System.exit(out.checkError() && code == ExitCode.DONE ? ExitCode.FAILED : code);
    }

    /**
     * Returns the command, ready to execute: it writes to the two writers only and never exits the JVM.
     *
     * @param out where results go
     * @param err where everything else goes
     * @return the root command with all its subcommands
     */
    static CommandLine commandLine(PrintWriter out, PrintWriter err) {
        return configure(new CommandLine(new IsolossCommand()), out, err);
    }

    /** Settles how {@code command}, with the subcommands it has by now, writes and fails. */
    static CommandLine configure(CommandLine command, PrintWriter out, PrintWriter err) {
        var failures = new Failures();
        RepeatedOptions.allow(command);
        return command.setOut(out)
                .setErr(err)
                .setUsageHelpAutoWidth(true)
                .registerConverter(Long.class, Main::wholeNumber)
                .setExecutionStrategy(failures::runLast)
                .setParameterExceptionHandler(failures)
                .setExecutionExceptionHandler(failures);
    }

    private static Long wholeNumber(String text) {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw new TypeConversionException("expected a whole number, got '" + text + "'");
        }
    }

    private static PrintWriter utf8(FileDescriptor descriptor) {
        return new PrintWriter(new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8), true);
    }
}
