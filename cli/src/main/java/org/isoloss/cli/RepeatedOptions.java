package org.isoloss.cli;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Options given more than once: a flag says no more the second time, so that one may stand before the command and after it; of
 * two values nobody can tell which is meant.
 */
final class RepeatedOptions {
    private static final String QUIET = "--quiet";

    private RepeatedOptions() {}

    /** Lets the parser take repeated options, without a word on standard error; {@link #settle} judges them. */
    static void allow(CommandLine command) {
        CommandLine.tracer().setLevel(CommandLine.TraceLevel.OFF);
        command.setOverwrittenOptionsAllowed(true);
    }

    /** Refuses values given twice, and hands {@code --quiet} of the root on to the command that was named. */
    static void settle(ParseResult parsed) {
        ParseResult last = parsed;
        requireOnce(last);
        while (last.hasSubcommand()) {
            last = last.subcommand();
            requireOnce(last);
        }
        if (parsed.hasSubcommand()
                && parsed.commandSpec().userObject() instanceof IsolossCommand root
                && root.quiet()) {
            OptionSpec quiet = last.commandSpec().findOption(QUIET);
            if (quiet != null) { // a command that says nothing on the way is quiet anyway
                set(quiet);
            }
        }
    }

    private static void requireOnce(ParseResult parsed) {
        for (OptionSpec option : parsed.commandSpec().options()) {
            if (Map.class.isAssignableFrom(option.type())) {
                requireDistinctKeys(parsed, option);
            }
            boolean single = option.arity().max() > 0 && !option.isMultiValue();
            if (single
                    && parsed.hasMatchedOption(option)
                    && option.stringValues().size() > 1) {
                throw new ParameterException(
                        parsed.commandSpec().commandLine(),
                        "option '%s' (%s) should be specified only once"
                                .formatted(option.longestName(), option.paramLabel()));
            }
        }
    }

    private static void requireDistinctKeys(ParseResult parsed, OptionSpec option) {
        Set<String> keys = new HashSet<>();
        for (String entry : option.originalStringValues()) {
            String key = entry.split("=", 2)[0];
            if (!keys.add(key)) {
                throw new ParameterException(
                        parsed.commandSpec().commandLine(),
                        "option '%s' gives %s twice".formatted(option.longestName(), key));
            }
        }
    }

    private static void set(OptionSpec flag) {
        try {
            flag.setter().set(true);
        } catch (Exception e) {
            throw new IllegalStateException(flag.longestName() + " cannot be set", e);
        }
    }
}
