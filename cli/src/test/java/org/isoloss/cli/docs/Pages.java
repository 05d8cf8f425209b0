package org.isoloss.cli.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The pages a reader sees: README.md, CONTRIBUTING.md and docs/. */
final class Pages {
    static final Path REPOSITORY = Path.of("..");

    private Pages() {}

    static List<Path> all() {
        List<Path> pages =
                new ArrayList<>(List.of(REPOSITORY.resolve("README.md"), REPOSITORY.resolve("CONTRIBUTING.md")));
        try (Stream<Path> docs = Files.walk(REPOSITORY.resolve("docs"))) {
            docs.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return pages;
    }

    static List<Block> blocks(Path page) {
        return Block.in(REPOSITORY.relativize(page).toString(), read(page));
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
