package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.DoubleConsumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.isoloss.basis.BasisElement;
import org.isoloss.basis.BasisGroup;
import org.isoloss.basis.Subgroup;
import org.isoloss.basis.Subgroup.Change;
import org.isoloss.basis.Subgroup.Kind;
import org.isoloss.basis.Subgroup.Shift;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.isoloss.model.FreeShift;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.model.OutputComparison;

/**
 * The symmetries of a model as far as they follow from its graph: for every class of channels its changes of basis, and what may be added
 * to parameters unseen. The search takes no longer for large weights; what takes time is the verification, a few passes of the model.
 */
public final class GraphSymmetries {
    private static final Pattern LAYER = Pattern.compile("^(.*?[._]\\d+)[._].*");
    private static final int DRAWS = 2;

    private final BasisGroup whole;
    private final BasisGroup group; // what is exact of it
    private final OutputComparison outputs;
    private final List<Found> exact = new ArrayList<>();
    private final List<SymmetryFamily> refuted = new ArrayList<>();

    /**
     * Factors that are listed as one family.
     *
     * @param family in words
     * @param parts of the group
     */
    private record Found(SymmetryFamily family, List<Subgroup> parts) {}

    private GraphSymmetries(Model model, long seed, DoubleConsumer watcher) {
        this.whole = new BasisGroup(model);
        this.outputs = new OutputComparison(model, RandomInputs.few(model, DRAWS, seed));
        SequencedMap<String, List<List<Subgroup>>> byName = new LinkedHashMap<>();
        families()
                .forEach(parts -> byName.computeIfAbsent(name(parts.getFirst()), _ -> new ArrayList<>())
                        .add(parts));
        List<Subgroup> order = whole.parts();
        int done = 0;
        for (List<List<Subgroup>> alike : byName.values()) {
            verify(alike, seed);
            done++;
            watcher.accept((double) done / byName.size());
        }
        Set<Subgroup> kept = new HashSet<>();
        exact.forEach(found -> kept.addAll(found.parts));
        this.group = refuted.isEmpty() ? whole : whole.restricted(kept::contains);
        exact.sort(Comparator.comparingInt(found -> order.indexOf(found.parts.getFirst())));
    }

    /**
     * Finds the symmetries.
     *
     * @param model any
     * @param seed of all draws
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return its symmetries
     */
    public static GraphSymmetries of(Model model, long seed, DoubleConsumer watcher) {
        return new GraphSymmetries(model, seed, watcher);
    }

    /** Each change of basis alone, and what is added in one way to one layer together. */
    private List<List<Subgroup>> families() {
        SequencedMap<Object, List<Subgroup>> families = new LinkedHashMap<>();
        for (Subgroup part : whole.parts()) {
            Object key = part instanceof Shift shift ? name(part) + " " + layer(shift) : part;
            families.computeIfAbsent(key, _ -> new ArrayList<>()).add(part);
        }
        return List.copyOf(families.values());
    }

    private String layer(Shift shift) {
        Matcher matcher = LAYER.matcher(shift.shift().tensor());
        return matcher.matches() ? matcher.group(1) : shift.shift().tensor();
    }

    /** Verifies families of one kind all at once, and one by one where that fails. */
    private void verify(List<List<Subgroup>> families, long seed) {
        List<Subgroup> all = families.stream().flatMap(List::stream).toList();
        double together = change(all, seed);
        for (List<Subgroup> parts : families) {
            double own = together <= Symmetries.EXACT ? together : change(parts, seed);
            if (own <= Symmetries.EXACT) {
                exact.add(new Found(family(parts, own), parts));
            } else {
                refuted.add(family(parts, own));
            }
        }
    }

    private double change(List<Subgroup> parts, long seed) {
        return change(whole.drawn(parts, seed));
    }

    /**
     * Measures what an element does to the outputs, in float64, on random inputs.
     *
     * @param element of the group
     * @return the largest change relative to the largest output; infinite where an output is no number
     */
    public double change(BasisElement element) {
        return outputs.change(whole.model().reading(whole.tensors(element)));
    }

    private SymmetryFamily family(List<Subgroup> parts, double verified) {
        Subgroup first = parts.getFirst();
        String name = name(first);
        int rank = parts.stream().mapToInt(whole::rank).sum();
        int adds = rank - parts.stream().mapToInt(Subgroup::shared).sum();
        List<String> tensors = parts.stream()
                .flatMap(part -> whole.tensors(part).stream())
                .distinct()
                .toList();
        return new SymmetryFamily(
                name,
                FamilyWords.layer(tensors),
                first instanceof Change change ? group(change) : GroupName.power("R", rank),
                rank,
                adds,
                first instanceof Change change ? discrete(change) : "",
                tensors,
                verified,
                FamilyWords.conserved(name));
    }

    private static String name(Subgroup part) {
        return switch (part) {
            case Change(AxisClass channels, Kind kind) ->
                switch (kind) {
                    case ORDERS -> "permutations";
                    case SIGNS -> "signs";
                    case SCALES -> "scales";
                    case BASIS ->
                        switch (channels.kind()) {
                            case ORTHOGONAL -> "rotations";
                            case COMMUTING -> "bases of blocks";
                            default -> "basis";
                        };
                };
            case Shift(FreeShift shift) ->
                switch (shift) {
                    case FreeShift.Written _ -> "written unseen";
                    case FreeShift.Entries entries -> entries.isRead() ? "written unseen" : "unread";
                    case FreeShift.Read _ -> "unread";
                    case FreeShift.Balanced _, FreeShift.Opposed _ -> "shifts";
                };
        };
    }

