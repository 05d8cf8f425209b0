package org.isoloss.cli;

import org.isoloss.report.Version;
import picocli.CommandLine.IVersionProvider;

/** The line that {@code isoloss --version} prints. */
final class VersionLine implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String line = "isoloss %s (Java %s, %s %s)"
                .formatted(
                        Version.current(),
                        Runtime.version().feature(),
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"));
        return new String[] {line};
    }
}
