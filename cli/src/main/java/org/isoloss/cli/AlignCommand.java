package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.report.AlignmentReport;
import org.isoloss.report.RunProvenance;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.symmetry.Alignment;
import org.isoloss.symmetry.GraphSymmetries;
import org.isoloss.symmetry.RandomInputs;
import org.isoloss.task.Barrier;
import org.isoloss.task.DataSource;
import org.isoloss.task.ElementFile;
import org.isoloss.task.InputTable;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.ModelTransform;
import org.isoloss.task.ModelTransform.Storing;
import org.isoloss.task.StoredRounding;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Tells whether two networks are the same up to symmetry, and brings one as near to the other as it can be. */
@Command(
        name = "align",
        description = {
            "Finds the element of the symmetry group of the first network that brings its weights nearest to those of the"
                    + " second: are the two the same up to symmetry, and if not, how near do they come?",
        },
        mixinStandardHelpOptions = true)
final class AlignCommand implements Callable<Integer> {
    private static final long SEED = 1;
    private static final int HUNDREDTHS = 100;
    /** Weights as near as this are the same, unless the stored type is too coarse for it. */
    private static final double SAME = 1e-5;
    /** As many units of rounding of the stored type may lie between weights that are the same. */
    private static final int UNITS = 4;

    /** As much may outputs depart by rounding where two graphs are the same. */
    private static final double SAME_GRAPH = 1e-9;

    /** As many random inputs tell how far apart outputs are. */
    private static final int MOST_COMPARED = 64;

    /** As many numbers of weights at most are read for the inputs of one point on the way, but for one input. */
    private static final long MOST_READ = 10_000_000;

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Parameters(index = "0", paramLabel = "MODEL", description = "The network that is moved.")
    private Path one = Path.of("one.onnx");

    @Parameters(
            index = "1",
            paramLabel = "OTHER",
            description = "The network that it is brought near, of the same architecture.")
    private Path other = Path.of("other.onnx");

    @Option(
            names = "--data",
            paramLabel = "FILE",
            description = "Inputs on which the networks are compared: CSV (also gzipped), npz or npy, one input a row;"
                    + " random inputs where left out. Of several alignments the one with the lowest barrier on them is"
                    + " taken, without them the nearest.")
    private @Nullable Path data;

    @Mixin
    private final RowOptions rows = new RowOptions();

    @Mixin
    private final ReadingOptions options = new ReadingOptions();

    @Option(
            names = "--save",
            paramLabel = "FILE",
            description = "Writes the first network, moved, with its element beside it.")
    private @Nullable Path save;

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Override
    public Integer call() throws Exception {
        for (Path path : List.of(one, other)) {
            if (!Files.exists(path)) {
                throw new NoSuchFileException(path.toString());
            }
        }
        if (data == null) {
            Notices.requireUnused(
                    spec, "align without --data", "--rows", "--array", "--header", "--scale", "--label", "--expect");
        } else {
            Notices.requireUnused(spec, "--data binds every axis and", "--bind");
        }
        Path source = StoredModel.located(one);
        Path goal = StoredModel.located(other);
        if (save != null) {
            Checkpoint.edit(source).requireTarget(save);
        }
        Reading reading = options.of(spec, source);
        Reading readingOfOther = options.of(spec, goal);
        try (var progress = new StepProgress(
                "align", HUNDREDTHS, shared.quiet(), spec.commandLine().getErr())) {
            if (data == null) {
                try (StoredModel ours = opened(source, reading);
                        StoredModel theirs = opened(goal, readingOfOther)) {
                    Notices.print(spec, ours.notes());
                    Notices.print(spec, theirs.notes());
                    Alignment found = aligned(ours.model(), theirs.model(), List.of(), List.of(), progress);
                    int count = Math.clamp(MOST_READ / ours.model().parameterCount(), 1, MOST_COMPARED);
                    List<Map<String, double[]>> compared = RandomInputs.of(ours.model(), count, shared.seed(SEED));
                    report(source, ours.model(), judged(found, ours.model(), theirs.model(), compared, List.of()));
                }
            } else {
                DataSource given = rows.source(spec, data);
                List<Integer> labels =
                        InputTable.read(given, Path.of("")).labels().orElse(List.of());
                try (ModelBatch ours = ModelBatch.read(source, given, Path.of(""), reading);
                        ModelBatch theirs = ModelBatch.read(goal, given.expecting(null), Path.of(""), readingOfOther)) {
                    Notices.print(spec, ours.notices());
                    Notices.print(spec, theirs.notices());
                    Alignment found = aligned(ours.model(), theirs.model(), ours.batches(), labels, progress);
                    report(source, ours.model(), judged(found, ours.model(), theirs.model(), ours.batches(), labels));
                }
            }
        }
        return ExitCode.DONE;
    }

