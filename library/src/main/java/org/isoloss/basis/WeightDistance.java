package org.isoloss.basis;

import java.util.Collection;
import org.isoloss.model.Model;

/** How far the parameters of two models of one architecture are apart. */
public final class WeightDistance {
    private WeightDistance() {}

    /**
     * Measures the distance of all parameters.
     *
     * @param one a model
     * @param other with parameters of the same names and shapes
     * @return the Frobenius norm of the difference relative to that of the other's parameters, or itself where that is 0
     */
    public static double relative(Model one, Model other) {
        double square = squared(one, other, other.parameters().keySet());
        double norm = 0;
        for (String name : other.parameters().keySet()) {
            for (double number : other.numbers(name)) {
                norm += number * number;
            }
        }
        return Math.sqrt(norm == 0 ? square : square / norm);
    }

    /** The squared Frobenius norm of the difference of some parameters. */
    static double squared(Model one, Model other, Collection<String> names) {
        double square = 0;
        for (String name : names) {
            double[] own = one.numbers(name);
            double[] goal = other.numbers(name);
            for (int i = 0; i < own.length; i++) {
                square += (own[i] - goal[i]) * (own[i] - goal[i]);
            }
        }
        return square;
    }
}
