package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.isoloss.action.GroupAction;
import org.isoloss.action.TrainedAction;
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.report.EditTable;
import org.isoloss.source.StoredNetwork;
import org.isoloss.sweep.TaskFit;
import org.isoloss.task.DenseSetting;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.ModelEdit;
import org.isoloss.task.ModelSetting;
import org.isoloss.task.Setting;
import org.isoloss.task.WeightEdit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Writes a transformed checkpoint. */
@Command(
        name = "apply",
        description = "Moves the weights of a run's checkpoint by its action and writes the new checkpoint.",
        mixinStandardHelpOptions = true)
final class ApplyCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "RUN", description = "Folder of one run on a task with a checkpoint.")
    private Path folder = Path.of(".");

    @ArgGroup(multiplicity = "1")
    private Word word = new Word();

    @Mixin
    private final DtypeOption dtype = new DtypeOption();

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The new checkpoint.")
    private Path out = Path.of("edited.safetensors");

    @Mixin
    private final BatchOptions batch = new BatchOptions();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            converter = OutputFormat.Converter.class,
            description = "text (the default) for a reader, json for a program.")
    private OutputFormat format = OutputFormat.TEXT;

    /** How far to go. */
    static final class Word {
        @Option(
                names = "--t",
                paramLabel = "T",
                converter = TimeGrid.Converter.class,
                description =
                        "Coefficient t of exp(t h), h the first generator: as supplied, or as learned with norm 1. Or many,"
                                + " such as -1:1:101, from -1 to 1: then --out is an npz file that holds t and theta alone.")
        private @Nullable TimeGrid coefficient;

        @Option(
                names = "--word",
                paramLabel = "WORD",
                description = "Factors such as 1:0.2,2:-0.1, generator and coefficient, the first acts first.")
        private @Nullable String text;

        GroupWord parsed() {
            if (text != null) {
                return GroupWord.parse(text);
            }
            return GroupWord.exp(coefficient == null ? 0 : coefficient.from());
        }
    }

    /** What was written, and how far the outputs moved by it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Written(
            EditReport report, double[] protectedDrift, Optional<double[]> otherDrift, List<String> leftAside) {}

    @Override
    public Integer call() throws Exception {
        RunDirectory run = Runs.one(folder);
        Setting setting = Runs.setting(run, spec, batch);
        TrainedAction action = TaskFit.action(setting, run);
        Notices.print(spec, setting.notices());
        if (word.coefficient != null && word.coefficient.isGrid()) {
            writePoints(action, setting.origin(), word.coefficient);
            return ExitCode.DONE;
        }
        if (!(setting instanceof ModelSetting)) {
            confirm(setting.dense());
        }
        WordSummary move = WordSummary.of(setting, action, word.parsed());
        double[] moved = move.applied().moved();
        CheckpointEdit planned =
                setting instanceof ModelSetting model ? ModelEdit.of(model, moved) : planned(setting.dense(), moved);
        planned = dtype.isWide() ? planned.widened() : planned;
        if (!move.applied().isIdentity()) { // which is to change nothing
            dtype.requireKept(planned.report(), out, "a larger coefficient");
        }
        Written written =
                setting instanceof ModelSetting model ? written(planned, model) : written(planned, setting.dense());
        print(move, written);
        if (move.applied().isIdentity()) {
            throw new UnusableResultException(
                    "%s: the word %s is the identity of the group, so no weight changed and the file is a copy"
                            .formatted(out, word.parsed()));
        }
        return ExitCode.DONE;
    }

    /** The moving weights at many coefficients, as numbers for another program. */
    private void writePoints(GroupAction action, double[] origin, TimeGrid grid) throws IOException {
        if (!out.toString().endsWith(".npz")) {
            throw new ParameterException(
                    spec.commandLine(), "--t with many coefficients writes an npz file, got --out %s".formatted(out));
        }
        Notices.requireUnused(spec, "--t with many coefficients", "--dtype", "--expect");
        double[] times = grid.times();
        int size = action.generators().size();
        Matrix elements = Matrix.zeros(times.length, size * size);
        for (int i = 0; i < times.length; i++) {
            double[] element =
                    GroupWord.exp(times[i]).matrix(action.generators()).entries();
            System.arraycopy(element, 0, elements.entries(), i * element.length, element.length);
        }
        Matrix points = action.at(Matrix.of(1, origin.length, origin)).apply(elements);
        new NpzWriter()
                .add("t", Shape.of(times.length), times)
                .add("theta", points)
                .add("theta0", Shape.of(origin.length), origin)
                .saveTo(out);
        PrintWriter print = spec.commandLine().getOut();
        if (format == OutputFormat.JSON) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("file", out.toString());
            json.put("coefficients", times.length);
            json.put("moving", origin.length);
            print.println(JsonMapper.shared().writeValueAsString(json));
        } else {
            print.printf(
                    "theta at %d coefficients, %d numbers each, written to %s%n", times.length, origin.length, out);
        }
    }

    private Written written(CheckpointEdit planned, DenseSetting setting) throws IOException {
        WeightEdit edit = write(planned, setting, out);
        return new Written(
                edit.report(),
                edit.relativeDrift(setting.inputs()),
                setting.freshInputs().map(edit::relativeDrift),
                setting.checkpoint().map(DenseLayers::leftAside).orElse(List.of()));
    }

    private Written written(CheckpointEdit planned, ModelSetting setting) throws IOException {
        ModelEdit edit = ModelEdit.write(planned, out);
        Optional<ModelBatch> fresh = setting.fresh();
        return new Written(
                edit.report(),
                edit.relativeDrift(setting.batch()),
                fresh.isPresent() ? Optional.of(edit.relativeDrift(fresh.get())) : Optional.empty(),
                List.of());
    }

    private void print(WordSummary move, Written written) {
        double largest = Arrays.stream(written.protectedDrift).max().orElse(0);
        PrintWriter print = spec.commandLine().getOut();
        if (format == OutputFormat.JSON) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("file", out.toString());
            result.put("word", word.parsed().toString());
            result.put("weights_meant", written.report.requested());
            result.put("weights_moved", written.report.changed());
            result.put("protected_max_relative", largest);
            move.putTo(result);
            written.otherDrift.ifPresent(drift -> result.put("others_median_relative", median(drift)));
            if (!written.leftAside.isEmpty()) {
                result.put("left_aside", written.leftAside);
            }
            print.println(JsonMapper.shared().writeValueAsString(result));
            return;
        }
        print.print(EditTable.of(written.report).toText());
        move.lines().forEach(print::println);
        print.printf("protected inputs: largest relative change of the outputs %.2e, after rounding%n", largest);
        written.otherDrift.ifPresent(drift ->
                print.printf("other inputs:     median relative change of the outputs  %.2e%n", median(drift)));
        StoredNetwork.leftAside(written.leftAside).forEach(print::println);
        print.printf("written to %s%n", out);
    }

    private void confirm(DenseSetting setting) throws Exception {
        String checkpoint = setting.task().network().checkpoint();
        batch.expect()
                .confirm(
                        spec,
                        setting.choice(),
                        expected -> expected.confirm(
                                checkpoint == null ? "the network" : checkpoint, setting.network(), setting.inputs()));
    }

    /** Moves the checkpoint's own weights by a word; nothing is written yet. */
    static CheckpointEdit planned(DenseSetting setting, GroupAction action, GroupWord word) {
        return planned(setting, WordSummary.of(setting, action, word).applied().moved());
    }

    private static CheckpointEdit planned(DenseSetting setting, double[] moved) {
        String source = setting.task().network().checkpoint();
        if (source == null) {
            throw new IllegalArgumentException(
                    "the network of task '%s' was made on the spot, so there is no checkpoint to edit"
                            .formatted(setting.task().name()));
        }
        return WeightEdit.of(layers(setting), setting.networkAt(moved), Path.of(source));
    }

    /** Writes the moved weights. */
    static WeightEdit write(CheckpointEdit planned, DenseSetting setting, Path target) throws IOException {
        return WeightEdit.write(planned, layers(setting), setting.network(), target);
    }

    private static DenseLayers layers(DenseSetting setting) {
        return setting.checkpoint()
                .orElseThrow(() -> new IllegalArgumentException(
                        "the network of this task was made on the spot, so there is no checkpoint to edit"));
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
    }
}
