package org.isoloss.basis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;
import java.util.function.Predicate;
import org.isoloss.basis.Subgroup.Change;
import org.isoloss.basis.Subgroup.Kind;
import org.isoloss.basis.Subgroup.Shift;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses;
import org.isoloss.model.FreeShift;
import org.isoloss.model.Leaf;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;

/**
 * All changes of basis of a model's channels that its operations let through, and all that may be added to its parameters unseen, as
 * factors of a group. Found from the graph alone, in a time that does not depend on how many numbers the weights have.
 */
public final class BasisGroup {
    /** Norms that differ by less than this, relatively, are nearly equal, or by less than rounding makes of a norm of many numbers. */
    private static final double NEAR = 1e-6;

    private static final double AVERAGED = 128;

    /** A choice that is made to rounding in float64 is not made again. */
    private static final double EXACT = 1e-12;

    private final Model model;
    private final WeightsOfModel weights;
    private final SequencedMap<String, AxisClass> classes = new LinkedHashMap<>();
    private final SequencedMap<String, FreeShift> shifts = new LinkedHashMap<>();
    private final List<Subgroup> parts = new ArrayList<>();

    /**
     * Finds the group.
     *
     * @param model any
     */
    public BasisGroup(Model model) {
        this.model = model;
        AxisClasses found = AxisClasses.of(model);
        this.weights = new WeightsOfModel(model, found);
        for (AxisClass channels : found.classes()) {
            String name = "%03d %s".formatted(classes.size(), channels.name().replaceAll("[^A-Za-z0-9 ._:-]", "_"));
            int before = parts.size();
            add(channels);
            if (parts.size() > before) {
                classes.put(name, channels);
            }
        }
        for (FreeShift shift : FreeShift.of(model)) {
            shifts.put("%03d %s".formatted(shifts.size(), shift.tensor()), shift);
            parts.add(new Shift(shift));
        }
    }

    private BasisGroup(BasisGroup whole, Predicate<Subgroup> isKept) {
        this.model = whole.model;
        this.weights = whole.weights;
        Set<Object> left = new HashSet<>();
        whole.parts.stream().filter(isKept.negate()).forEach(part -> left.add(subject(part)));
        whole.classes.forEach((name, channels) -> {
            if (!left.contains(channels)) {
                classes.put(name, channels);
            }
        });
        whole.shifts.forEach((name, shift) -> {
            if (!left.contains(shift)) {
                shifts.put(name, shift);
            }
        });
        whole.parts.stream().filter(part -> !left.contains(subject(part))).forEach(parts::add);
    }

    private static Object subject(Subgroup part) {
        return switch (part) {
            case Change(AxisClass channels, Kind _) -> channels;
            case Shift(FreeShift shift) -> shift;
        };
    }

    /**
     * Leaves classes of channels and shifts out.
     *
     * @param isKept tells which factors stay; a class of which one does not goes as a whole
     * @return the group of the others
     */
    public BasisGroup restricted(Predicate<Subgroup> isKept) {
        return new BasisGroup(this, isKept);
    }

    private void add(AxisClass channels) {
        boolean isMonomial = channels.kind() == AxisClass.Kind.MONOMIAL;
        if (isMonomial && !channels.isOrdered()) {
            parts.add(new Change(channels, Kind.ORDERS));
        }
        if (channels.signs() > 0) {
            parts.add(new Change(channels, Kind.SIGNS));
        }
        if (channels.dimension() > 0) {
            boolean isScaled = isMonomial || channels.kind() == AxisClass.Kind.SCALED;
            parts.add(new Change(channels, isScaled ? Kind.SCALES : Kind.BASIS));
        }
    }

    /** {@return the model that has the group} */
    public Model model() {
        return model;
    }

    /** {@return the factors: changes of basis in the order of computation, then what may be added} */
    public List<Subgroup> parts() {
        return List.copyOf(parts);
    }

    /**
     * Draws an element: of every chosen factor one far from the identity.
     *
     * @param chosen some factors
     * @param seed of the draws
     * @return the element
     */
    public BasisElement drawn(List<Subgroup> chosen, long seed) {
        var random = new SplittableRandom(seed);
        Map<AxisClass, ClassElement> changes = new LinkedHashMap<>();
        Map<FreeShift, double[]> added = new LinkedHashMap<>();
        for (Subgroup part : chosen) {
            SplittableRandom own = random.split();
            switch (part) {
                case Change(AxisClass channels, Kind kind) -> {
                    ClassElement before = changes.getOrDefault(channels, ClassElement.identity(channels));
                    changes.put(channels, new ElementDraw(channels, own).and(before, kind));
                }
                case Shift(FreeShift shift) -> added.put(shift, drawn(shift, own));
            }
        }
        return new BasisElement(classes, changes, shifts, added, false);
    }

