package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.Tying;
import org.isoloss.flow.WeightGrid;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.report.EditTable;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.stream.StreamElement;
import org.isoloss.stream.StreamPlan;
import org.isoloss.symmetry.Canonical;
import org.isoloss.symmetry.RandomInputs;
import org.isoloss.symmetry.SymmetryElement;
import org.isoloss.symmetry.SymmetryFamily;
import org.isoloss.symmetry.SymmetryGroup;
import org.isoloss.task.ElementFile;
import org.isoloss.task.ModelTransform;
import org.isoloss.task.ModelTransform.Storing;
import org.isoloss.task.ModelTransform.Written;
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
    /** On how many random inputs the outputs are compared where no group is searched; on one where there are many weights. */
    private static final int FEW = 4;

    private static final long MANY = 100_000_000;

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

    @Option(
            names = "--balance",
            description = "Balances the scales of units, so that the norm of all weights is least; nothing else moves.")
    private boolean balance;

    @Mixin
    private final StreamOptions streams = new StreamOptions();

    @Option(names = "--untie", description = "First gives a head that is tied to the embedding a tensor of its own.")
    private boolean untie;

    @Option(
            names = "--rounding",
            paramLabel = "TYPE",
            converter = GridKind.class,
            description =
                    "Also says how much the outputs would change with weights rounded to int8, int4 (symmetric for each"
                            + " output channel) or bf16, before and after.")
    private WeightGrid.@Nullable Kind rounding;

    @Mixin
    private final ReadingOptions options = new ReadingOptions();

    @Mixin
    private final DtypeOption dtype = new DtypeOption();

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The new model.")
    private Path out = Path.of("transformed.onnx");

    @Mixin
    private final PrintOptions printed = new PrintOptions();

    /** What is applied, and what there is to say about it. */
    private record Chosen(
            SequencedMap<String, Numbers> tensors,
            SequencedMap<String, Matrix> element,
            List<Map<String, double[]>> inputs,
            List<String> staying,
            List<String> near) {}

    @Override
    public Integer call() throws Exception {
        requireOneSource();
        if (!Files.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        Path source = StoredModel.located(path);
        Checkpoint.edit(source).requireTarget(out);
        Reading reading = options.of(spec, source, untie);
        try (StoredModel opened = StoredModel.openForAny(source, options.bindings(), reading, MOST_TOKENS)) {
            Notices.print(spec, opened.notes());
            Model model = opened.model();
            Chosen chosen = chosen(model);
            // reads what will be overwritten where the target is the source
            double narrow = rounding == null ? 0 : ModelTransform.roundingChange(model, model, rounding, chosen.inputs);
            ModelTransform transform;
            Written written;
            long numbers = chosen.tensors.keySet().stream()
                    .mapToLong(name -> model.parameter(name).shape().count())
                    .sum();
            // what is chosen may be as near to what was there as rounding
            boolean isCounted = random != null || element != null;
            try (var progress = progress("weights", isCounted ? 2 * numbers : numbers)) {
                transform = ModelTransform.of(
                        source,
                        model,
                        chosen.tensors,
                        chosen.inputs,
                        new Storing(dtype.isWide(), untie),
                        progress::advance);
                if (isCounted) {
                    dtype.requireKept(transform.report(), out, "an element farther from the identity");
                }
                written = transform.write(options.bindings(), writtenReading(reading), MOST_TOKENS, out);
            }
            Path kept = out.resolveSibling(out.getFileName() + ".element.npz");
            ElementFile.write(chosen.element, kept);
            Map<String, Double> rounded = new LinkedHashMap<>();
            if (rounding != null) {
                rounded.put("before", narrow);
                rounded.put("after", roundedAfter(model, writtenReading(reading), rounding, chosen));
            }
            report(transform, chosen, written, rounded, kept);
        }
        return ExitCode.DONE;
    }

    /** What was untied is read as it is stored. */
    private Reading writtenReading(Reading reading) {
        return untie ? reading.as(Tying.AS_STORED) : reading;
    }

    private double roundedAfter(Model exact, Reading reading, WeightGrid.Kind kind, Chosen chosen) throws IOException {
        try (StoredModel written = StoredModel.openForAny(out, options.bindings(), reading, MOST_TOKENS)) {
            return ModelTransform.roundingChange(exact, written.model(), kind, chosen.inputs);
        }
    }

    private Chosen chosen(Model model) throws IOException {
        SequencedMap<String, Matrix> arrays = element == null ? new LinkedHashMap<>() : ElementFile.read(element);
        boolean isOfStreams = !arrays.isEmpty() && arrays.keySet().stream().allMatch(StreamElement::isStep);
        if (streams.isGiven() || isOfStreams) {
            StreamPlan plan = streams.plan(model);
            StreamElement applied = plan.element();
            if (element != null) {
                StreamElement given = ElementFile.element(element, arrays, StreamElement::of);
                applied = inverse ? given.inverse() : given;
            }
            return new Chosen(plan.tensors(applied), applied.arrays(), few(model), plan.staying(), List.of());
        }
        if (!isSearched()) {
            return new Chosen(new LinkedHashMap<>(), new LinkedHashMap<>(), few(model), List.of(), List.of());
        }
        SymmetryElement given = element == null ? null : ElementFile.element(element, arrays, SymmetryElement::of);
        SymmetryGroup group = group(model);
        Canonical representative = canonical ? Canonical.of(group) : balance ? Canonical.balanced(group) : null;
        SymmetryElement applied = representative != null
                ? representative.element()
                : given == null ? drawn(group) : inverse ? given.inverse() : given;
        return new Chosen(
                ModelTransform.changed(model, group.tensors(applied)),
                applied.maps(),
                group.inputs(),
                representative == null
                        ? List.of()
                        : representative.staying().stream()
                                .map(TransformCommand::inWords)
                                .toList(),
                representative == null ? List.of() : representative.near());
    }

    private static List<Map<String, double[]>> few(Model model) {
        return RandomInputs.of(model, model.parameterCount() > MANY ? 1 : FEW, SEED);
    }

    /** Whether an element of the symmetry group is asked for, which takes a search. */
    private boolean isSearched() {
        return random != null || element != null || canonical || balance;
    }

    private void requireOneSource() {
        long sources = Stream.of(random != null, element != null, canonical, balance, streams.isGiven())
                .filter(isGiven -> isGiven)
                .count();
        if (sources > 1 || (sources == 0 && !untie)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "expected one of --random=SEED, --element=FILE, --canonical, --balance, and --fold-norms with or without"
                            + " --rotate, which say what is applied, or --untie alone");
        }
        if (random != null) {
            Notices.requireUnused(spec, "--random", "--inverse");
            return;
        }
        String source =
                element != null ? "--element" : canonical ? "--canonical" : balance ? "--balance" : "--fold-norms";
        Notices.requireUnused(spec, source + " says what is applied and", "--family", "--layer");
        if (element == null) {
            Notices.requireUnused(spec, source + " says what is applied and", "--inverse");
        }
    }

    private StepProgress progress(String what, long total) {
        return new StepProgress(what, total, printed.quiet(), spec.commandLine().getErr());
    }

    private SymmetryGroup group(Model model) {
        try (var progress = progress("symmetries", HUNDREDTHS)) {
            return SymmetryGroup.of(model, SEED, share -> progress.reach(Math.round(HUNDREDTHS * share)));
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

    private void report(
            ModelTransform transform, Chosen chosen, Written written, Map<String, Double> rounded, Path kept)
            throws IOException {
        PrintWriter print = spec.commandLine().getOut();
        if (printed.isJson()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("file", out.toString());
            json.put("element", kept.toString());
            json.put("arrays_of_element", chosen.element.size());
            json.put("weights_changed", written.report().changed());
            json.put("outputs_before_rounding", transform.before());
            json.put("outputs_as_written", written.change());
            if (!rounded.isEmpty()) {
                json.put("outputs_rounded", rounded);
            }
            json.put("staying", chosen.staying);
            json.put("near", chosen.near);
            print.println(JsonMapper.shared().writeValueAsString(json));
            return;
        }
        print.println(EditTable.of(written.report()).toText());
        print.printf(
                "outputs on random inputs, largest change: %.1e before rounding, %.1e as written%n",
                transform.before(), written.change());
        if (rounding != null) {
            print.printf(
                    "weights rounded to %s change the outputs by %.4f of their norm, by %.4f before%n",
                    rounding.name().toLowerCase(Locale.ROOT), rounded.get("after"), rounded.get("before"));
        }
        chosen.staying.forEach(line ->
                print.printf("%s: %s%n", streams.isGiven() ? "stays" : "stays, no representative is chosen", line));
        chosen.near.forEach(line -> print.printf("not decided, or nearly not: %s%n", line));
        print.printf("written to %s, the element to %s%n", out, kept);
    }

    private static String inWords(SymmetryFamily family) {
        return "%s %s at %s".formatted(family.name(), family.group(), family.layer());
    }
}
