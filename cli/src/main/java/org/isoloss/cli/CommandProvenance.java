package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.isoloss.linalg.Blas;
import org.isoloss.report.Provenance;
import picocli.CommandLine.Model.CommandSpec;

/** Where a result comes from that one command line made. */
final class CommandProvenance {
    private CommandProvenance() {}

    static Provenance of(CommandSpec spec, Map<String, String> settings, List<Long> seeds, List<Path> inputs)
            throws IOException {
        List<String> command = new ArrayList<>(List.of("isoloss"));
        command.addAll(words(spec));
        return Provenance.here(command, settings, seeds, inputs, Blas.coreName());
    }

    /** What was typed after the program's name. */
    static List<String> words(CommandSpec spec) {
        List<String> words = new ArrayList<>(spec.commandLine().getParseResult().originalArgs());
        if (!words.contains(spec.name())) {
            words.addFirst(spec.name());
        }
        return words;
    }
}
