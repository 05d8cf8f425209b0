package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.affine.Architecture;
import org.isoloss.affine.BracketTable;
import org.isoloss.affine.Extraction;
import org.isoloss.affine.FiniteCheck;
import org.isoloss.affine.NamedField;
import org.isoloss.affine.RecoveredAlgebra;
import org.isoloss.affine.Recovery;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.lie.AlgebraStructure;
import org.isoloss.lie.SimpleIdeal;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a recovery of affine fields came to, for readers, programs and papers.
 *
 * @param name of the network, which every result repeats
 * @param recovery decided or not
 * @param seconds wall-clock time that it took
 */
public record RecoveryReport(String name, Recovery recovery, double seconds) {
    /** What depends on the outcome, and what {@link PointReport} has in place of it. */
    static final String[] OPTIONAL = {
        "{certificate.json,null-space.npz}",
        "generators.{npz,safetensors}",
        "tables/{recovery,seeds,brackets}.{csv,tex}"
    };

    private static final int SPECTRUM = 24;
    private static final int MOST_LINES = 40;

    /** {@return the result for programs: one JSON object, indented; ends in {@code \n}} */
    public String json() {
        ObjectNode root = JsonText.object();
        root.put("network", name);
        root.put("architecture", recovery.label());
        root.put("parameters", recovery.parameterCount());
        root.put("decided", recovery.decided());
        root.set(
                "dimension",
                recovery.dimension()
                        .map(root::numberNode)
                        .map(n -> (JsonNode) n)
                        .orElse(root.nullNode()));
        AlgebraStructure structure =
                recovery.algebra().flatMap(RecoveredAlgebra::structure).orElse(null);
        if (structure == null) {
            root.putNull("center").putNull("derived");
        } else {
            root.put("center", structure.center()).put("derived", structure.derived());
        }
        root.put("name", recovery.algebra().map(RecoveredAlgebra::name).orElse(null));
        root.put("certified", recovery.certified());
        root.put("reason", recovery.obstacle().orElse(null));
        putNullity(root, recovery.extractions().getFirst());
        root.put("gap", recovery.gap());
        root.put("output_error", recovery.outputError());
        root.put("seconds", seconds);
        recovery.algebra().ifPresent(algebra -> putAlgebra(root, algebra, structure));
        ArrayNode seeds = root.putArray("seeds");
        for (int i = 0; i < recovery.extractions().size(); i++) {
            FiniteCheck check = recovery.finiteChecks().isEmpty()
                    ? null
                    : recovery.finiteChecks().get(i);
            putSeed(seeds.addObject(), recovery.extractions().get(i), check);
        }
        return JsonText.indented(root);
    }

    private static void putNullity(ObjectNode node, Extraction extraction) {
        ObjectNode nullity = node.putObject("nullity");
        for (double threshold : Extraction.THRESHOLDS) {
            nullity.put(JsonText.power(threshold), extraction.spectrum().nullity(threshold));
        }
    }

    private static void putAlgebra(ObjectNode root, RecoveredAlgebra algebra, @Nullable AlgebraStructure structure) {
        root.put("unexplained", algebra.comparesFamilies() ? algebra.unexplained() : null);
        root.put("translations", algebra.translations());
        root.put("preservation", algebra.proof().words());
        root.put("complete", algebra.complete() ? "proved" : "sampled");
        root.put("upper_bound", algebra.upperBound().orElse(null));
        root.put("unbounded", algebra.unbounded().orElse(null));
        if (structure != null) {
            ObjectNode node = root.putObject("structure");
            node.put("isomorphic_to", structure.name());
            ArrayNode series = node.putArray("derived_series");
            structure.derivedSeries().forEach(dimension -> series.add(dimension));
            node.put("radical", structure.radical());
            node.putObject("killing_form")
                    .put("positive", structure.killing().positive())
                    .put("negative", structure.killing().negative())
                    .put("zero", structure.killing().zero());
            ArrayNode simple = node.putArray("simple_ideals");
            structure.simple().forEach(ideal -> simple.add(ideal.name()));
            node.put("abelian_part", structure.isReductive() ? structure.center() : null);
        }
        ArrayNode generators = root.putArray("generators");
        for (NamedField generator : algebra.generators()) {
            ArrayNode moves =
                    generators.addObject().put("name", generator.name()).putArray("moves");
            generator.moves().forEach(tensor -> moves.add(tensor));
        }
    }

