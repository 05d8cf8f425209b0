package org.isoloss.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of isoloss that is running, as its build wrote it. */
public final class Version {
    private static final String RESOURCE = "build.properties";

    private Version() {}

    /**
     * Returns the version of the build.
     *
     * @return for example {@code 0.1.0}
     * @throws IllegalStateException if the build left out its version
     */
    public static String current() {
        try (InputStream in = Version.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(
                        "Version: " + RESOURCE + " is missing from the library; build it again");
            }
            var properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