    /** As large as the numbers to which it is added. */
    private double[] drawn(FreeShift shift, SplittableRandom random) {
        Value parameter = model.parameter(shift.tensor());
        double[] some = new double[Math.min(parameter.shape().count(), 1 << 12)];
        ((Leaf) parameter.operation()).numbers().read(0, some, 0, some.length);
        double size = Math.sqrt(Arrays.stream(some).map(x -> x * x).sum() / some.length);
        double[] drawn = new double[shift.dimension()];
        Arrays.setAll(drawn, _ -> (size == 0 ? 1 : size) * random.nextGaussian());
        return drawn;
    }

    /**
     * Makes an element of arrays.
     *
     * @param arrays as {@link BasisElement#arrays} gives them
     * @return the element
     * @throws IllegalArgumentException when an array is of another model, or cannot be a part of an element, with its name
     */
    public BasisElement element(SequencedMap<String, Matrix> arrays) {
        return BasisElement.of(classes, shifts, arrays);
    }

    /**
     * Applies an element: first what it adds, then its changes of basis; an inverse the other way round.
     *
     * @param element of this group
     * @return the parameters that change, with what they become, made while they are read
     */
    public SequencedMap<String, Numbers> tensors(BasisElement element) {
        return element.isInverse()
                ? element.shifted(model, weights.changed(element, new LinkedHashMap<>()))
                : weights.changed(element, element.shifted(model, new LinkedHashMap<>()));
    }

    /**
     * Moves an optimiser's moments along with the parameters: a gradient goes by the inverse of what its parameter goes by, transposed, and
     * mean squares of gradients by the squares of the entries of that, which is exact for orders, scales and signs, and for matrices as far
     * as components do not correlate.
     *
     * @param element of this group
     * @param first moving means of gradients, by parameter
     * @param second moving means of their squares, by parameter
     * @return both, after the element, for the same parameters
     * @throws IllegalArgumentException when they mix with those of other parameters: where shifts are added, where a stream changes before
     *     the factors of a norm, or in a batch norm
     */
    public Moments moments(
            BasisElement element, SequencedMap<String, Numbers> first, SequencedMap<String, Numbers> second) {
        if (element.isShifting()) {
            throw new IllegalArgumentException(
                    "the element adds shifts, and the moments of what makes up for them mix with others; choose families of changes of basis, with --family");
        }
        return new Moments(
                weights.moments(element, first, ChangedWeight.Role.GRADIENT),
                weights.moments(element, second, ChangedWeight.Role.SQUARES));
    }

    /**
     * An optimiser's moments.
     *
     * @param first moving means of gradients, by parameter
     * @param second moving means of their squares, by parameter
     */
    public record Moments(SequencedMap<String, Numbers> first, SequencedMap<String, Numbers> second) {}

    /**
     * Lists the parameters that a factor changes.
     *
     * @param part one of {@link #parts}
     * @return their names, in the order of the file
     */
    public List<String> tensors(Subgroup part) {
        return switch (part) {
            case Change change -> {
                Set<String> changed = new HashSet<>();
                apart(change).forEach(element -> changed.addAll(tensors(element).keySet()));
                yield listed(changed);
            }
            case Shift(FreeShift shift) -> listed(shift.tensors());
        };
    }

    private List<String> listed(Set<String> some) {
        return model.parameters().keySet().stream().filter(some::contains).toList();
    }

    /** Elements that change all that a factor changes at all: each sign alone, as several may cancel. */
    private List<BasisElement> apart(Change change) {
        AxisClass channels = change.channels();
        if (change.kind() != Kind.SIGNS) {
            return List.of(drawn(List.of(change), 1));
        }
        List<BasisElement> elements = new ArrayList<>();
        for (int sign = 0; sign < channels.signs(); sign++) {
            Matrix signs = Matrix.zeros(channels.count() * channels.signs(), channels.scaled());
            for (int index = 0; index < channels.count(); index++) {
                int row = index * channels.signs() + sign;
                Arrays.fill(signs.entries(), row * signs.columns(), (row + 1) * signs.columns(), 1);
            }
            elements.add(new BasisElement(
                    classes,
                    Map.of(channels, ClassElement.identity(channels).withSigns(signs)),
                    shifts,
                    Map.of(),
                    false));
        }
        return elements;
    }

    /**
     * Counts the dimension of what a factor does to the weights as they are.
     *
     * @param part one of {@link #parts}
     * @return at most its dimension; less where weights have less than full rank
     */
    public int rank(Subgroup part) {
        return part instanceof Change(AxisClass channels, Kind kind) && part.dimension() > 0
                ? new ClassRank(channels, weights.blocks(), weights::numbers).dimension()
                : part.dimension();
    }

    /**
     * Lists the classes of channels of a value that change.
     *
     * @param value of the model
     * @return in the order of its axes
     */
    public List<AxisClass> classes(Value value) {
        return weights.classes(value).stream().filter(classes::containsValue).toList();
    }

