package org.isoloss.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

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
}
