package org.isoloss.discovery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.isoloss.action.TrainedAction;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;

/**
 * The folder of one fit: {@code task.yaml} (resolved), {@code metrics.jsonl}, {@code checkpoint.safetensors} (all that
 * going on needs), {@code selected.safetensors} (what validation prefers so far, until the fit ends) and {@code
 * action.safetensors} (the result). Files are replaced in one piece, so an interrupted fit
 * leaves a folder from which it can go on.
 */
public final class RunDirectory {
    /** Version of the layout and of the files; another one is refused. */
    public static final String FORMAT = "1";

    private static final String TASK = "task.yaml";
    private static final String METRICS = "metrics.jsonl";
    private static final String CHECKPOINT = "checkpoint.safetensors";
    private static final String ACTION = "action.safetensors";
    private static final String SELECTED = "selected.safetensors";
    private static final String HEADER = "# isoloss run, format ";
    private static final Pattern FIRST_LINE = Pattern.compile(Pattern.quote(HEADER) + "(.*), seed (-?\\d+)");

    private final Path folder;
    private final long seed;

    /**
     * Which weights of a fit validation chose.
     *
     * @param step steps that led to them
     * @param error that it found, over the tolerances
     */
    public record Chosen(int step, double error) {}

    private RunDirectory(Path folder, long seed) {
        this.folder = folder;
        this.seed = seed;
    }

