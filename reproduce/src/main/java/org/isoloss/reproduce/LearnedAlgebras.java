package org.isoloss.reproduce;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.action.VectorField;
import org.isoloss.affine.RecoveredAlgebra;
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
import org.isoloss.lie.BracketConstants;
import org.isoloss.lie.Generators;
import org.isoloss.lie.NamedAlgebra;
import org.isoloss.report.Axis;
import org.isoloss.report.Column;
import org.isoloss.report.Figure;
import org.isoloss.report.LineChart;
import org.isoloss.report.Series;
import org.isoloss.reproduce.StudyCells.Cell;
import org.isoloss.reproduce.StudyCells.Work;
import org.isoloss.task.RecoveryTask;
import org.isoloss.task.Setting;
import org.isoloss.task.TaskFile;
import org.jspecify.annotations.Nullable;

/** Beside the paper: fields of several generators learned together, what algebra they are, and the dimension as their number grows. */
final class LearnedAlgebras {
    private static final int GROWING_STEPS = 2_000;

    /**
     * A question.
     *
     * @param setting an example
     * @param kind affine or free
     * @param algebra that is supplied, or nothing where constants are learned
     * @param count of the fields
     * @param recovered a network file of the examples, or nothing
     */
    record Case(String setting, String kind, Optional<String> algebra, int count, Optional<String> recovered) {
        String asked() {
            return algebra.orElse("learned");
        }

        boolean affine() {
            return kind.equals("affine");
        }
    }

    static final List<Case> CASES = List.of(
            new Case("linear", "affine", Optional.empty(), 4, Optional.of("linear-2-2-2")),
            new Case("linear", "free", Optional.empty(), 4, Optional.empty()),
            new Case("linear", "free", Optional.of("gl(2)"), 4, Optional.of("linear-2-2-2")),
            new Case("linear", "free", Optional.of("sl(2)"), 3, Optional.empty()),
            new Case("linear", "free", Optional.of("aff(1)"), 2, Optional.empty()),
            new Case("relu", "affine", Optional.of("R^4"), 4, Optional.empty()));

    /** A setting, and the most fields that are asked for: one more than its nullity. */
    private static final Map<String, Integer> GROWING = growing();

    private LearnedAlgebras() {}

    private static Map<String, Integer> growing() {
        Map<String, Integer> most = new LinkedHashMap<>();
        most.put("linear", 5);
        most.put("relu", 5);
        most.put("sigmoid-k1", 2);
        most.put("local-host", 2);
        return most;
    }

    static Made make(Study study, Work work) throws IOException, InterruptedException {
        Path folder = study.parts("algebras");
        Protocol protocol = study.protocol();
        int part = protocol.quick() ? 2 : 1;
        List<Cell> algebras = new ArrayList<>();
        List<Cell> growth = new ArrayList<>();
        for (long seed : protocol.seeds()) {
            for (Case one : CASES) {
                algebras.add(Cell.of(
                        "%s %s %s by %d".formatted(one.setting(), one.kind(), one.asked(), part),
                        seed,
                        () -> List.of(row(study.examples(), one, seed, part))));
            }
            GROWING.forEach((setting, most) -> {
                for (int r = 1; r <= most; r++) {
                    int count = r;
                    growth.add(Cell.of(
                            "%s %d fields by %d".formatted(setting, r, part),
                            seed,
                            () -> List.of(grown(study.examples(), setting, count, seed, part))));
                }
            });
        }
        List<Map<String, Object>> found = StudyCells.rows("closed algebras", folder, algebras, work);
        List<Map<String, Object>> ranks = StudyCells.rows("number of fields", folder, growth, work);
        return Made.of(table(protocol, found)).and(new Made(List.of(growth(protocol, ranks)), List.of(figure(ranks))));
    }

