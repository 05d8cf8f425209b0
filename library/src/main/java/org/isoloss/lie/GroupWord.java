package org.isoloss.lie;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;

/**
 * A product of exponentials {@code exp(t_m h_(i_m)) ... exp(t_1 h_(i_1))} (equation {@code eq:learned-generated-group} of
 * the paper). The rightmost factor acts first; lists and text hold the factors in the order in which they act.
 */
public final class GroupWord {
    private static final Pattern EXPONENTIAL = Pattern.compile("\\s*exp\\s*\\(([^()]*)\\)\\s*");
    private static final Pattern NUMBER = Pattern.compile("\\s*[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?\\s*");
    private static final Pattern FACTOR = Pattern.compile("\\s*(\\d{1,9})\\s*:([^:,]*)");

    /**
     * One factor {@code exp(t h_i)}.
     *
     * @param generator i, from 0
     * @param coefficient t, finite
     */
    public record Factor(int generator, double coefficient) {
        /** Refuses impossible values. */
        public Factor {
            if (generator < 0 || !Double.isFinite(coefficient)) {
                throw new IllegalArgumentException(
                        "group word: generator %d with coefficient %s, expected a generator from 0 and a finite coefficient"
                                .formatted(generator, coefficient));
            }
        }
    }

    private final List<Factor> factors;

    private GroupWord(List<Factor> factors) {
        this.factors = List.copyOf(factors);
    }

    /**
     * Makes a word.
     *
     * @param factors in the order in which they act; none for the identity
     * @return the word
     */
    public static GroupWord of(List<Factor> factors) {
        return new GroupWord(factors);
    }

    /**
     * Makes the word {@code exp(t h_1)} of the first generator.
     *
     * @param coefficient t, finite
     * @return one factor
     */
    public static GroupWord exp(double coefficient) {
        return new GroupWord(List.of(new Factor(0, coefficient)));
    }

    /**
     * Reads a word. {@code 1:0.2,2:-0.1} is {@code exp(-0.1 h_2) exp(0.2 h_1)}: first 0.2 of the first generator acts, then
     * -0.1 of the second. {@code exp(0.5)} is short for {@code 1:0.5}.
     *
     * @param text factors separated by commas, in the order in which they act, generators counted from 1
     * @return the word
     */
    public static GroupWord parse(String text) {
        Matcher exponential = EXPONENTIAL.matcher(text);
        if (exponential.matches()) {
            return exp(coefficient(text, exponential.group(1)));
        }
        List<Factor> factors = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher factor = FACTOR.matcher(part);
            if (!factor.matches() || Integer.parseInt(factor.group(1)) == 0) {
                throw refusal(text, part);
            }
            factors.add(new Factor(Integer.parseInt(factor.group(1)) - 1, coefficient(text, factor.group(2))));
        }
        return new GroupWord(factors);
    }

    private static double coefficient(String text, String number) {
        double coefficient = NUMBER.matcher(number).matches() ? Double.parseDouble(number) : Double.NaN;
        if (!Double.isFinite(coefficient)) {
            throw refusal(text, number);
        }
        return coefficient;
    }

    private static IllegalArgumentException refusal(String text, String part) {
        return new IllegalArgumentException(
                "group word \"%s\": \"%s\" is not understood; write factors such as 1:0.2,2:-0.1 (generators counted from 1, finite coefficients) or exp(0.5)"
                        .formatted(text, part.strip()));
    }

    /** {@return the factors: in the order in which they act; unmodifiable} */
    public List<Factor> factors() {
        return factors;
    }

    /** {@return the word that undoes this one: the factors reversed and negated; the inverse} */
    public GroupWord inverse() {
        return new GroupWord(factors.reversed().stream()
                .map(factor -> new Factor(factor.generator(), -factor.coefficient()))
                .toList());
    }

    /**
     * Returns the word that first does this one, then another: the matrix product {@code next * this}.
     *
     * @param next acts second
     * @return the joined word
     */
    public GroupWord then(GroupWord next) {
        List<Factor> joined = new ArrayList<>(factors);
        joined.addAll(next.factors);
        return new GroupWord(joined);
    }

    /**
     * {@return the total coefficient {@code sum |t_j|}: the length of the group path that the word describes, where the
     * generators have norm 1 (corollary {@code cor:learned-generator-word-errors} of the paper); at least 0}
     */
    public double length() {
        return factors.stream()
                .mapToDouble(factor -> Math.abs(factor.coefficient()))
                .sum();
    }

    /**
     * Returns the length of the group path that the word describes, {@code sum |t_j| ||h_(i_j)||}: what training and tests
     * bound by a radius, whatever the scale of the generators.
     *
     * @param generators the group, with every generator that the word names
     * @return at least 0, in the Frobenius norm
     */
    public double length(Generators generators) {
        requireNamed(generators);
        return factors.stream()
                .mapToDouble(factor -> Math.abs(factor.coefficient()) * generators.norm(factor.generator()))
                .sum();
    }

    private void requireNamed(Generators generators) {
        for (Factor factor : factors) {
            if (factor.generator() >= generators.count()) {
                throw new IllegalArgumentException("group word %s names generator %d, but the group has %d"
                        .formatted(this, factor.generator() + 1, generators.count()));
            }
        }
    }

    /**
     * Multiplies the exponentials.
     *
     * @param generators the group, with every generator that the word names, at the scale that the coefficients count in
     * @return g, shape (s, s)
     */
    public Matrix matrix(Generators generators) {
        requireNamed(generators);
        Matrix product = Matrix.identity(generators.size());
        for (Factor factor : factors) {
            product = MatrixExponential.of(generators.get(factor.generator()).scaled(factor.coefficient()))
                    .times(product);
        }
        return product;
    }

    /**
     * Tells whether the word is the identity of the group, such as a whole turn of a rotation.
     *
     * @param generators the group, with every generator that the word names
     * @return whether its matrix is the identity matrix up to what rounding makes of exponentials of this length
     */
    public boolean isIdentity(Generators generators) {
        int size = generators.size();
        double distance = matrix(generators).minus(Matrix.identity(size)).frobeniusNorm();
        return distance <= 4 * size * Math.ulp(1.0) * Math.max(1, length(generators));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GroupWord word && word.factors.equals(factors);
    }

    @Override
    public int hashCode() {
        return factors.hashCode();
    }

    /**
     * Writes the word as {@link #parse} reads it.
     *
     * @return for example {@code 1:0.2,2:-0.1}; {@code 1:0.0} for the identity
     */
    @Override
    public String toString() {
        return factors.isEmpty()
                ? "1:0.0"
                : factors.stream()
                        .map(factor -> factor.generator() + 1 + ":" + factor.coefficient())
                        .collect(Collectors.joining(","));
    }
}
