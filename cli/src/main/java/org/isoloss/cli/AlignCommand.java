package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.report.AlignmentReport;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.symmetry.Alignment;
import org.isoloss.symmetry.SymmetryElement;
import org.isoloss.symmetry.SymmetryGroup;
import org.isoloss.task.Barrier;
import org.isoloss.task.DataSource;
import org.isoloss.task.ElementFile;
import org.isoloss.task.InputTable;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.ModelTransform;
import org.isoloss.task.ModelTransform.Storing;
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

    @Spec
    private CommandSpec spec;

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
                    + " random inputs where left out.")
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
                "align", 2L * HUNDREDTHS, shared.quiet(), spec.commandLine().getErr())) {
            if (data == null) {
                try (StoredModel ours = opened(source, reading);
                        StoredModel theirs = opened(goal, readingOfOther)) {
                    Notices.print(spec, ours.notes());
                    Notices.print(spec, theirs.notes());
                    SymmetryGroup group = group(ours.model(), progress);
                    report(source, group, aligned(group, theirs.model(), group.manyInputs(), List.of(), progress));
                }
            } else {
                DataSource given = rows.source(spec, data);
                List<Integer> labels =
                        InputTable.read(given, Path.of("")).labels().orElse(List.of());
                try (ModelBatch ours = ModelBatch.read(source, given, Path.of(""), reading);
                        ModelBatch theirs = ModelBatch.read(goal, given.expecting(null), Path.of(""), readingOfOther)) {
                    Notices.print(spec, ours.notices());
                    Notices.print(spec, theirs.notices());
                    SymmetryGroup group = group(ours.model(), progress);
                    report(source, group, aligned(group, theirs.model(), ours.batches(), labels, progress));
                }
            }
        }
        return ExitCode.DONE;
    }

    private StoredModel opened(Path path, Reading reading) throws IOException {
        return StoredModel.openForAny(path, options.bindings(), reading, TransformCommand.MOST_TOKENS);
    }

    private SymmetryGroup group(Model model, StepProgress progress) {
        return SymmetryGroup.of(model, shared.seed(SEED), share -> progress.reach(Math.round(HUNDREDTHS * share)));
    }

    private AlignmentReport aligned(
            SymmetryGroup group,
            Model theirs,
            List<Map<String, double[]>> inputs,
            List<Integer> labels,
            StepProgress progress)
            throws IOException {
        Alignment found =
                Alignment.of(group, theirs, inputs, share -> progress.reach(Math.round(HUNDREDTHS * (1 + share))));
        Model model = group.model();
        List<Map<String, double[]>> compared =
                data == null ? inputs.subList(0, Math.min(MOST_COMPARED, inputs.size())) : inputs;
        double departure = ModelTransform.change(theirs, model.with(found.between(1, false)), compared);
        if (!(departure <= SAME_GRAPH)) {
            throw new IllegalArgumentException(
                    "%s and %s differ in more than parameters, such as an activation or running statistics: with the weights of the second the first computes outputs that are %.1e of the largest away"
                            .formatted(one, other, departure));
        }
        double outputs = ModelTransform.change(model, theirs, compared);
        double bound = Math.max(SAME, UNITS * Math.max(rounding(one), rounding(other)));
        boolean isSame = found.after() <= bound && Math.max(outputs, found.change()) <= Math.sqrt(bound);
        return new AlignmentReport(
                found,
                outputs,
                isSame,
                bound,
                Barrier.between(share -> model.with(found.between(share, false)), compared, labels),
                Barrier.between(share -> model.with(found.between(share, true)), compared, labels));
    }

    /** The largest relative error with which a number is rounded to a type of the file. */
    private static double rounding(Path path) throws IOException {
        double largest = 0;
        try (Checkpoint checkpoint = Checkpoint.open(StoredModel.located(path))) {
            for (String name : checkpoint.names()) {
                ElementType type = checkpoint.tensor(name).type();
                if (type.isFloat()) {
                    double unit = 1;
                    while (type.nearest(1 + unit) > 1) {
                        unit /= 2;
                    }
                    largest = Math.max(largest, unit);
                }
            }
        }
        return largest;
    }

    private void report(Path source, SymmetryGroup group, AlignmentReport report) throws IOException {
        Path none = Path.of("");
        Path out = shared.out(none);
        if (!out.equals(none)) {
            report.figure().write(out);
            report.table().write(out, "alignment");
            ElementFile.write(report.alignment().element().maps(), out.resolve("element.npz"));
            List<Path> files = new ArrayList<>(RunProvenance.modelFiles(one));
            files.addAll(RunProvenance.modelFiles(other));
            if (data != null) {
                files.add(data);
            }
            CommandProvenance.of(spec, Map.of(), List.of(shared.seed(SEED)), files)
                    .write(out.resolve("provenance.json"));
        }
        if (save != null) {
            SymmetryElement element = report.alignment().element();
            Model model = group.model();
            SequencedMap<String, Numbers> tensors = ModelTransform.changed(model, group.tensors(element));
            ModelTransform.of(source, model, tensors, group.inputs(), Storing.PLAIN)
                    .save(save, _ -> {});
            ElementFile.write(element.maps(), save.resolveSibling(save.getFileName() + ".element.npz"));
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
