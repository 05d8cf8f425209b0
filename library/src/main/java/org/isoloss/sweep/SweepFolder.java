package org.isoloss.sweep;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.linalg.GemmKernel;
import org.isoloss.report.Version;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The folder of a sweep: {@code sweep.json} (what it is and what multiplies), {@code fits/00001} and so on, each a run folder
 * with {@code evaluation.json} and {@code row.json}, which is written last and says that the fit is done. Several processes may
 * work in one folder, on one machine or on several that share it.
 */
public final class SweepFolder {
    /** Version of the layout. */
    static final String FORMAT = "1";

    private static final String PIN = "sweep.json";
    private static final String CLAIMS = ".claims";
    private static final String ROW = "row.json";
    private static final String FITS = "fits";

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private final Path folder;
    private final int digits;

    /** What every worker must have alike. */
    private record Pin(String format, String version, String kernel, int fits, JsonNode sweep) {
        static Pin of(Sweep sweep) {
            return new Pin(
                    FORMAT, Version.current(), GemmKernel.chosen().name(), sweep.size(), JSON.readTree(sweep.text()));
        }

        String toJson() {
            return JSON.writeValueAsString(this) + "\n";
        }
    }

    private SweepFolder(Path folder, int size) {
        this.folder = folder;
        digits = Integer.toString(size).length();
    }

    /**
     * Makes the folder of a sweep, or joins those who work in it.
     *
     * @param folder absent, empty, or the folder of the same sweep
     * @param sweep what is to be made
     * @return the folder
     * @throws IOException when it cannot be written
     * @throws IllegalArgumentException when it holds something else, or this process has another kernel or version than the one
     *     that began the sweep
     */
    public static SweepFolder join(Path folder, Sweep sweep) throws IOException {
        Pin own = Pin.of(sweep);
        requireKernel(sweep, own.kernel);
        Path file = folder.resolve(PIN);
        if (!Files.exists(file)) {
            requireFree(folder);
            Files.createDirectories(folder.resolve(FITS));
            AtomicFile.writeText(file, own.toJson());
        }
        requireAlike(file, own); // also of a sweep that another process began at the same moment
        return new SweepFolder(folder, sweep.size());
    }

    /**
     * Tells whether a sweep was begun in a folder.
     *
     * @param folder any path
     * @return whether a file says so
     */
    public static boolean isBegun(Path folder) {
        return Files.exists(folder.resolve(PIN));
    }

    private static void requireKernel(Sweep sweep, String kernel) {
        if (sweep.kernel().isPresent() && !sweep.kernel().get().equals(kernel)) {
            throw new IllegalArgumentException(
                    "the sweep asks for the kernel '%s', and '%s' multiplies here; set OPENBLAS_CORETYPE or ISOLOSS_BLAS, or use another machine"
                            .formatted(sweep.kernel().get(), kernel));
        }
    }

    private static void requireFree(Path folder) throws IOException {
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new IllegalArgumentException("%s is a file, expected a folder for the sweep".formatted(folder));
        }
        if (!Files.isDirectory(folder)) {
            return;
        }
        List<String> others = new ArrayList<>();
        try (Stream<Path> entries = Files.list(folder)) {
            entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> !name.startsWith("." + PIN) && !name.equals(FITS) && !name.equals(CLAIMS))
                    .forEach(others::add);
        }
        if (!others.isEmpty() && !Files.exists(folder.resolve(PIN))) {
            throw new IllegalArgumentException("%s holds something other than a sweep, such as %s; give another --out"
                    .formatted(folder, others.getFirst()));
        }
    }

    private static void requireAlike(Path file, Pin own) throws IOException {
        Pin there;
        try {
            there = JSON.readValue(Files.readString(file), Pin.class);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("%s is no sweep of this version; give another --out".formatted(file), e);
        }
        requireSame(file, "the version", there.version, own.version, "use that version");
        if (!there.sweep.equals(own.sweep)) {
            throw new IllegalArgumentException(
                    "%s is of another sweep, or of an earlier state of this one's files; give another --out"
                            .formatted(file));
        }
        requireSame(
                file,
                "the kernel",
                there.kernel,
                own.kernel,
                "set OPENBLAS_CORETYPE or ISOLOSS_BLAS to have the same, or use another machine");
    }

    private static void requireSame(Path file, String what, String there, String here, String advice) {
        if (!there.equals(here)) {
            throw new IllegalArgumentException("%s: the sweep was begun with %s '%s', here it is '%s'; %s"
                    .formatted(file, what, there, here, advice));
        }
    }

    /** {@return the folder, as given} */
    public Path path() {
        return folder;
    }

    /**
     * Returns where a fit is, whether or not it was begun.
     *
     * @param number of the fit
     * @return the run folder
     */
    public Path fit(int number) {
        return folder.resolve(FITS).resolve(name(number));
    }

    /**
     * Returns how the folder of a fit is called.
     *
     * @param number of the fit
     * @return its number, with zeros before it
     */
    String name(int number) {
        return ("%0" + digits + "d").formatted(number);
    }

    /**
     * Reads what came of a fit.
     *
     * @param number of the fit
     * @return its row; nothing where it is not done
     * @throws IOException when it cannot be read
     */
    public Optional<SweepRow> row(int number) throws IOException {
        Path file = fit(number).resolve(ROW);
        return Files.exists(file)
                ? Optional.of(SweepRow.fromJson(Files.readString(file), file.toString()))
                : Optional.empty();
    }

    /** Writes what came of a fit; it is done then. */
    void write(SweepRow row) throws IOException {
        Path run = fit(row.fit());
        Files.createDirectories(run);
        AtomicFile.writeText(run.resolve(ROW), row.toJson() + "\n");
    }

    /** Waits until no other worker has a fit, and keeps it from all others until the claim is closed. */
    FitClaims.Claim claim(int number) throws IOException {
        return FitClaims.in(folder.resolve(CLAIMS)).take(number);
    }

    /**
     * Keeps others from making the same sweep as a whole; workers on single fits may join.
     *
     * @return what holds the folder until it is closed
     * @throws IOException when the folder cannot be written
     * @throws IllegalArgumentException when another process has it
     */
    public AutoCloseable claimWhole() throws IOException {
        return FitClaims.in(folder.resolve(CLAIMS))
                .tryTake(0)
                .orElseThrow(() -> new IllegalArgumentException(
                        "another process is making the sweep in %s; wait for it, or give another --out"
                                .formatted(folder)));
    }
}
