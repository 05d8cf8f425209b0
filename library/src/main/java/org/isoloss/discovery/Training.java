package org.isoloss.discovery;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.action.TrainedAction;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Optimizer;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.autodiff.Words;
import org.isoloss.lie.Curriculum;
import org.isoloss.lie.Generators;
import org.isoloss.lie.WordSampler;
import org.isoloss.linalg.BoundGemm;
import org.isoloss.linalg.GemmKernel;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.PointSampler;

/**
 * Training of one action, step by step, in float32. A pure function of the problem, the recipe and the seed: the state
 * after n steps is the same bits whatever happened in between, also across {@link #state} and {@link #restore}.
 */
public final class Training {
    private final Recipe recipe;
    private final long seed;
    private final PointSampler points;
    private final Group group;
    private final Tensor rawGenerators;
    private final Trainee trainee;
    private final TrainingLoss objective;
    private final GemmKernel kernel;
    private final Program program;
    private final Optimizer optimizer;
    private final Curriculum curriculum;
    private final WordSampler[] samplers;
    private final TrainingLoss.InversePairs[] inversePairs;
    private final double[] drawn;
    private final int[] directions;
    private int step;

    /**
     * Records the training step and draws the initial weights.
     *
     * @param problem what is to be preserved, where, and the search class
     * @param kind of the objective
     * @param recipe how to train
     * @param seed of all random streams
     */
    public Training(Problem problem, ObjectiveKind kind, Recipe recipe, long seed) {
        this(problem, kind, recipe, seed, GemmKernel.chosen());
    }

    /**
     * Records the training step and draws the initial weights.
     *
     * @param problem what is to be preserved, where, and the search class
     * @param kind of the objective
     * @param recipe how to train
     * @param seed of all random streams
     * @param kernel of the matrix products, which decides the last bits
     */
    public Training(Problem problem, ObjectiveKind kind, Recipe recipe, long seed, GemmKernel kernel) {
        this.kernel = kernel;
        this.recipe = recipe;
        this.seed = seed;
        points = problem.points();
        group = problem.group();
        Graph graph = new Graph();
        int area = group.size() * group.size();
        rawGenerators = group.supplied()
                .map(fixed -> graph.constant(flattened(fixed.normalised())))
                .orElseGet(() -> graph.parameter(group.count(), area));
        trainee = Trainee.record(graph, problem, kind, recipe, rawGenerators, seed);
        objective = trainee.loss();
        optimizer = recipe.optimizer().record(graph, trainee.tensors(), recipe.clip());
        program = graph.compile(Precision.FLOAT32, kernel);
        curriculum = recipe.ramp() == 0
                ? Curriculum.constant(recipe.words())
                : Curriculum.ramp(recipe.words(), 0.2 * recipe.words().radius(), 5, recipe.steps(), recipe.ramp());
        samplers = curriculum.stages().stream()
                .map(stage -> new WordSampler(stage.words(), group.count()))
                .toArray(WordSampler[]::new);
        inversePairs = objective.inversePairs().toArray(TrainingLoss.InversePairs[]::new);
        drawn = new double[recipe.batch() * points.parameterCount()];
        directions = new int[recipe.batch()];
        initialize();
    }

    private void initialize() {
        SplittableRandom random = Streams.INITIALIZATION.stream(seed);
        trainee.initialize(program, random.split());
        if (group.supplied().isEmpty()) {
            SplittableRandom forGenerators = random.split();
            double[] numbers = new double[rawGenerators.size()];
            Arrays.setAll(numbers, i -> forGenerators.nextGaussian());
            program.set(rawGenerators, numbers);
        }
    }

    private static Matrix flattened(Generators generators) {
        int area = generators.size() * generators.size();
        Matrix rows = Matrix.zeros(generators.count(), area);
        for (int i = 0; i < generators.count(); i++) {
            System.arraycopy(generators.get(i).entries(), 0, rows.entries(), i * area, area);
        }
        return rows;
    }

    /** {@return the number of steps done, from 0 to the recipe's steps} */
    public int stepsDone() {
        return step;
    }

    /**
     * Does one optimiser step.
     *
     * @return the loss before the step; where it is not finite, nothing was changed
     */
    public double step() {
        draw();
        program.forward();
        double loss = program.get(objective.loss(), 0);
        if (!Double.isFinite(loss)) {
            return loss;
        }
        program.backward(objective.loss());
        double norm = optimizer.update(program, step + 1, recipe.learningRate().at(step, recipe.steps()));
        if (!Double.isFinite(norm)) {
            return norm;
        }
        step++;
        return loss;
    }

