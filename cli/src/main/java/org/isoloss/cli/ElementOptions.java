package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.BiFunction;
import java.util.function.DoubleConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.isoloss.basis.BasisElement;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.stream.StreamElement;
import org.isoloss.stream.StreamPlan;
import org.isoloss.symmetry.GraphSymmetries;
import org.isoloss.symmetry.GraphSymmetries.Representative;
import org.isoloss.symmetry.RandomInputs;
import org.isoloss.symmetry.SymmetryFamily;
import org.isoloss.task.ElementFile;
import org.isoloss.task.OptimizerState;
import org.isoloss.task.StoredRounding;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Which elements are applied to a network, as a mixin: drawn, read, or chosen by a rule. */
final class ElementOptions {
    private static final long SEED = 1;
    private static final int HUNDREDTHS = 100;
    /** What is chosen already stays where so many units of rounding of the stored type are missing. */
    private static final int UNITS = 16;

    /** On how many random inputs the outputs are compared where no group is searched. */
    private static final int FEW = 4;

    @Option(
            names = "--random",
            paramLabel = "SEEDS",
            converter = SeedList.Converter.class,
            description =
                    "Draws an element with this seed, of all families or of those that --family and --layer choose; with"
                            + " several seeds, such as 1..10, one for each.")
    private @Nullable SeedList random;

    @Option(
            names = "--family",
            paramLabel = "NAME",
            description = "With --random: families of this name alone, such as permutations.")
    private @Nullable String family;

    @Option(names = "--layer", paramLabel = "LAYER", description = "With --random: families at this layer alone.")
    private @Nullable String layer;

    @Option(names = "--all", description = "With --random: all families, as where none is chosen.")
    private boolean all;

    @Option(names = "--element", paramLabel = "FILE", description = "Applies the element of this npz file.")
    private @Nullable Path element;

    @Option(
            names = "--canonical",
            description =
                    "Applies the element that leads to one representative: weights as short as they can be, streams"
                            + " along principal axes, units and heads in order of their norms, signs fixed. What has none is named.")
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

    @Option(
            names = "--untie",
            description =
                    "First gives a head that is tied to the embedding a tensor of its own; in ONNX, a table that is read elsewhere too.")
    private boolean untie;

    /**
     * What is applied, and what there is to say about it.
     *
     * @param seed that it was drawn with; none where it was not drawn
     * @param tensors that change, with what they become
     * @param element the arrays that are kept of it
     * @param inputs on which outputs are compared
     * @param staying what stays as it is, in words
     * @param near what is nearly not decided, in words
     * @param moments moves those of an optimiser along; none where that is not known
     */
    record Chosen(
            Optional<Long> seed,
            SequencedMap<String, Numbers> tensors,
            SequencedMap<String, Matrix> element,
            List<Map<String, double[]>> inputs,
            List<String> staying,
            List<String> near,
            Optional<OptimizerState.Change> moments) {}

    boolean untie() {
        return untie;
    }

    /** Whether one may be as near to the identity as rounding only by mistake: it was drawn or given, not chosen by a rule. */
    boolean isFar() {
        return random != null || element != null;
    }

    /** The seeds of what is drawn; none where nothing is. */
    List<Long> seeds() {
        return random == null ? List.of() : random.seeds();
    }

    /** Why something stays as it is. */
    String staying() {
        return streams.isGiven() ? "stays" : "stays, no representative is chosen";
    }

    /**
     * Finds the elements: one, or one for each seed.
     *
     * @param path of the model, for messages
     * @param progress makes a display of what is done of so many steps
     */
    List<Chosen> chosen(Path path, Model model, BiFunction<String, Integer, StepProgress> progress) throws IOException {
        SequencedMap<String, Matrix> arrays = element == null ? new LinkedHashMap<>() : ElementFile.read(element);
        boolean isOfStreams = !arrays.isEmpty() && arrays.keySet().stream().allMatch(StreamElement::isStep);
        if (streams.isGiven() || isOfStreams) {
            StreamPlan plan = streams.plan(model);
            StreamElement applied = plan.element();
            if (element != null) {
                StreamElement given = ElementFile.element(element, arrays, StreamElement::of);
                applied = inverse ? given.inverse() : given;
            }
            return List.of(new Chosen(
                    Optional.empty(),
                    plan.tensors(applied),
                    applied.arrays(),
                    RandomInputs.few(model, FEW, SEED),
                    plan.staying(),
                    List.of(),
                    Optional.empty()));
        }
        if (!isSearched()) {
            return List.of(new Chosen(
                    Optional.empty(),
                    new LinkedHashMap<>(),
                    new LinkedHashMap<>(),
                    RandomInputs.few(model, FEW, SEED),
                    List.of(),
                    List.of(),
                    Optional.empty()));
        }
        return ofClasses(path, model, arrays, progress);
    }

