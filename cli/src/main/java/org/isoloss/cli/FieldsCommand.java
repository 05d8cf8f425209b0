package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.isoloss.action.VectorField;
import org.isoloss.affine.RecoveredAlgebra;
import org.isoloss.affine.Recovery;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Streams;
import org.isoloss.fields.Brackets;
import org.isoloss.fields.FieldMeasures;
import org.isoloss.fields.FieldRecipe;
import org.isoloss.fields.FieldShape;
import org.isoloss.fields.FieldTraining;
import org.isoloss.fields.IntegratedAction;
import org.isoloss.fields.LearnedFields;
import org.isoloss.fields.WordLaws;
import org.isoloss.report.FieldsReport;
import org.isoloss.report.RunProvenance;
import org.isoloss.task.AlgebraFile;
import org.isoloss.task.RecoveryTask;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Learns several fields together, with their brackets, and says what they are. */
@Command(
        name = "fields",
        description = {
            "Learns several fields that keep a network's outputs together, their brackets as part of the objective, and says"
                    + " whether they are a Lie algebra action, of which structure, or by how much they are not.",
            "With --algebra its fields are asked for, and their flows are integrated to an action of the group, whose laws are"
                    + " measured. With --dimension r grows until the fields are no longer independent at a point.",
            "Exit code 3 when fields do not close, have collapsed, or are more than the network allows."
        },
        mixinStandardHelpOptions = true)
final class FieldsCommand implements Callable<Integer> {
    private static final long FIRST_SEED = 101;

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Mixin
    private final TaskOptions options = new TaskOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Option(
            names = "--count",
            paramLabel = "R",
            description = "Fields learned together, 1 to 12; 2 unless given, with --algebra its dimension.")
    private @Nullable Integer count;

    @Option(names = "--affine", description = "Restricts the fields to affine ones, A theta + b.")
    private boolean affine;

    @Option(
            names = "--algebra",
            paramLabel = "NAME",
            description =
                    "so(3), sl(2), gl(2), aff(1), heisenberg, R^1 to R^9, or a YAML file with 'matrices', or with 'dimension' and"
                            + " 'brackets'. Constants are learned where none is named.")
    private @Nullable String algebra;

    @Option(names = "--no-brackets", description = "Asks nothing of the brackets.")
    private boolean unasked;

    @Option(
            names = "--dimension",
            description = "Learns 1, 2, ... fields without brackets; the dimension is their largest rank at a point.")
    private boolean dimension;

    @Option(
            names = "--against",
            paramLabel = "NETWORK.yaml",
            description = "Compares with the algebra that recover finds of this network, the task's own.")
    private @Nullable Path against;

    @Option(names = "--steps", paramLabel = "N", description = "Training steps in place of the recipe's.")
    private @Nullable Integer steps;

    @Mixin
    private final SeedsOption seeds = new SeedsOption();

    @Override
    public Integer call() throws Exception {
        requireOneQuestion();
        TrainingKernel.announce(spec);
        Task task = options.task();
        AlgebraFile.@Nullable Algebra supplied = algebra == null ? null : AlgebraFile.find(algebra);
        Setting setting = Setting.of(task, options.folder());
        Notices.print(spec, setting);
        Optional<RecoveredAlgebra> exact = against == null ? Optional.empty() : Optional.of(recovered(against));
        int parameters = setting.problem().points().parameterCount();
        if (exact.isPresent() && exact.get().fields().getFirst().parameterCount() != parameters) {
            throw new IllegalArgumentException("%s has %d parameters and %d of %s move; give the network of the task"
                    .formatted(against, exact.get().fields().getFirst().parameterCount(), parameters, task.name()));
        }
        Brackets brackets = unasked || dimension
                ? new Brackets.Unasked()
                : supplied == null
                        ? new Brackets.Closed()
                        : new Brackets.Supplied(
                                supplied.constants(),
                                supplied.generators()
                                        .map(generators -> generators.size())
                                        .orElse(2));
        List<FieldsReport.Entry> entries = new ArrayList<>();
        int r = dimension ? 1 : supplied != null ? supplied.constants().dimension() : count == null ? 2 : count;
        do {
            FieldShape shape = new FieldShape(
                    parameters, r, affine ? 0 : FieldShape.FREE_DEPTH, affine ? 1 : FieldShape.FREE_WIDTH);
            for (long seed : seeds()) {
                LearnedFields fields = learned(task.name(), setting.problem(), shape, brackets, seed);
                entries.add(entry(setting.problem(), fields, brackets, supplied, exact, seed));
            }
            r++;
        } while (dimension
                && r <= FieldShape.MOST
                && !entries.getLast().measures().tooMany());
        FieldsReport report = new FieldsReport(
                task.name(),
                !(brackets instanceof Brackets.Unasked),
                affine,
                exact.flatMap(RecoveredAlgebra::structure),
                entries);
        print(report);
        write(task, report);
        return dimension || report.usable() ? ExitCode.DONE : ExitCode.UNUSABLE;
    }

