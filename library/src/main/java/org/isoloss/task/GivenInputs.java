package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.isoloss.checkpoint.Npz;
import org.isoloss.linalg.Matrix;
import org.isoloss.source.NamedArrays;
import org.isoloss.source.StoredModel;
import org.isoloss.task.InputTable.RowChoice;

/**
 * The inputs of a model as a task gives them: the ids of a text, a table with one input a row, or an npz file with either one
 * array or one of each input's name.
 *
 * @param arrays the chosen rows, by the names of inputs
 * @param choice which rows they are
 * @param tokens ids of the text; none where the input is something else
 * @param notices what a reader should know about how the file was read
 */
record GivenInputs(NamedArrays arrays, RowChoice choice, List<Integer> tokens, List<String> notices) {
    private static final String TOKENS = "input_ids";

    /** Keeps collections of its own. */
    GivenInputs {
        tokens = List.copyOf(tokens);
        notices = List.copyOf(notices);
    }

    /** Reads the inputs of the model in a file. Rows are chosen along the first axis. */
    static GivenInputs read(Path file, DataSource source, Path folder) throws IOException {
        List<String> names = StoredModel.inputs(file);
        List<String> notices = new ArrayList<>();
        NamedArrays given = NamedArrays.NONE;
        RowChoice choice = new RowChoice(null, 1);
        List<Integer> tokens = source.tokens();
        Path path = folder.resolve(String.valueOf(source.file()));
        if (tokens != null) {
            String name = names.contains(TOKENS) ? TOKENS : names.getFirst();
            double[] ids = tokens.stream().mapToDouble(Integer::doubleValue).toArray();
            given = given.with(name, List.of(1, ids.length), ids).withTokenInputs(names);
            choice = new RowChoice(null, ids.length);
        } else if (StoredModel.isModel(file) && (Npz.isZip(path) || Npz.isArray(path))) {
            if (source.header() != null || Boolean.TRUE.equals(source.label())) {
                throw new IllegalArgumentException(
                        "data: %s holds arrays, and 'header' and 'label' go with a table".formatted(source.file()));
            }
            NamedArrays stored = ModelBatch.named(file, NamedArrays.read(path), source.array());
            List<String> possible = StoredModel.possibleInputs(file);
            requireNoOther(file, stored, "data: ", " of " + source.file());
            for (String name : possible) {
                if (names.contains(name) || stored.names().contains(name)) {
                    requireRows(name, names, stored, source, file);
                    choice = new RowChoice(source.rows(), stored.sizes(name).getFirst());
                    given = with(given, name, stored, choice, source);
                }
            }
        } else if (names.size() == 1) {
            InputTable table = InputTable.read(source, folder);
            table.notice().ifPresent(notices::add);
            choice = table.choice();
            Matrix inputs = table.inputs();
            given = given.with(names.getFirst(), List.of(inputs.rows(), inputs.columns()), inputs.entries());
        } else {
            throw new IllegalArgumentException(
                    "data: %s is one table, but the model has the inputs %s; give an npz file with an array for each"
                            .formatted(source.file(), String.join(", ", names)));
        }
        return new GivenInputs(given, choice, tokens == null ? List.of() : tokens, notices);
    }

    /** Refuses arrays that are no input: what is not read is not passed over. */
    static void requireNoOther(Path file, NamedArrays given, String where, String whose) throws IOException {
        List<String> possible = StoredModel.possibleInputs(file);
        for (String name : given.names()) {
            if (!possible.contains(name)) {
                throw new IllegalArgumentException(
                        "%sthe array '%s'%s is no input of %s, which takes %s; leave it out%s"
                                .formatted(
                                        where,
                                        name,
                                        whose,
                                        file.getFileName(),
                                        String.join(", ", possible),
                                        possible.size() == 1 ? ", or name the one that is meant by 'array'" : ""));
            }
        }
    }

    private static void requireRows(String name, List<String> names, NamedArrays stored, DataSource source, Path file) {
        if (!stored.names().contains(name)) {
            throw new IllegalArgumentException("data: %s has the input%s %s, but %s has no array '%s'; there are %s"
                    .formatted(
                            file.getFileName(),
                            names.size() == 1 ? "" : "s",
                            String.join(", ", names),
                            source.file(),
                            name,
                            String.join(", ", stored.names())));
        }
        if (stored.sizes(name).isEmpty() || stored.sizes(name).contains(0)) {
            throw new IllegalArgumentException(
                    "data: the array of the input '%s' has shape %s, expected one input a row"
                            .formatted(name, stored.sizes(name)));
        }
    }

    /** Adds the chosen rows of an array, along its first axis. */
    private static NamedArrays with(
            NamedArrays given, String name, NamedArrays stored, RowChoice choice, DataSource source) {
        double[] numbers = stored.numbers(name);
        Matrix all = Matrix.over(choice.rows(), numbers.length / choice.rows(), numbers);
        all.requireFinite("data: " + name);
        if (source.rows() != null && source.rows().getLast() > choice.rows()) {
            throw new IllegalArgumentException(
                    "data: rows %s asked for, but the array '%s' has %d".formatted(source.rows(), name, choice.rows()));
        }
        Matrix chosen = choice.of(all);
        List<Integer> sizes = new ArrayList<>(stored.sizes(name));
        sizes.set(0, chosen.rows());
        double scale = source.scale() == null ? 1 : source.scale();
        return given.with(name, sizes, chosen.scaled(1 / scale).entries());
    }
}
