package org.isoloss.discovery;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.ActionNetwork;
import org.isoloss.action.ActionShape;
import org.isoloss.action.Initialization;
import org.isoloss.autodiff.Adam;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.autodiff.Words;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;

/** A recorded loss with everything that it is a function of, all drawn from one seed. */
final class RecordedObjective {
    static final Weighed HYBRID = new Weighed(new ObjectiveWeights(10, 8, 1, 0.5), new GroupLaw(1.5, 2, 0.25));
    static final Weighed FINITE = HYBRID.of(ObjectiveKind.FINITE);
    static final Weighed INFINITESIMAL = HYBRID.of(ObjectiveKind.INFINITESIMAL);

    private static final Normalizers NORMALIZERS = new Normalizers(0.9, 0.4, 0.6);
    private static final int SLOTS = 3;

    /** All weights of an objective. */
    record Weighed(ObjectiveWeights terms, GroupLaw law) {
        Weighed of(ObjectiveKind kind) {
            return new Weighed(kind.select(terms), kind.select(law));
        }
    }

    /**
     * What is recorded.
     *
     * @param size s
     * @param batch samples a step
     * @param width of the action network
     * @param supplied whether the generators are constants
     */
    record Setting(
            PreservedFunction preserved,
            int generators,
            int size,
            Weighed weights,
            int batch,
            int width,
            boolean supplied) {
        /** Small enough for differences; an odd batch, of which three stay and two move. */
        static Setting small(PreservedFunction preserved, int generators, Weighed weights) {
            return new Setting(preserved, generators, 1 + generators, weights, 5, 6, false);
        }

        @Override
        public String toString() {
            return "%s, %d %s of size %d, %s"
                    .formatted(preserved, generators, supplied ? "supplied" : "learned", size, weights);
        }
    }

    private final Setting setting;
    private final PreservedFunction.Example example;
    private final Graph graph = new Graph();
    private final ActionNetwork network;
    private final Tensor rawGenerators;
    private final DisplacementLoss objective;
    private final Program program;
    private final Adam adam = new Adam(10);
    private final SplittableRandom random;
    private final double[] points;
    private final int[] directions;

    RecordedObjective(Setting setting, Precision precision, long seed) {
        this.setting = setting;
        random = new SplittableRandom(seed);
        example = setting.preserved.example(random.split());
        int parameterCount = example.target().parameterCount();
        network = new ActionNetwork(
                graph,
                new ActionShape(setting.size, setting.generators, parameterCount, setting.width, 3, Activation.SILU));
        SplittableRandom forGenerators = random.split();
        Matrix raw = Matrix.zeros(setting.generators, setting.size * setting.size);
        Arrays.setAll(raw.entries(), i -> forGenerators.nextGaussian());
        rawGenerators = setting.supplied ? graph.constant(raw) : graph.parameter(raw.rows(), raw.columns());
        objective = new DisplacementLoss(
                graph,
                network,
                rawGenerators,
                example.target(),
                setting.weights.terms,
                setting.weights.law,
                NORMALIZERS,
                setting.batch,
                SLOTS);
        program = graph.compile(precision);
        points = new double[setting.batch * parameterCount];
        directions = new int[setting.batch];
        network.initialize(program, Initialization.LECUN, random.split());
        for (Tensor tensor : network.tensors()) {
            for (int i = 0; i < tensor.size() && tensor.rows() == 1; i++) {
                program.set(tensor, i, 0.2 * forGenerators.nextGaussian()); // biases begin at zero
            }
        }
        program.set(rawGenerators, raw.entries());
        draw();
    }

    /** Draws points, words and test directions, and evaluates. */
    void draw() {
        for (int i = 0; i < points.length; i++) {
            points[i] = example.origin()[i % example.origin().length] + 0.2 * random.nextGaussian();
        }
        program.set(objective.originals(), points);
        Words words = objective.words();
        for (int i = 0; i < words.coefficients().length; i++) {
            words.coefficients()[i] = random.nextDouble(-0.8, 0.8);
            words.indices()[i] = random.nextInt(setting.generators);
        }
        for (int i = 0; i < directions.length; i++) {
            directions[i] = random.nextInt(setting.generators);
        }
        objective.setDirections(directions);
    }

    /** One whole step of training: new inputs, both passes and the update. */
    void train(int step) {
        draw();
        program.forward();
        program.backward(objective.loss());
        adam.update(program, step, 1e-3);
    }

    Program program() {
        return program;
    }

    DisplacementLoss objective() {
        return objective;
    }

    /** Whether nothing is to be learned there. */
    boolean isConstant(Tensor tensor) {
        return setting.supplied && tensor.equals(rawGenerators);
    }

    /** Weights, biases and generators. */
    List<Tensor> tensors() {
        List<Tensor> tensors = new ArrayList<>(network.tensors());
        tensors.add(rawGenerators);
        return tensors;
    }

    ReferenceAction referenceAction() {
        return new ReferenceAction(
                tensors().stream().map(tensor -> program.get(tensor).entries()).toList(),
                setting.size,
                example.target().parameterCount(),
                Activation.SILU);
    }

    ReferenceObjective referenceObjective() {
        DisplacementLoss.WordRanges ranges = objective.wordRanges();
        int still = (setting.batch + 1) / 2; // of an odd batch, one more stays than moves
        List<ReferenceObjective.Sample> samples = new ArrayList<>();
        for (int i = 0; i < setting.batch; i++) {
            samples.add(new ReferenceObjective.Sample(
                    program.get(objective.originals()).row(i),
                    i < still ? null : word(ranges.moving() + i - still),
                    word(ranges.inner() + i),
                    word(ranges.outer() + i),
                    directions[i]));
        }
        return new ReferenceObjective(samples, example.reference(), setting.weights, NORMALIZERS);
    }

    private ReferenceObjective.Word word(int index) {
        Words words = objective.words();
        return new ReferenceObjective.Word(
                Arrays.copyOfRange(words.coefficients(), index * SLOTS, (index + 1) * SLOTS),
                Arrays.copyOfRange(words.indices(), index * SLOTS, (index + 1) * SLOTS));
    }
}
