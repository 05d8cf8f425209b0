package org.isoloss.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.isoloss.checkpoint.AtomicFile;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Where a result came from: enough to repeat it. No time of day, so that equal runs have equal files.
 *
 * @param version of isoloss
 * @param command the command line, program first
 * @param settings every setting that the result depends on, by name, in a fixed order
 * @param seeds of all random draws
 * @param inputs the files that were read
 * @param java version and vendor
 * @param os name, version and architecture
 * @param cpu model, or what is known of it
 * @param cores that the JVM could use
 * @param blas the name of the BLAS kernel in use
 */
public record Provenance(
        String version,
        List<String> command,
        Map<String, String> settings,
        List<Long> seeds,
        List<InputFile> inputs,
        String java,
        String os,
        String cpu,
        int cores,
        String blas) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .build();

    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    /** Copies the lists. */
    public Provenance {
        command = List.copyOf(command);
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        seeds = List.copyOf(seeds);
        inputs = List.copyOf(inputs);
    }

    /**
     * Describes a result made here and now.
     *
     * @param command the command line, program first
     * @param settings every setting that the result depends on, by name
     * @param seeds of all random draws
     * @param inputs the files that were read; each is read once more for its digest
     * @param blas the name of the BLAS kernel in use
     * @return the description, with this JVM and machine
     * @throws IOException if an input cannot be read
     */
    public static Provenance here(
            List<String> command, Map<String, String> settings, List<Long> seeds, List<Path> inputs, String blas)
            throws IOException {
        List<InputFile> files = new ArrayList<>();
        for (Path input : inputs) {
            files.add(InputFile.of(input));
        }
        return new Provenance(
                Version.current(),
                command,
                settings,
                seeds,
                files,
                Runtime.version() + ", " + System.getProperty("java.vendor"),
                "%s %s, %s"
                        .formatted(
                                System.getProperty("os.name"),
                                System.getProperty("os.version"),
                                System.getProperty("os.arch")),
                cpuModel(),
                Runtime.getRuntime().availableProcessors(),
                blas);
    }

    /**
     * Describes the same result, if something else multiplied.
     *
     * @param kernel the name of the BLAS kernel that was in use
     * @return a new description
     */
    public Provenance computedWith(String kernel) {
        return new Provenance(version, command, settings, seeds, inputs, java, os, cpu, cores, kernel);
    }

    private static String cpuModel() {
        String otherwise = System.getenv().getOrDefault("PROCESSOR_IDENTIFIER", System.getProperty("os.arch"));
        if (!Files.isReadable(CPU_INFO)) {
            return otherwise;
        }
        try (var lines = Files.lines(CPU_INFO, StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(otherwise);
        } catch (IOException e) {
            return otherwise;
        }
    }

    /**
     * Reads what {@link #toJson} wrote.
     *
     * @param text a JSON object with exactly the components of this record
     * @return the provenance
     * @throws IllegalArgumentException if the text is something else; the message says what
     */
    public static Provenance fromJson(String text) {
        try {
            return JSON.readValue(text, Provenance.class);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "Provenance: not the JSON of a provenance: " + e.getOriginalMessage(), e);
        }
    }

    /** {@return the provenance as JSON: an object with the components in their order, indented; ends in {@code \n}} */
    public String toJson() {
        return JSON.writeValueAsString(this).replace("\r\n", "\n") + "\n";
    }

    /**
     * Writes {@link #toJson} at once or not at all.
     *
     * @param file the file; its folder exists
     * @throws IOException if it cannot be written
     */
    public void write(Path file) throws IOException {
        AtomicFile.writeText(file, toJson());
    }

    /** {@return the command as a shell takes it, the words, quoted where they need it} */
    public String commandLine() {
        return shell(command);
    }

    /** Returns words as a shell takes them, quoted where they need it. */
    static String shell(List<String> words) {
        return words.stream().map(Provenance::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** {@return the provenance for a reader, a table of two columns, one row a fact} */
    public Table toTable() {
        Table table = Table.of("Where this came from", Column.text("fact", "fact"), Column.text("value", "value"))
                .row("isoloss", version)
                .row("command", commandLine())
                .row("seeds", seeds.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            table = table.row(setting.getKey(), setting.getValue());
        }
        for (InputFile input : inputs) {
            table = table.row("input", input.name() + ", " + input.bytes() + " bytes, SHA-256 " + input.sha256());
        }
        return table.row("Java", java)
                .row("system", os)
                .row("processor", cpu + ", " + cores + " cores")
                .row("BLAS", blas);
    }
}