    private static Problem problem(Path examples, String setting) {
        try {
            return Setting.of(TaskFile.read(examples.resolve(setting + ".yaml"), Map.of()), examples)
                    .problem();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<VectorField> exact(Path examples, String network) {
        try {
            RecoveredAlgebra algebra = RecoveryTask.read(
                            examples.resolve("recover").resolve(network + ".yaml"), Map.of())
                    .question(null)
                    .recover()
                    .algebra()
                    .orElseThrow();
            return algebra.fields().stream()
                    .<VectorField>map(field -> field::valueAt)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Map<String, Object> row(Path examples, Case one, long seed, int part) {
        Problem problem = problem(examples, one.setting());
        Optional<Generators> generators = one.algebra().map(NamedAlgebra::named);
        Brackets brackets = generators
                .<Brackets>map(matrices -> new Brackets.Supplied(BracketConstants.of(matrices), matrices.size()))
                .orElseGet(Brackets.Closed::new);
        FieldRecipe recipe = one.affine() ? FieldRecipe.AFFINE : FieldRecipe.FREE;
        FieldShape shape = new FieldShape(
                problem.points().parameterCount(),
                one.count(),
                one.affine() ? 0 : FieldShape.FREE_DEPTH,
                one.affine() ? 1 : FieldShape.FREE_WIDTH);
        LearnedFields fields =
                FieldTraining.run(problem, shape, brackets, recipe.withSteps(recipe.steps() / part), seed, _ -> {});
        FieldMeasures measures = FieldMeasures.of(problem, fields, brackets, Streams.TEST.stream(seed));
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("setting", one.setting());
        row.put("kind", one.kind());
        row.put("algebra", one.asked());
        row.put("rank", measures.largestRank());
        row.put("invariance", measures.invariance());
        row.put("brackets", measures.suppliedResidual().orElse(measures.bracketResidual()));
        row.put("jacobi", measures.jacobi());
        measures.structure().ifPresent(structure -> {
            row.put("center", structure.center());
            row.put("derived", structure.derived());
            row.put(
                    "killing",
                    "(%d, %d, %d)"
                            .formatted(
                                    structure.killing().positive(),
                                    structure.killing().negative(),
                                    structure.killing().zero()));
        });
        one.recovered()
                .ifPresent(network -> row.put(
                        "span",
                        FieldMeasures.spanError(
                                problem, fields, exact(examples, network), Streams.TEST.stream(seed, 2))));
        generators.ifPresent(matrices -> {
            WordLaws laws = WordLaws.of(
                    problem, new IntegratedAction(fields, matrices), WordLaws.RADIUS, Streams.TEST.stream(seed, 1));
            row.put("composition", laws.composition());
            row.put("inverse", laws.inverse());
            row.put("output", laws.output());
        });
        return row;
    }

    static Map<String, Object> grown(Path examples, String setting, int count, long seed, int part) {
        Problem problem = problem(examples, setting);
        Brackets unasked = new Brackets.Unasked();
        FieldShape shape =
                new FieldShape(problem.points().parameterCount(), count, FieldShape.FREE_DEPTH, FieldShape.FREE_WIDTH);
        LearnedFields fields = FieldTraining.run(
                problem, shape, unasked, FieldRecipe.FREE.withSteps(GROWING_STEPS / part), seed, _ -> {});
        FieldMeasures measures = FieldMeasures.of(problem, fields, unasked, Streams.TEST.stream(seed));
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("setting", setting);
        row.put("fields", count);
        row.put("rank", measures.largestRank());
        row.put("nullity", measures.nullity());
        row.put("invariance", measures.invariance());
        if (Double.isFinite(measures.gap())) {
            row.put("gap", measures.gap());
        }
        return row;
    }

    private static ComparedTable table(Protocol protocol, List<Map<String, Object>> rows) {
        ComparedTable table = ComparedTable.of(
                "generators-algebras",
                "Fields learned together with their brackets: medians over the seeds; structure where all seeds agree, and how many close",
                own(protocol),
                List.of(
                        Column.text("setting", "Setting"),
                        Column.text("kind", "Fields"),
                        Column.text("algebra", "Constants"),
                        Column.count("fields", "Number")),
                List.of(),
                List.of(
                        Column.count("rank", "Rank"),
                        Column.scientific("invariance", "Invariance", 1),
                        Column.scientific("brackets", "Brackets", 1),
                        Column.scientific("jacobi", "Jacobi", 1),
                        Column.count("closed", "Close"),
                        Column.count("center", "Center"),
                        Column.count("derived", "Derived"),
                        Column.text("killing", "Killing"),
                        Column.scientific("span", "Span", 1),
                        Column.scientific("composition", "Composition", 1),
                        Column.scientific("inverse", "Inverse", 1),
                        Column.scientific("output", "Output", 1)));
        for (Case one : CASES) {
            List<Map<String, Object>> own = rows.stream()
                    .filter(row -> one.setting().equals(row.get("setting"))
                            && one.kind().equals(row.get("kind"))
                            && one.asked().equals(row.get("algebra")))
                    .toList();
            table = table.row(
                    List.of(one.setting(), one.kind(), one.asked(), one.count()),
                    List.of(),
                    null,
                    own.stream()
                            .mapToInt(row -> CensusRow.count(row, "rank"))
                            .min()
                            .orElseThrow(),
                    median(own, "invariance"),
                    median(own, "brackets"),
                    median(own, "jacobi"),
                    (int) own.stream().filter(row -> row.containsKey("center")).count(),
                    common(own, "center"),
                    common(own, "derived"),
                    common(own, "killing"),
                    median(own, "span"),
                    median(own, "composition"),
                    median(own, "inverse"),
                    median(own, "output"));
        }
        return table;
    }

    private static ComparedTable growth(Protocol protocol, List<Map<String, Object>> rows) {
        ComparedTable table = ComparedTable.of(
                "generators-dimension",
                "Rank of free fields at a generic point as their number grows, least and largest over the seeds",
                own(protocol),
                List.of(Column.text("setting", "Setting"), Column.count("fields", "Fields")),
                List.of(),
                List.of(
                        Column.count("least", "Rank, least"),
                        Column.count("largest", "Rank, largest"),
                        Column.count("nullity", "Nullity"),
                        Column.scientific("invariance", "Invariance", 1),
                        Column.scientific("gap", "Gap", 1)));
        for (Map.Entry<String, Integer> setting : GROWING.entrySet()) {
            for (int r = 1; r <= setting.getValue(); r++) {
                int count = r;
                List<Map<String, Object>> own = rows.stream()
                        .filter(row ->
                                setting.getKey().equals(row.get("setting")) && CensusRow.count(row, "fields") == count)
                        .toList();
                int[] ranks = own.stream()
                        .mapToInt(row -> CensusRow.count(row, "rank"))
                        .sorted()
                        .toArray();
                table = table.row(
                        List.of(setting.getKey(), r),
                        List.of(),
                        null,
                        ranks[0],
                        ranks[ranks.length - 1],
                        own.getFirst().get("nullity"),
                        median(own, "invariance"),
                        median(own, "gap"));
            }
        }
        return table;
    }

    private static Protocol own(Protocol protocol) {
        return new Protocol(
                protocol.seeds(),
                protocol.quick(),
                protocol.quick() ? Map.of("steps", "half") : Map.of(),
                protocol.variants());
    }

    private static Figure figure(List<Map<String, Object>> rows) {
        List<Series> lines = new ArrayList<>();
        for (String setting : GROWING.keySet()) {
            List<Map<String, Object>> own = rows.stream()
                    .filter(row -> setting.equals(row.get("setting")))
                    .toList();
            List<Integer> counts = own.stream()
                    .map(row -> CensusRow.count(row, "fields"))
                    .distinct()
                    .toList();
            Series.over(
                            setting,
                            counts,
                            count -> count,
                            count -> own.stream()
                                    .filter(row -> CensusRow.count(row, "fields") == count)
                                    .mapToInt(row -> CensusRow.count(row, "rank"))
                                    .max()
                                    .orElseThrow())
                    .ifPresent(lines::add);
        }
        return new Figure(
                "generators-dimension-figure",
                "Rank of learned fields at a point",
                "The largest over the seeds: it stops at the nullity.",
                new LineChart(
                        Axis.linear("fields learned together", ""), Axis.linear("independent at a point", ""), lines));
    }

    private static @Nullable Double median(List<Map<String, Object>> rows, String key) {
        double[] values = rows.stream()
                .filter(row -> row.containsKey(key))
                .mapToDouble(row -> CensusRow.number(row, key).doubleValue())
                .sorted()
                .toArray();
        int n = values.length;
        return n == 0 ? null : (values[(n - 1) / 2] + values[n / 2]) / 2;
    }

    private static @Nullable Object common(List<Map<String, Object>> rows, String key) {
        List<Object> values = rows.stream()
                .filter(row -> row.containsKey(key))
                .map(row -> row.get(key))
                .distinct()
                .toList();
        return values.size() == 1 ? values.getFirst() : null;
    }
}
