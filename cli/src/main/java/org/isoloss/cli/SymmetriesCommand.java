package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.DoubleConsumer;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.model.Model;
import org.isoloss.report.GraphReport;
import org.isoloss.report.NearReport;
import org.isoloss.report.RunProvenance;
import org.isoloss.report.SymmetryListing;
import org.isoloss.report.SymmetryReport;
import org.isoloss.source.NamedArrays;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.symmetry.GraphSymmetries;
import org.isoloss.symmetry.Symmetries;
import org.isoloss.task.GeneratorFile;
import org.isoloss.task.ModelBatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Lists the symmetries of a network. */
@Command(
        name = "symmetries",
        description = {
            "Lists the changes of a network's parameters that leave its outputs as they are, for every input, as families"
                    + " of groups found from its graph, each verified far from the identity.",
            "Beside them the nullity of the Jacobian over random inputs (or --data), and what of it no family explains."
        },
        mixinStandardHelpOptions = true)
final class SymmetriesCommand implements Callable<Integer> {
    private static final int MOST_TOKENS = 16;
    private static final long SEED = 1;
    private static final int HUNDREDTHS = 100;

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Parameters(
            paramLabel = "MODEL",
            description =
                    "The network: an ONNX file, a folder of Hugging Face, GGUF, or safetensors or npz of dense layers.")
    private Path path = Path.of("model.onnx");

    @Mixin
    private final OutputsOption outputs = new OutputsOption();

    @Option(
            names = "--data",
            paramLabel = "FILE",
            description = "These inputs alone count: npz with an array for each input, by name, or one for one input.")
    private @Nullable Path data;

    @Mixin
    private final MovingOption moving = new MovingOption();

    @Option(
            names = "--near",
            description =
                    "Lists apart, with what they change, the families that would be exact if the epsilons of norms"
                            + " were 0; of at most 5,000 parameters.")
    private boolean near;

    @Option(
            names = "--save",
            paramLabel = "FILE",
            description =
                    "Writes the generators of every family at these weights and the unexplained directions, by tensor,"
                            + " as npz; of at most 5,000 parameters.")
    private @Nullable Path save;

    @Mixin
    private final ReadingOptions options = new ReadingOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Override
    public Integer call() throws Exception {
        Path source = StoredModel.located(path);
        if (save != null) {
            AtomicFile.requireReplaceable(save);
        }
        try (var progress = new StepProgress(
                "symmetries", HUNDREDTHS, shared.quiet(), spec.commandLine().getErr())) {
            found(source, options.of(spec, source), share -> progress.reach(Math.round(HUNDREDTHS * share)));
        }
        return ExitCode.DONE;
    }

    private void found(Path source, Reading reading, DoubleConsumer watcher) throws IOException {
        long seed = shared.seed(SEED);
        DoubleConsumer first = share -> watcher.accept(near ? share / 2 : share);
        if (data == null) {
            try (StoredModel opened = StoredModel.openForAny(source, options.bindings(), reading, MOST_TOKENS)) {
                Notices.print(spec, opened.notes());
                Model model = outputs.counted(opened.model());
                if (moving.parts().isEmpty() && model.parameterCount() > Symmetries.MOST_PARAMETERS) {
                    requireSmall(model);
                    report(new GraphReport(path.toString(), GraphSymmetries.of(model, seed, watcher)), null);
                } else {
                    report(Symmetries.of(model, moving.parts(), seed, first), watcher);
                }
            }
            return;
        }
        NamedArrays given = ModelBatch.named(source, NamedArrays.read(data), null);
        try (ModelBatch batch = ModelBatch.of(source, given, options.bindings(), reading)) {
            Notices.print(spec, batch.notices());
            report(
                    Symmetries.of(outputs.counted(batch.model()), moving.parts(), batch.batches(), seed, first),
                    watcher);
        }
    }

    private void requireSmall(Model model) {
        if (near || save != null) {
            throw new IllegalArgumentException(
                    "%s takes at most %d parameters, and %s has %d; choose tensors or parts of them with --moving"
                            .formatted(
                                    near ? "--near" : "--save",
                                    Symmetries.MOST_PARAMETERS,
                                    path,
                                    model.parameterCount()));
        }
    }

    private void report(Symmetries symmetries, DoubleConsumer watcher) throws IOException {
        NearReport near = this.near
                ? new NearReport(path.toString(), symmetries.near(share -> watcher.accept(0.5 + share / 2)))
                : null;
        if (save != null) {
            GeneratorFile.write(symmetries, save);
        }
        report(new SymmetryReport(path.toString(), symmetries), near);
    }

    private void report(SymmetryListing report, @Nullable NearReport near) throws IOException {
        Path none = Path.of("");
        Path out = shared.out(none);
        if (!out.equals(none)) {
            report.figure().write(out);
            report.table().write(out, "symmetries");
            report.network().write(out);
            if (near != null) {
                if (near.figure().isPresent()) {
                    near.figure().get().write(out);
                }
                near.table().write(out, "near-families");
            }
            List<Path> files = new ArrayList<>(RunProvenance.modelFiles(path));
            if (data != null) {
                files.add(data);
            }
            CommandProvenance.of(spec, Map.of(), List.of(shared.seed(SEED)), files)
                    .write(out.resolve("provenance.json"));
        }
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            Map<String, Object> json = new LinkedHashMap<>(report.json());
            if (near != null) {
                json.put("near", near.json());
            }
            print.println(JsonMapper.shared().writeValueAsString(json));
            return;
        }
        print.print(report.table().toText());
        print.println(report.verdict());
        if (near != null) {
            print.println();
            if (near.figure().isPresent()) {
                print.print(near.table().toText());
            }
            print.println(near.verdict());
        }
    }
}
