package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNull;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** Finds the files beside these tests. */
final class Resources {
    private Resources() {}

    static Path path(String name) {
        try {
            return Path.of(
                    requireNonNull(Resources.class.getResource(name), name).toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
