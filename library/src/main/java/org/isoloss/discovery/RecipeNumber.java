package org.isoloss.discovery;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The numbers of a recipe, each with the values that it may have: the same for task files and for programs. */
public enum RecipeNumber {
    /** Optimiser steps. */
    STEPS(Kind.WHOLE, 1, Integer.MAX_VALUE),
    /** Samples a step. */
    BATCH(Kind.WHOLE, 2, 1_000_000),
    /** Peak of a cosine schedule. */
    PEAK(Kind.POSITIVE),
    /** A constant learning rate. */
    CONSTANT(Kind.POSITIVE),
    /** Largest length of a word. */
    RADIUS(Kind.POSITIVE, 0, 4),
    /** Most factors of a word. */
    FACTORS(Kind.WHOLE, 1, 1024),
    /** Weight of infinitesimal preservation. */
    INVARIANCE(Kind.WEIGHT),
    /** Weight of finite preservation. */
    PRESERVATION(Kind.WEIGHT),
    /** Weight of transport. */
    TRANSPORT(Kind.WEIGHT),
    /** Weight of composition. */
    COMPOSITION(Kind.WEIGHT),
    /** Weight of the term that holds the field magnitude. */
    SCALE(Kind.POSITIVE),
    /** Weight of the term that keeps generators apart. */
    DIVERSITY(Kind.WEIGHT),
    /** Field magnitude in parameter scales. */
    BETA(Kind.POSITIVE),
    /** Share of the steps over which words grow. */
    RAMP(Kind.SHARE),
    /** Longest side of SOAP's blocks. */
    BLOCK(Kind.WHOLE, 1, 8192),
    /** Largest norm of a gradient. */
    CLIP(Kind.POSITIVE),
    /** Units of each hidden layer. */
    WIDTH(Kind.WHOLE, 1, 8192),
    /** Hidden layers. */
    DEPTH(Kind.WHOLE, 1, 64);

    private final Kind kind;
    private final double least;
    private final double most;

    private enum Kind {
        WHOLE,
        POSITIVE,
        WEIGHT,
        SHARE
    }

    RecipeNumber(Kind kind) {
        this(kind, 0, Double.MAX_VALUE);
    }

    RecipeNumber(Kind kind, double least, double most) {
        this.kind = kind;
        this.least = least;
        this.most = most;
    }

    /**
     * Refuses a value that no recipe can have.
     *
     * @param value what is given, or null for nothing
     * @throws IllegalArgumentException naming the key, the value and what is expected
     */
    public void check(@Nullable Number value) {
        if (value != null && !allows(value.doubleValue())) {
            throw new IllegalArgumentException("recipe.%s is %s, expected %s"
                    .formatted(name().toLowerCase(Locale.ROOT), value, expected(value.doubleValue())));
        }
    }

    private boolean allows(double value) {
        return value >= least
                && value <= most
                && switch (kind) {
                    case WHOLE, WEIGHT -> true;
                    case POSITIVE -> value > 0;
                    case SHARE -> value < 1;
                };
    }

    private String expected(double value) {
        return switch (kind) {
            case WHOLE -> "%.0f to %.0f".formatted(least, most);
            case POSITIVE ->
                value > most && most < Double.MAX_VALUE ? "at most %.0f".formatted(most) : "a positive number";
            case WEIGHT -> "0 or a positive number";
            case SHARE -> "0 or more, below 1";
        };
    }
}
