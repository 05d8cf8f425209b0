package org.isoloss.basis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;

/**
 * The group of all changes of basis of a model's channels that its operations let through, as factors: for each class of channels the
 * matrices, scales, signs and orders that it may have. Found from the graph alone, in a time that does not depend on how many numbers the
 * weights have.
 */
public final class BasisGroup {
    private final Model model;
    private final WeightsOfModel weights;
    private final SequencedMap<String, AxisClass> names = new LinkedHashMap<>();
    private final List<Part> parts = new ArrayList<>();

    /** What a factor does to its class. */
    public enum Kind {
        /** Matrices. */
        BASIS,
        /** Positive factors. */
        SCALES,
        /** Factors of 1 and -1. */
        SIGNS,
        /** Changes of order. */
        ORDERS
    }

    /**
     * A factor of the group.
     *
     * @param channels its class
     * @param kind what it does
     */
    public record Part(AxisClass channels, Kind kind) {
        /** {@return its dimension; 0 for a finite group} */
        public int dimension() {
            return kind == Kind.BASIS || kind == Kind.SCALES ? channels.dimension() * channels.count() : 0;
        }
    }

    /**
     * Finds the group.
     *
     * @param model any
     */
    public BasisGroup(Model model) {
        this.model = model;
        AxisClasses classes = AxisClasses.of(model);
        this.weights = new WeightsOfModel(model, classes);
        for (AxisClass channels : classes.classes()) {
            String name = "%03d %s".formatted(names.size(), channels.name().replaceAll("[^A-Za-z0-9 ._:-]", "_"));
            int before = parts.size();
            add(channels);
            if (parts.size() > before) {
                names.put(name, channels);
            }
        }
    }

    private void add(AxisClass channels) {
        boolean isMonomial = channels.kind() == AxisClass.Kind.MONOMIAL;
        if (isMonomial && !channels.isOrdered()) {
            parts.add(new Part(channels, Kind.ORDERS));
        }
        if (channels.signs() > 0) {
            parts.add(new Part(channels, Kind.SIGNS));
        }
        if (channels.dimension() > 0) {
            boolean isScaled = isMonomial || channels.kind() == AxisClass.Kind.SCALED;
            parts.add(new Part(channels, isScaled ? Kind.SCALES : Kind.BASIS));
        }
    }

    /** {@return the model that has the group} */
    public Model model() {
        return model;
    }

    /** {@return the factors, in the order of computation} */
    public List<Part> parts() {
        return List.copyOf(parts);
    }

    /**
     * Draws an element: of every chosen factor one far from the identity.
     *
     * @param chosen some factors
     * @param seed of the draws
     * @return the element
     */
    public BasisElement drawn(List<Part> chosen, long seed) {
        var random = new SplittableRandom(seed);
        Map<AxisClass, ClassElement> changes = new LinkedHashMap<>();
        for (Part part : chosen) {
            ClassElement before = changes.getOrDefault(part.channels, ClassElement.identity(part.channels));
            changes.put(part.channels, new ElementDraw(part.channels, random.split()).and(before, part.kind));
        }
        return new BasisElement(names, changes);
    }

    /**
     * Makes an element of arrays.
     *
     * @param arrays as {@link BasisElement#arrays} gives them
     * @return the element
     * @throws IllegalArgumentException when an array is of another model, or cannot be a part of an element, with its name
     */
    public BasisElement element(SequencedMap<String, Matrix> arrays) {
        return BasisElement.of(names, arrays);
    }

    /**
     * Applies an element.
     *
     * @param element of this group
     * @return the parameters that change, with what they become, made while they are read
     */
    public SequencedMap<String, Numbers> tensors(BasisElement element) {
        return weights.changed(element);
    }

    /**
     * Lists the parameters that a factor changes.
     *
     * @param part one of {@link #parts}
     * @return their names, in the order of the file
     */
    public List<String> tensors(Part part) {
        return List.copyOf(weights.changed(drawn(List.of(part), 1)).keySet());
    }

    /** {@return the values whose numbers elements change: parameters, and what parameters of their own make whatever it must be} */
    public Set<Value> weights() {
        return new LinkedHashSet<>(weights.blocks().keySet());
    }
}
