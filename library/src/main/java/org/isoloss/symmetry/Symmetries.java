package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.DoubleConsumer;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
import org.isoloss.model.NormEpsilons;
import org.isoloss.model.ParameterUse;
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

    private static final int LEAST_DRAWS = 32;
    private static final int LEAST_FEW = 8;
    private static final int FEW_NUMBERS = 20_000;
    private static final int ROWS = 2048;
    /** So many inputs at most that bring units across their bends tell the functions of values apart. */
    private static final int BENT = 16;

    private final SymmetrySearch found;
    private final Matrix unexplained;

    private Symmetries(SymmetrySearch found) {
        this.found = found;
        this.unexplained = found.unexplained();
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
        ValueCut cut = ValueCut.of(moving);
        List<Map<String, double[]>> samples = RandomInputs.of(model, draws(cut, moving), seed);
        List<Map<String, double[]>> bent = KinkInputs.of(model, cut, samples, seed);
        int few = Math.min(few(cut, model), samples.size());
        List<Map<String, double[]>> all = new ArrayList<>(samples.subList(0, few));
        all.addAll(bent);
        all.addAll(samples.subList(few, samples.size()));
        return new Symmetries(new SymmetrySearch(moving, cut, all, few + Math.min(BENT, bent.size()), seed, watcher));
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
        Moving moving = moving(model, parts);
        ValueCut cut = ValueCut.of(moving);
        return new Symmetries(new SymmetrySearch(moving, cut, inputs, few(cut, model), seed, watcher));
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

    /**
     * Enough for every row of a table, and for units that are seldom active, as far as the graph is small; always so many that outputs
     * can tell all directions apart, and that what a weight reads is not confined to a part of its channels.
     */
    static int draws(ValueCut cut, Moving moving) {
        Model model = moving.model();
        int carried = cut.channels().keySet().stream()
                .mapToInt(value -> value.shape().count() / cut.width(value))
                .min()
                .orElse(1);
        int draws = Math.clamp(ROWS / carried, LEAST_DRAWS, LEAST_DRAWS + 40_000 / model.size());
        draws = Math.max(draws, 1 + 2 * moving.count() / outputs(model));
        for (ParameterUse use : cut.uses()) {
            int own = moving.reaching(List.of(use.weight())).count();
            if (own > 0 && use.kind() == ParameterUse.Kind.CONTRACTION) {
                Value data = use.data().getFirst();
                int width =
                        use.channelsOf(data).stream().map(data.shape()::size).reduce(1, (left, right) -> left * right);
                draws = Math.max(
                        draws,
                        1 + 3 * Math.min(own, width) * width / data.shape().count());
            }
        }
        return draws;
    }

    /** How many numbers come out of a model. */
    static int outputs(Model model) {
        return model.outputs().values().stream()
                .mapToInt(output -> output.shape().count())
                .sum();
    }

    /** Several times more rows than a map mixes channels at any value; more where the graph is small, so that units become active. */
    static int few(ValueCut cut, Model model) {
        return cut.channels().keySet().stream()
                .mapToInt(value -> 1
                        + 3
                                * (cut.mixed(value) + 1)
                                * cut.width(value)
                                / value.shape().count())
                .reduce(Math.clamp(FEW_NUMBERS / model.size(), LEAST_FEW, LEAST_DRAWS), Math::max);
    }

    /** {@return the families, each exact} */
    public List<SymmetryFamily> families() {
        return found.exact().stream().map(SymmetrySearch.Listed::family).toList();
    }

    /** {@return what was found infinitesimally without being exact far from the identity} */
    public List<SymmetryFamily> approximate() {
        return found.rest().stream().map(SymmetrySearch.Listed::family).toList();
    }

    /**
     * Computes generators of a family at these weights: directions in which its elements begin to move the parameters. Those that
     * a family of shifts has in common with families before it are not repeated.
     *
     * @param family its place in {@link #families}, and after them {@link #approximate}
     * @return one a row, of length 1, in the order of {@link #moving}; none for a finite group
     */
    public Matrix generators(int family) {
        int exact = found.exact().size();
        return found.generators(
                family < exact ? found.exact().get(family) : found.rest().get(family - exact));
    }

    /**
     * {@return what leaves the outputs as they are to first order and is orthogonal to all that {@link #families} do, orthonormal,
     * one direction a row, in the order of {@link #moving}}
     */
    public Matrix unexplainedDirections() {
        return unexplained.transpose();
    }

    /** {@return how many of the unexplained directions families that hold near the identity alone have} */
    public int unexplainedNearIdentity() {
        return found.nearIdentity();
    }

    /**
     * {@return how many parts of the model have too many maps for a linear system, such as a wide residual stream: families that move a
     * value of theirs are not found}
     */
    public int heldParts() {
        return found.held();
    }

    /** {@return where in the model the families act} */
    public SymmetryMap map() {
        return found.map();
    }

    /** {@return the parameters that may change} */
    public Moving moving() {
        return found.moving();
    }

    /**
     * Finds the families that the model has but for the epsilons of its norms, and measures in float64 what their elements do to its
     * outputs. They are not exact, and none counts for {@link #rank}. It takes about as long as finding the exact ones.
     *
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return what no exact family does; none where no norm has an epsilon
     * @throws IllegalArgumentException when an output is not a number without the epsilons, as where a norm reads zeros
     * @see NormEpsilons
     */
    public List<NearFamily> near(DoubleConsumer watcher) {
        NormEpsilons epsilons = NormEpsilons.of(found.moving().model());
        return epsilons.numbers().isEmpty()
                ? List.of()
                : NearSearch.of(found, epsilons.without(), found.samples(), found.seed(), watcher);
    }

    /** {@return the dimension of all exact families together at these weights} */
    public int rank() {
        return found.spanned().columns();
    }

    /** {@return the dimension of all changes of the parameters that leave the outputs as they are, to first order} */
    public int nullity() {
        return found.space().nullity();
    }

    /** {@return the nullity without the rank} */
    public int unexplained() {
        return nullity() - rank();
    }

    /** {@return the number of parameters that may change} */
    public int parameters() {
        return moving().count();
    }

    /**
     * {@return how clear the nullity is: the least singular value of the Jacobian that counts over the largest that does not;
     * infinite where there is none}
     */
    public double gap() {
        double[] spectrum = found.space().spectrum();
        int kept = parameters() - nullity();
        return kept == 0 || kept >= spectrum.length || spectrum[kept] == 0
                ? Double.POSITIVE_INFINITY
                : spectrum[kept - 1] / spectrum[kept];
    }

    /** {@return whether the nullity is decided: singular values of the Jacobian fall by a factor of 10,000 at least where it is told} */
    public boolean isDecided() {
        return gap() >= SymmetrySpace.CLEAR;
    }

    /** {@return singular values of the Jacobian, each row divided by its norm, over the largest} */
    public double[] spectrum() {
        double[] spectrum = found.space().spectrum();
        double largest = spectrum.length == 0 ? 1 : spectrum[0];
        return Arrays.stream(spectrum).map(value -> value / largest).toArray();
    }

    /** {@return for each tensor its share of the unexplained directions, 0 to 1; together 1 where there are some} */
    public SequencedMap<String, Double> unexplainedByTensor() {
        SequencedMap<String, Double> shares = new LinkedHashMap<>();
        int at = 0;
        for (Map.Entry<String, int[]> entry : moving().places().entrySet()) {
            double sum = 0;
            for (int i = 0; i < entry.getValue().length; i++, at++) {
                for (int column = 0; column < unexplained.columns(); column++) {
                    sum += unexplained.get(at, column) * unexplained.get(at, column);
                }
            }
            shares.put(entry.getKey(), unexplained.columns() == 0 ? 0 : sum / unexplained.columns());
        }
        return shares;
    }
}
