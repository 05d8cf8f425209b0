package org.isoloss.sweep;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.checkpoint.TextFile;
import org.isoloss.sweep.Variation.Choice;
import org.isoloss.task.Recipes;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A task and lists of what varies: every combination is one fit. The same files give the same fits in the same order. */
public final class Sweep {
    /** Most fits of a sweep. */
    public static final int MOST = 1_000_000;

    private final String where;
    private final List<Path> files;
    private final Path folder;
    private final String name;
    private final Optional<String> kernel;
    private final String task;
    private final Map<String, String> changes;
    private final List<Variation> variations;
    private final int size;

    /** The task that was made last: the next fit is most often the same with another seed. */
    private volatile @Nullable Made last;

    private record Made(int combination, Task task) {}

    private Sweep(List<Path> files, Path folder, SweepFile file, Task task) {
        where = files.getFirst().toString();
        this.files = files;
        this.folder = folder;
        name = file.name();
        kernel = Optional.ofNullable(file.kernel());
        this.task = TaskFile.write(task);
        changes = new LinkedHashMap<>();
        Map<String, JsonNode> set = file.set() == null ? Map.of() : file.set();
        set.forEach((key, value) -> changes.put(key, value.toString()));
        variations = new Variations(file, task).all();
        long product = 1;
        for (Variation variation : variations) {
            product = Math.min(product * variation.choices().size(), MOST + 1L);
        }
        if (product > MOST) {
            throw new IllegalArgumentException(
                    "the lists make more than %d fits; make several sweeps of them".formatted(MOST));
        }
        size = (int) product;
    }

    /**
     * Reads a sweep and the task that it names.
     *
     * @param file YAML
     * @return the sweep
     * @throws IOException when one of the two cannot be read
     * @throws IllegalArgumentException naming what is wrong, in one line
     */
    public static Sweep read(Path file) throws IOException {
        String where = file.toString();
        Path folder = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(Path.of(""));
        SweepFile stated = TaskFile.parse(where, TextFile.read(file), Map.of(), SweepFile.class);
        Path task = folder.resolve(stated.task());
        Path taskFolder = Optional.ofNullable(task.getParent()).orElse(folder);
        Task base = TaskFile.read(task, Map.of()).located(taskFolder);
        try {
            return new Sweep(List.of(file, task), folder, stated, base);
        } catch (IllegalArgumentException refused) {
            throw new IllegalArgumentException("%s: %s".formatted(where, refused.getMessage()), refused);
        }
    }

    /** {@return the name of the sweep} */
    public String name() {
        return name;
    }

    /** {@return the files that state it, its own first} */
    public List<Path> files() {
        return files;
    }

    /** {@return the kernel that the file asks for, or nothing} */
    public Optional<String> kernel() {
        return kernel;
    }

    /** {@return what varies, in the order of the columns of the table, seeds last} */
    public List<Variation> variations() {
        return variations;
    }

    /** {@return the number of fits, 1 to {@link #MOST}} */
    public int size() {
        return size;
    }

    /** {@return the number of seeds of each combination} */
    public int seeds() {
        return variations.getLast().choices().size();
    }

    /** {@return the seeds of each combination, in order} */
    public List<Long> seedValues() {
        return variations.getLast().labels().stream().map(Long::valueOf).toList();
    }

    /**
     * Returns what tables call the values of one fit, without making its task.
     *
     * @param number 1 to {@link #size}
     * @return one label for each of {@link #variations}
     */
    public List<String> labels(int number) {
        return choices(number).stream().map(Choice::label).toList();
    }

    private List<Choice> choices(int number) {
        if (number < 1 || number > size) {
            throw new IllegalArgumentException(
                    "%s: there is no fit %d, expected 1 to %d".formatted(where, number, size));
        }
        List<Choice> chosen = new ArrayList<>();
        int rest = number - 1;
        for (Variation variation : variations.reversed()) {
            chosen.add(variation.choices().get(rest % variation.choices().size()));
            rest /= variation.choices().size();
        }
        return chosen.reversed();
    }

    /**
     * Returns one fit.
     *
     * @param number 1 to {@link #size}
     * @return the fit, with its task resolved
     * @throws IllegalArgumentException when the combination makes no task, naming it
     */
    public SweepFit fit(int number) {
        List<Choice> chosen = choices(number);
        List<String> labels = chosen.stream().map(Choice::label).toList();
        return new SweepFit(number, labels, task(number, chosen), Long.parseLong(labels.getLast()));
    }

    private Task task(int number, List<Choice> chosen) {
        int combination = (number - 1) / seeds();
        Made known = last;
        if (known == null || known.combination != combination) {
            Map<String, String> all = new LinkedHashMap<>(changes);
            chosen.forEach(choice -> all.putAll(choice.changes()));
            String place = "%s, fit %d (%s)".formatted(where, number, describe(number));
            known = new Made(combination, TaskFile.parse(place, task, all).resolved(folder));
            last = known;
        }
        return known.task;
    }

    /**
     * Counts the steps of one fit.
     *
     * @param number 1 to {@link #size}
     * @return steps of its recipe, at most
     * @throws IllegalArgumentException when the combination makes no task, naming it
     */
    public int steps(int number) {
        return Recipes.of(fit(number).task()).steps();
    }

    /**
     * Says in one line what varies in a fit.
     *
     * @param number 1 to {@link #size}
     * @return such as {@code layer 3, seed 101}
     */
    public String describe(int number) {
        List<String> labels = labels(number);
        List<String> words = new ArrayList<>();
        for (int i = 0; i < labels.size(); i++) {
            words.add(variations.get(i).key() + " " + labels.get(i));
        }
        return String.join(", ", words);
    }

    /**
     * Makes the task of every combination, so that a wrong one is refused before anything is written.
     *
     * @return steps of the recipe of each combination, at most; one combination has {@link #seeds} fits
     * @throws IllegalArgumentException when a combination makes no task, naming it
     */
    public int[] steps() {
        int[] steps = new int[size / seeds()];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = steps(1 + i * seeds());
        }
        return steps;
    }

    /** {@return all that its fits follow from, JSON; equal for equal sweeps} */
    String text() {
        Map<String, Object> text = new LinkedHashMap<>();
        text.put("name", name);
        text.put("task", task);
        text.put("set", changes);
        text.put("vary", variations);
        return JsonMapper.shared().writeValueAsString(text);
    }
}
