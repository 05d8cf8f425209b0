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
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.lie.GroupWord;
import org.isoloss.report.EditTable;
import org.isoloss.source.StoredNetwork;
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
    private final ExpectOptions expect = new ExpectOptions();

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
                description =
                        "Coefficient t of exp(t h), h the first generator: as supplied, or as learned with norm 1.")
        private @Nullable Double coefficient;

        @Option(
                names = "--word",
                paramLabel = "WORD",
                description = "Factors such as 1:0.2,2:-0.1, generator and coefficient, the first acts first.")
        private @Nullable String text;

        GroupWord parsed() {
            if (text != null) {
                return GroupWord.parse(text);
            }
            return GroupWord.exp(coefficient == null ? 0 : coefficient);
        }
    }

    /** What was written, and how far the outputs moved by it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Written(
            EditReport report, double[] protectedDrift, Optional<double[]> otherDrift, List<String> leftAside) {}

    @Override
    public Integer call() throws Exception {
        RunDirectory run = Runs.one(folder);
        Setting setting = Runs.setting(run);
        Notices.print(spec, setting.notices());
        if (!(setting instanceof ModelSetting)) {
            confirm(setting.dense());
        }
        WordSummary move = WordSummary.of(setting, run.action(), word.parsed());
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
        expect.confirm(
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
