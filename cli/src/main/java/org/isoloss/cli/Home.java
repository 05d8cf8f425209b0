package org.isoloss.cli;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the project lies that this command was built in: the shipped examples are there. */
final class Home {
    private Home() {}

    /** The folder {@code examples} of the project. */
    static Path examples() {
        try {
            // cli/target/isoloss.jar, or cli/target/classes in tests
            Path here = Path.of(Home.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            for (Path folder = here; folder != null; folder = folder.getParent()) {
                Path examples = folder.resolve("examples");
                if (Files.isRegularFile(examples.resolve("digits.yaml"))) {
                    return examples;
                }
            }
            throw new IllegalArgumentException(
                    "the folder 'examples' was not found above %s; run isoloss from its own checkout".formatted(here));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("the place of isoloss is no file: " + e.getMessage(), e);
        }
    }
}