    private StoredModel opened(Path path, Reading reading) throws IOException {
        return StoredModel.openForAny(path, options.bindings(), reading, TransformCommand.MOST_TOKENS);
    }

    /** The nearest; of several, where there are data, the one with the lowest barrier on them. */
    private Alignment aligned(
            Model ours, Model theirs, List<Map<String, double[]>> inputs, List<Integer> labels, StepProgress progress)
            throws IOException {
        GraphSymmetries symmetries = GraphSymmetries.of(ours, shared.seed(SEED), _ -> {});
        List<Alignment> found = Alignment.of(
                symmetries,
                theirs,
                bound(),
                !inputs.isEmpty(),
                share -> progress.reach(Math.round(HUNDREDTHS * share)));
        return inputs.isEmpty()
                ? found.getFirst()
                : found.stream()
                        .min(Comparator.comparingDouble(one -> {
                            Barrier barrier = Barrier.between(share -> one.between(share, true), inputs, labels);
                            return labels.isEmpty() ? barrier.height() : barrier.lossHeight();
                        }))
                        .orElseThrow();
    }

    /** How near weights of the same network come: rounding of the stored types moves them apart. */
    private double bound() throws IOException {
        return Math.max(SAME, UNITS * Math.max(StoredRounding.of(one), StoredRounding.of(other)));
    }

    private AlignmentReport judged(
            Alignment found, Model model, Model theirs, List<Map<String, double[]>> compared, List<Integer> labels)
            throws IOException {
        double departure = ModelTransform.change(theirs, found.between(1, false), compared);
        if (!(departure <= SAME_GRAPH)) {
            throw new IllegalArgumentException(
                    "%s and %s differ in more than parameters, such as an activation or running statistics: with the weights of the second the first computes outputs that are %.1e of the largest away"
                            .formatted(one, other, departure));
        }
        double outputs = ModelTransform.change(model, theirs, compared);
        double bound = bound();
        boolean isSame = found.after() <= bound && Math.max(outputs, found.change()) <= Math.sqrt(bound);
        return new AlignmentReport(
                found,
                outputs,
                isSame,
                bound,
                Barrier.between(share -> found.between(share, false), compared, labels),
                Barrier.between(share -> found.between(share, true), compared, labels));
    }

    private void report(Path source, Model model, AlignmentReport report) throws IOException {
        Path none = Path.of("");
        Path out = shared.out(none);
        if (!out.equals(none)) {
            report.figure().write(out);
            report.table().write(out, "alignment");
            ElementFile.write(report.alignment().arrays(), out.resolve("element.npz"));
            List<Path> files = new ArrayList<>(RunProvenance.modelFiles(one));
            files.addAll(RunProvenance.modelFiles(other));
            if (data != null) {
                files.add(data);
            }
            CommandProvenance.of(spec, Map.of(), List.of(shared.seed(SEED)), files)
                    .write(out.resolve("provenance.json"));
        }
        if (save != null) {
            Map<String, double[]> moved = new LinkedHashMap<>();
            report.alignment().tensors().forEach((name, numbers) -> moved.put(name, numbers.asFloat64()));
            SequencedMap<String, Numbers> tensors = ModelTransform.changed(model, moved);
            ModelTransform.of(source, model, tensors, RandomInputs.of(model, 1, SEED), Storing.PLAIN)
                    .save(save, _ -> {});
            ElementFile.write(report.alignment().arrays(), save.resolveSibling(save.getFileName() + ".element.npz"));
        }
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            print.println(JsonMapper.shared().writeValueAsString(report.json()));
        } else {
            print.println(report.table().toText());
            print.println(report.verdict());
        }
    }
}