    /**
     * Makes a run folder, or finds the one that an interrupted fit of the same task and seed left.
     *
     * @param folder absent, empty, or a run of the same task and seed
     * @param task the resolved task, as text
     * @param seed of the fit
     * @return the run
     * @throws IOException when the folder cannot be written
     * @throws IllegalArgumentException when the folder holds something else
     */
    public static RunDirectory create(Path folder, String task, long seed) throws IOException {
        String text = "%s%s, seed %d%n%s".formatted(HEADER, FORMAT, seed, task);
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new IllegalArgumentException("%s is a file, expected a folder for the run".formatted(folder));
        }
        if (Files.isDirectory(folder) && !isEmpty(folder)) {
            String present = header(folder);
            if (!present.equals(text)) {
                throw new IllegalArgumentException(
                        "%s holds a run of another task, recipe or seed; give another --out, or remove it"
                                .formatted(folder));
            }
            return new RunDirectory(folder, seed);
        }
        Files.createDirectories(folder);
        AtomicFile.writeText(folder.resolve(TASK), text);
        return new RunDirectory(folder, seed);
    }

    /**
     * Opens a finished or interrupted run.
     *
     * @param folder of the run
     * @return the run
     * @throws IOException when the folder cannot be read
     * @throws IllegalArgumentException when it is no run of this version
     */
    public static RunDirectory open(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        String first = header(folder).lines().findFirst().orElse("");
        return new RunDirectory(folder, Long.parseLong(first.substring(first.lastIndexOf(' ') + 1)));
    }

    /**
     * Tells whether a folder looks like a run, of whatever version.
     *
     * @param folder any path
     * @return true where it has a task
     */
    public static boolean isRun(Path folder) {
        return Files.isRegularFile(folder.resolve(TASK));
    }

    private static String header(Path folder) throws IOException {
        Path file = folder.resolve(TASK);
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException(
                    "%s is not an isoloss run: it has no %s; give another folder".formatted(folder, TASK));
        }
        String text = Files.readString(file);
        if (!text.startsWith(HEADER)) {
            throw new IllegalArgumentException("%s is not an isoloss run: its %s does not begin with '%s'"
                    .formatted(folder, TASK, HEADER.strip()));
        }
        Matcher first = FIRST_LINE.matcher(text.lines().findFirst().orElse(""));
        if (!first.matches() || !first.group(1).equals(FORMAT)) {
            throw new IllegalArgumentException(
                    "%s is a run of format '%s', expected '%s'; repeat it with this version, or use the version that made it"
                            .formatted(folder, first.matches() ? first.group(1) : "unknown", FORMAT));
        }
        return text;
    }

    /** A fit that was killed while it made the folder left at most the temporary file of its task. */
    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .allMatch(name -> name.startsWith("." + TASK + ".") && name.endsWith(".tmp"));
        }
    }

    /** {@return the folder, as given} */
    public Path folder() {
        return folder;
    }

    /** {@return the seed of the fit, as the task file says} */
    public long seed() {
        return seed;
    }

    /**
     * Returns the resolved task.
     *
     * @return YAML
     * @throws IOException when it cannot be read
     */
    public String task() throws IOException {
        return Files.readString(folder.resolve(TASK));
    }

    /**
     * Saves a state, and drops metrics that a later part of an interrupted fit left.
     *
     * @param state between two steps
     * @throws IOException when it cannot be written
     */
    public void save(TrainingState state) throws IOException {
        SafetensorsWriter writer = new SafetensorsWriter()
                .metadata("format", FORMAT)
                .metadata("seed", Long.toString(seed))
                .metadata("kernel", state.kernel())
                .metadata("step", Integer.toString(state.step()));
        addAll(writer, "weights.", state.weights());
        add(writer, "moments.first", state.firstMoments());
        add(writer, "moments.second", state.secondMoments());
        addAll(writer, "bases.", state.bases());
        writer.saveTo(folder.resolve(CHECKPOINT));
    }

    private static void addAll(SafetensorsWriter writer, String prefix, List<double[]> arrays) {
        for (int i = 0; i < arrays.size(); i++) {
            add(writer, prefix + i, arrays.get(i));
        }
    }

    private static List<double[]> all(SafetensorsFile file, String prefix) {
        List<double[]> arrays = new ArrayList<>();
        while (file.names().contains(prefix + arrays.size())) {
            arrays.add(file.tensor(prefix + arrays.size()).toDoubles());
        }
        return arrays;
    }

    private static void add(SafetensorsWriter writer, String name, double[] numbers) {
        writer.add(name, ElementType.F32, Shape.of(numbers.length), numbers);
    }

    /**
     * Returns the last saved state.
     *
     * @return the state, or nothing before the first one was saved
     * @throws IOException when it cannot be read
     */
    public Optional<TrainingState> state() throws IOException {
        Path file = folder.resolve(CHECKPOINT);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try (SafetensorsFile checkpoint = SafetensorsFile.open(file)) {
            ActionFile.requireFormat(checkpoint, FORMAT);
            return Optional.of(new TrainingState(
                    ActionFile.metadata(checkpoint, "kernel"),
                    Integer.parseInt(ActionFile.metadata(checkpoint, "step")),
                    all(checkpoint, "weights."),
                    checkpoint.tensor("moments.first").toDoubles(),
                    checkpoint.tensor("moments.second").toDoubles(),
                    all(checkpoint, "bases.")));
        }
    }

    /**
     * Keeps the metrics up to a step, so that a resumed fit writes each line once.
     *
     * @param step steps done
     * @throws IOException when they cannot be written
     */
    public void keepMetrics(int step) throws IOException {
        Path file = folder.resolve(METRICS);
        if (!Files.exists(file)) {
            return;
        }
        StringBuilder kept = new StringBuilder();
        String text = Files.readString(file);
        int complete = text.lastIndexOf('\n') + 1;
        text.substring(0, complete)
                .lines()
                .filter(line -> stepOf(line) < step)
                .forEach(line -> kept.append(line).append('\n'));
        AtomicFile.writeText(file, kept.toString());
    }

    private static int stepOf(String line) {
        int begin = line.indexOf(':') + 1;
        return Integer.parseInt(line.substring(begin, line.indexOf(',')).strip());
    }

    /**
     * Appends lines to the metrics.
     *
     * @param lines JSON objects that begin with their step, each with a line break
     * @throws IOException when they cannot be written
     */
    public void appendMetrics(String lines) throws IOException {
        Files.write(
                folder.resolve(METRICS),
                lines.getBytes(StandardCharsets.UTF_8),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** {@return whether the result is there} */
    public boolean isFinished() {
        return Files.exists(folder.resolve(ACTION));
    }

    /**
     * Makes the result: what validation selected, where it did, and otherwise the last weights. A result that is there stays.
     *
     * @param last the action with the weights of the last step
     * @param step steps that led to them
     * @param error by which validation ended the fit with them; nothing where it did not
     * @throws IOException when it cannot be written
     */
    void finish(TrainedAction last, int step, OptionalDouble error) throws IOException {
        if (isFinished()) {
            return;
        }
        Path selected = folder.resolve(SELECTED);
        if (Files.exists(selected)) {
            Files.move(selected, folder.resolve(ACTION), StandardCopyOption.ATOMIC_MOVE);
        } else {
            Optional<Chosen> ended =
                    error.isPresent() ? Optional.of(new Chosen(step, error.getAsDouble())) : Optional.empty();
            ActionFile.write(folder.resolve(ACTION), last, seed, ended);
        }
    }

    /**
     * Saves the weights that validation prefers to all before.
     *
     * @param action with these weights
     * @param step steps that led to them
     * @param error their validation error, finite
     * @throws IOException when they cannot be written
     */
    void saveSelected(TrainedAction action, int step, double error) throws IOException {
        ActionFile.write(folder.resolve(SELECTED), action, seed, Optional.of(new Chosen(step, error)));
    }

    /** Returns the validation error of the weights selected so far; nothing before the first. */
    OptionalDouble selectedError() throws IOException {
        Path file = folder.resolve(SELECTED);
        if (!Files.exists(file)) {
            return OptionalDouble.empty();
        }
        return ActionFile.chosen(file).stream().mapToDouble(Chosen::error).findFirst();
    }

    /**
     * Returns the weights that validation selected so far in a fit that goes on.
     *
     * @return the action with them; nothing where no validation selects, or the fit is finished
     * @throws IOException when they cannot be read
     */
    public Optional<TrainedAction> selected() throws IOException {
        Path file = folder.resolve(SELECTED);
        return Files.exists(file) ? Optional.of(ActionFile.read(file)) : Optional.empty();
    }

    /**
     * Saves the result.
     *
     * @param action the trained action
     * @throws IOException when it cannot be written
     */
    public void save(TrainedAction action) throws IOException {
        ActionFile.write(folder.resolve(ACTION), action, seed, Optional.empty());
    }

    /**
     * Reads which weights validation chose for the result, by selecting among checkpoints or by ending the fit with them.
     *
     * @return their step and error; nothing where it chose none, or the fit is not finished
     * @throws IOException when the file cannot be read
     */
    public Optional<Chosen> chosen() throws IOException {
        return isFinished() ? ActionFile.chosen(folder.resolve(ACTION)) : Optional.empty();
    }

    /**
     * Reads the result.
     *
     * @return the trained action
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when the fit is not finished
     */
    public TrainedAction action() throws IOException {
        Path file = folder.resolve(ACTION);
        if (!Files.exists(file)) {
            throw new IllegalArgumentException(
                    "%s: the fit is not finished; run 'isoloss discover' with the same task and --out to go on"
                            .formatted(folder));
        }
        return ActionFile.read(file);
    }

    /** {@return the metadata that result files repeat, seed and format} */
    public Map<String, String> label() {
        return Map.of("format", FORMAT, "seed", Long.toString(seed));
    }
}