    private void draw() {
        SplittableRandom random = Streams.TRAINING.stream(seed, step);
        int batch = recipe.batch();
        int parameterCount = points.parameterCount();
        for (int sample = 0; sample < batch; sample++) {
            points.draw(random, drawn, sample * parameterCount);
        }
        program.set(objective.originals(), drawn);
        drawWords(random, samplers[curriculum.stageAt(step)]);
        objective.drawBatches(random, program);
        if (group.count() > 1) {
            for (int sample = 0; sample < batch; sample++) {
                directions[sample] = random.nextInt(group.count());
            }
            objective.setDirections(directions);
        }
    }

    /** Words and inverse pairs, as in appendix {@code app:discovery-objectives}. */
    private void drawWords(SplittableRandom random, WordSampler sampler) {
        Words words = objective.words();
        int slots = words.slots();
        for (int word = 0; word < words.count(); word++) {
            sampler.draw(random, words.coefficients(), words.indices(), word * slots, slots);
        }
        for (TrainingLoss.InversePairs pairs : inversePairs) {
            invertSome(words, pairs);
        }
    }

    private void invertSome(Words words, TrainingLoss.InversePairs pairs) {
        int slots = words.slots();
        for (int sample = 0; sample < recipe.batch(); sample++) {
            if (Math.floor((sample + 1) * pairs.share()) > Math.floor(sample * pairs.share())) {
                WordSampler.invert(
                        words.coefficients(),
                        words.indices(),
                        (pairs.inner() + sample) * slots,
                        slots,
                        words.coefficients(),
                        words.indices(),
                        (pairs.outer() + sample) * slots);
            }
        }
    }

    /** {@return the terms of the loss in the last step, by name, unweighted: in the order of their recording} */
    public Map<String, Double> terms() {
        Map<String, Double> terms = new LinkedHashMap<>();
        for (RecordedLoss.LossTerm term : objective.terms()) {
            terms.put(term.name(), program.get(term.value(), 0));
        }
        return terms;
    }

    /**
     * Returns the matrix products of one step, each bound to its place: running them alone measures the rate that matrix
     * products of these shapes reach. They overwrite results, so this training is good for nothing but measuring
     * afterwards.
     *
     * @return in the order in which they run
     */
    public List<BoundGemm> products() {
        draw();
        return program.products(objective.loss());
    }

    /**
     * {@return the action as trained so far, the action, with supplied generators as they were supplied, and learned ones of
     * Frobenius norm 1}
     */
    public TrainedAction action() {
        return trainee.action(group.supplied().orElseGet(this::learnedGenerators), numbers(trainee.tensors()));
    }

    private Generators learnedGenerators() {
        Matrix rows = program.get(rawGenerators);
        List<Matrix> matrices = new ArrayList<>();
        for (int i = 0; i < rows.rows(); i++) {
            matrices.add(Matrix.of(group.size(), group.size(), rows.row(i)));
        }
        return Generators.normalising(matrices);
    }

    private List<double[]> numbers(List<Tensor> tensors) {
        return tensors.stream().map(tensor -> program.get(tensor).entries()).toList();
    }

    /** {@return all that a later run needs to go on: step, weights and moments; float32 numbers, widened exactly} */
    public TrainingState state() {
        return new TrainingState(
                kernel.name(),
                step,
                numbers(trained()),
                program.moments(false),
                program.moments(true),
                numbers(optimizer.state()));
    }

    /**
     * Goes on from a state of the same problem, recipe and seed.
     *
     * @param state what {@link #state} returned
     * @throws IllegalArgumentException if it was computed with another kernel, whose bits are others
     */
    public void restore(TrainingState state) {
        if (!state.kernel().equals(kernel.name())) {
            throw new IllegalArgumentException(
                    "the training was begun with the matrix products of %s, and goes on only with them; here they are those of %s:"
                                    .formatted(state.kernel(), kernel.name())
                            + " set ISOLOSS_BLAS as it was, or OPENBLAS_CORETYPE=%s, or begin anew in another folder"
                                    .formatted(state.kernel()));
        }
        program.set(trained(), state.weights());
        program.setMoments(state.firstMoments(), state.secondMoments());
        program.set(optimizer.state(), state.bases());
        step = state.step();
    }

    private List<Tensor> trained() {
        List<Tensor> tensors = new ArrayList<>(trainee.tensors());
        if (group.supplied().isEmpty()) {
            tensors.add(rawGenerators);
        }
        return tensors;
    }
}
