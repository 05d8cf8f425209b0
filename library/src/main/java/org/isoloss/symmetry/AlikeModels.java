package org.isoloss.symmetry;

import org.isoloss.model.Model;
import org.isoloss.model.Value;

/** Refuses two models whose parameters differ by more than their numbers. */
public final class AlikeModels {
    private AlikeModels() {}

    /**
     * Requires parameters of the same names and shapes.
     *
     * @param one a model
     * @param other another
     * @throws IllegalArgumentException with the first parameter that differs
     */
    public static void require(Model one, Model other) {
        one.parameters().forEach((name, parameter) -> {
            Value same = other.parameters().get(name);
            if (same == null) {
                throw new IllegalArgumentException(
                        "the second network has no parameter '%s', which the first has".formatted(name));
            }
            if (!same.shape().equals(parameter.shape())) {
                throw new IllegalArgumentException(
                        "the parameter '%s' has shape %s in the first network and %s in the second"
                                .formatted(name, parameter.shape(), same.shape()));
            }
        });
        other.parameters().keySet().stream()
                .filter(name -> !one.parameters().containsKey(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException(
                            "the first network has no parameter '%s', which the second has".formatted(name));
                });
    }
}
