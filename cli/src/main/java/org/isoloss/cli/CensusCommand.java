package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.DoubleConsumer;
import java.util.stream.Stream;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
import org.isoloss.report.CensusReport;
import org.isoloss.report.CensusReport.Entry;
import org.isoloss.report.Figure;
import org.isoloss.report.RunProvenance;
import org.isoloss.source.StoredModel;
import org.isoloss.symmetry.AlikeModels;
import org.isoloss.symmetry.CensusPoint;
import org.isoloss.symmetry.JacobianRank;
import org.isoloss.symmetry.Symmetries;
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
import tools.jackson.databind.json.JsonMapper;

/** Counts what keeps the outputs on data, over checkpoints or batches. */
@Command(
        name = "census",
        description = {
            "Counts the changes of a network's parameters that keep its outputs on the data, to first order: of several"
                    + " checkpoints of one network, or of one network on batches of several sizes.",
            "The dimension is split into the symmetries of the function, what the batch adds, and what is unexplained;"
                    + " a dimension that singular values do not decide is '-'."
        },
        mixinStandardHelpOptions = true)
final class CensusCommand implements Callable<Integer> {
    private static final int MOST_TOKENS = 16;
    private static final long SEED = 1;
    private static final int HUNDREDTHS = 100;

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Parameters(
            paramLabel = "MODEL",
            arity = "1..*",
            description =
                    "The network, or checkpoints of it in their order: ONNX files, folders of Hugging Face, GGUF, or safetensors"
                            + " or npz of dense layers.")
    private List<Path> models = List.of();

    @Mixin
    private final BatchOptions data = new BatchOptions();

    @Option(
            names = "--sizes",
            paramLabel = "K,...",
            split = ",",
            description = "For one network: the first K inputs of the data, for each K.")
    private List<Integer> sizes = List.of();

    @Option(
            names = "--steps",
            paramLabel = "N,...",
            split = ",",
            description = "For checkpoints: the training step of each, for the axis of the pictures.")
    private List<Double> steps = List.of();

    @Mixin
    private final MovingOption moving = new MovingOption();

    @Mixin
    private final OutputsOption outputs = new OutputsOption();

    @Mixin
    private final ReadingOptions options = new ReadingOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Override
    public Integer call() throws Exception {
        requireSequence();
        List<DataSource> batches = batches();
        requireAlike(batches.getFirst());
        requireRoom(batches);
        List<Entry> entries = new ArrayList<>();
        try (var progress = new StepProgress(
                "census",
                (long) HUNDREDTHS * models.size(),
                shared.quiet(),
                spec.commandLine().getErr())) {
            for (int i = 0; i < models.size(); i++) {
                int before = i;
                entries.addAll(of(
                        models.get(i),
                        steps.isEmpty() ? i + 1 : steps.get(i),
                        batches,
                        share -> progress.reach(Math.round(HUNDREDTHS * (before + share)))));
            }
        }
        String along = !sizes.isEmpty() ? "inputs" : steps.isEmpty() ? "checkpoint" : "training step";
        report(new CensusReport(
                "What keeps the outputs on %s".formatted(data.required(spec).getFileName()), along, entries));
        return ExitCode.DONE;
    }

