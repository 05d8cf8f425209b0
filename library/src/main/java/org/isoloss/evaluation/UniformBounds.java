package org.isoloss.evaluation;

import java.util.List;
import org.isoloss.lie.GroupWord;

/**
 * The bounds on finite errors that follow from constants (proposition {@code prop:uniform-finite-defects} of the paper). They
 * hold for a path along which, and between the points which it compares, the constants hold
 * (equations {@code eq:uniform-symmetry-assumptions} and {@code eq:generator-error-assumptions}); for every path, where the
 * constants hold everywhere.
 *
 * @param identity delta, the largest {@code ||a(I, theta) - theta||}
 * @param transport epsilon_act, the largest transport residual in a direction of norm 1
 * @param loss epsilon_loss, the largest derivative of the outputs along a field of norm 1
 * @param growth K, the Lipschitz constant of the fields of norm 1
 * @param outputDerivative M, the largest operator norm of the derivative of the outputs
 */
public record UniformBounds(double identity, double transport, double loss, double growth, double outputDerivative) {
    /** Refuses negative constants and NaN. */
    public UniformBounds {
        double[] all = {identity, transport, loss, growth, outputDerivative};
        for (double constant : all) {
            if (!(constant >= 0)) {
                throw new IllegalArgumentException(
                        "UniformBounds: %s is no constant of a bound, expected a number of at least 0"
                                .formatted(constant));
            }
        }
    }

    /**
     * Takes the largest of each constant.
     *
     * @param all constants of several paths
     * @return constants that hold for each of them; zeros for an empty list
     */
    public static UniformBounds largest(List<UniformBounds> all) {
        UniformBounds largest = new UniformBounds(0, 0, 0, 0, 0);
        for (UniformBounds one : all) {
            largest = new UniformBounds(
                    Math.max(largest.identity, one.identity),
                    Math.max(largest.transport, one.transport),
                    Math.max(largest.loss, one.loss),
                    Math.max(largest.growth, one.growth),
                    Math.max(largest.outputDerivative, one.outputDerivative));
        }
        return largest;
    }

    /**
     * Returns {@code F_K(l) = (e^(K l) - 1) / K}, and l where K is 0 (equation {@code eq:group-path-length}).
     *
     * @param growth K, at least 0
     * @param length l, at least 0
     * @return at least l, with relative error of a few 1e-16
     */
    public static double growthIntegral(double growth, double length) {
        return growth * length == 0 ? length : Math.expm1(growth * length) / growth;
    }

    /**
     * Bounds the difference between two steps and their product (equation {@code eq:uniform-associativity-error}).
     *
     * @param length of a path to the second element, at least 0
     * @return the bound {@code delta e^(K l) + 2 epsilon_act F_K(l)}
     */
    public double composition(double length) {
        return product(identity, Math.exp(growth * requireLength(length)))
                + 2 * product(transport, growthIntegral(growth, length));
    }

    /**
     * Bounds the change of the outputs (equation {@code eq:uniform-loss-error}).
     *
     * @param length of a path to the element, at least 0
     * @return the bound {@code M delta + (epsilon_loss + M epsilon_act) l}
     */
    public double outputChange(double length) {
        return product(outputDerivative, identity)
                + product(loss + product(outputDerivative, transport), requireLength(length));
    }

    /**
     * Bounds how far a step and its proposed inverse lead from the start (equation {@code eq:uniform-inverse-error}).
     *
     * @param length of a path to the inverse, at least 0
     * @return the bound {@code delta + delta e^(K l) + 2 epsilon_act F_K(l)}
     */
    public double inverse(double length) {
        return identity + composition(length);
    }

    /**
     * Bounds the difference between two steps and their product where the second is a word, by its length
     * (corollary {@code cor:learned-generator-word-errors}).
     *
     * @param second the word, in generators along which the constants hold
     * @return the bound for {@code sum |t_j|}
     */
    public double composition(GroupWord second) {
        return composition(second.length());
    }

    /**
     * Bounds the change of the outputs along a word, by its length (corollary {@code cor:learned-generator-word-errors}).
     *
     * @param word in generators along which the constants hold
     * @return the bound for {@code sum |t_j|}
     */
    public double outputChange(GroupWord word) {
        return outputChange(word.length());
    }

    private static double requireLength(double length) {
        if (!(length >= 0)) {
            throw new IllegalArgumentException(
                    "UniformBounds: a path has length %s, expected a number of at least 0".formatted(length));
        }
        return length;
    }

    /** A product in which nothing times anything is nothing: an exact action stays exact where the growth overflows. */
    private static double product(double a, double b) {
        return a == 0 || b == 0 ? 0 : a * b;
    }
}
