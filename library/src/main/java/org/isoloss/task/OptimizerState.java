package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import org.isoloss.basis.BasisGroup.Moments;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;

/**
 * The state of Adam in a file of tensors: {@code NAME.exp_avg} and {@code NAME.exp_avg_sq} for parameters of a model, or that of an
 * optimiser that keeps the first of them alone, and single numbers, such as {@code NAME.step}, which stay.
 */
public final class OptimizerState {
    private static final String FIRST = ".exp_avg";
    private static final String SECOND = ".exp_avg_sq";

    private final CheckpointEdit edit;
    private final int count;

    private OptimizerState(CheckpointEdit edit, int count) {
        this.edit = edit;
        this.count = count;
    }

    /** Moves moments along with parameters. */
    public interface Change {
        /**
         * Moves moments.
         *
         * @param first moving means of gradients, by parameter
         * @param second moving means of their squares, by parameter
         * @return both, moved
         * @throws IllegalArgumentException when they cannot be moved so
         */
        Moments of(SequencedMap<String, Numbers> first, SequencedMap<String, Numbers> second);
    }

    /**
     * Prepares the state of a model that was moved.
     *
     * @param file with the state of the model as it was
     * @param model as it was
     * @param change of its parameters
     * @return with nothing written yet
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when it has no moments of the model's parameters, second ones for some alone, some of another shape, or
     *     tensors that are no moments, with their names
     */
    public static OptimizerState moved(Path file, Model model, Change change) throws IOException {
        SequencedMap<String, Numbers> first = new LinkedHashMap<>();
        SequencedMap<String, Numbers> second = new LinkedHashMap<>();
        try (Checkpoint state = Checkpoint.open(file)) {
            for (String name : model.parameters().keySet()) {
                add(file, state, model, name, FIRST, first);
                add(file, state, model, name, SECOND, second);
            }
            if (first.isEmpty() && second.isEmpty()) {
                String example = model.parameters().firstEntry().getKey();
                throw new IllegalArgumentException(
                        "%s: has no moments of the model's parameters; expected tensors such as '%s' and '%s'"
                                .formatted(file, example + FIRST, example + SECOND));
            }
            if (!second.isEmpty()) {
                requireAll(file, first.keySet(), FIRST, second.keySet(), SECOND);
                requireAll(file, second.keySet(), SECOND, first.keySet(), FIRST);
            }
            requireNoOther(file, state, first.keySet());
        }
        Moments moved = change.of(first, second);
        CheckpointEdit edit = Checkpoint.edit(file);
        for (var moment : moved.first().entrySet()) {
            edit = edit.with(moment.getKey() + FIRST, moment.getValue().asFloat64());
        }
        for (var moment : moved.second().entrySet()) {
            edit = edit.with(moment.getKey() + SECOND, moment.getValue().asFloat64());
        }
        return new OptimizerState(edit, first.size());
    }

    /** {@return of how many parameters there are moments} */
    public int count() {
        return count;
    }

    /**
     * Writes the state.
     *
     * @param target of the type of the file
     * @throws IOException when it cannot be written
     */
    public void saveAs(Path target) throws IOException {
        edit.saveAs(target);
    }

    private static void requireAll(Path file, Set<String> some, String has, Set<String> others, String hasNot) {
        for (String name : some) {
            if (!others.contains(name)) {
                throw new IllegalArgumentException("%s: has '%s' and no '%s', which other parameters have"
                        .formatted(file, name + has, name + hasNot));
            }
        }
    }

    private static void requireNoOther(Path file, Checkpoint state, Set<String> parameters) throws IOException {
        Set<String> moments = new HashSet<>();
        parameters.forEach(name -> moments.addAll(List.of(name + FIRST, name + SECOND)));
        for (String name : state.names()) {
            if (!moments.contains(name) && state.tensor(name).shape().count() != 1) {
                throw new IllegalArgumentException(
                        "%s: the tensor '%s' is no moment of a parameter of the model; expected NAME%s and NAME%s for these, and single numbers, such as steps"
                                .formatted(file, name, FIRST, SECOND));
            }
        }
    }

    private static void add(
            Path file, Checkpoint state, Model model, String name, String suffix, SequencedMap<String, Numbers> moments)
            throws IOException {
        if (!state.names().contains(name + suffix)) {
            return;
        }
        StoredTensor tensor = state.tensor(name + suffix);
        String expected = model.parameter(name).shape().toString();
        if (!tensor.shape().toString().equals(expected)) {
            throw new IllegalArgumentException("%s: the tensor '%s' has shape %s, and the parameter %s"
                    .formatted(file, name + suffix, tensor.shape(), expected));
        }
        moments.put(name, Numbers.of(tensor.toDoubles()));
    }
}