    private void requireSequence() {
        if (!sizes.isEmpty() && models.size() > 1) {
            throw new ParameterException(
                    spec.commandLine(), "--sizes goes with one network, got %d".formatted(models.size()));
        }
        if (!steps.isEmpty() && steps.size() != models.size()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--steps gives %d numbers for %d checkpoints; give one for each"
                            .formatted(steps.size(), models.size()));
        }
        for (int size : sizes) {
            if (size < 1) {
                throw new ParameterException(
                        spec.commandLine(), "--sizes takes numbers of inputs, at least 1, got %d".formatted(size));
            }
        }
    }

    /** The chosen rows of the data, or the first of them in several numbers. */
    private List<DataSource> batches() {
        DataSource all = data.source(spec);
        List<Integer> rows = all.rows();
        int first = rows == null ? 0 : rows.getFirst();
        int last = rows == null ? Integer.MAX_VALUE : rows.getLast();
        for (int size : sizes) {
            if (size > last - first) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--sizes asks for %d inputs, and --rows has %d".formatted(size, last - first));
            }
        }
        return sizes.isEmpty()
                ? List.of(all)
                : sizes.stream()
                        .map(size -> all.withRows(List.of(first, first + size)))
                        .toList();
    }

    /** Refuses checkpoints of other networks before anything is computed. */
    private void requireAlike(DataSource batch) throws IOException {
        try (ModelBatch first = opened(models.getFirst(), batch)) {
            Notices.print(spec, first.notices());
            for (Path path : models.subList(1, models.size())) {
                try (ModelBatch other = opened(path, batch)) {
                    AlikeModels.require(first.model(), other.model());
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(
                            "%s is no checkpoint of the network of %s: %s"
                                    .formatted(path, models.getFirst(), e.getMessage()),
                            e);
                }
            }
        }
    }

    /** Refuses what does not fit in memory before anything is computed. */
    private void requireRoom(List<DataSource> batches) throws IOException {
        for (DataSource chosen : batches) {
            try (ModelBatch batch = opened(models.getFirst(), chosen)) {
                JacobianRank.requireRoom(
                        parameters(outputs.counted(batch.model())),
                        batch.batches().size());
            }
        }
    }

    private Moving parameters(Model model) {
        return (moving.parts().isEmpty() ? Moving.all(model) : Moving.of(model, moving.parts()))
                .reaching(model.outputs().values());
    }

    private ModelBatch opened(Path model, DataSource batch) throws IOException {
        Path source = StoredModel.located(model);
        return ModelBatch.read(source, batch, Path.of(""), options.bindings(), options.of(spec, source));
    }

    private List<Entry> of(Path path, double place, List<DataSource> batches, DoubleConsumer watcher)
            throws IOException {
        Path source = StoredModel.located(path);
        Symmetries symmetries;
        try (StoredModel open =
                StoredModel.openForAny(source, options.bindings(), options.of(spec, source), MOST_TOKENS)) {
            symmetries = Symmetries.of(
                    outputs.counted(open.model()),
                    moving.parts(),
                    shared.seed(SEED),
                    share -> watcher.accept(0.7 * share));
        }
        List<Entry> entries = new ArrayList<>();
        for (DataSource chosen : batches) {
            try (ModelBatch batch = opened(path, chosen)) {
                Model model = outputs.counted(batch.model());
                List<Map<String, double[]>> inputs = batch.batches();
                int count = inputs.size()
                        * model.inputs().firstEntry().getValue().shape().size(0);
                long numbers = (long) inputs.size()
                        * model.outputs().values().stream()
                                .mapToLong(output -> output.shape().count())
                                .sum();
                entries.add(new Entry(
                        path.toString(),
                        count,
                        sizes.isEmpty() ? place : count,
                        numbers,
                        CensusPoint.of(symmetries, parameters(model), inputs)));
            }
            watcher.accept(0.7 + 0.3 * entries.size() / batches.size());
        }
        return entries;
    }

    private void report(CensusReport report) throws IOException {
        @Nullable Path out = shared.outIfGiven();
        if (out != null) {
            report.table().write(out, "census-table");
            for (Figure figure : Stream.of(report.dimensions(), Optional.of(report.spectra()))
                    .flatMap(Optional::stream)
                    .toList()) {
                figure.write(out);
            }
            List<Path> files = new ArrayList<>();
            for (Path model : models) {
                files.addAll(RunProvenance.modelFiles(model));
            }
            files.add(data.required(spec));
            CommandProvenance.of(spec, Map.of(), List.of(shared.seed(SEED)), files)
                    .write(out.resolve("provenance.json"));
        }
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            print.println(JsonMapper.shared().writeValueAsString(report.json()));
            return;
        }
        print.print(report.table().toText());
        print.println(report.verdict());
    }
}