    private void requireOneQuestion() {
        if (algebra != null && (unasked || dimension || count != null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--algebra says number and brackets; leave out --count, --no-brackets and --dimension");
        }
        if (dimension && (count != null || affine)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--dimension learns free fields in growing number; leave out --count and --affine");
        }
        if (count != null && (count < 1 || count > FieldShape.MOST)) {
            throw new ParameterException(
                    spec.commandLine(), "--count is %d, expected 1 to %d".formatted(count, FieldShape.MOST));
        }
        if (steps != null && steps < 1) {
            throw new ParameterException(spec.commandLine(), "--steps is %d, expected at least 1".formatted(steps));
        }
    }

    private List<Long> seeds() {
        return seeds.given(spec, shared).orElse(List.of(FIRST_SEED));
    }

    private RecoveredAlgebra recovered(Path network) throws IOException {
        Recovery recovery = RecoveryTask.read(network, Map.of()).question(null).recover();
        return recovery.algebra()
                .orElseThrow(() -> new IllegalArgumentException("%s: recover did not decide".formatted(network)));
    }

    private LearnedFields learned(String name, Problem problem, FieldShape shape, Brackets brackets, long seed) {
        FieldRecipe recipe = affine ? FieldRecipe.AFFINE : FieldRecipe.FREE;
        if (steps != null) {
            recipe = recipe.withSteps(steps);
        }
        try (StepProgress progress = new StepProgress(
                "%s, %d fields, seed %d".formatted(name, shape.count(), seed),
                recipe.steps(),
                shared.quiet(),
                spec.commandLine().getErr())) {
            return FieldTraining.run(problem, shape, brackets, recipe, seed, _ -> progress.advance(1));
        }
    }

    private static FieldsReport.Entry entry(
            Problem problem,
            LearnedFields fields,
            Brackets brackets,
            AlgebraFile.@Nullable Algebra supplied,
            Optional<RecoveredAlgebra> exact,
            long seed) {
        Optional<WordLaws> laws = supplied == null || fields.shape().count() < 2
                ? Optional.empty()
                : supplied.generators()
                        .map(generators -> WordLaws.of(
                                problem,
                                new IntegratedAction(fields, generators),
                                WordLaws.RADIUS,
                                Streams.TEST.stream(seed, 1)));
        return new FieldsReport.Entry(
                seed,
                FieldMeasures.of(problem, fields, brackets, Streams.TEST.stream(seed)),
                exact.map(algebra -> FieldMeasures.spanError(
                        problem,
                        fields,
                        algebra.fields().stream()
                                .<VectorField>map(field -> field::valueAt)
                                .toList(),
                        Streams.TEST.stream(seed, 2))),
                laws);
    }

    private void print(FieldsReport report) {
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            print.println(JsonMapper.shared().writeValueAsString(report.json()));
            return;
        }
        print.print(report.table().toText());
        report.verdicts().forEach(print::println);
        if (dimension) {
            int largest = report.entries().stream()
                    .mapToInt(entry -> entry.measures().largestRank())
                    .max()
                    .orElse(0);
            print.println("dimension %d, the largest rank of learned fields at a point; the Jacobian leaves %d"
                    .formatted(largest, report.entries().getFirst().measures().nullity()));
        }
    }

    private void write(Task task, FieldsReport report) throws IOException {
        Path out = shared.outIfGiven();
        if (out != null) {
            report.table().write(out, "fields-table");
            report.figure().write(out);
            List<Path> files = new ArrayList<>(List.copyOf(RunProvenance.inputs(task.resolved(options.folder()))));
            if (algebra != null && algebra.matches("(?i).*\\.ya?ml")) {
                files.add(Path.of(algebra));
            }
            if (against != null) {
                files.add(against);
            }
            CommandProvenance.of(spec, Map.of(), seeds(), files).write(out.resolve("provenance.json"));
        }
    }
}