    /**
     * An element that leads to one representative.
     *
     * @param element that leads there
     * @param staying classes of channels for which no basis is chosen, as the weights along them have less than full rank
     * @param near what is nearly not decided, in words
     */
    public record Canonical(BasisElement element, Set<AxisClass> staying, List<String> near) {}

    /**
     * Finds the element that leads to one representative of all weights that differ by the group: shifts take away what they can, the
     * factors of norms are 1, the norm of all weights is the least that matrices and scales can make it, channels go along their principal
     * axes or in the order of their norms, and third moments are positive.
     *
     * @param rounding what may be missing, relatively, where a choice is made already: a few units of rounding of the stored numbers
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return the element
     */
    public Canonical canonical(double rounding, DoubleConsumer watcher) {
        double gap = Math.max(NEAR, rounding / AVERAGED);
        Canonical already = chosen(rounding, gap, share -> watcher.accept(share / 2));
        return already.element.isIdentity()
                ? new Canonical(drawn(List.of(), 0), already.staying, already.near)
                : chosen(EXACT, gap, share -> watcher.accept((1 + share) / 2));
    }

    private Canonical chosen(double rounding, double gap, DoubleConsumer watcher) {
        Map<FreeShift, double[]> added = new ShiftNormal(model, rounding).found(shifts());
        var first = new BasisElement(classes, Map.of(), shifts, added, false);
        BasisGroup shifted = added.isEmpty() ? this : new BasisGroup(model.reading(tensors(first)));
        List<AxisClass> theirs = classes.sequencedKeySet().stream()
                .map(name -> Objects.requireNonNull(shifted.classes.get(name)))
                .toList();
        var choice = new BasisCanonical(shifted.weights, theirs, rounding, gap);
        Map<AxisClass, ClassElement> found = choice.found(watcher);
        BasisElement changes = new BasisElement(shifted.classes, found, new LinkedHashMap<>(), Map.of(), false);
        BasisElement own = BasisElement.of(classes, shifts, changes.arrays());
        return new Canonical(own.adding(added), choice.staying(), choice.near());
    }

    /**
     * Finds the scales of channels that make the norm of all weights least, and nothing else.
     *
     * @param rounding what may be missing, relatively, where scales are balanced already
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return the element
     */
    public BasisElement balanced(double rounding, DoubleConsumer watcher) {
        Map<AxisClass, ClassElement> found = new BasisCanonical(weights, classes(), rounding, NEAR).balanced(watcher);
        return new BasisElement(classes, found, shifts, Map.of(), false);
    }

    /**
     * Finds the element that brings the weights of the model nearest to those of another: class by class from the inputs on, what may be
     * added last. Exact where both are the same up to the group; where they are not, the best that no change of one class improves.
     *
     * @param other with the same graph and other weights
     * @param rounds how often each class is fitted, at least 1
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return the element, whose changes of basis come first
     * @throws IllegalArgumentException when the other model has another graph
     */
    public BasisElement aligned(BasisGroup other, int rounds, DoubleConsumer watcher) {
        return new GroupFit(this, other).element(aligned -> new BasisAlignment(aligned).found(rounds, watcher));
    }

    /**
     * Brings the weights of the model nearer to those of another of which it is no copy, from some changes of basis on: class by class, each
     * fitted to all weights as they are then, as long as the distance falls. The end depends on the beginning.
     *
     * @param other with the same graph and other weights
     * @param start an element of this group; what it adds is not looked at
     * @param isScaling whether units may be scaled; where not, they are as large as before
     * @return the element, whose changes of basis come first
     * @throws IllegalArgumentException when the other model has another graph
     */
    public BasisElement descended(BasisGroup other, BasisElement start, boolean isScaling) {
        Map<AxisClass, ClassElement> first = new LinkedHashMap<>();
        classes().forEach(channels -> {
            ClassElement own = start.of(channels);
            first.put(channels, isScaling ? own : own.unscaled());
        });
        return new GroupFit(this, other).element(aligned -> new WeightDescent(aligned, first, isScaling).found());
    }

    /** {@return whether units may be scaled} */
    public boolean isScaling() {
        return classes().stream().anyMatch(channels -> channels.scales() > 0);
    }

    /** Takes changes of basis, and then away what shifts would add. */
    BasisElement taking(Map<AxisClass, ClassElement> changes, Map<FreeShift, double[]> added) {
        Map<FreeShift, double[]> taken = new LinkedHashMap<>(); // as by an inverse
        added.forEach((shift, numbers) ->
                taken.put(shift, Arrays.stream(numbers).map(x -> -x).toArray()));
        return new BasisElement(classes, changes, shifts, taken, true);
    }

    WeightsOfModel weights() {
        return weights;
    }

    List<AxisClass> classes() {
        return List.copyOf(classes.sequencedValues());
    }

    List<FreeShift> shifts() {
        return List.copyOf(shifts.sequencedValues());
    }
}
