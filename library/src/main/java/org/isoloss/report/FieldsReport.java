package org.isoloss.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.isoloss.fields.FieldMeasures;
import org.isoloss.fields.WordLaws;
import org.isoloss.lie.AlgebraStructure;
import org.isoloss.lie.Inertia;
import org.isoloss.lie.MeasuredStructure;
import org.jspecify.annotations.Nullable;

/**
 * What fields that were learned together are, seed by seed, and whether it is what was asked for.
 *
 * @param name of the task
 * @param bracketed whether brackets were part of the objective
 * @param affine whether the fields were restricted to affine ones
 * @param expected the structure that an exact recovery found, nothing where none was asked
 * @param entries one for each seed, at least one
 */
public record FieldsReport(
        String name, boolean bracketed, boolean affine, Optional<AlgebraStructure> expected, List<Entry> entries) {
    /**
     * One fit.
     *
     * @param seed of the fit
     * @param measures of its fields
     * @param spanError against exact fields, nothing where none were given
     * @param laws of the integrated action, nothing where no matrices were supplied
     */
    public record Entry(long seed, FieldMeasures measures, Optional<Double> spanError, Optional<WordLaws> laws) {}

    /** Singular values below are drawn there, as an axis in powers of ten has no 0. */
    private static final double LEAST_DRAWN = 1e-12;

    /** Keeps a list of its own. */
    public FieldsReport {
        entries = List.copyOf(entries);
    }

    /** {@return one row a fit; what was not measured is missing} */
    public Table table() {
        return Table.of("Fields learned together: " + name, entries)
                .add(Column.text("seed", "Seed"), entry -> Long.toString(entry.seed()))
                .add(Column.count("fields", "Fields"), entry -> entry.measures().count())
                .add(Column.count("rank", "Rank"), entry -> entry.measures().largestRank())
                .add(
                        Column.count("functions", "As functions"),
                        entry -> entry.measures().functions())
                .add(
                        Column.count("nullity", "Nullity"),
                        entry -> entry.measures().nullity())
                .add(
                        Column.scientific("invariance", "Invariance", 1),
                        entry -> entry.measures().invariance())
                .add(
                        Column.scientific("brackets", "Brackets", 1),
                        entry -> entry.measures()
                                .suppliedResidual()
                                .orElse(entry.measures().bracketResidual()))
                .add(
                        Column.scientific("jacobi", "Jacobi", 1),
                        entry -> entry.measures().jacobi())
                .add(Column.count("center", "Center"), structure(MeasuredStructure::center))
                .add(Column.count("derived", "Derived"), structure(MeasuredStructure::derived))
                .add(Column.text("killing", "Killing"), structure(found -> signature(found.killing())))
                .add(
                        Column.scientific("span", "Span", 1),
                        entry -> entry.spanError().orElse(null))
                .add(Column.scientific("composition", "Composition", 1), laws(WordLaws::composition))
                .add(Column.scientific("inverse", "Inverse", 1), laws(WordLaws::inverse))
                .add(Column.scientific("output", "Output", 1), laws(WordLaws::output))
                .table();
    }

    private static Function<Entry, @Nullable Object> structure(Function<MeasuredStructure, Object> part) {
        return entry -> entry.measures().structure().map(part).orElse(null);
    }

    private static Function<Entry, @Nullable Object> laws(Function<WordLaws, Object> part) {
        return entry -> entry.laws().map(part).orElse(null);
    }

    private static String signature(Inertia inertia) {
        return "(%d, %d, %d)".formatted(inertia.positive(), inertia.negative(), inertia.zero());
    }

    /** {@return one line for each fit: whether it is a Lie algebra action, or by how much not, and what it agrees with} */
    public List<String> verdicts() {
        return entries.stream()
                .map(entry -> "seed %d: %s".formatted(entry.seed(), verdict(entry)))
                .toList();
    }

    private String verdict(Entry entry) {
        FieldMeasures measures = entry.measures();
        if (measures.functions() < measures.count()) {
            return "%d fields have collapsed onto %d, and at most %d are independent at a point (the Jacobian leaves %d directions); ask for fewer"
                    .formatted(measures.count(), measures.functions(), measures.largestRank(), measures.nullity());
        }
        if (measures.tooMany() && measures.largestRank() < measures.nullity()) {
            return "of %d fields only %d are independent at a point beyond their errors, though the Jacobian leaves %d directions; train longer"
                    .formatted(measures.count(), measures.largestRank(), measures.nullity());
        }
        if (measures.tooMany()) {
            return "%d fields were asked for and at most %d are independent at a point (the Jacobian leaves %d directions); ask for %d"
                    .formatted(measures.count(), measures.largestRank(), measures.nullity(), measures.largestRank());
        }
        if (!bracketed) {
            return "%d independent fields; nothing was asked of their brackets, and they differ from combinations by %.1e"
                    .formatted(measures.count(), measures.bracketResidual());
        }
        if (!closes(measures)) {
            return "the fields do not close: their brackets differ from combinations by %.1e of their size, and at most %.0e counts as a Lie algebra"
                    .formatted(measures.suppliedResidual().orElse(measures.bracketResidual()), FieldMeasures.CLOSED);
        }
        String found = measures.structure()
                .map(structure -> "a Lie algebra of dimension %d, center %d, derived %d, Killing form %s"
                        .formatted(
                                measures.count(),
                                structure.center(),
                                structure.derived(),
                                signature(structure.killing())))
                .orElse("a Lie algebra");
        String compared = expected.map(
                        exact -> agrees(entry, exact) ? ", as recovered" : ", and recovered is " + words(exact))
                .orElse("");
        String limit = affine
                ? ""
                : "; of free fields rank and brackets are to be judged, other constants act on the same level sets";
        return found + compared + limit;
    }

    private static String words(AlgebraStructure exact) {
        return "dimension %d, center %d, derived %d, Killing form %s"
                .formatted(exact.dimension(), exact.center(), exact.derived(), signature(exact.killing()));
    }

    private static boolean agrees(Entry entry, AlgebraStructure exact) {
        return exact.dimension() == entry.measures().count()
                && entry.measures()
                        .structure()
                        .filter(found -> found.agrees(exact))
                        .isPresent();
    }

    private static boolean closes(FieldMeasures measures) {
        return measures.closes() && measures.suppliedResidual().orElse(0.0) <= FieldMeasures.CLOSED;
    }

    /** {@return whether every fit is independent at points, and closes where that was asked: true when all of it can be used} */
    public boolean usable() {
        return entries.stream()
                .allMatch(entry ->
                        entry.measures().functions() == entry.measures().count()
                                && !entry.measures().tooMany()
                                && (!bracketed || closes(entry.measures())));
    }

    /** {@return how independent the fields are at a point: singular values over the largest, a line for each fit, and below which share none counts} */
    public Figure figure() {
        List<Series> lines = new ArrayList<>();
        int most = 1;
        for (Entry entry : entries) {
            List<Double> sizes = entry.measures().sizes();
            most = Math.max(most, sizes.size());
            lines.add(Series.of(
                    "%d fields, seed %d".formatted(sizes.size(), entry.seed()),
                    Series.Style.LINE,
                    IntStream.rangeClosed(1, sizes.size()).asDoubleStream().toArray(),
                    sizes.stream()
                            .mapToDouble(size -> Math.max(size, LEAST_DRAWN))
                            .toArray()));
        }
        lines.add(
                Series.of("counts as zero", Series.Style.REFERENCE, new double[] {1, Math.max(2, most)}, new double[] {
                    FieldMeasures.RANK_TOLERANCE, FieldMeasures.RANK_TOLERANCE
                }));
        return new Figure(
                "fields",
                "How many fields are independent at a point",
                "Singular values of the fields over the largest, medians over %d points: %s."
                        .formatted(FieldMeasures.POINTS, name),
                new LineChart(Axis.linear("singular value", ""), Axis.log("share of the largest", ""), lines));
    }

    /** {@return the table's rows, with the constants of each fit, for a JSON writer} */
    public Map<String, Object> json() {
        List<Map<String, @Nullable Object>> rows = table().toJsonRows();
        for (int i = 0; i < rows.size(); i++) {
            FieldMeasures measures = entries.get(i).measures();
            rows.get(i).put("least_rank", measures.leastRank());
            rows.get(i).put("singular_values", measures.sizes());
            rows.get(i)
                    .put(
                            "structure_gap",
                            measures.structure()
                                    .map(MeasuredStructure::gap)
                                    .filter(Double::isFinite)
                                    .orElse(null));
            rows.get(i).put("gap", Double.isInfinite(measures.gap()) ? "infinite" : measures.gap());
            rows.get(i).put("constants", List.of(measures.constants().pairRows().entries()));
            rows.get(i).put("verdict", verdict(entries.get(i)));
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("task", name);
        json.put("affine", affine);
        json.put("bracketed", bracketed);
        json.put("rows", rows);
        return json;
    }
}
