package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;

/**
 * The symmetries of a model at its weights, as families, each verified by finite elements, and what is left unexplained of the
 * null space of the model's Jacobian.
 */
public final class Symmetries {
    /** The most parameters for which the Jacobian is decomposed. */
    public static final int MOST_PARAMETERS = 5000;
    /** The largest relative change of an output by an element of a family that is called exact. */
    public static final double EXACT = 1e-10;

    private static final int ELEMENTS = 3;
    /** A field of length 1 counts for a dimension of its own when this much of it at least leads out of those before. */
    private static final double FRESH = 1e-5;

    /** What a change has in common with one that outputs see, where it is no such change itself, at most. */
    private static final double SEEN = 1e-2;

    /** The share of the work after which all infinitesimal symmetries are found. */
    private static final double FOUND = 0.8;

    private static final int LEAST_DRAWS = 32;
    private static final int LEAST_FEW = 8;
    private static final int FEW_NUMBERS = 20_000;
    private static final int ROWS = 2048;
    /** So many inputs at most that bring units across their bends tell the functions of values apart. */
    private static final int BENT = 16;

    private final Moving moving;
    private final SymmetrySpace space;
    private final Matrix spanned;
    private final List<SymmetryFamily> families;
    private final List<SymmetryFamily> approximate;

    private Symmetries(
            Moving moving,
            SymmetrySpace space,
            Matrix spanned,
            List<SymmetryFamily> families,
            List<SymmetryFamily> approximate) {
        this.moving = moving;
        this.space = space;
        this.spanned = spanned;
        this.families = List.copyOf(families);
        this.approximate = List.copyOf(approximate);
    }

    /**
     * Finds the symmetries of a model for inputs drawn at random.
     *
     * @param model with static shapes
     * @param parts the parameters that may change, as {@link Moving#of} reads them; all where there is none
     * @param seed of all draws
     * @return its symmetries
     * @throws IllegalArgumentException when there are more than {@link #MOST_PARAMETERS} parameters
     */
    public static Symmetries of(Model model, List<String> parts, long seed) {
        return of(model, parts, seed, _ -> {});
    }

    /**
     * Finds the symmetries of a model for inputs drawn at random, watched.
     *
     * @param model with static shapes
     * @param parts the parameters that may change, as {@link Moving#of} reads them; all where there is none
     * @param seed of all draws
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return its symmetries
     * @throws IllegalArgumentException when there are more than {@link #MOST_PARAMETERS} parameters
     */
    public static Symmetries of(Model model, List<String> parts, long seed, DoubleConsumer watcher) {
        Moving moving = moving(model, parts);
        ValueCut cut = new ValueCut(model);
        List<Map<String, double[]>> samples = RandomInputs.of(model, draws(cut, model), seed);
        List<Map<String, double[]>> bent = KinkInputs.of(model, cut, samples, seed);
        int few = Math.min(few(cut, model), samples.size());
        List<Map<String, double[]>> all = new ArrayList<>(samples.subList(0, few));
        all.addAll(bent);
        all.addAll(samples.subList(few, samples.size()));
        return of(moving, cut, all, few + Math.min(BENT, bent.size()), seed, watcher);
    }

    /**
     * Finds the symmetries of a model for given inputs alone.
     *
     * @param model with static shapes
     * @param parts the parameters that may change, as {@link Moving#of} reads them; all where there is none
     * @param inputs one batch after the other, the numbers of every input
     * @param seed of all draws
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return its symmetries on these inputs
     * @throws IllegalArgumentException when there are more than {@link #MOST_PARAMETERS} parameters
     */
    public static Symmetries of(
            Model model, List<String> parts, List<Map<String, double[]>> inputs, long seed, DoubleConsumer watcher) {
        ValueCut cut = new ValueCut(model);
        return of(moving(model, parts), cut, inputs, few(cut, model), seed, watcher);
    }

    private static Moving moving(Model model, List<String> parts) {
        Moving moving = (parts.isEmpty() ? Moving.all(model) : Moving.of(model, parts))
                .reaching(model.outputs().values());
        if (moving.count() == 0) {
            throw new IllegalArgumentException("no output of the model depends on a parameter that may change");
        }
        if (moving.count() > MOST_PARAMETERS) {
            throw new IllegalArgumentException(
                    "%d parameters may change, and at most %d are taken; choose tensors or parts of them"
                            .formatted(moving.count(), MOST_PARAMETERS));
        }
        return moving;
    }

    /** Enough for every row of a table, and for units that are seldom active, as far as the graph is small. */
    static int draws(ValueCut cut, Model model) {
        int carried = cut.channels().keySet().stream()
                .mapToInt(value -> value.shape().count() / cut.width(value))
                .min()
                .orElse(1);
        return Math.clamp(ROWS / carried, LEAST_DRAWS, LEAST_DRAWS + 40_000 / model.size());
    }

    /** Several times more rows than channels at every value; more where the graph is small, so that units become active. */
    static int few(ValueCut cut, Model model) {
        return cut.channels().keySet().stream()
                .mapToInt(value -> 1
                        + 3
                                * (cut.width(value) + 1)
                                * cut.width(value)
                                / value.shape().count())
                .reduce(Math.clamp(FEW_NUMBERS / model.size(), LEAST_FEW, LEAST_DRAWS), Math::max);
    }

