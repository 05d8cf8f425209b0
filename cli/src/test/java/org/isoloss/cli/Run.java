package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What one run of the command left behind. */
record Run(int code, String out, String err) {
    static Run of(String... arguments) {
        return of(new CommandLine(new IsolossCommand()), arguments);
    }

    /** Runs {@code command}, configured as the real one is. */
    static Run of(CommandLine command, String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        int code = Main.configure(command, new PrintWriter(out), new PrintWriter(err))
                .execute(arguments);
        return new Run(code, out.toString(), err.toString());
    }

    /** What it printed as JSON, having worked. */
    static JsonNode json(Run run) {
        assertThat(run.code).as(run.err).isEqualTo(ExitCode.DONE);
        return JsonMapper.shared().readTree(run.out);
    }
}
