package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.Callable;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.TensorDifference;
import org.isoloss.evaluation.FunctionCheck;
import org.isoloss.report.CheckReport;
import org.isoloss.report.RunProvenance;
import org.isoloss.source.Bindings;
import org.isoloss.source.ComputedOutputs;
import org.isoloss.source.PromptTokens;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.task.DataSource;
import org.isoloss.task.ModelBatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says whether two checkpoints compute the same function. */
@Command(
        name = "check",
        description =
                "Compares what two checkpoints, or two folders of transformers, compute on the same inputs, in float64 and float32, and their"
                        + " tensors. Exit code 0: the same function on these inputs, 3: different functions.",
        mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Parameters(
            index = "0",
            paramLabel = "A",
            description =
                    "Weights of a dense network, safetensors or npz; or any model: ONNX, GGUF or a folder of Hugging Face.")
    private Path first = Path.of("a.safetensors");

    @Parameters(index = "1", paramLabel = "B", description = "Weights with as many inputs and outputs.")
    private Path second = Path.of("b.safetensors");

    @Mixin
    private final BatchOptions batch = new BatchOptions();

    @Mixin
    private final FreshOptions fresh = new FreshOptions();

    @Mixin
    private final LayerOptions network = new LayerOptions();

    @Option(
            names = "--second-layers",
            paramLabel = "WEIGHTS",
            split = ",",
            description = "Weight names of B, where they are not those of A.")
    private List<String> secondLayers = List.of();

    @Option(
            names = "--tolerance",
            paramLabel = "NUMBER",
            description = "Largest difference of an output, relative to its largest magnitude, that counts as the same"
                    + " (default: ${DEFAULT-VALUE}).")
    private double tolerance = FunctionCheck.TOLERANCE;

    @Mixin
    private final TyingOptions tying = new TyingOptions();

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            description = "For two transformers, in place of data: a text, token ids such as 12,5,7, or a file"
                    + " that holds either.")
    private @Nullable String prefix;

    private final Set<String> said = new HashSet<>();

    @Override
    public Integer call() throws Exception {
        boolean graphs = StoredModel.isModel(first) && StoredModel.isModel(second);
        boolean text = graphs && !batch.given();
        if (prefix != null && !text) {
            throw new ParameterException(
                    spec.commandLine(), "--prefix goes with two folders of transformers, '--data' with files");
        }
        if (prefix == null && text && Files.isDirectory(first)) {
            throw new ParameterException(
                    spec.commandLine(), "two folders of transformers are compared on a text: give --prefix");
        }
        requireOptionsOfUse(graphs);
        Reading left = new Reading(tying.tying(), network.tensors(), network.activation());
        Reading right = new Reading(tying.tying(), network.tensors(secondLayers), network.activation());
        SequencedMap<String, DataSource> sources = sources();
        List<String> notes = layers(left, right);
        CheckReport report = new CheckReport(
                first.toString(),
                second.toString(),
                FunctionCheck.of(
                        side(first, left, sources, batch.expect().text()),
                        side(second, right, sources, null),
                        tolerance),
                tensors(),
                notes);
        Path out = shared.outIfGiven();
        if (out != null) {
            report.write(out, CommandProvenance.of(spec, settings(), List.of(), files()));
        }
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            print.println(report.json());
        } else {
            print.print(report.text());
        }
        return report.check().same() ? ExitCode.DONE : ExitCode.UNUSABLE;
    }

    /** Refuses what files say themselves. */
    private void requireOptionsOfUse(boolean graphs) {
        if (StoredModel.isModel(first)) {
            Notices.requireUnused(spec, "%s, which has a graph,".formatted(first), "--layers");
        }
        if (StoredModel.isModel(second)) {
            Notices.requireUnused(spec, "%s, which has a graph,".formatted(second), "--second-layers");
        }
        if (graphs) {
            Notices.requireUnused(spec, "a comparison of two models with graphs", "--ignore", "--activation");
        }
        if (!Files.isDirectory(first) && !Files.isDirectory(second)) {
            Notices.requireUnused(spec, "a comparison of files", "--tied");
        }
    }

    /** The inputs by the name that they are reported under. */
    private SequencedMap<String, DataSource> sources() throws IOException {
        SequencedMap<String, DataSource> sources = new LinkedHashMap<>();
        if (prefix != null) {
            sources.put(
                    "text",
                    DataSource.text(Arrays.stream(PromptTokens.of(prefix, first))
                            .boxed()
                            .toList()));
        } else {
            sources.put("data", batch.source(spec));
            fresh.source(spec, batch.required(spec), batch.rows()).ifPresent(other -> sources.put("fresh", other));
        }
        return sources;
    }

    /** What is to be said of files without graphs, and how the layers of two such files differ. */
    private List<String> layers(Reading left, Reading right) throws IOException {
        List<String> notes = new ArrayList<>();
        StoredModel one = StoredModel.isModel(first) ? null : StoredModel.open(first, Bindings.NONE, left);
        StoredModel other = StoredModel.isModel(second) ? null : StoredModel.open(second, Bindings.NONE, right);
        for (StoredModel opened : Arrays.asList(one, other)) {
            if (opened != null) {
                notes.addAll(opened.notes());
            }
        }
        if (one != null && other != null) {
            FunctionCheck.requireComparable(first.toString(), one.widths(), second.toString(), other.widths());
            if (!one.widths().equals(other.widths())) {
                notes.add("widths differ: %s in %s, %s in %s".formatted(one.widths(), first, other.widths(), second));
            }
            if (!one.activation().equals(other.activation())) {
                notes.add("activations differ: %s in %s, %s in %s"
                        .formatted(one.activation(), first, other.activation(), second));
            }
        }
        return notes;
    }

    private FunctionCheck.Side side(
            Path file, Reading reading, SequencedMap<String, DataSource> sources, @Nullable String expected)
            throws IOException {
        SequencedMap<String, ComputedOutputs> outputs = new LinkedHashMap<>();
        for (String name : sources.keySet()) {
            DataSource source =
                    Objects.requireNonNull(sources.get(name)).expecting(outputs.isEmpty() ? expected : null);
            ModelBatch opened = ModelBatch.read(file, source, Path.of(""), reading);
            List<String> notices = StoredModel.isModel(file) ? opened.notices() : opened.noticesOfData();
            Notices.print(spec, notices.stream().filter(said::add).toList());
            outputs.put(name, opened.computed());
        }
        return new FunctionCheck.Side(file.toString(), outputs);
    }

    private List<TensorDifference> tensors() throws IOException {
        try (Checkpoint left = Checkpoint.open(first);
                Checkpoint right = Checkpoint.open(second)) {
            return TensorDifference.between(left, right);
        }
    }

    private Map<String, String> settings() {
        return Map.of("tolerance", Double.toString(tolerance));
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>(RunProvenance.modelFiles(first));
        files.addAll(RunProvenance.modelFiles(second));
        Path data = batch.file();
        if (data != null) {
            files.add(data);
            Optional.ofNullable(fresh.file(data))
                    .filter(other -> !other.equals(data))
                    .ifPresent(files::add);
        }
        files.addAll(batch.expect().files());
        return files;
    }
}
