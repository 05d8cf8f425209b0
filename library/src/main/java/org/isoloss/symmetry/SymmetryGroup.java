package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.function.DoubleConsumer;
import java.util.function.Predicate;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;

/**
 * The symmetry group of a model as far as its elements act on the parts between parameters: for each part the Lie groups of its
 * blocks, the orders of equal blocks, and signs. Each factor is verified on the outputs. How long the search takes depends on how
 * wide the blocks are, not on how many parameters there are.
 */
public final class SymmetryGroup {
    /** Random elements are as long as a change of scales by a factor from the fourth root of two to two. */
    private static final double LEAST = 0.25;

    private static final double SINGULAR = 1e-13;

    private final GroupSearch found;
    private final SequencedMap<String, Value> names = new LinkedHashMap<>();

    private SymmetryGroup(GroupSearch found) {
        this.found = found;
        found.points()
                .keySet()
                .forEach(value -> names.put(
                        "%03d %s".formatted(names.size(), value.where().replaceAll("[^A-Za-z0-9 ._:-]", "_")), value));
    }

    /**
     * Finds the group.
     *
     * @param model with static shapes
     * @param seed of all draws
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return the group
     * @throws IllegalArgumentException when a part has a block that is too wide
     */
    public static SymmetryGroup of(Model model, long seed, DoubleConsumer watcher) {
        return new SymmetryGroup(new GroupSearch(model, seed, watcher));
    }

    /** {@return the factors, each verified: what they do, where, and by which group; {@code rank} is their dimension} */
    public List<SymmetryFamily> families() {
        return List.copyOf(found.families());
    }

    /** {@return what goes through a part and not through the parameters, as where one tensor is used twice} */
    public List<SymmetryFamily> refuted() {
        return List.copyOf(found.refuted());
    }

    /** {@return where in the model the factors act} */
    public SymmetryMap map() {
        return found.map();
    }

    /** {@return how many blocks of channels are too wide for a linear system, of which only classical groups are tried} */
    public int wideBlocks() {
        return found.wideBlocks();
    }

    /** {@return the model that has the group} */
    public Model model() {
        return found.moving().model();
    }

    /** {@return several times more random inputs than any value has channels} */
    public List<Map<String, double[]>> manyInputs() {
        return found.samples();
    }

    /** {@return the random inputs on which factors are verified} */
    public List<Map<String, double[]>> inputs() {
        return found.inputs();
    }

    /**
     * Draws an element: of every Lie group one as far from the identity as a change of scales by up to a factor of two, of every finite
     * one an order in which nothing stays, or signs.
     *
     * @param chosen the families that it is drawn from
     * @param seed of the draws
     * @return the element
     */
    public SymmetryElement random(Predicate<SymmetryFamily> chosen, long seed) {
        List<GroupFactor> some = new ArrayList<>();
        for (int i = 0; i < found.factors().size(); i++) {
            if (chosen.test(found.families().get(i))) {
                some.add(found.factors().get(i));
            }
        }
        return named(new ElementDraw(found.points(), found.action(), LEAST).of(some, seed));
    }

    GroupSearch found() {
        return found;
    }

    /** Maps of values as an element. */
    SymmetryElement named(Map<Value, Affine> elements) {
        SequencedMap<String, Affine> named = new LinkedHashMap<>();
        names.forEach((name, value) -> {
            Affine map = elements.get(value);
            if (map != null && !map.isIdentity()) {
                named.put(name, map);
            }
        });
        return new SymmetryElement(named);
    }

    private static boolean isSingular(Affine map) {
        return LinearSolve.of(map.matrix()).reciprocalCondition() < SINGULAR;
    }

    /** Whether all maps of an element have an inverse. */
    boolean isRegular(SymmetryElement element) {
        return element.affine().values().stream().noneMatch(SymmetryGroup::isSingular);
    }

    /** The parameters after an element, in the order of {@link Moving}. */
    double[] parameters(SymmetryElement element) {
        Map<Value, Affine> maps = new LinkedHashMap<>();
        element.affine().forEach((name, map) -> {
            Value value = names.get(name);
            if (value == null) {
                throw new IllegalArgumentException(
                        "the element moves '%s', and the model has %d values, from '%s' to '%s'"
                                .formatted(
                                        name,
                                        names.size(),
                                        names.firstEntry().getKey(),
                                        names.lastEntry().getKey()));
            }
            int width = Objects.requireNonNull(found.points().get(value)).width();
            if (map.shift().length != width) {
                throw new IllegalArgumentException("the element has %d channels at '%s', and the model %d"
                        .formatted(map.shift().length, name, width));
            }
            if (isSingular(map)) {
                throw new IllegalArgumentException("the element is singular at '%s'".formatted(name));
            }
            maps.put(value, map);
        });
        return found.action().moved(maps);
    }

    /**
     * Applies an element.
     *
     * @param element with maps of values of this model
     * @return all tensors that may change, by name, row-major
     * @throws IllegalArgumentException when the element has maps of other values or widths, or singular ones
     */
    public SequencedMap<String, double[]> tensors(SymmetryElement element) {
        return found.moving().tensors(parameters(element));
    }

    /**
     * Measures what an element does to the outputs, in float64, on random inputs.
     *
     * @param element with maps of values of this model
     * @return the largest change relative to the largest output; infinite where an output is no number
     */
    public double change(SymmetryElement element) {
        return found.outputs().of(parameters(element));
    }
}