    /** What follows from the graph alone, however many weights there are. */
    private List<Chosen> ofClasses(
            Path path,
            Model model,
            SequencedMap<String, Matrix> arrays,
            BiFunction<String, Integer, StepProgress> displays)
            throws IOException {
        GraphSymmetries symmetries;
        try (StepProgress progress = displays.apply("symmetries", HUNDREDTHS)) {
            symmetries = GraphSymmetries.of(model, SEED, share -> progress.reach(Math.round(HUNDREDTHS * share)));
        }
        if (element != null) {
            BasisElement given = ElementFile.element(element, arrays, symmetries::element);
            return List.of(chosen(symmetries, inverse ? given.inverse() : given, Optional.empty()));
        }
        if (random == null) {
            double rounding = UNITS * StoredRounding.of(path);
            try (StepProgress progress = displays.apply(canonical ? "canonical" : "balance", HUNDREDTHS)) {
                return List.of(
                        representative(symmetries, rounding, share -> progress.reach(Math.round(HUNDREDTHS * share))));
            }
        }
        requireSome(path, symmetries.listed());
        List<Chosen> drawn = new ArrayList<>();
        for (long seed : seeds()) {
            drawn.add(chosen(symmetries, symmetries.random(this::isChosen, seed), Optional.of(seed)));
        }
        return drawn;
    }

    private Chosen representative(GraphSymmetries symmetries, double rounding, DoubleConsumer watcher) {
        if (!canonical) {
            return chosen(symmetries, symmetries.balanced(rounding, watcher), Optional.empty());
        }
        Representative found = symmetries.canonical(rounding, watcher);
        Chosen plain = chosen(symmetries, found.element(), Optional.empty());
        List<String> staying =
                found.staying().stream().map(ElementOptions::inWords).toList();
        return new Chosen(plain.seed, plain.tensors, plain.element, plain.inputs, staying, found.near(), plain.moments);
    }

    private static Chosen chosen(GraphSymmetries symmetries, BasisElement applied, Optional<Long> seed) {
        return new Chosen(
                seed,
                symmetries.tensors(applied),
                applied.arrays(),
                symmetries.inputs(),
                List.of(),
                List.of(),
                Optional.of((first, second) -> symmetries.moments(applied, first, second)));
    }

    /** Whether an element of the symmetry group is asked for, which takes a search. */
    private boolean isSearched() {
        return random != null || element != null || canonical || balance;
    }

    /** Refuses several, none, and options that do not go together. */
    void requireOne(CommandSpec spec) {
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
            if (all) {
                Notices.requireUnused(spec, "--all chooses every family and", "--family", "--layer");
            }
            return;
        }
        String source = element != null
                ? "--element"
                : canonical ? "--canonical" : balance ? "--balance" : streams.isGiven() ? "--fold-norms" : "--untie";
        Notices.requireUnused(spec, source + " says what is applied and", "--all", "--family", "--layer");
        if (element == null) {
            Notices.requireUnused(spec, source + " says what is applied and", "--inverse");
        }
    }

    private void requireSome(Path path, List<SymmetryFamily> families) {
        if (families.stream().noneMatch(this::isChosen)) {
            String there = families.stream()
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
    }

    private boolean isChosen(SymmetryFamily other) {
        return (family == null || other.name().equals(family))
                && (layer == null || other.layer().equals(layer));
    }

    private static String inWords(SymmetryFamily family) {
        return "%s %s at %s".formatted(family.name(), family.group(), family.layer());
    }
}
