package org.isoloss.discovery;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;
import org.isoloss.action.TrainedAction;
import org.isoloss.model.CompensatedTarget;
import org.isoloss.model.Model;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.PointSampler;

/**
 * The learning of an action of a group on parameters of a model, in memory: what moves, what is protected, then {@link #run}.
 * {@link Fit} does the same in a folder, where it can be interrupted.
 *
 * <p>{@snippet :
 * Discovered found = Discovery.of(model)
 *         .moving("conv1.weight[0]", "head.weight")
 *         .protecting(Map.of("images", images))
 *         .seed(101)
 *         .run();
 * double[] theta = found.action().apply(GroupWord.exp(0.5), found.origin());
 * }
 */
public final class Discovery {
    /** Standard deviation of the points, in root-mean-square moving numbers, where none is chosen. */
    public static final double DEVIATION = 0.1;

    private static final long CALIBRATED = 31_415; // seed of the scales, one for all seeds of a fit

    private final Model model;
    private List<String> parts = List.of();
    private List<Map<String, double[]>> batches = List.of();
    private String[] outputs = {};
    private double deviation = DEVIATION;
    private Group group = Group.ONE_GENERATOR;
    private ObjectiveKind objective = ObjectiveKind.HYBRID;
    private Recipe recipe = Recipe.DEFAULT;
    private long seed;
    private DoubleConsumer progress = share -> {};

    private Discovery(Model model) {
        this.model = model;
    }

    /**
     * Begins with a model.
     *
     * @param model of any kind, opened for the shapes of the protected inputs
     * @return nothing moves and nothing is protected yet
     */
    public static Discovery of(Model model) {
        return new Discovery(model);
    }

    /**
     * Chooses what moves. Of several tensors the first one moves and the others compensate.
     *
     * @param chosen tensors, or parts of them as {@link Moving} reads them; all parameters where none is named
     * @return this
     */
    public Discovery moving(String... chosen) {
        parts = List.of(chosen);
        return this;
    }

    /**
     * Protects the outputs for inputs.
     *
     * @param inputs the numbers of every input of the model, row-major; not modified
     * @return this
     */
    public Discovery protecting(Map<String, double[]> inputs) {
        batches = List.of(inputs);
        return this;
    }

    /**
     * Protects some outputs only.
     *
     * @param names of outputs
     * @return this
     */
    public Discovery outputs(String... names) {
        outputs = names.clone();
        return this;
    }

    /**
     * Chooses where parameters are sampled: normal around those of the model.
     *
     * @param share standard deviation of each coordinate in root-mean-square moving numbers, positive
     * @return this
     */
    public Discovery deviation(double share) {
        deviation = share;
        return this;
    }

    /**
     * Chooses the search class.
     *
     * @param searched learned or supplied generators
     * @return this
     */
    public Discovery group(Group searched) {
        group = searched;
        return this;
    }

    /**
     * Chooses how to train.
     *
     * @param kind which terms the loss has
     * @param chosen the recipe
     * @return this
     */
    public Discovery training(ObjectiveKind kind, Recipe chosen) {
        objective = kind;
        recipe = chosen;
        return this;
    }

    /**
     * Chooses the random streams.
     *
     * @param chosen any
     * @return this
     */
    public Discovery seed(long chosen) {
        seed = chosen;
        return this;
    }

    /**
     * Asks to be told of the progress.
     *
     * @param told of the share of the steps that is done, from 0 to 1, after each
     * @return this
     */
    public Discovery progress(DoubleConsumer told) {
        progress = told;
        return this;
    }

    /**
     * Returns what is to be learned.
     *
     * @param moving the parameters that move
     * @param target the function to be preserved
     * @param points where parameters are sampled
     * @param group the search class
     * @param taskSeed of the scales
     * @return the problem; of several tensors the first one moves and the others compensate
     */
    public static Problem problem(Moving moving, ModelTarget target, PointSampler points, Group group, long taskSeed) {
        return Problem.calibrated(
                moving.places().size() > 1 ? new CompensatedTarget(target) : target,
                points,
                group,
                new SplittableRandom(taskSeed));
    }

    /**
     * Trains.
     *
     * @return the action and what it was trained for
     * @throws IllegalStateException when a number becomes infinite or NaN, with the step
     */
    public Discovered run() {
        Moving moving = parts.isEmpty() ? Moving.all(model) : Moving.of(model, parts);
        if (batches.isEmpty()) {
            throw new IllegalArgumentException("Discovery: nothing is protected; give inputs by protecting(...)");
        }
        ModelTarget target = ModelTarget.of(moving, batches, outputs);
        double spread = deviation * moving.scale();
        Problem problem = problem(moving, target, new GaussianPoints(target.origin(), spread, 0), group, CALIBRATED);
        Training training = new Training(problem, objective, recipe, seed);
        while (training.stepsDone() < recipe.steps()) {
            int step = training.stepsDone();
            double loss = training.step();
            if (training.stepsDone() == step) {
                throw new IllegalStateException(
                        "Discovery: the loss became %s at step %d; lower the learning rate of the recipe"
                                .formatted(loss, step));
            }
            progress.accept((step + 1.0) / recipe.steps());
        }
        return new Discovered(training.action(), problem, moving, seed);
    }

    /**
     * What was learned.
     *
     * @param action on vectors of moving parameters
     * @param problem what it was trained for
     * @param moving which parameters these are
     * @param seed of the training
     */
    public record Discovered(TrainedAction action, Problem problem, Moving moving, long seed) {
        /** {@return the moving parameters as the model has them, length p} */
        public double[] origin() {
            return moving.origin();
        }
    }
}
