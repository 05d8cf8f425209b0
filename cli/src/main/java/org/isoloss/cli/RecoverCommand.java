package org.isoloss.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.isoloss.affine.AffineFields;
import org.isoloss.affine.ConstraintSolver;
import org.isoloss.affine.PointSymmetries;
import org.isoloss.affine.Recovery;
import org.isoloss.affine.RecoveryWork;
import org.isoloss.circuit.Circuit;
import org.isoloss.model.ModelTarget;
import org.isoloss.report.PointReport;
import org.isoloss.report.RecoveryReport;
import org.isoloss.report.RunProvenance;
import org.isoloss.source.StoredModel;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.RecoveryTask;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Finds the whole algebra of affine fields that preserve a network's outputs, or the null space at one point. */
@Command(
        name = "recover",
        description = {
            "Finds every affine field A theta + b on the parameters that leaves all outputs of a network unchanged:"
                    + " its dimension, an exact proof, the algebra and its name.",
            "With --at, finds instead the directions that change nothing at one checkpoint on one batch;"
                    + " NETWORK.yaml then states its activations."
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nA network file:%n",
        footer = {
            "  name: relu-2-3-2",
            "  network:",
            "    widths: [2, 3, 2]          # inputs, hidden layers, outputs",
            "    activation: relu           # or a list for the hidden layers; z^2, z^3",
            "    biases: false              # or a list, one a layer",
            "  seeds: [101, 102, 103]       # of the sampled constraints",
            "  solver: graded               # dense or graded; chosen by size where left out",
            "  sampling:",
            "    vectors: 16                # at least; 512 dense, 8 graded where left out",
            "    inputs: 4                  # inputs for each of them",
            "    weightScale: 1             # multiplies all weights",
            "    inputScale: 1              # multiplies all inputs"
        })
final class RecoverCommand implements Callable<Integer> {
    private static final double WORTH_SAYING = 10; // seconds
    private static final long STEPS = 1_000;
    private static final int MOST_TOKENS = 4; // of a text of a transformer that is written out
    private static final long DIRECTIONS = 31_415; // seed of the random directions by which a dimension is found

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Parameters(
            arity = "0..1",
            paramLabel = "NETWORK",
            description =
                    "The network whose algebra is wanted: its shape, or a model in ONNX, a folder of Hugging Face,"
                            + " safetensors or npz, of any weights; or the shape of CHECKPOINT.")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Changes one value of the network file, such as network.activation=tanh; may be repeated.")
    private Map<String, String> changes = new LinkedHashMap<>();

    @Mixin
    private final SeedsOption seeds = new SeedsOption();

    @Option(
            names = "--solver",
            paramLabel = "SOLVER",
            description = "dense (one decomposition, as in the paper) or graded (by blocks that lose no solution).")
    private @Nullable String solver;

    @Option(
            names = "--go-on",
            description = "Begins also what is estimated to take more than seven minutes of one core.")
    private boolean goOn;

    @Mixin
    private final AxisOptions axes = new AxisOptions();

    @Mixin
    private final PointOptions point = new PointOptions();

    @Override
    public Integer call() throws Exception {
        if (point.given()) {
            return atPoint();
        }
        if (file == null) {
            throw new ParameterException(
                    spec.commandLine(), "give NETWORK, or --at CHECKPOINT with --data FILE, or all three");
        }
        return file.toString().matches("(?i).*\\.ya?ml") ? everywhere(file) : ofModel(file);
    }

    private int everywhere(Path network) throws Exception {
        RecoveryTask task = RecoveryTask.read(network, changes);
        return answered(task.name(), task.question(solver == null ? null : solverNamed(solver)), List.of(network));
    }

    /** A stored model, whose numbers do not matter: its algebra is that of all weights. */
    private int ofModel(Path path) throws Exception {
        if (!changes.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--set changes a value of NETWORK.yaml; %s is a model".formatted(path));
        }
        Path source = StoredModel.located(path);
        try (StoredModel opened =
                StoredModel.openForAny(source, axes.bindings(), point.reading(spec, source), 1, MOST_TOKENS)) {
            Notices.print(spec, opened.notes());
            AffineFields question;
            try {
                question = AffineFields.of(Circuit.of(opened.model()));
            } catch (IllegalArgumentException | UnsupportedOperationException e) {
                throw new IllegalArgumentException("%s: %s".formatted(path, e.getMessage()), e);
            }
            if (solver != null) {
                question = question.solver(solverNamed(solver));
            }
            return answered(baseName(source), question, RunProvenance.modelFiles(path));
        }
    }

    private int answered(String name, AffineFields asked, List<Path> files) throws Exception {
        long start = System.nanoTime();
        AffineFields question = seeds.given(spec, shared)
                .map(own -> asked.seeds(own.stream().mapToLong(Long::longValue).toArray()))
                .orElse(asked);
        Recovery recovery = recovered(name, goOn ? question.unlimited() : question);
        RecoveryReport report = new RecoveryReport(name, recovery, (System.nanoTime() - start) / 1e9);
        Path out = shared.out(Path.of("runs", "recover", name));
        report.write(out);
        List<Long> used = new ArrayList<>();
        recovery.extractions().forEach(extraction -> used.add(extraction.seed()));
        CommandProvenance.of(spec, Map.of(), used, files).write(out.resolve("provenance.json"));
        print(report.text(), report.json(), out);
        return recovery.decided() ? ExitCode.DONE : ExitCode.UNUSABLE;
    }

    private Recovery recovered(String name, AffineFields question) {
        question.requireAffordable();
        RecoveryWork work = question.work();
        PrintWriter err = spec.commandLine().getErr();
        if (work.seconds() > WORTH_SAYING && !shared.quiet()) {
            err.println("isoloss: %s: %s".formatted(name, work.words()));
            err.flush();
        }
        double[] done = new double[1];
        long[] shown = new long[1];
        try (StepProgress progress = new StepProgress(name, STEPS, shared.quiet(), err)) {
            return question.progress(share -> {
                        done[0] += share;
                        long step = Math.min(STEPS, Math.round(STEPS * done[0]));
                        progress.advance(step - shown[0]);
                        shown[0] = step;
                    })
                    .recover();
        }
    }

    private ConstraintSolver solverNamed(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "dense" -> ConstraintSolver.DENSE;
            case "graded" -> ConstraintSolver.GRADED;
            default ->
                throw new ParameterException(
                        spec.commandLine(),
                        "Invalid value for option '--solver': expected dense or graded, got '" + name + "'");
        };
    }

    private int atPoint() throws Exception {
        Notices.requireUnused(spec, "--at draws nothing at random and", "--seed", "--seeds");
        long start = System.nanoTime();
        point.requireBoth(spec);
        Path checkpoint = point.checkpoint(spec);
        PointReport report;
        try (ModelBatch read = point.read(spec, file == null ? null : RecoveryTask.read(file, changes))) {
            String own = checkpoint + ": ";
            Map<Boolean, List<String>> notices =
                    read.notices().stream().collect(Collectors.partitioningBy(notice -> notice.startsWith(own)));
            Notices.print(spec, Objects.requireNonNull(notices.get(false)));
            ModelTarget target = ModelTarget.of(read.moving(point.moving()), read.batches());
            PointSymmetries symmetries = point.dimension()
                    ? PointSymmetries.dimensionOf(target, new SplittableRandom(DIRECTIONS))
                    : PointSymmetries.of(target);
            report = new PointReport(
                    checkpoint.toString(),
                    point.data(spec).toString(),
                    symmetries,
                    (System.nanoTime() - start) / 1e9,
                    Objects.requireNonNull(notices.get(true)).stream()
                            .map(notice -> notice.substring(own.length()))
                            .toList());
        }
        Path out = shared.out(Path.of("runs", "recover", "at-" + baseName(checkpoint)));
        report.write(out);
        List<Path> files = new ArrayList<>(point.files(spec));
        if (file != null) {
            files.add(file);
        }
        CommandProvenance.of(spec, Map.of(), List.of(), files).write(out.resolve("provenance.json"));
        print(report.text(), report.json(), out);
        return report.point().doubt().isEmpty() ? ExitCode.DONE : ExitCode.UNUSABLE;
    }

    private void print(String text, String json, Path out) {
        PrintWriter writer = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            writer.print(json);
        } else {
            writer.print(text);
            if (!shared.quiet()) {
                spec.commandLine().getErr().println("isoloss: files are in " + out);
            }
        }
        writer.flush();
    }

    private static String baseName(Path file) {
        return ModelName.of(file).replaceFirst("\\.[^.]*$", "");
    }
}
