package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.report.EditTable;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.symmetry.Canonical;
import org.isoloss.symmetry.SymmetryElement;
import org.isoloss.symmetry.SymmetryFamily;
import org.isoloss.symmetry.SymmetryGroup;
import org.isoloss.task.ElementFile;
import org.isoloss.task.ModelTransform;
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
    private static final long SEED = 1;
    private static final int HUNDREDTHS = 100;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "MODEL",
            description = "The network: an ONNX file, a folder of Hugging Face, or safetensors or npz of dense layers.")
    private Path path = Path.of("model.onnx");

    @Option(
            names = "--random",
            paramLabel = "N",
            description =
                    "Draws an element with this seed, of all families or of those that --family and --layer choose.")
    private @Nullable Long random;

    @Option(
            names = "--family",
            paramLabel = "NAME",
            description = "With --random: families of this name alone, such as permutations.")
    private @Nullable String family;

    @Option(names = "--layer", paramLabel = "LAYER", description = "With --random: families at this layer alone.")
    private @Nullable String layer;

    @Option(names = "--element", paramLabel = "FILE", description = "Applies the element of this npz file.")
    private @Nullable Path element;

    @Option(
            names = "--canonical",
            description = "Applies the element that leads to one representative: scales and shifts of units as short as"
                    + " they can be, units in order of their norms, signs fixed. What has none is named.")
    private boolean canonical;

    @Option(
            names = "--inverse",
            description = "With --element: applies its inverse, which takes a transformed network back.")
    private boolean inverse;

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
        requireOneSource();
        if (!Files.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        Path source = StoredModel.located(path);
        Checkpoint.edit(source).requireTarget(out);
        SymmetryElement given = element == null ? null : ElementFile.read(element);
        Reading reading = options.of(spec, source);
        try (StoredModel opened = StoredModel.openForAny(source, options.bindings(), reading, MOST_TOKENS)) {
            Notices.print(spec, opened.notes());
            SymmetryGroup group = group(opened);
            Canonical chosen = canonical ? Canonical.of(group) : null;
            SymmetryElement applied = chosen != null
                    ? chosen.element()
                    : given == null ? drawn(group) : inverse ? given.inverse() : given;
            ModelTransform transform = ModelTransform.of(source, opened.model(), group, applied, dtype.isWide());
            if (chosen == null) { // a representative may be as near to what it represents as rounding
                dtype.requireKept(transform.report(), out, "an element farther from the identity");
            }
            double written =
                    transform.write(opened.model(), group.inputs(), options.bindings(), reading, MOST_TOKENS, out);
            Path kept = out.resolveSibling(out.getFileName() + ".element.npz");
            ElementFile.write(applied, kept);
            report(transform, chosen, written, kept);
        }
        return ExitCode.DONE;
    }

    private void requireOneSource() {
        if (Stream.of(random != null, element != null, canonical)
                        .filter(isGiven -> isGiven)
                        .count()
                != 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "expected one of --random=SEED, --element=FILE and --canonical, which say what is applied");
        }
        if (canonical) {
            Notices.requireUnused(spec, "--canonical says what is applied and", "--family", "--layer", "--inverse");
            return;
        }
        if (element != null) {
            Notices.requireUnused(spec, "--element says what is applied and", "--family", "--layer");
        } else {
            Notices.requireUnused(spec, "--random", "--inverse");
        }
    }

    private SymmetryGroup group(StoredModel opened) {
        try (var progress = new StepProgress(
                "symmetries", HUNDREDTHS, printed.quiet(), spec.commandLine().getErr())) {
            return SymmetryGroup.of(opened.model(), SEED, share -> progress.reach(Math.round(HUNDREDTHS * share)));
        }
    }

    private SymmetryElement drawn(SymmetryGroup group) {
        List<SymmetryFamily> chosen =
                group.families().stream().filter(this::isChosen).toList();
        if (chosen.isEmpty()) {
            String there = group.families().stream()
                    .map(other -> "%s at %s".formatted(other.name(), other.layer()))
                    .distinct()
                    .collect(Collectors.joining(", "));
            throw new IllegalArgumentException("%s has no family%s%s; it has %s"
                    .formatted(
                            path,
                            family == null ? "" : " '" + family + "'",
                            layer == null ? "" : " at layer '" + layer + "'",
                            there.isEmpty() ? "none" : there));
        }
        return group.random(this::isChosen, random == null ? SEED : random);
    }

    private boolean isChosen(SymmetryFamily other) {
        return (family == null || other.name().equals(family))
                && (layer == null || other.layer().equals(layer));
    }

    private void report(ModelTransform transform, @Nullable Canonical chosen, double written, Path kept)
            throws IOException {
        PrintWriter print = spec.commandLine().getOut();
        if (printed.isJson()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("file", out.toString());
            json.put("element", kept.toString());
            json.put("values_moved", transform.element().maps().size());
            json.put("weights_changed", transform.report().changed());
            json.put("outputs_before_rounding", transform.before());
            json.put("outputs_as_written", written);
            if (chosen != null) {
                json.put(
                        "staying",
                        chosen.staying().stream().map(TransformCommand::inWords).toList());
                json.put("near", chosen.near());
            }
            print.println(JsonMapper.shared().writeValueAsString(json));
            return;
        }
        print.println(EditTable.of(transform.report()).toText());
        print.printf(
                "outputs on random inputs, largest change: %.1e before rounding, %.1e as written%n",
                transform.before(), written);
        if (chosen != null) {
            chosen.staying()
                    .forEach(family -> print.printf("stays, no representative is chosen: %s%n", inWords(family)));
            chosen.near().forEach(line -> print.printf("not decided, or nearly not: %s%n", line));
        }
        print.printf("written to %s, the element to %s%n", out, kept);
    }

    private static String inWords(SymmetryFamily family) {
        return "%s %s at %s".formatted(family.name(), family.group(), family.layer());
    }
}
