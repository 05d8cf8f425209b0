package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.GoldenRows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WordProductTest {
    /** Generators of norm 1 and what is made of them. */
    private static final class Recorded {
        private final int size;
        private final Graph graph = new Graph();
        private final Words words;
        private final Tensor generators;
        private final Tensor matrices;

        Recorded(int count, int size, int wordCount, int slots) {
            this.size = size;
            words = new Words(wordCount, slots);
            generators = graph.parameter(count, size * size);
            matrices = graph.words(generators, words, size);
        }

        Matrix word(Program program, int index) {
            return Matrix.of(size, size, program.get(matrices).row(index));
        }
    }

    static Stream<Arguments> sizes() {
        return Stream.of(1, 2, 3)
                .flatMap(r -> Stream.of(2, 3).flatMap(s -> Stream.of(1, 2, 3).map(m -> Arguments.arguments(r, s, m))));
    }

    /**
     * Up to |t| = 1 the sums lose nothing: each factor has some roundings. Up to |t| = 4 they keep 13 digits of the
     * largest entry, and words have up to two such factors.
     */
    @ParameterizedTest(name = "{0} generators of size {1}, {2} factors")
    @MethodSource("sizes")
    void wordsAreProductsOfExponentials(int count, int size, int slots) {
        for (double[] row : golden(count, size, slots)) {
            Recorded recorded = new Recorded(count, size, 1, slots);
            Matrix exact = fill(recorded, row);
            double bound = largestCoefficient(recorded) <= 1 ? 4e-15 : 3e-13;
            assertThat(relativeError(recorded, row, exact)).isLessThan(bound);
            if (slots > 1) {
                Matrix transposed = exact.transpose(); // as if factors acted in another order on another side
                assertThat(relativeError(recorded, row, transposed)).isGreaterThan(1e-3);
            }
        }
    }

    private static double largestCoefficient(Recorded recorded) {
        return Arrays.stream(recorded.words.coefficients()).map(Math::abs).max().orElseThrow();
    }

    private static List<double[]> golden(int count, int size, int slots) {
        return GoldenRows.read(WordProductTest.class, "words.csv").all("%dx%dx%d".formatted(count, size, slots));
    }

    /** Sets the words from a golden row; returns the exact matrix. */
    private static Matrix fill(Recorded recorded, double[] row) {
        int slots = recorded.words.slots();
        for (int i = 0; i < slots; i++) {
            recorded.words.coefficients()[i] = row[i];
            recorded.words.indices()[i] = (int) row[slots + i];
        }
        return Matrix.of(
                recorded.size,
                recorded.size,
                Arrays.copyOfRange(row, row.length - recorded.size * recorded.size, row.length));
    }

    private static double relativeError(Recorded recorded, double[] row, Matrix exact) {
        Program program = recorded.graph.compile(Precision.FLOAT64);
        int begin = 2 * recorded.words.slots();
        program.set(recorded.generators, Arrays.copyOfRange(row, begin, begin + recorded.generators.size()));
        program.forward();
        return recorded.word(program, 0).minus(exact).largestMagnitude() / exact.largestMagnitude();
    }

    @ParameterizedTest(name = "{0} generators of size {1}, {2} factors")
    @MethodSource("sizes")
    void gradientsInTheGeneratorsAreDifferences(int count, int size, int slots) {
        for (double radius : new double[] {0.5, 3.9}) {
            assertThat(gradientError(count, size, slots, radius, generators -> generators))
                    .isLessThan(GradientCheck.TOLERANCE);
        }
    }

    @Test
    void aGradientOfTheWrongSignIsSeen() {
        double[] signs = {1, 1, 1, 1, 1, -1, 1, 1};
        double error = gradientError(2, 2, 2, 0.5, generators -> {
            double[] wrong = generators.clone();
            Arrays.setAll(wrong, i -> wrong[i] * signs[i]);
            return wrong;
        });
        assertThat(error).isGreaterThan(1e-2);
    }

    private static double gradientError(int count, int size, int slots, double radius, UnaryOperator<double[]> defect) {
        Recorded recorded = new Recorded(count, size, 5, slots);
        var random = new SplittableRandom(19);
        Matrix weights = Matrix.zeros(5, size * size);
        Arrays.setAll(weights.entries(), i -> random.nextGaussian());
        Tensor loss = recorded.graph.innerProduct(1, recorded.matrices, recorded.graph.constant(weights));
        Program program = randomWords(recorded, 23, radius);
        for (int generator = 0; generator < count; generator++) {
            recorded.words.indices()[generator * slots] = generator; // each is used
        }
        program.forward();
        program.backward(loss);
        double[] gradient = defect.apply(program.gradient(recorded.generators).entries());
        double worst = 0;
        double scale = 0;
        for (int i = 0; i < gradient.length; i++) {
            int entry = i;
            double at = program.get(recorded.generators, i);
            double difference = GradientCheck.derivative(
                    x -> {
                        program.set(recorded.generators, entry, x);
                        program.forward();
                        return program.get(loss, 0);
                    },
                    at);
            program.set(recorded.generators, i, at);
            worst = Math.max(worst, Math.abs(gradient[i] - difference));
            scale = Math.max(scale, Math.abs(difference));
        }
        return worst / scale;
    }

    private static Program randomWords(Recorded recorded, long seed, double radius) {
        var random = new SplittableRandom(seed);
        Words words = recorded.words;
        Arrays.setAll(words.coefficients(), i -> random.nextDouble(-radius, radius));
        Arrays.setAll(words.indices(), i -> random.nextInt(recorded.generators.rows()));
        Program program = recorded.graph.compile(Precision.FLOAT64);
        for (int g = 0; g < recorded.generators.rows(); g++) {
            Matrix h = Matrix.zeros(recorded.size, recorded.size);
            Arrays.setAll(h.entries(), i -> random.nextGaussian());
            Matrix unit = h.scaled(1 / h.frobeniusNorm());
            for (int i = 0; i < unit.entries().length; i++) {
                program.set(recorded.generators, g * unit.entries().length + i, unit.entries()[i]);
            }
        }
        return program;
    }

    @Test
    void coefficientsOfZeroAreTheIdentityToTheBit() {
        Recorded recorded = new Recorded(2, 3, 2, 2);
        Tensor loss = recorded.graph.innerProduct(1, recorded.matrices, recorded.matrices);
        Program program = randomWords(recorded, 29, 1);
        Arrays.fill(recorded.words.coefficients(), 0, 2, 0);
        program.forward();
        assertThat(recorded.word(program, 0).entries())
                .isEqualTo(Matrix.identity(3).entries());
        Arrays.fill(recorded.words.coefficients(), 0);
        program.forward();
        program.backward(loss);
        assertThat(recorded.word(program, 1).entries())
                .isEqualTo(Matrix.identity(3).entries());
        assertThat(program.gradient(recorded.generators).entries()).containsOnly(0);
    }

    /** A word that leaves its last slots at 0 is the shorter word, and passes its whole gradient. */
    @Test
    void shorterWordsLeaveSlotsAtZero() {
        double[] gradients = new double[2];
        for (int slots = 1; slots <= 2; slots++) {
            Recorded recorded = new Recorded(1, 2, 1, slots);
            Tensor loss = recorded.graph.innerProduct(1, recorded.matrices, recorded.matrices);
            Program program = recorded.graph.compile(Precision.FLOAT64);
            program.set(recorded.generators, new double[] {0.6, 0, 0.8, 0});
            recorded.words.coefficients()[0] = 0.7;
            program.forward();
            program.backward(loss);
            gradients[slots - 1] = program.gradient(recorded.generators).get(0, 1);
        }
        assertThat(gradients[0]).isNotZero().isEqualTo(gradients[1]);
    }

    @Test
    void float32KeepsItsDigits() {
        Recorded recorded = new Recorded(2, 2, 4, 3);
        Program doubled = randomWords(recorded, 31, 1);
        Program single = recorded.graph.compile(Precision.FLOAT32);
        single.set(recorded.generators, doubled.get(recorded.generators).entries());
        doubled.forward();
        single.forward();
        assertThat(single.get(recorded.matrices)
                        .minus(doubled.get(recorded.matrices))
                        .largestMagnitude())
                .isLessThan(1e-6);
    }

    @ParameterizedTest
    @ValueSource(doubles = {4.0001, -5, Double.NaN, Double.POSITIVE_INFINITY})
    void coefficientsBeyondFourAreRefused(double coefficient) {
        Recorded recorded = new Recorded(1, 2, 2, 2);
        Program program = randomWords(recorded, 37, 1);
        recorded.words.coefficients()[3] = coefficient;
        assertThatThrownBy(program::forward)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Words: a coefficient has magnitude %s, expected at most 4.0".formatted(Math.abs(coefficient)));
        recorded.words.coefficients()[3] = -4;
        program.forward();
    }
}