    private static void putSeed(ObjectNode node, Extraction extraction, @Nullable FiniteCheck check) {
        node.put("seed", extraction.seed());
        putNullity(node, extraction);
        node.put("gap", extraction.spectrum().gap(1e-8));
        node.put("condition", extraction.spectrum().condition(1e-8));
        node.put("solver", extraction.solver().name().toLowerCase(Locale.ROOT));
        node.put("unknowns", extraction.spectrum().size());
        node.put("largest_block", extraction.largestBlock());
        node.put("vectors", extraction.vectors());
        node.put("rows", extraction.rows());
        if (Double.isFinite(extraction.nearestKink())) {
            node.put("nearest_kink", extraction.nearestKink());
        }
        if (check != null) {
            node.put("output", check.output());
            node.put("composition", check.composition());
            node.put("inverse", check.inverse());
            node.put("motion", check.motion());
        }
    }

    /** {@return the result for a reader, lines that end in {@code \n}} */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(headline()).append("\n");
        text.append("%s: %d parameters, %d unknown coefficients, largest block %d, solved in %.1f s%n%n"
                .formatted(
                        recovery.label(),
                        recovery.parameterCount(),
                        recovery.extractions().getFirst().spectrum().size(),
                        recovery.extractions().getFirst().largestBlock(),
                        seconds));
        text.append(seedTable().toText()).append("\n");
        recovery.algebra().ifPresent(algebra -> {
            text.append(structureTable(algebra).toText()).append("\n");
            List<NamedField> generators = algebra.generators();
            for (NamedField generator : generators.subList(0, Math.min(MOST_LINES, generators.size()))) {
                text.append("  %s: moves %s%n".formatted(generator.name(), String.join(", ", generator.moves())));
            }
            if (generators.size() > MOST_LINES) {
                text.append("  and %d more, in recovery.json%n".formatted(generators.size() - MOST_LINES));
            }
            algebra.brackets()
                    .filter(rows -> !rows.isEmpty() && rows.size() <= MOST_LINES)
                    .ifPresent(
                            rows -> text.append("\n").append(bracketTable(rows).toText()));
        });
        return text.toString();
    }

    private String headline() {
        if (!recovery.decided()) {
            return "%s: undecided: %s".formatted(name, recovery.obstacle().orElse(""));
        }
        if (recovery.algebra().isEmpty()) {
            return "%s: dimension %d, in floating point alone: %s"
                    .formatted(
                            name,
                            recovery.dimension().orElseThrow(),
                            recovery.obstacle().orElse(""));
        }
        RecoveredAlgebra algebra = recovery.algebra().get();
        String what = algebra.dimension() == 0
                ? "no affine field but 0 preserves the outputs"
                : "%s, dimension %d".formatted(algebra.name(), algebra.dimension());
        return "%s: %s (%s; that there is no more is %s)"
                .formatted(
                        name,
                        what,
                        recovery.certified()
                                ? "certified"
                                : "not certified: " + recovery.obstacle().orElse(""),
                        algebra.complete()
                                ? "proved"
                                : "sampled, not proved"
                                        + algebra.unbounded()
                                                .map(": %s"::formatted)
                                                .orElse(""));
    }

    private Table seedTable() {
        return Table.<Integer>of(
                        "Extraction and finite transformations, seed by seed",
                        IntStream.range(0, recovery.extractions().size())
                                .boxed()
                                .toList())
                .add(Column.count("seed", "seed"), of(Extraction::seed))
                .add(
                        Column.count("nullity_4", "null at 1e-4"),
                        of(each -> each.spectrum().nullity(1e-4)))
                .add(
                        Column.count("nullity_6", "1e-6"),
                        of(each -> each.spectrum().nullity(1e-6)))
                .add(
                        Column.count("nullity_8", "1e-8"),
                        of(each -> each.spectrum().nullity(1e-8)))
                .add(
                        Column.scientific("gap", "gap", 1),
                        of(each -> each.spectrum().gap(1e-8)))
                .add(
                        Column.scientific("condition", "condition", 1),
                        of(each -> each.spectrum().condition(1e-8)))
                .add(Column.count("vectors", "vectors"), of(Extraction::vectors))
                .add(Column.count("rows", "rows"), of(Extraction::rows))
                .add(Column.scientific("output", "output error", 2), checked(FiniteCheck::output))
                .add(Column.scientific("composition", "composition", 1), checked(FiniteCheck::composition))
                .add(Column.scientific("inverse", "inverse", 1), checked(FiniteCheck::inverse))
                .add(Column.percent("motion", "motion", 1), checked(FiniteCheck::motion))
                .table();
    }

    private Function<Integer, Object> of(Function<Extraction, Object> value) {
        return i -> value.apply(recovery.extractions().get(i));
    }

    /** Nothing was transformed where nothing was recovered. */
    private Function<Integer, @Nullable Object> checked(Function<FiniteCheck, Object> value) {
        return i -> recovery.finiteChecks().isEmpty()
                ? null
                : value.apply(recovery.finiteChecks().get(i));
    }

    private Table structureTable(RecoveredAlgebra algebra) {
        Table table = Table.of("Exact structure", Column.text("property", "property"), Column.text("value", "value"))
                .row("name", algebra.name())
                .row("dimension", String.valueOf(algebra.dimension()));
        if (algebra.structure().isPresent()) {
            AlgebraStructure structure = algebra.structure().get();
            table = table.row("isomorphic to", structure.name())
                    .row("center", String.valueOf(structure.center()))
                    .row("derived algebra", String.valueOf(structure.derived()))
                    .row(
                            "derived series",
                            structure.derivedSeries().stream()
                                    .map(String::valueOf)
                                    .collect(Collectors.joining(" > ")))
                    .row("radical", String.valueOf(structure.radical()))
                    .row(
                            "Killing form",
                            "%d positive, %d negative, %d zero"
                                    .formatted(
                                            structure.killing().positive(),
                                            structure.killing().negative(),
                                            structure.killing().zero()))
                    .row("simple ideals", simple(structure));
        }
        if (algebra.comparesFamilies()) {
            table = table.row("unexplained by known families", String.valueOf(algebra.unexplained()));
        }
        if (algebra.translations() > 0) {
            table = table.row(
                    "without effect",
                    "%d directions, and so any function of the parameters times one of them, which is not counted"
                            .formatted(algebra.translations()));
        }
        return table.row("preservation proved by", algebra.proof().words())
                .row(
                        "no more than",
                        algebra.upperBound()
                                .map(bound -> bound + " independent fields (proved)")
                                .orElse("not bounded exactly"));
    }

    private static String simple(AlgebraStructure structure) {
        if (!structure.split()) {
            return "not split";
        }
        return structure.simple().isEmpty()
                ? "none"
                : structure.simple().stream().map(SimpleIdeal::name).collect(Collectors.joining(", "));
    }

    private static Table bracketTable(List<BracketTable.Row> rows) {
        return Table.<BracketTable.Row>of("Brackets that are not zero", rows)
                .add(Column.text("left", "left"), BracketTable.Row::left)
                .add(Column.text("right", "right"), BracketTable.Row::right)
                .add(Column.text("bracket", "bracket"), BracketTable.Row::value)
                .table();
    }

    /** {@return the row of the paper's table of recoveries (label {@code tab:frontier-higher-recovery}), a table of one row} */
    public Table paperTable() {
        AlgebraStructure structure =
                recovery.algebra().flatMap(RecoveredAlgebra::structure).orElse(null);
        return Table.of(
                        "Recovery by the affine-field solver",
                        Column.text("network", "Network"),
                        Column.text("widths", "Widths"),
                        Column.count("dimension", "Dimension"),
                        Column.count("center", "Center"),
                        Column.count("derived", "Derived"),
                        Column.scientific("output_error", "Output error", 2))
                .row(
                        kinds(),
                        recovery.architecture().stream()
                                .map(Architecture::widths)
                                .map(widths ->
                                        widths.stream().map(String::valueOf).collect(Collectors.joining(",", "(", ")")))
                                .collect(Collectors.joining()),
                        recovery.dimension().orElse(null),
                        structure == null ? null : structure.center(),
                        structure == null ? null : structure.derived(),
                        recovery.outputError());
    }

    private String kinds() {
        if (recovery.architecture().isEmpty()) {
            return name;
        }
        String kinds = recovery.architecture().get().activations().stream()
                .map(activation -> switch (activation.label()) {
                    case "identity" -> "Linear";
                    case "relu" -> "ReLU";
                    default -> activation.label();
                })
                .distinct()
                .collect(Collectors.joining(", "));
        return kinds.isEmpty() ? "Linear" : kinds;
    }

    /**
     * {@return the smallest singular values of the stacked constraints (the form of figure {@code fig:frontier-spectra}), one
     * series a seed, from largest to smallest, and the threshold}
     */
    public Figure spectrum() {
        List<Series> series = new ArrayList<>();
        int most = 1;
        for (Extraction extraction : recovery.extractions()) {
            double[] smallest = extraction.spectrum().smallest(SPECTRUM);
            double[] x =
                    IntStream.rangeClosed(1, smallest.length).asDoubleStream().toArray();
            double[] y = IntStream.range(0, smallest.length)
                    .mapToDouble(k -> smallest[smallest.length - 1 - k])
                    .toArray();
            most = Math.max(most, x.length);
            series.add(Series.of("seed " + extraction.seed(), Series.Style.POINTS, x, y));
        }
        series.add(
                Series.of("threshold 1e-8", Series.Style.REFERENCE, new double[] {1, most}, new double[] {1e-8, 1e-8}));
        return new Figure(
                "spectrum",
                "Singular values of the stacked affine-field constraints: " + recovery.label(),
                "The %d smallest singular values from largest to smallest, each over the largest of its block of unknowns;"
                                .formatted(most)
                        + " directions below the line are retained.",
                new LineChart(
                        Axis.linear("order among the smallest singular values", ""),
                        Axis.log("singular value over the largest", ""),
                        series));
    }

    /**
     * Writes {@code recovery.json}, figures, tables, and, where the algebra is certified, {@code certificate.json} and the
     * generators.
     *
     * @param folder made where it is missing
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        EarlierFiles.remove(folder, OPTIONAL);
        AtomicFile.writeText(folder.resolve("recovery.json"), json());
        AtomicFile.writeText(folder.resolve("recovery.txt"), text());
        spectrum().write(folder.resolve("figures"));
        paperTable().write(folder.resolve("tables"), "recovery");
        seedTable().write(folder.resolve("tables"), "seeds");
        if (recovery.algebra().isPresent()) {
            RecoveredAlgebra algebra = recovery.algebra().get();
            if (algebra.brackets().filter(rows -> !rows.isEmpty()).isPresent()) {
                bracketTable(algebra.brackets().get()).write(folder.resolve("tables"), "brackets");
            }
            if (algebra.obstacle().isEmpty()) {
                AtomicFile.writeText(folder.resolve("certificate.json"), algebra.certificate());
            }
            new GeneratorFiles(recovery.label(), recovery.parameterCount(), algebra.generators()).write(folder);
        }
    }
}