    private static String group(Change change) {
        AxisClass channels = change.channels();
        int count = channels.count();
        int n = channels.size() - (channels.keepsOnes() ? 1 : 0);
        return switch (change.kind()) {
            case ORDERS -> GroupName.power("S_" + channels.size(), count);
            case SIGNS -> GroupName.power("Z_2", count * channels.signs() * channels.scaled());
            case SCALES -> GroupName.power("(R>0)", count * channels.scales() * channels.scaled());
            case BASIS ->
                switch (channels.kind()) {
                    case ORTHOGONAL -> GroupName.power("O(%d)".formatted(n), count);
                    case COMMUTING -> commuting(channels, count);
                    default -> {
                        boolean isAffine = channels.fixesOnes() != channels.fixesOnesDual();
                        yield GroupName.power((isAffine ? "Aff(%d)" : "GL(%d)").formatted(n), count);
                    }
                };
        };
    }

    private static String commuting(AxisClass channels, int count) {
        int still = channels.still().length;
        String pairs = GroupName.power("(C*)", channels.blocks().size() - still);
        String one = still == 0 ? pairs : "%s x GL(%d)".formatted(pairs, still);
        return count == 1 ? one : GroupName.power("(%s)".formatted(one), count);
    }

    private static String discrete(Change change) {
        AxisClass channels = change.channels();
        return switch (change.kind()) {
            case ORDERS ->
                channels.count() == 1 ? channels.size() + "!" : "(%d!)^%d".formatted(channels.size(), channels.count());
            case SIGNS -> "2^" + channels.count() * channels.signs() * channels.scaled();
            default -> "";
        };
    }

    /** {@return the families, each verified on the outputs; {@code rank} is what a family does to the weights as they are} */
    public List<SymmetryFamily> listed() {
        return exact.stream().map(Found::family).toList();
    }

    /** {@return what the graph lets through and the outputs do not} */
    public List<SymmetryFamily> refuted() {
        return List.copyOf(refuted);
    }

    /** {@return the dimension of all families together: what they add} */
    public int rank() {
        return exact.stream().mapToInt(found -> found.family.adds()).sum();
    }

    BasisGroup group() {
        return group;
    }

    /** {@return the model} */
    public Model model() {
        return group.model();
    }

    /** {@return the random inputs on which families are verified} */
    public List<Map<String, double[]>> inputs() {
        return outputs.inputs();
    }

    /**
     * Draws an element: of every factor one far from the identity. What is unread stays, as longer texts than the model was opened for
     * may read it.
     *
     * @param chosen the families that it is drawn from
     * @param seed of the draws
     * @return the element
     */
    public BasisElement random(Predicate<SymmetryFamily> chosen, long seed) {
        return group.drawn(
                exact.stream()
                        .filter(found -> chosen.test(found.family))
                        .flatMap(found -> found.parts.stream())
                        .filter(part -> !(part instanceof Shift(FreeShift.Entries entries)) || entries.isRead())
                        .toList(),
                seed);
    }

    /**
     * Makes an element of arrays.
     *
     * @param arrays as {@link BasisElement#arrays} gives them
     * @return the element
     * @throws IllegalArgumentException when an array is of another model, or cannot be a part of an element, with its name
     */
    public BasisElement element(SequencedMap<String, Matrix> arrays) {
        return group.element(arrays);
    }

    /**
     * Applies an element.
     *
     * @param element of this group
     * @return the parameters that change, with what they become, made while they are read
     */
    public SequencedMap<String, Numbers> tensors(BasisElement element) {
        return group.tensors(element);
    }

    /**
     * Moves an optimiser's moments along with the parameters.
     *
     * @param element of this group
     * @param first moving means of gradients, by parameter
     * @param second moving means of their squares, by parameter
     * @return both, after the element
     * @throws IllegalArgumentException when they mix with those of other parameters
     * @see BasisGroup#moments
     */
    public BasisGroup.Moments moments(
            BasisElement element, SequencedMap<String, Numbers> first, SequencedMap<String, Numbers> second) {
        return group.moments(element, first, second);
    }

    /**
     * An element that leads to one representative.
     *
     * @param element that leads there
     * @param staying families for which none is chosen
     * @param near what is nearly not decided, in words
     */
    public record Representative(BasisElement element, List<SymmetryFamily> staying, List<String> near) {}

    /**
     * Finds the element that leads to one representative of all weights that differ by the families.
     *
     * @param rounding what may be missing, relatively, where a choice is made already
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return the element
     * @see BasisGroup#canonical
     */
    public Representative canonical(double rounding, DoubleConsumer watcher) {
        BasisGroup.Canonical found = group.canonical(rounding, watcher);
        List<SymmetryFamily> staying = exact.stream()
                .filter(one -> one.parts.getFirst() instanceof Change change
                        && change.kind() == Kind.BASIS
                        && found.staying().contains(change.channels()))
                .map(Found::family)
                .toList();
        return new Representative(found.element(), staying, found.near());
    }

    /**
     * Finds the scales of channels that make the norm of all weights least, and nothing else.
     *
     * @param rounding what may be missing, relatively, where scales are balanced already
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return the element
     */
    public BasisElement balanced(double rounding, DoubleConsumer watcher) {
        return group.balanced(rounding, watcher);
    }

    /** {@return where in the model the families act} */
    public SymmetryMap map() {
        SequencedMap<AxisClass, List<SymmetryFamily>> acting = new LinkedHashMap<>();
        List<SymmetryFamily> unseen = new ArrayList<>();
        for (Found found : exact) {
            if (found.parts.getFirst() instanceof Change change) {
                acting.computeIfAbsent(change.channels(), _ -> new ArrayList<>())
                        .add(found.family);
            } else {
                unseen.add(found.family);
            }
        }
        return ClassMap.of(group, acting, unseen);
    }
}
