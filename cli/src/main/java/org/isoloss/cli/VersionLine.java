package org.isoloss.cli;

import java.util.Arrays;
import java.util.stream.Stream;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.GemmKernel;
import org.isoloss.report.Version;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What {@code isoloss --version} prints: one line, and with {@code --verbose} what computes. */
final class VersionLine implements IVersionProvider {
    private static final double GIBIBYTE = 1 << 30;

    @Spec
    private CommandSpec spec;

    @Override
    public String[] getVersion() {
        String line = "isoloss %s (Java %s, %s %s)"
                .formatted(
                        Version.current(),
                        Runtime.version().feature(),
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"));
        boolean isVerbose = spec.root().userObject() instanceof IsolossCommand command && command.verbose();
        return isVerbose
                ? Stream.concat(Stream.of(line), Arrays.stream(computing())).toArray(String[]::new)
                : new String[] {line};
    }

    private static String[] computing() {
        Runtime runtime = Runtime.getRuntime();
        return new String[] {
            "Java      %s, %s, %s"
                    .formatted(Runtime.version(), System.getProperty("java.vendor"), System.getProperty("java.home")),
            "BLAS      %s".formatted(Blas.configuration().strip()),
            "kernel    %s, in training".formatted(GemmKernel.chosen().name()),
            "cores     %d".formatted(runtime.availableProcessors()),
            "heap      at most %.1f GiB".formatted(runtime.maxMemory() / GIBIBYTE)
        };
    }
}
