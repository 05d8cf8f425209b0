package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.ActionKind;
import org.isoloss.action.ActionLaws;
import org.isoloss.action.ConjugatedAction;
import org.isoloss.action.ConjugatedShape;
import org.isoloss.action.CouplingNetwork;
import org.isoloss.action.LatentAction;
import org.isoloss.action.TrainedAction;
import org.isoloss.autodiff.GradientCheck;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Short trainings of conjugated actions, and their loss against the formula. */
class ConjugatedTrainingTest {
    private static final Generators SHEAR = Generators.normalising(List.of(Matrix.of(2, 2, 0.5, 1, -1, 0)));

    @TempDir
    Path folder;

    private static Recipe recipe(int steps, int width) {
        Recipe base = Recipe.CONJUGATED;
        return new Recipe(
                new ActionArchitecture.Conjugated(width, 2),
                steps,
                16,
                new LearningRate.Cosine(2e-3, Math.min(100, steps / 5), 1e-3),
                new ObjectiveWeights(10, 10, 1, 1),
                base.beta(),
                base.words(),
                base.ramp(),
                base.optimizer(),
                base.clip());
    }

    private static Training trained(Group group, ObjectiveKind kind, Recipe recipe, long seed) {
        Training training = new Training(TinyFit.linear(group), kind, recipe, seed);
        while (training.stepsDone() < recipe.steps()) {
            assertThat(training.step()).isFinite();
        }
        return training;
    }

    private static Matrix points(int count) {
        SplittableRandom random = new SplittableRandom(9);
        Matrix points = Matrix.zeros(count, 8);
        for (int row = 0; row < count; row++) {
            TinyFit.linear(Group.ONE_GENERATOR).points().draw(random, points.entries(), row * 8);
        }
        return points;
    }

    private static void assertLaws(TrainedAction action) {
        ActionLaws laws = new ActionLaws(action, points(16), new SplittableRandom(3));
        assertThat(laws.identity()).isZero();
        assertThat(laws.composition()).isLessThan(1e-12);
        assertThat(laws.inverse()).isLessThan(1e-12);
        assertThat(laws.transport()).isLessThan(1e-12);
    }

    @Test
    void theLawsStayExactWhilePreservationIsLearned() {
        Training training = trained(Group.translations(1), ObjectiveKind.HYBRID, recipe(400, 24), 101);

        assertThat(training.terms()).containsOnlyKeys("scale", "invariance", "preservation");
        assertThat(training.terms().get("invariance")).isLessThan(0.05);
        assertLaws(training.action());
        ActionLaws laws = new ActionLaws(training.action(), points(16), new SplittableRandom(3));
        double preserved = laws.preservation(TinyFit.linear(Group.ONE_GENERATOR).target());
        TrainedAction untrained = new Training(
                        TinyFit.linear(Group.translations(1)), ObjectiveKind.HYBRID, recipe(400, 24), 101)
                .action();
        assertLaws(untrained);
        assertThat(preserved)
                .isLessThan(0.3
                        * new ActionLaws(untrained, points(16), new SplittableRandom(3))
                                .preservation(
                                        TinyFit.linear(Group.ONE_GENERATOR).target()));
    }

    @Test
    void twoTranslationsAreIndependent() {
        Training training = trained(Group.translations(2), ObjectiveKind.HYBRID, recipe(60, 16), 101);

        assertThat(training.terms()).containsKey("diversity");
        assertLaws(training.action());
        assertThat(new ActionLaws(training.action(), points(8), new SplittableRandom(3)).leastFieldValue())
                .isGreaterThan(1e-3);
    }

