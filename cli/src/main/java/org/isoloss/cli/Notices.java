package org.isoloss.cli;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.source.StoredNetwork;
import org.isoloss.task.DenseSetting;
import org.isoloss.task.Setting;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What a reader should know about how files were read, one line each on standard error. */
final class Notices {
    private Notices() {}

    static void print(CommandSpec spec, List<String> lines) {
        lines.forEach(line -> spec.commandLine().getErr().println("isoloss: " + line));
    }

    /** Prints those of a task, tensors that are left aside included. */
    static void print(CommandSpec spec, Setting setting) {
        List<String> lines = new ArrayList<>();
        if (setting instanceof DenseSetting dense) {
            dense.checkpoint().ifPresent(layers -> lines.addAll(StoredNetwork.leftAside(layers)));
        }
        lines.addAll(setting.notices());
        print(spec, lines);
    }

    /** Refuses options that what was given would pass over. */
    static void requireUnused(CommandSpec spec, String why, String... options) {
        for (String option : options) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new ParameterException(spec.commandLine(), "%s takes no %s".formatted(why, option));
            }
        }
    }
}
