package org.isoloss.basis;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.FreeShift;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** Weights that are brought near to others, while the changes of their classes are found one after the other. */
final class AlignedWeights {
    /** Numbers of weights of this size at most are kept. */
    private static final int SOME = 1 << 20;

    private final PartlyChanged ours;
    private final WeightsOfModel theirs;
    private final Map<Value, Value> partners = new HashMap<>();
    private final Map<Value, double[]> goals = new HashMap<>(); // of small weights
    private final HiddenShifts hidden;

    /**
     * Pairs weights.
     *
     * @param ours the weights that are moved
     * @param classes that may change, in the order of computation
     * @param shifts what may be added to the weights, and is left out of sight
     * @param theirs the weights to which they are brought, of the same graph
     * @throws IllegalArgumentException when one is not there, with its name
     */
    AlignedWeights(WeightsOfModel ours, List<AxisClass> classes, Collection<FreeShift> shifts, WeightsOfModel theirs) {
        this.ours = new PartlyChanged(ours, classes);
        this.theirs = theirs;
        this.hidden = new HiddenShifts(shifts);
        Map<String, Value> others = new HashMap<>();
        theirs.blocks().keySet().forEach(weight -> others.put(theirs.parameter(weight), weight));
        for (Value weight : this.ours.weights()) {
            Value partner = others.get(ours.parameter(weight));
            if (partner == null || !partner.shape().equals(weight.shape())) {
                throw new IllegalArgumentException(
                        "the two models compute otherwise with '%s': one uses it in the shape %s, the other %s"
                                .formatted(
                                        ours.parameter(weight),
                                        weight.shape(),
                                        partner == null ? "not so" : "in " + partner.shape()));
            }
            partners.put(weight, partner);
        }
    }

    /** The weights that are moved. */
    PartlyChanged ours() {
        return ours;
    }

    /** The numbers that a weight should have; not to be modified. */
    double[] goal(Value weight) {
        Value partner = Objects.requireNonNull(partners.get(weight));
        return weight.shape().count() > SOME
                ? theirs.numbers(partner)
                : goals.computeIfAbsent(weight, _ -> theirs.numbers(partner));
    }

    /** The same without what shifts may add. */
    double[] projectedGoal(Value weight) {
        double[] numbers = goal(weight).clone();
        hidden.project(ours.parameter(weight), weight, numbers, this::goal);
        return numbers;
    }

    /** The factors along which a class changes, of blocks whose other factors are known, or are among some. */
    Map<Block, Factor> uses(Value weight, AxisClass channels, Set<AxisClass> open) {
        boolean isSure =
                weight.shape().sizes().stream().filter(size -> size > 1).count() > 1
                        || !hidden.changes(ours.parameter(weight)); // shifts may make anything of a bias
        return ours.uses(weight, channels, (block, factor) -> isSure && ours.isKnownBeside(block, factor, open));
    }

    /** Our numbers of a weight with all that is found but for one class and some others. */
    double[] without(Value weight, AxisClass channels, Set<AxisClass> open) {
        Set<AxisClass> some = new LinkedHashSet<>(open);
        some.add(channels);
        return projected(weight, some);
    }

    /** Our numbers of a weight with all that is found. */
    double[] moved(Value weight) {
        return projected(weight, Set.of());
    }

    private double[] projected(Value weight, Set<AxisClass> without) {
        double[] numbers = ours.without(weight, without);
        hidden.project(ours.parameter(weight), weight, numbers, this::goal); // ours are scaled as theirs
        return numbers;
    }

    /** What a factor of a weight is multiplied by so that it changes as the class itself does. */
    double @Nullable [] by(Factor factor) {
        AxisClass own = factor.channels();
        Value weight = own == null ? null : own.factors();
        if (own == null || own.kind() != AxisClass.Kind.SCALED || weight == null) {
            return null;
        }
        double[] by = goal(weight).clone(); // to which ours were scaled
        if (!factor.dual()) {
            Arrays.setAll(by, i -> 1 / by[i]);
        }
        return by;
    }
}
