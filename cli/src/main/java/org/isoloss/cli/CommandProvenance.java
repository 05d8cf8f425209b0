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
        command.addAll(spec.commandLine().getParseResult().originalArgs());
        if (!command.contains(spec.name())) {
            command.add(1, spec.name());
        }
        return Provenance.here(command, settings, seeds, inputs, Blas.coreName());
    }
}
