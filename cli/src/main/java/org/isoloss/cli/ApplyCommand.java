package org.isoloss.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.action.GroupAction;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.lie.GroupWord;
import org.isoloss.report.EditTable;
import org.isoloss.task.DenseSetting;
import org.isoloss.task.StoredNetwork;
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

    @Override
    public Integer call() throws Exception {
        RunDirectory run = Runs.one(folder);
        DenseSetting setting = Runs.setting(run).dense();
        Notices.print(spec, setting.notices());
        confirm(setting);
        WordSummary move = WordSummary.of(setting, run.action(), word.parsed());
        WeightEdit edit = write(setting, move.applied().moved(), out);
        double[] protectedDrift = edit.relativeDrift(setting.inputs());
        double largest = Arrays.stream(protectedDrift).max().orElse(0);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("file", out.toString());
        result.put("word", word.parsed().toString());
        result.put("weights_moved", edit.report().changed());
        result.put("protected_max_relative", largest);
        move.putTo(result);
        setting.freshInputs()
                .ifPresent(fresh -> result.put("others_median_relative", median(edit.relativeDrift(fresh))));
        List<String> leftAside =
                setting.checkpoint().map(DenseLayers::leftAside).orElse(List.of());
        if (!leftAside.isEmpty()) {
            result.put("left_aside", leftAside);
        }
        PrintWriter print = spec.commandLine().getOut();
        if (format == OutputFormat.JSON) {
            print.println(JsonMapper.shared().writeValueAsString(result));
        } else {
            print.print(EditTable.of(edit.report()).toText());
            move.lines().forEach(print::println);
            print.printf("protected inputs: largest relative change of the outputs %.2e, after rounding%n", largest);
            setting.freshInputs()
                    .ifPresent(fresh -> print.printf(
                            "other inputs:     median relative change of the outputs  %.2e%n",
                            median(edit.relativeDrift(fresh))));
            setting.checkpoint().map(StoredNetwork::leftAside).orElse(List.of()).forEach(print::println);
            print.printf("written to %s%n", out);
        }
        if (move.applied().isIdentity()) {
            throw new UnusableResultException(
                    "%s: the word %s is the identity of the group, so no weight changed and the file is a copy"
                            .formatted(out, word.parsed()));
        }
        if (edit.report().roundedAway()) {
            throw new UnusableResultException(
                    "%s: rounding to the stored types undid every change; use a larger coefficient, or store the checkpoint in F32"
                            .formatted(out));
        }
        return ExitCode.DONE;
    }

    private void confirm(DenseSetting setting) throws Exception {
        String checkpoint = setting.task().network().checkpoint();
        expect.confirm(
                spec,
                Path.of(checkpoint == null ? "the network" : checkpoint),
                setting.network(),
                setting.inputs(),
                setting.choice());
    }

    /** Moves the checkpoint's own weights by a word and writes them. */
    static WeightEdit apply(DenseSetting setting, GroupAction action, GroupWord word, Path target) throws Exception {
        return write(setting, WordSummary.of(setting, action, word).applied().moved(), target);
    }

    private static WeightEdit write(DenseSetting setting, double[] moved, Path target) throws Exception {
        String source = setting.task().network().checkpoint();
        if (source == null) {
            throw new IllegalArgumentException(
                    "the network of task '%s' was made on the spot, so there is no checkpoint to edit"
                            .formatted(setting.task().name()));
        }
        return WeightEdit.write(setting, Path.of(source), moved, target);
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
    }
}
