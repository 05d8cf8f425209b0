package org.isoloss.cli.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The table of docs/equations.md, and whether it agrees with the sources. */
final class Equations {
    static final List<Path> SOURCES = Stream.of("library", "reproduce")
            .map(module -> Pages.REPOSITORY.resolve(Path.of(module, "src", "main", "java")))
            .toList();

    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\|[^|]*\\| ([^|]+) \\|");
    private static final Pattern PLACE = Pattern.compile("`([a-z]+)\\.(\\w+)(?:#(\\w+))?`");
    private static final Pattern JAVADOC = Pattern.compile("(?s)/\\*\\*.*?\\*/");
    private static final Pattern LABEL =
            Pattern.compile("\\b(?:eq|thm|prop|cor|lem|app|appendix|sec|tab|fig):[a-z][a-z0-9-]*");

    private Equations() {}

    /**
     * A row.
     *
     * @param label in the source of the paper
     * @param places of the code
     */
    record Row(String label, List<Place> places) {}

    /**
     * A place.
     *
     * @param location package below org.isoloss
     * @param type simple name
     * @param method name, or empty for the class itself
     */
    record Place(String location, String type, String method) {
        String file() {
            return "org/isoloss/%s/%s.java".formatted(location, type);
        }

        boolean exists() {
            try {
                Class<?> found = Class.forName("org.isoloss.%s.%s".formatted(location, type));
                return method.isEmpty()
                        || Arrays.stream(found.getDeclaredMethods())
                                .anyMatch(declared -> declared.getName().equals(method));
            } catch (ClassNotFoundException e) {
                return false;
            }
        }

        @Override
        public String toString() {
            return location + "." + type + (method.isEmpty() ? "" : "#" + method);
        }
    }

    static List<Row> rows(String page) {
        List<Row> rows = new ArrayList<>();
        for (String line : page.lines().filter(text -> text.startsWith("| `")).toList()) {
            MatchResult row = ROW.matcher(line)
                    .results()
                    .findFirst()
                    .orElseThrow(
                            () -> new IllegalArgumentException("no row of a label, a meaning and a place: " + line));
            List<Place> places = new ArrayList<>();
            for (String place : row.group(2).split(", ", -1)) {
                MatchResult found = PLACE.matcher(place)
                        .results()
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("no place 'package.Class#method': " + line));
                places.add(new Place(found.group(1), found.group(2), found.group(3) == null ? "" : found.group(3)));
            }
            rows.add(new Row(row.group(1), places));
        }
        return rows;
    }

    /** What the rows say and the sources do not, and the other way round. */
    static List<String> disagreements(List<Row> rows, List<Path> sources) {
        List<String> found = new ArrayList<>();
        for (Row row : rows) {
            for (Place place : row.places()) {
                Optional<Path> file = sources.stream()
                        .map(folder -> folder.resolve(place.file()))
                        .filter(Files::isRegularFile)
                        .findFirst();
                if (file.isEmpty() || !place.exists()) {
                    found.add("%s: there is no %s".formatted(row.label(), place));
                } else if (!labels(file.get()).contains(row.label())) {
                    found.add("%s: no Javadoc of %s names it".formatted(row.label(), place.file()));
                }
            }
        }
        Set<String> listed = rows.stream().map(Row::label).collect(Collectors.toSet());
        for (Path folder : sources) {
            for (Path file : javaFiles(folder)) {
                for (String label : labels(file)) {
                    if (!listed.contains(label)) {
                        found.add("%s: %s names it, the page does not".formatted(label, folder.relativize(file)));
                    }
                }
            }
        }
        return found;
    }

    private static List<Path> javaFiles(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(path -> path.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> labels(Path file) {
        Set<String> labels = new TreeSet<>();
        JAVADOC.matcher(Pages.read(file))
                .results()
                .forEach(javadoc ->
                        LABEL.matcher(javadoc.group()).results().forEach(label -> labels.add(label.group())));
        return labels;
    }
}
