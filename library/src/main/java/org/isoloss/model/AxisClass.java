package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Channels that change together: the axes of the values of a model, or parts of axes, that carry them share one change of basis, or its
 * inverse, transposed. Where values carry them beside channels of other classes throughout, there is a change of basis for each of these.
 */
public final class AxisClass {
    private final String name;
    private final int size;
    private final Kind kind;
    private final boolean fixesOnes;
    private final boolean fixesOnesDual;
    private final List<int[]> blocks;
    private final int scales;
    private final int signs;
    private final boolean isOrdered;
    private final List<AxisClass> index = new ArrayList<>();
    private @Nullable AxisClass followed;
    private @Nullable Value factors;
    private boolean followsDual;
    private double[] followedScales = {};
    private double[] followedSigns = {};

    /** What a change of basis may be. */
    public enum Kind {
        /** Any invertible matrix. */
        LINEAR,
        /** Any rotation or reflection. */
        ORTHOGONAL,
        /** What commutes with rotations of pairs of channels: for each pair a scale and an angle, anything on what stays. */
        COMMUTING,
        /** An order, scales and signs. */
        MONOMIAL,
        /** Scales and signs, and whatever the channels of another class do before a weight multiplies them by factors. */
        SCALED
    }

    AxisClass(
            String name,
            int size,
            Kind kind,
            boolean fixesOnes,
            boolean fixesOnesDual,
            List<int[]> blocks,
            int scales,
            int signs,
            boolean isOrdered) {
        this.name = name;
        this.size = size;
        this.kind = kind;
        this.fixesOnes = fixesOnes;
        this.fixesOnesDual = fixesOnesDual;
        this.blocks = List.copyOf(blocks);
        this.scales = scales;
        this.signs = signs;
        this.isOrdered = isOrdered;
    }

    void follows(@Nullable AxisClass channels, boolean dual, Value weight, double[] scales, double[] signs) {
        followed = channels;
        followsDual = dual;
        factors = weight;
        followedScales = scales;
        followedSigns = signs;
    }

    void indexedBy(List<AxisClass> classes) {
        index.addAll(classes);
    }

    /** {@return where it is computed first} */
    public String name() {
        return name;
    }

    /** {@return the number of channels} */
    public int size() {
        return size;
    }

    /** {@return what a change of basis A may be} */
    public Kind kind() {
        return kind;
    }

    /** {@return whether A 1 = 1} */
    public boolean fixesOnes() {
        return fixesOnes;
    }

    /** {@return whether A' 1 = 1} */
    public boolean fixesOnesDual() {
        return fixesOnesDual;
    }

    /** {@return whether A 1 = 1 or A' 1 = 1} */
    public boolean keepsOnes() {
        return fixesOnes || fixesOnesDual;
    }

    /** {@return for a commuting or rotary class the channels that are rotated together, or one that is not; else empty} */
    public List<int[]> blocks() {
        return blocks;
    }

    /** {@return of a commuting class the channels that are not rotated} */
    public int[] still() {
        return blocks.stream()
                .filter(block -> block.length == 1)
                .mapToInt(block -> block[0])
                .toArray();
    }

    /** {@return of a monomial or scaled class, how many scales each channel has, which act with different powers at different axes} */
    public int scales() {
        return scales;
    }

    /** {@return of a monomial or scaled class, how many signs each channel has} */
    public int signs() {
        return signs;
    }

    /** {@return whether the order of a monomial class stays} */
    public boolean isOrdered() {
        return isOrdered;
    }

    /** {@return the classes that it stands beside throughout: it has a change of basis for each combination of their channels} */
    public List<AxisClass> index() {
        return List.copyOf(index);
    }

    /** {@return the class that a scaled class makes its channels of; null where that never changes} */
    public @Nullable AxisClass followed() {
        return followed;
    }

    /** {@return whether what is multiplied changes by the inverse of the followed class's change, transposed} */
    public boolean followsDual() {
        return followsDual;
    }

    /** {@return the powers of the scales of a monomial class that is followed, where it is multiplied} */
    public double[] followedScales() {
        return followedScales;
    }

    /** {@return the powers of its signs there, 0 or 1} */
    public double[] followedSigns() {
        return followedSigns;
    }

    /** {@return the weight that makes the channels of a scaled class; null for others} */
    public @Nullable Value factors() {
        return factors;
    }

    /** {@return how many changes of basis it has} */
    public int count() {
        return index.stream().mapToInt(AxisClass::size).reduce(1, Math::multiplyExact);
    }

    /** {@return how many factors channels are scaled by: pairs have one together} */
    public int scaled() {
        return blocks.isEmpty() ? size : blocks.size();
    }

    /** {@return the dimension of the group of one change of basis} */
    public int dimension() {
        int n = size - (keepsOnes() ? 1 : 0);
        int still = still().length;
        return switch (kind) {
            case LINEAR -> fixesOnes && fixesOnesDual ? n * n : n * size;
            case ORTHOGONAL -> n * (n - 1) / 2;
            case COMMUTING -> 2 * (blocks.size() - still) + still * still;
            case MONOMIAL, SCALED -> scales * scaled();
        };
    }
}