    @Test
    void suppliedAndLearnedMatricesActLinearly() {
        TrainedAction supplied = trained(Group.supplied(SHEAR), ObjectiveKind.FINITE, recipe(40, 16), 101)
                .action();
        assertLaws(supplied);
        assertThat(supplied.generators().get(0).entries())
                .containsExactly(SHEAR.get(0).entries());
        Training learned =
                new Training(TinyFit.linear(Group.learned(2, 1)), ObjectiveKind.INFINITESIMAL, recipe(40, 16), 101);
        double[] before = learned.action().generators().get(0).entries().clone();
        while (learned.stepsDone() < 40) {
            assertThat(learned.step()).isFinite();
        }
        assertLaws(learned.action());
        assertThat(learned.action().generators().get(0).entries()).isNotEqualTo(before);
    }

    /** The singular point of z is four root-mean-square distances away from the mean of the samples. */
    @Test
    void theSingularPointIsFarFromTheSamples() {
        Training training = new Training(TinyFit.linear(Group.learned(2, 1)), ObjectiveKind.HYBRID, recipe(10, 8), 101);
        ConjugatedShape shape = ((ConjugatedAction) training.action()).shape();
        double[] offset = ((LatentAction.Linear) shape.latent())
                .offset().stream().mapToDouble(Double::doubleValue).toArray();
        Matrix points = points(1000);
        double[] mean = new double[2];
        for (int row = 0; row < points.rows(); row++) {
            mean[0] += points.get(row, 0) / points.rows();
            mean[1] += points.get(row, 1) / points.rows();
        }
        double squares = 0;
        for (int row = 0; row < points.rows(); row++) {
            double distance = Math.hypot(points.get(row, 0) - mean[0], points.get(row, 1) - mean[1]);
            squares += distance * distance / points.rows();
        }
        double clearance = Math.hypot(mean[0] + offset[0], mean[1] + offset[1]);
        // both are found from other samples, 64 of them in training: each a few per cent off
        assertThat(clearance / Math.sqrt(squares)).isBetween(3.2, 4.8);
    }

    /** With words q of zero, so that the evaluation points do not depend on the weights. */
    @ParameterizedTest
    @EnumSource
    void everyGradientIsTheDifferenceOfTheLoss(ObjectiveKind kind) {
        for (Group group : List.of(Group.translations(2), Group.learned(2, 2))) {
            Recorded recorded = new Recorded(group, kind, 1);
            recorded.stopMoving();
            assertThat(recorded.worstGradientError()).as("%s", group).isLessThan(1e-6);
        }
    }

    @Test
    void noGradientPassesTheMovedPoints() {
        Recorded recorded = new Recorded(Group.translations(1), ObjectiveKind.HYBRID, 1);
        assertThat(recorded.worstGradientError()).isGreaterThan(1e-3);
    }

