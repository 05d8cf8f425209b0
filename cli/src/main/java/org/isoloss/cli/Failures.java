package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.List;
import org.isoloss.checkpoint.MissingFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns every way a command can fail into one line on standard error and an exit code. */
final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private static final String PREFIX = "isoloss: error: ";

    /** Runs the command that was named; an {@link Error} (out of memory, missing native library) also becomes one line. */
    int runLast(ParseResult parsed) {
        RepeatedOptions.settle(parsed);
        try {
            return FigureOptions.of(parsed).during(() -> new RunLast().execute(parsed));
        } catch (VirtualMachineError | LinkageError | AssertionError e) {
            return report(e, last(parsed));
        }
    }

    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        return report(failure, command);
    }

    @Override
    public int handleParseException(ParameterException failure, String[] arguments) {
        JobProgress.keep(failure);
        CommandLine command = failure.getCommandLine();
        PrintWriter err = command.getErr();
        List<String> suggestions = failure instanceof UnmatchedArgumentException e ? e.getSuggestions() : List.of();
        String hint = suggestions.isEmpty()
                ? "see " + command.getCommandSpec().qualifiedName() + " --help"
                : "did you mean " + String.join(", ", suggestions.subList(0, Math.min(3, suggestions.size()))) + "?";
        err.println(PREFIX + oneLine(String.valueOf(failure.getMessage())) + " (" + hint + ")");
        printStackTrace(failure, command);
        return ExitCode.USAGE;
    }

    private static int report(Throwable failure, CommandLine command) {
        JobProgress.keep(failure);
        String line = describe(failure);
        boolean traced = printStackTrace(failure, command);
        String hint = expected(failure) || traced ? "" : " (unexpected; --stacktrace shows where)";
        command.getErr().println(PREFIX + line + hint);
        return failure instanceof UnusableResultException ? ExitCode.UNUSABLE : ExitCode.FAILED;
    }

    private static boolean expected(Throwable failure) {
        return switch (failure) {
            case UnusableResultException _, OutOfMemoryError _ -> true;
            case IllegalArgumentException _, IOException _, UncheckedIOException _ -> failure.getMessage() != null;
            default -> false;
        };
    }

    /** Returns what went wrong as one line; file exceptions, whose message is only the path, get their words. */
    static String describe(Throwable failure) {
        String message = failure.getMessage();
        String line = switch (failure) {
            case UncheckedIOException wrapped when wrapped.getCause() != null -> describe(wrapped.getCause());
            case NoSuchFileException e -> MissingFile.describe(String.valueOf(e.getFile()));
            case FileAlreadyExistsException e -> "exists already: " + e.getFile();
            case AccessDeniedException e -> "permission denied: " + e.getFile();
            case DirectoryNotEmptyException e -> "folder is not empty: " + e.getFile();
            case NotDirectoryException e -> "not a folder: " + e.getFile();
            case OutOfMemoryError e ->
                "out of memory (" + message + "); give Java more with JDK_JAVA_OPTIONS=-Xmx8g or make the task smaller";
            default -> expected(failure) ? String.valueOf(message) : nameAndMessage(failure, message);
        };
        return oneLine(line);
    }

    private static String nameAndMessage(Throwable failure, @Nullable String message) {
        String name = failure.getClass().getSimpleName();
        return message == null || message.isBlank() ? name : name + ": " + message;
    }

    private static String oneLine(String message) {
        return message.strip().replaceAll("\\s*\\R\\s*", " ");
    }

    private static boolean printStackTrace(Throwable failure, CommandLine command) {
        CommandLine root = command;
        while (root.getParent() != null) {
            root = root.getParent();
        }
        boolean wanted = root.getCommand() instanceof IsolossCommand isoloss && isoloss.stackTrace();
        if (wanted) {
            failure.printStackTrace(command.getErr());
        }
        return wanted;
    }

    private static CommandLine last(ParseResult parsed) {
        ParseResult result = parsed;
        while (result.hasSubcommand()) {
            result = result.subcommand();
        }
        return result.commandSpec().commandLine();
    }
}
