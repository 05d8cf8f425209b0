package org.isoloss.checkpoint;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Published models, which are too large to come with the sources. Tests that need one run where the environment variable
 * ISOLOSS_MODELS or the system property isoloss.models names a folder that has it, and are skipped elsewhere.
 */
public final class RealModels {
    private static final String VARIABLE = "ISOLOSS_MODELS";
    private static final String PROPERTY = "isoloss.models";

    private RealModels() {}

    /**
     * Returns a model's file, or skips the test that asks.
     *
     * @param name of the file within the folder
     * @return a file that is there
     */
    public static Path require(String name) {
        Optional<Path> file = Optional.ofNullable(System.getProperty(PROPERTY))
                .or(() -> Optional.ofNullable(System.getenv(VARIABLE)))
                .map(folder -> Path.of(folder).resolve(name))
                .filter(Files::exists);
        assumeTrue(
                file.isPresent(),
                () -> "skipped: no %s in a folder that %s or -D%s names".formatted(name, VARIABLE, PROPERTY));
        return file.orElseThrow();
    }
}