    /** What the loss must be: by the action itself in float64, without the graph of training. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyTermIsTheFormula(long seed) {
        Recorded recorded = new Recorded(Group.translations(1), ObjectiveKind.HYBRID, seed);
        recorded.program.forward();
        double[] expected = recorded.expectedTerms();
        List<RecordedLoss.LossTerm> terms = recorded.objective.terms();
        assertThat(terms.stream().map(RecordedLoss.LossTerm::name))
                .containsExactly("scale", "invariance", "preservation");
        for (int i = 0; i < 3; i++) {
            assertThat(recorded.program.get(terms.get(i).value(), 0))
                    .as(terms.get(i).name())
                    .isCloseTo(expected[i], within(1e-9 * expected[i]));
            assertThat(expected[i]).isPositive();
        }
    }

    /** Warm once 200 steps allocate next to nothing; a step that allocates never gets there. */
    @Test
    void aWarmStepAllocatesNothing() {
        Training training =
                new Training(TinyFit.linear(Group.translations(1)), ObjectiveKind.HYBRID, recipe(100_000, 8), 1);
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        double fewest = Double.POSITIVE_INFINITY;
        for (int window = 0; window < 100 && !(fewest < 100); window++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 200; i++) {
                training.step();
            }
            fewest = Math.min(fewest, (threads.getCurrentThreadAllocatedBytes() - before) / 200.0);
        }
        // the stream of a step is an object of its own: 40 bytes
        assertThat(fewest).isLessThan(100);
    }

    @Test
    void anInterruptedFitGoesOnAsIfNothingHadHappened() throws IOException {
        Recipe recipe = recipe(50, 8);
        Path whole = folder.resolve("whole");
        Path broken = folder.resolve("broken");
        fit(whole, recipe, Integer.MAX_VALUE);
        try {
            fit(broken, recipe, 33);
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("interrupted");
        }
        assertThat(broken.resolve("action.safetensors")).doesNotExist();
        fit(broken, recipe, Integer.MAX_VALUE);

        for (String file : List.of("action.safetensors", "checkpoint.safetensors", "metrics.jsonl")) {
            assertThat(Files.readAllBytes(broken.resolve(file))).isEqualTo(Files.readAllBytes(whole.resolve(file)));
        }
        TrainedAction read = RunDirectory.open(whole).action();
        assertThat(read.kind()).isEqualTo(ActionKind.CONJUGATED);
        assertLaws(read);
    }

    private static void fit(Path run, Recipe recipe, int last) throws IOException {
        Training training = new Training(TinyFit.linear(Group.translations(1)), ObjectiveKind.HYBRID, recipe, 5);
        Fit.of(training, recipe, RunDirectory.create(run, "name: x\n", 5))
                .savedEvery(20)
                .run((step, steps, loss) -> {
                    if (step == last) {
                        throw new IllegalStateException("interrupted");
                    }
                });
    }

    /** A loss in float64, with everything that it is a function of. */
    private static final class Recorded {
        private static final int BATCH = 5;
        private static final int SLOTS = 2;
        private static final Normalizers NORMALIZERS = new Normalizers(0.9, 0.4, 0.6);

        final ConjugatedLoss objective;
        final Program program;
        final Tensor loss;
        final List<Tensor> tensors;
        private final ConjugatedShape shape;
        private final Problem problem;
        private final Matrix originals = Matrix.zeros(BATCH, 8);

        Recorded(Group group, ObjectiveKind kind, long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            problem = TinyFit.linear(group);
            LatentAction latent = group.isTranslations()
                    ? new LatentAction.Translation(group.count(), 0.5)
                    : new LatentAction.Linear(List.of(1.0, -0.8));
            shape = new ConjugatedShape(latent, 8, 4, 4, 1, 3);
            Graph graph = new Graph();
            CouplingNetwork network = new CouplingNetwork(graph, shape);
            int area = group.size() * group.size();
            Tensor raw = group.supplied().isPresent()
                    ? graph.constant(rows(group.supplied().orElseThrow()))
                    : graph.parameter(group.count(), area);
            objective = new ConjugatedLoss(
                    graph,
                    network,
                    latent,
                    raw,
                    problem.target(),
                    kind.select(new ObjectiveWeights(3, 2, 1, 0.5)),
                    NORMALIZERS,
                    BATCH,
                    SLOTS);
            loss = objective.loss();
            program = graph.compile(Precision.FLOAT64);
            tensors = new ArrayList<>(network.tensors());
            if (group.supplied().isEmpty()) {
                tensors.add(raw);
            }
            for (Tensor tensor : tensors) {
                for (int i = 0; i < tensor.size(); i++) {
                    program.set(tensor, i, 0.5 * random.nextGaussian());
                }
            }
            if (group.supplied().isEmpty()) {
                for (int i = 0; i < raw.size(); i++) {
                    program.set(raw, i, random.nextGaussian());
                }
            }
            for (int row = 0; row < BATCH; row++) {
                problem.points().draw(random, originals.entries(), row * 8);
            }
            program.set(objective.originals(), originals.entries());
            for (int i = 0; i < objective.words().coefficients().length; i++) {
                objective.words().coefficients()[i] = random.nextDouble(-0.4, 0.4);
                objective.words().indices()[i] = random.nextInt(group.count());
            }
            int[] directions = new int[BATCH];
            for (int i = 0; i < BATCH; i++) {
                directions[i] = random.nextInt(group.count());
            }
            objective.setDirections(directions);
        }

        void stopMoving() {
            Arrays.fill(objective.words().coefficients(), 0, BATCH / 2 * SLOTS, 0);
        }

        /** Of some entries of every tensor, relative to the largest derivative of the tensor or a hundredth of all. */
        double worstGradientError() {
            program.forward();
            program.backward(loss);
            List<Matrix> gradients = tensors.stream().map(program::gradient).toList();
            double largest = gradients.stream()
                    .mapToDouble(Matrix::largestMagnitude)
                    .max()
                    .orElseThrow();
            double worst = 0;
            for (int i = 0; i < gradients.size(); i++) {
                Tensor tensor = tensors.get(i);
                double scale = Math.max(gradients.get(i).largestMagnitude(), largest / 100);
                for (int entry = 0; entry < tensor.size(); entry += 3) {
                    int at = entry;
                    double before = program.get(tensor, at);
                    double slope = GradientCheck.derivative(
                            x -> {
                                program.set(tensor, at, x);
                                program.forward();
                                return program.get(loss, 0);
                            },
                            before);
                    program.set(tensor, at, before);
                    worst = Math.max(worst, Math.abs(gradients.get(i).entries()[at] - slope) / scale);
                }
            }
            return worst;
        }

        private static Matrix rows(Generators generators) {
            int area = generators.size() * generators.size();
            Matrix rows = Matrix.zeros(generators.count(), area);
            for (int i = 0; i < generators.count(); i++) {
                System.arraycopy(generators.get(i).entries(), 0, rows.entries(), i * area, area);
            }
            return rows;
        }

        /** The translation of a word is the sum of its coefficients. */
        private Matrix elements(int from, int count) {
            Matrix elements = Matrix.zeros(count, 4);
            for (int row = 0; row < count; row++) {
                double sum = 0;
                for (int slot = 0; slot < SLOTS; slot++) {
                    sum += objective.words().coefficients()[(from + row) * SLOTS + slot];
                }
                double[] element = {1, sum, 0, 1};
                System.arraycopy(element, 0, elements.entries(), row * 4, 4);
            }
            return elements;
        }

        /** Scale, invariance and preservation. */
        double[] expectedTerms() {
            ConjugatedAction action = new ConjugatedAction(
                    shape,
                    LatentAction.Translation.generators(1),
                    tensors.stream()
                            .map(tensor -> program.get(tensor).entries())
                            .toList());
            Matrix evaluated = originals.copy();
            Matrix moved = action.apply(elements(0, 2), originals.rows(3, 5));
            System.arraycopy(moved.entries(), 0, evaluated.entries(), 3 * 8, 2 * 8);
            Matrix generator = Matrix.zeros(BATCH, 4);
            for (int row = 0; row < BATCH; row++) {
                generator.set(row, 1, 1);
            }
            Matrix fields = action.field(generator, evaluated);
            Matrix ends = action.apply(elements(2, BATCH), evaluated);
            double step = 1e-5;
            Matrix along = problem.target()
                    .outputs(evaluated.plus(fields.scaled(step)))
                    .minus(problem.target().outputs(evaluated.minus(fields.scaled(step))))
                    .scaled(1 / (2 * step)); // exact up to rounding, since the target is quadratic
            Matrix drift = problem.target().outputs(ends).minus(problem.target().outputs(evaluated));
            double field = squares(fields) / (NORMALIZERS.field() * NORMALIZERS.field()) - 1;
            double output = NORMALIZERS.output() * NORMALIZERS.output();
            return new double[] {field * field, squares(along) / output, squares(drift) / output};
        }

        private static double squares(Matrix rows) {
            double norm = rows.frobeniusNorm();
            return norm * norm / rows.rows();
        }
    }
}
