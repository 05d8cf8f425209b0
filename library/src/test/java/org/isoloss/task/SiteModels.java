package org.isoloss.task;

import static java.util.Objects.requireNonNull;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the models among the examples and test resources. */
final class SiteModels {
    static final String TRAINED = "neox-wikitext-1.8m";

    private SiteModels() {}

    static Path folder(String name) {
        if (name.equals(TRAINED)) {
            Path examples = Path.of("examples");
            return (Files.isDirectory(examples) ? examples : Path.of("..").resolve(examples)).resolve(name);
        }
        try {
            String place = "/org/isoloss/transformer/" + name;
            return Path.of(
                    requireNonNull(SiteModels.class.getResource(place), name).toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