    private static Symmetries of(
            Moving moving,
            ValueCut cut,
            List<Map<String, double[]>> samples,
            int few,
            long seed,
            DoubleConsumer watcher) {
        cut.links().forEach(link -> new Part(moving.model(), cut, link).requireSearchable(link));
        SymmetrySpace space = SymmetrySpace.of(moving, cut, samples, few, seed, share -> watcher.accept(FOUND * share));
        var action = new GaugeAction(moving, cut, space.gaugePoints(), samples.getFirst());
        var elements = new FiniteElements(space, action, cut, moving);
        var outputs = new OutputChange(moving, samples);
        List<SymmetryFamily> exact = new ArrayList<>();
        SequencedMap<SymmetryFamily, Matrix> rest = new LinkedHashMap<>();
        var described = new FamilyWords(space, moving);
        Set<Value> continuous = new HashSet<>();
        Matrix spanned = Matrix.zeros(moving.count(), 0);
        List<FamilySearch.Found> all = new FamilySearch(space, cut, moving).families();
        for (FamilySearch.Found found : all) {
            watcher.accept(FOUND + (1 - FOUND) * all.indexOf(found) / all.size());
            double verified = 0;
            var random = new SplittableRandom(seed);
            for (int element = 0; element < ELEMENTS; element++) {
                for (double[] drawn : elements.drawn(found, random)) {
                    verified = Math.max(verified, outputs.of(drawn));
                }
            }
            Matrix fields = elements.fields(found);
            Matrix fresh = beyond(spanned, fields);
            int adds = fresh.columns();
            SymmetryFamily family = described.family(found, elements, fields, adds, verified);
            if (verified > EXACT || isSeen(space, fresh)) {
                rest.put(family, space.directions().times(found.combinations()));
            } else if (adds > 0) {
                exact.add(family);
                spanned = FamilySearch.beside(spanned, fresh);
                if (described.isPermutable(found, elements)) {
                    continuous.addAll(found.values());
                }
            }
        }
        FollowedFamilies followed = new FollowedFamilies(space, cut, moving, samples, outputs);
        exact.addAll(followed.found(spanned, seed));
        new DiscreteSearch(cut, action, outputs)
                .found(continuous, new SplittableRandom(seed))
                .forEach(found -> exact.add(described.family(found)));
        rest.values().removeIf(fields -> beyond(followed.spanned(), fields).columns() == 0);
        return new Symmetries(moving, space, followed.spanned(), exact, List.copyOf(rest.keySet()));
    }

    /** Whether some of orthonormal columns is a change that outputs see, as little as it is. */
    private static boolean isSeen(SymmetrySpace space, Matrix fresh) {
        return space.faint().transpose().times(fresh).largestMagnitude() > SEEN;
    }

    /** An orthonormal basis of what columns add to orthonormal ones. */
    static Matrix beyond(Matrix spanned, Matrix fields) {
        Svd svd = Svd.of(fields.minus(spanned.times(spanned.transpose().times(fields))));
        int adds = (int) Arrays.stream(svd.singularValues())
                .filter(singular -> singular > FRESH)
                .count();
        return svd.left().transpose().rows(0, adds).transpose();
    }

    /** {@return the families, each exact} */
    public List<SymmetryFamily> families() {
        return families;
    }

    /** {@return what was found infinitesimally without being exact far from the identity} */
    public List<SymmetryFamily> approximate() {
        return approximate;
    }

    /** {@return the dimension of all exact families together at these weights} */
    public int rank() {
        return families.stream().mapToInt(SymmetryFamily::adds).sum();
    }

    /** {@return the dimension of all changes of the parameters that leave the outputs as they are, to first order} */
    public int nullity() {
        return space.nullity();
    }

    /** {@return the nullity without the rank} */
    public int unexplained() {
        return nullity() - rank();
    }

    /** {@return the number of parameters that may change} */
    public int parameters() {
        return moving.count();
    }

    /**
     * {@return how clear the nullity is: the least singular value of the Jacobian that counts over the largest that does not;
     * infinite where there is none}
     */
    public double gap() {
        double[] spectrum = space.spectrum();
        int kept = moving.count() - nullity();
        return kept == 0 || kept >= spectrum.length || spectrum[kept] == 0
                ? Double.POSITIVE_INFINITY
                : spectrum[kept - 1] / spectrum[kept];
    }

    /** {@return singular values of the Jacobian, each row divided by its norm, over the largest} */
    public double[] spectrum() {
        double[] spectrum = space.spectrum();
        double largest = spectrum.length == 0 ? 1 : spectrum[0];
        return Arrays.stream(spectrum).map(value -> value / largest).toArray();
    }

    /** {@return for each tensor its share of the unexplained directions, 0 to 1; together 1 where there are some} */
    public SequencedMap<String, Double> unexplainedByTensor() {
        SequencedMap<String, Double> shares = new LinkedHashMap<>();
        Matrix directions = beyond(FamilySearch.beside(spanned, beyond(spanned, space.faint())), space.still());
        int at = 0;
        for (Map.Entry<String, int[]> entry : moving.places().entrySet()) {
            double sum = 0;
            for (int i = 0; i < entry.getValue().length; i++, at++) {
                for (int column = 0; column < directions.columns(); column++) {
                    sum += directions.get(at, column) * directions.get(at, column);
                }
            }
            shares.put(entry.getKey(), directions.columns() == 0 ? 0 : sum / directions.columns());
        }
        return shares;
    }
}
