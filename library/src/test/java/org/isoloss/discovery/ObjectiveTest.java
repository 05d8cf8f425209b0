package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.isoloss.autodiff.GradientCheck;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Tensor;
import org.isoloss.discovery.RecordedObjective.Setting;
import org.isoloss.discovery.RecordedObjective.Weighed;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The recorded loss and its gradient against the loss in plain loops and its differences. */
class ObjectiveTest {
    /** Differences of five points err by 1e-13 of the loss; derivatives below 1 % of the largest of a tensor count as 1 %. */
    private static final double GRADIENT = 1e-6;

    private static final Set<Held> AS_THE_PAPER = EnumSet.of(Held.SAMPLED_POINTS);

    /** Every variant of the objective, and the terms in every combination that is allowed. */
    static Stream<Setting> settings() {
        return Arrays.stream(PreservedFunction.values())
                .flatMap(preserved -> IntStream.rangeClosed(1, 2)
                        .boxed()
                        .flatMap(generators -> Stream.of(
                                        RecordedObjective.HYBRID,
                                        RecordedObjective.FINITE,
                                        RecordedObjective.INFINITESIMAL)
                                .map(weights -> Setting.small(preserved, generators, weights))));
    }

    private static Weighed weighed(
            double invariance,
            double transport,
            double composition,
            double preservation,
            double diversity,
            boolean adaptive) {
        return new Weighed(
                new ObjectiveWeights(invariance, preservation, 1, diversity, adaptive),
                new GroupLaw(transport, composition, 0.25));
    }

    static Stream<Setting> combinations() {
        return Stream.of(
                        weighed(10, 1.5, 2, 0, 0.5, false),
                        weighed(10, 0, 2, 0, 0, false),
                        weighed(0, 1.5, 0, 8, 0.5, false),
                        weighed(0, 1.5, 2, 8, 0.5, false),
                        weighed(10, 0, 2, 8, 0.5, false),
                        weighed(10, 1.5, 0, 8, 0.5, false),
                        weighed(10, 1.5, 2, 8, 0.5, true))
                .map(weights -> Setting.small(PreservedFunction.SIGMOID_SITE, 3, weights));
    }

    static Stream<Setting> all() {
        Setting supplied = new Setting(PreservedFunction.LINEAR_NETWORK, 2, 2, RecordedObjective.HYBRID, 4, 6, true);
        return Stream.of(settings(), combinations(), Stream.of(supplied)).flatMap(stream -> stream);
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyTermIsTheFormula(Setting setting) {
        RecordedObjective recorded = new RecordedObjective(setting, Precision.FLOAT64, 1);
        for (int draw = 0; draw < 2; draw++) {
            recorded.program().forward();
            ReferenceAction action = recorded.referenceAction();
            ReferenceObjective reference = recorded.referenceObjective();
            ReferenceObjective.Terms terms = reference.terms(action, action, AS_THE_PAPER);
            for (RecordedLoss.LossTerm term : recorded.objective().terms()) {
                double expected = terms.of(term.name());
                assertThat(recorded.program().get(term.value(), 0))
                        .as(term.name())
                        .isCloseTo(expected, within(1e-10 * expected));
                assertThat(expected).as(term.name()).isPositive();
            }
            assertThat(recorded.program().get(recorded.objective().generators()).row(0))
                    .containsExactly(action.generator(0), within(1e-15));
            double loss = reference.loss(action, action, AS_THE_PAPER);
            assertThat(recorded.program().get(recorded.objective().loss(), 0)).isCloseTo(loss, within(1e-10 * loss));
            recorded.draw();
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void aWeightOffByAMillionthIsSeen(Setting setting) {
        RecordedObjective recorded = new RecordedObjective(setting, Precision.FLOAT64, 1);
        recorded.program().forward();
        ReferenceAction action = recorded.referenceAction()
                .with(0, 1, 1e-6 + recorded.program().get(recorded.tensors().getFirst(), 1));
        double loss = recorded.referenceObjective().loss(action, action, AS_THE_PAPER);
        assertThat(Math.abs(recorded.program().get(recorded.objective().loss(), 0) / loss - 1))
                .isGreaterThan(1e-9);
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyGradientIsTheDifferenceOfTheFormula(Setting setting) {
        RecordedObjective recorded = new RecordedObjective(setting, Precision.FLOAT64, 2);
        double[] errors = errors(recorded, AS_THE_PAPER, 5);
        assertThat(Arrays.stream(errors).max().orElseThrow())
                .as(Arrays.toString(errors))
                .isLessThan(GRADIENT);
    }

    /** What must be differentiated through, held constant; and the sampled points, which must not. */
    @ParameterizedTest
    @EnumSource
    void everyPartOfTheLossIsDifferentiatedAsThePaperSays(Held part) {
        Set<Held> wrong = EnumSet.copyOf(AS_THE_PAPER);
        if (!wrong.remove(part)) {
            wrong.add(part);
        }
        for (PreservedFunction preserved : PreservedFunction.values()) {
            int generators = preserved == PreservedFunction.LINEAR_NETWORK ? 1 : 2;
            Setting setting = Setting.small(preserved, generators, RecordedObjective.HYBRID);
            double[] errors = errors(new RecordedObjective(setting, Precision.FLOAT64, 3), wrong, 4);
            assertThat(Arrays.stream(errors).max().orElseThrow())
                    .as("%s: %s", setting, Arrays.toString(errors))
                    .isGreaterThan(1000 * GRADIENT);
        }
    }

    /** For each weight, bias and generator, the worst error of the recorded gradient at some coordinates. */
    private static double[] errors(RecordedObjective recorded, Set<Held> held, int coordinates) {
        recorded.program().forward();
        recorded.program().backward(recorded.objective().loss());
        ReferenceAction action = recorded.referenceAction();
        ReferenceObjective reference = recorded.referenceObjective();
        List<Tensor> tensors = recorded.tensors();
        double[] errors = new double[tensors.size()];
        var random = new SplittableRandom(5);
        for (int tensor = 0; tensor < errors.length; tensor++) {
            if (recorded.isConstant(tensors.get(tensor))) {
                continue;
            }
            Matrix gradient = recorded.program().gradient(tensors.get(tensor));
            double floor = 0.01 * gradient.largestMagnitude();
            for (int sample = 0; sample < coordinates; sample++) {
                int index = random.nextInt(gradient.entries().length);
                int number = tensor;
                double difference = GradientCheck.derivative(
                        x -> reference.loss(action.with(number, index, x), action, held),
                        recorded.program().get(tensors.get(tensor), index));
                double error = Math.abs(gradient.entries()[index] - difference);
                errors[tensor] = Math.max(errors[tensor], error / Math.max(Math.abs(difference), floor));
            }
        }
        return errors;
    }
}
