package org.isoloss.discovery;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.isoloss.action.ActionKind;
import org.isoloss.action.TrainedAction;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;

/** A trained action as a file of its run: its description as metadata, its weights as tensors. */
final class ActionFile {
    /** Its weights have two axes, which version {@link RunDirectory#FORMAT} did not know. */
    private static final String FORMAT = "2";

    private static final String KIND = "action";
    private static final String GENERATORS = "generators";
    private static final String SELECTED_STEP = "selected_step";
    private static final String VALIDATION_ERROR = "validation_error";

    private ActionFile() {}

    /** Writes an action in one piece. */
    static void write(Path file, TrainedAction action, long seed, Optional<RunDirectory.Chosen> selection)
            throws IOException {
        int generators = action.generators().count();
        SafetensorsWriter writer = new SafetensorsWriter()
                .metadata("format", FORMAT)
                .metadata("seed", Long.toString(seed))
                .metadata(KIND, action.kind().label());
        Map<String, String> description = new LinkedHashMap<>(action.description());
        description.put(GENERATORS, Integer.toString(generators));
        description.forEach(writer::metadata);
        selection.ifPresent(chosen -> writer.metadata(SELECTED_STEP, Integer.toString(chosen.step()))
                .metadata(VALIDATION_ERROR, Double.toString(chosen.error())));
        for (int i = 0; i < generators; i++) {
            writer.add("generators.%d".formatted(i), action.generators().get(i));
        }
        ActionTensors.add(writer, action);
        writer.saveTo(file);
    }

    /** Reads an action. */
    static TrainedAction read(Path file) throws IOException {
        try (SafetensorsFile stored = SafetensorsFile.open(file)) {
            requireFormat(stored, RunDirectory.FORMAT, FORMAT);
            List<Matrix> generators = new ArrayList<>();
            for (int i = 0; i < Integer.parseInt(metadata(stored, GENERATORS)); i++) {
                generators.add(stored.tensor("generators.%d".formatted(i)).toMatrix());
            }
            TrainedAction action = TrainedAction.read(
                    kind(stored),
                    key -> metadata(stored, key),
                    Generators.of(generators),
                    tensor -> ActionTensors.read(stored, tensor));
            ActionTensors.requireSplits(stored, action);
            return action;
        }
    }

    /** The first files of this format had one kind of action and did not name it. */
    private static ActionKind kind(SafetensorsFile file) {
        String name = file.metadata().getOrDefault(KIND, ActionKind.DISPLACEMENT.label());
        for (ActionKind kind : ActionKind.values()) {
            if (kind.label().equals(name)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("%s holds an action of kind '%s', expected %s; use the version that made it"
                .formatted(
                        file.path(),
                        name,
                        Arrays.stream(ActionKind.values())
                                .map(kind -> "'" + kind.label() + "'")
                                .collect(Collectors.joining(" or "))));
    }

    /** Returns by which step and error validation chose the action of a file; nothing where it did not. */
    static Optional<RunDirectory.Chosen> chosen(Path file) throws IOException {
        try (SafetensorsFile stored = SafetensorsFile.open(file)) {
            requireFormat(stored, RunDirectory.FORMAT, FORMAT);
            if (!stored.metadata().containsKey(SELECTED_STEP)) {
                return Optional.empty();
            }
            return Optional.of(new RunDirectory.Chosen(
                    Integer.parseInt(metadata(stored, SELECTED_STEP)),
                    Double.parseDouble(metadata(stored, VALIDATION_ERROR))));
        }
    }

    static void requireFormat(SafetensorsFile file, String... known) {
        String version = metadata(file, "format");
        if (!List.of(known).contains(version)) {
            throw new IllegalArgumentException("%s is of format '%s', expected '%s'; repeat the run with this version"
                    .formatted(file.path(), version, String.join("' or '", known)));
        }
    }

    static String metadata(SafetensorsFile file, String key) {
        String value = file.metadata().get(key);
        if (value == null) {
            throw new IllegalArgumentException(
                    "%s has no '%s' in its metadata, so it is no file of an isoloss run".formatted(file.path(), key));
        }
        return value;
    }
}
