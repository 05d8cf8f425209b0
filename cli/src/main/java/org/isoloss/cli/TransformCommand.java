package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.OnnxUntying;
import org.isoloss.checkpoint.Tying;
import org.isoloss.cli.ElementOptions.Chosen;
import org.isoloss.flow.WeightGrid;
import org.isoloss.model.Model;
import org.isoloss.report.EditTable;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.task.ElementFile;
import org.isoloss.task.ModelTransform;
import org.isoloss.task.ModelTransform.Storing;
import org.isoloss.task.ModelTransform.Written;
import org.isoloss.task.OptimizerState;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Applies elements of a network's symmetry group to its weights. */
@Command(
        name = "transform",
        description = {
            "Applies an element of the symmetry group of a network: other weights, the same function. The group is found"
                    + " from the graph; the element is drawn at random, read from a file, or leads to the one representative"
                    + " of all networks that differ by the group, and is kept beside the result.",
        },
        mixinStandardHelpOptions = true)
final class TransformCommand implements Callable<Integer> {
    static final int MOST_TOKENS = 16;
    /** Where a name has the seed. */
    private static final String PLACE = "{seed}";

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "MODEL",
            description = "The network: an ONNX file, a folder of Hugging Face, or safetensors or npz of dense layers.")
    private Path path = Path.of("model.onnx");

    @Mixin
    private final ElementOptions elements = new ElementOptions();

    @Option(
            names = "--rounding",
            paramLabel = "TYPE",
            converter = GridKind.class,
            description =
                    "Also says how much the outputs would change with weights rounded to int8, int4 (symmetric for each"
                            + " output channel) or bf16, before and after.")
    private WeightGrid.@Nullable Kind rounding;

    @Option(
            names = "--optimizer",
            paramLabel = "STATE",
            description =
                    "Moves the moments of Adam along: safetensors or npz with NAME.exp_avg and NAME.exp_avg_sq for each"
                            + " parameter; written beside the result. The element must be of changes of basis alone.")
    private @Nullable Path optimizer;

    @Mixin
    private final ReadingOptions options = new ReadingOptions();

    @Mixin
    private final DtypeOption dtype = new DtypeOption();

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The new model.")
    private Path out = Path.of("transformed.onnx");

    @Mixin
    private final PrintOptions printed = new PrintOptions();

    @Override
    public Integer call() throws Exception {
        elements.requireOne(spec);
        if (optimizer != null && elements.untie()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--optimizer goes without --untie: the moments of a tied tensor are of both its uses together");
        }
        if (!Files.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        Path stored = StoredModel.located(path);
        if (elements.seeds().size() > 1 && !out.toString().contains(PLACE)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "with several seeds expected --out with %s in it, such as copies/%s.onnx, got '%s'"
                            .formatted(PLACE, PLACE, out));
        }
        if (elements.seeds().isEmpty() && out.toString().contains(PLACE)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--out has %s in it, and without --random there is no seed, got '%s'".formatted(PLACE, out));
        }
        Checkpoint.edit(stored).requireTarget(out);
        if (!elements.untie() || Files.isDirectory(stored) || !stored.toString().endsWith(".onnx")) {
            transform(stored, elements.untie());
            return ExitCode.DONE;
        }
        Path folder = Files.createTempDirectory("isoloss-untied");
        Path untied = folder.resolve(stored.getFileName()); // as messages name it
        try {
            OnnxUntying.write(stored, untied)
                    .forEach((name, other) -> Notices.print(
                            spec, List.of("'%s' stays the table, others read '%s'".formatted(name, other))));
            transform(untied, false);
        } finally {
            Files.deleteIfExists(untied);
            Files.delete(folder);
        }
        return ExitCode.DONE;
    }

    /**
     * Transforms a model.
     *
     * @param source its file or folder
     * @param unties whether a head that its configuration ties gets a tensor of its own on the way
     */
    private void transform(Path source, boolean unties) throws Exception {
        Reading reading = options.of(spec, source, unties);
        try (StoredModel opened = StoredModel.openForAny(source, options.bindings(), reading, MOST_TOKENS)) {
            Notices.print(spec, opened.notes());
            List<Chosen> all = elements.chosen(path, opened.model(), this::progress);
            for (Chosen chosen : all) {
                write(source, reading, unties, opened.model(), chosen);
            }
        }
    }

    private void write(Path source, Reading reading, boolean unties, Model model, Chosen chosen) throws Exception {
        Path target = chosen.seed()
                .map(seed -> Path.of(out.toString().replace(PLACE, String.valueOf(seed))))
                .orElse(out);
        // reads what will be overwritten where the target is the source
        double narrow = rounding == null ? 0 : ModelTransform.roundingChange(model, model, rounding, chosen.inputs());
        Reading after = unties ? reading.as(Tying.AS_STORED) : reading; // what was untied is read as it is stored
        var storing = new Storing(dtype.isWide(), unties);
        ModelTransform transform = ModelTransform.of(source, model, chosen.tensors(), chosen.inputs(), storing);
        if (elements.isFar()) {
            dtype.requireKept(transform.report(), target, "an element farther from the identity");
        }
        long numbers = chosen.tensors().keySet().stream()
                .mapToLong(name -> model.parameter(name).shape().count())
                .sum();
        Optional<OptimizerState> state =
                optimizer == null ? Optional.empty() : Optional.of(state(optimizer, model, chosen));
        Written written;
        try (StepProgress progress = progress("weights", numbers)) {
            written = transform.write(options.bindings(), after, MOST_TOKENS, target, progress::advance);
        }
        Path kept = target.resolveSibling(target.getFileName() + ".element.npz");
        ElementFile.write(chosen.element(), kept);
        String moments = "";
        if (state.isPresent() && optimizer != null) {
            Path place = moments(target, optimizer);
            state.get().saveAs(place);
            moments = ", the moments to %s (of %d of %d parameters)"
                    .formatted(place, state.get().count(), model.parameters().size());
        }
        Map<String, Double> rounded = new LinkedHashMap<>();
        if (rounding != null) {
            rounded.put("before", narrow);
            try (StoredModel read = StoredModel.openForAny(target, options.bindings(), after, MOST_TOKENS)) {
                rounded.put("after", ModelTransform.roundingChange(model, read.model(), rounding, chosen.inputs()));
            }
        }
        report(transform, chosen, written, rounded, target, kept, moments);
    }

    private static OptimizerState state(Path optimizer, Model model, Chosen chosen) throws IOException {
        OptimizerState.Change change = chosen.moments()
                .orElseThrow(
                        () -> new IllegalArgumentException(
                                "--optimizer goes with elements of classes of channels, as --random and --canonical choose them, not with steps of streams"));
        return OptimizerState.moved(optimizer, model, change);
    }

    /** Where the moments of a result lie. */
    private static Path moments(Path target, Path optimizer) {
        String name = optimizer.getFileName().toString();
        String type = name.endsWith(".npz") ? ".npz" : ".safetensors";
        return target.resolveSibling(target.getFileName() + ".optimizer" + type);
    }

    private StepProgress progress(String what, long total) {
        return new StepProgress(what, total, printed.quiet(), spec.commandLine().getErr());
    }

    private void report(
            ModelTransform transform,
            Chosen chosen,
            Written written,
            Map<String, Double> rounded,
            Path target,
            Path kept,
            String moments)
            throws IOException {
        PrintWriter print = spec.commandLine().getOut();
        if (printed.isJson()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("file", target.toString());
            json.put("element", kept.toString());
            json.put("arrays_of_element", chosen.element().size());
            json.put("weights_changed", written.report().changed());
            json.put("outputs_before_rounding", transform.before());
            json.put("outputs_as_written", written.change());
            if (!rounded.isEmpty()) {
                json.put("outputs_rounded", rounded);
            }
            json.put("staying", chosen.staying());
            json.put("near", chosen.near());
            print.println(JsonMapper.shared().writeValueAsString(json));
            return;
        }
        if (elements.seeds().size() > 1) { // a line for each
            print.printf(
                    "%s: outputs change by %.1e before rounding, %.1e as written%n",
                    target, transform.before(), written.change());
            return;
        }
        print.println(EditTable.of(written.report()).toText());
        print.printf(
                "outputs on random inputs, largest change: %.1e before rounding, %.1e as written%n",
                transform.before(), written.change());
        if (rounding != null) {
            print.printf(
                    "weights rounded to %s change the outputs by %.4f of their norm, by %.4f before%n",
                    rounding.name().toLowerCase(Locale.ROOT), rounded.get("after"), rounded.get("before"));
        }
        chosen.staying().forEach(line -> print.printf("%s: %s%n", elements.staying(), line));
        chosen.near().forEach(line -> print.printf("not decided, or nearly not: %s%n", line));
        print.printf("written to %s, the element to %s%s%n", target, kept, moments);
    }
}
