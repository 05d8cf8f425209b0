package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.checkpoint.TensorDifference;
import org.isoloss.evaluation.FunctionCheck;
import org.isoloss.installation.ModelCheck;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.report.CheckReport;
import org.isoloss.report.ModelCheckReport;
import org.isoloss.source.StoredModel;
import org.isoloss.task.ExpectedOutputs;
import org.isoloss.task.InputTable;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.StoredNetwork;
import org.isoloss.task.Task.DataSource;
import org.isoloss.transformer.Arithmetic;
import org.isoloss.transformer.PromptTokens;
import org.isoloss.transformer.TokenBatch;
import org.isoloss.transformer.Transformer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

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
    private final SharedOptions shared = new SharedOptions();

    @Parameters(
            index = "0",
            paramLabel = "A",
            description =
                    "Weights of a dense network, safetensors or npz; or any model, ONNX or a folder of Hugging Face.")
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
            description =
                    "For two folders of transformers, in place of data: a text, token ids such as 12,5,7, or a file"
                            + " that holds either.")
    private @Nullable String prefix;

    @Override
    public Integer call() throws Exception {
        if (Files.isDirectory(first) && Files.isDirectory(second) && !batch.given()) {
            return transformers();
        }
        if (prefix != null) {
            throw new ParameterException(
                    spec.commandLine(), "--prefix goes with two folders of transformers, '--data' with files");
        }
        Path data = batch.required(spec);
        List<String> notes = new ArrayList<>();
        FunctionCheck check =
                StoredModel.isModel(first) || StoredModel.isModel(second) ? models(notes) : dense(data, notes);
        CheckReport report = new CheckReport(first.toString(), second.toString(), check, tensors(), notes);
        Path out = shared.outIfGiven();
        if (out != null) {
            report.write(out, CommandProvenance.of(spec, settings(), List.of(), files(data)));
        }
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            print.println(report.json());
        } else {
            print.print(report.text());
        }
        return check.same() ? ExitCode.DONE : ExitCode.UNUSABLE;
    }

    private FunctionCheck dense(Path data, List<String> notes) throws IOException {
        DenseNetwork left = read(first, network.tensors(), notes);
        SequencedMap<String, Matrix> inputs = new LinkedHashMap<>();
        inputs.put("data", batch.inputs(spec, data, first, left));
        DenseNetwork right = read(second, network.tensors(secondLayers), notes);
        addDifferences(left, right, notes);
        fresh.inputs(spec, batch, data, left.widths().getFirst()).ifPresent(other -> inputs.put("fresh", other));
        return FunctionCheck.of(
                FunctionCheck.Side.of(first.toString(), left, inputs),
                FunctionCheck.Side.of(second.toString(), right, inputs),
                tolerance);
    }

    /** At least one of the two is a model of any kind; both on the same data. */
    private FunctionCheck models(List<String> notes) throws IOException {
        Notices.requireUnused(spec, "a comparison on --data", "--tied");
        if (StoredModel.isModel(first)) {
            Notices.requireUnused(spec, "%s, which has a graph,".formatted(first), "--layers");
        }
        if (StoredModel.isModel(second)) {
            Notices.requireUnused(spec, "%s, which has a graph,".formatted(second), "--second-layers");
        }
        if (StoredModel.isModel(first) && StoredModel.isModel(second)) {
            Notices.requireUnused(spec, "a comparison of two models with graphs", "--ignore", "--activation");
        }
        return FunctionCheck.of(
                side(first, network.tensors(), notes), side(second, network.tensors(secondLayers), notes), tolerance);
    }

    private FunctionCheck.Side side(Path file, StoredNetwork.Tensors tensors, List<String> notes) throws IOException {
        SequencedMap<String, DataSource> sources = new LinkedHashMap<>();
        sources.put("data", batch.source(spec));
        fresh.source(spec, batch).ifPresent(other -> sources.put("fresh", other));
        if (!StoredModel.isModel(file)) {
            SequencedMap<String, Matrix> inputs = new LinkedHashMap<>();
            for (var source : sources.entrySet()) {
                inputs.put(
                        source.getKey(),
                        InputTable.read(source.getValue(), Path.of("")).inputs());
            }
            return FunctionCheck.Side.of(file.toString(), read(file, tensors, notes), inputs);
        }
        SequencedMap<String, FunctionCheck.Outputs> outputs = new LinkedHashMap<>();
        for (var source : sources.entrySet()) {
            ModelBatch opened = ModelBatch.read(file, source.getValue(), Path.of(""));
            opened.notices().forEach(notice -> notes.add(file + ": " + notice));
            outputs.put(source.getKey(), opened::outputs);
        }
        return new FunctionCheck.Side(file.toString(), List.of(), outputs);
    }

    private int transformers() throws IOException {
        if (prefix == null) {
            throw new ParameterException(
                    spec.commandLine(), "two folders of transformers are compared on a text: give --prefix");
        }
        int[] tokens = PromptTokens.of(prefix, first);
        confirm(tokens);
        ModelCheck check = ModelCheck.of(first, second, tokens, tolerance, tying.tying());
        Notices.print(spec, check.notes());
        ModelCheckReport report = new ModelCheckReport(first.toString(), second.toString(), check);
        Path out = shared.outIfGiven();
        if (out != null) {
            report.write(out);
            CommandProvenance.of(spec, settings(), List.of(), List.of()).write(out.resolve("provenance.json"));
        }
        PrintWriter print = spec.commandLine().getOut();
        print.print(
                shared.format() == OutputFormat.JSON
                        ? JsonMapper.shared().writeValueAsString(report.json()) + "\n"
                        : report.text());
        return check.same() ? ExitCode.DONE : ExitCode.UNUSABLE;
    }

    private void confirm(int[] tokens) throws IOException {
        ExpectedOutputs expected = batch.expect().ofTokens(tokens.length);
        if (expected != null) {
            try (StoredTransformer stored = StoredTransformer.open(first, tying.tying())) {
                Notices.print(
                        spec,
                        List.of(expected.confirm(
                                stored, Transformer.of(stored, Arithmetic.FLOAT64), TokenBatch.of(tokens))));
            }
        }
    }

    private DenseNetwork read(Path file, StoredNetwork.Tensors tensors, List<String> notes) throws IOException {
        DenseLayers layers = tensors.read(file);
        StoredNetwork.leftAside(layers).forEach(line -> notes.add(file + ": " + line));
        String given = network.activation();
        String stored = layers.activation().orElse(null);
        if (stored != null && given != null && Activation.named(stored) != Activation.named(given)) {
            notes.add(
                    "%s names %s itself; --activation %s is for a file that names none".formatted(file, stored, given));
        }
        return StoredNetwork.assembled(
                layers, stored == null ? given : stored, "%s names no activation; give --activation".formatted(file));
    }

    private List<TensorDifference> tensors() throws IOException {
        try (Checkpoint left = Checkpoint.open(first);
                Checkpoint right = Checkpoint.open(second)) {
            return TensorDifference.between(left, right);
        }
    }

    private void addDifferences(DenseNetwork left, DenseNetwork right, List<String> notes) {
        if (!left.widths().equals(right.widths())) {
            notes.add("widths differ: %s in %s, %s in %s".formatted(left.widths(), first, right.widths(), second));
        }
        if (left.activation() != right.activation()) {
            notes.add("activations differ: %s in %s, %s in %s"
                    .formatted(
                            left.activation().label(), first, right.activation().label(), second));
        }
    }

    private Map<String, String> settings() {
        return Map.of("tolerance", Double.toString(tolerance));
    }

    private List<Path> files(Path data) {
        List<Path> files = new ArrayList<>(List.of(first, second, data));
        files.addAll(batch.expect().files());
        Path other = fresh.file(data);
        if (other != null && !other.equals(data)) {
            files.add(other);
        }
        return files;
    }
}
