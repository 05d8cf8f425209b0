package org.isoloss.discovery;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.ActionNetwork;
import org.isoloss.action.ActionShape;
import org.isoloss.action.BatchedAction;
import org.isoloss.action.BatchedShape;
import org.isoloss.action.ConjugatedAction;
import org.isoloss.action.ConjugatedShape;
import org.isoloss.action.CouplingNetwork;
import org.isoloss.action.Initialization;
import org.isoloss.action.LatentAction;
import org.isoloss.action.LearnedAction;
import org.isoloss.action.ResponseNetwork;
import org.isoloss.action.TrainedAction;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.lie.Generators;
import org.isoloss.network.Activation;
import org.isoloss.network.BatchView;
import org.isoloss.network.SiteCoordinates;

/** The network that is trained, with its loss in the same graph: all that {@link Training} knows of an architecture. */
sealed interface Trainee {
    TrainingLoss loss();

    /** The trained tensors of the network, in the order of the weights of the action. */
    List<Tensor> tensors();

    /** Draws the initial weights. */
    void initialize(Program program, SplittableRandom random);

    /** The action with these numbers. */
    TrainedAction action(Generators generators, List<double[]> weights);

    /** Records the architecture that a recipe asks for. */
    static Trainee record(
            Graph graph, Problem problem, ObjectiveKind kind, Recipe recipe, Tensor rawGenerators, long seed) {
        return switch (recipe.architecture()) {
            case ActionArchitecture.Displacement chosen ->
                Displacement.record(graph, problem, kind, recipe, chosen, rawGenerators);
            case ActionArchitecture.Conjugated chosen ->
                Conjugated.record(graph, problem, kind, recipe, chosen, rawGenerators, seed);
            case ActionArchitecture.Batched chosen ->
                Batched.record(graph, problem, kind, recipe, chosen, rawGenerators);
        };
    }

    /** The paper's action network. */
    record Displacement(ActionShape shape, ActionNetwork network, Initialization initialization, DisplacementLoss loss)
            implements Trainee {
        private static Displacement record(
                Graph graph,
                Problem problem,
                ObjectiveKind kind,
                Recipe recipe,
                ActionArchitecture.Displacement chosen,
                Tensor rawGenerators) {
            Group group = problem.group();
            int parameterCount = problem.target().parameterCount();
            ActionShape shape = new ActionShape(
                    group.size(), group.count(), parameterCount, chosen.width(), chosen.depth(), Activation.SILU);
            ActionNetwork network = new ActionNetwork(graph, shape);
            DisplacementLoss loss = new DisplacementLoss(
                    graph,
                    network,
                    rawGenerators,
                    problem.target(),
                    kind.select(recipe.weights()),
                    kind.select(chosen.law()),
                    problem.normalizers(recipe.beta()),
                    recipe.batch(),
                    recipe.words().mostFactors());
            return new Displacement(shape, network, chosen.initialization(), loss);
        }

        @Override
        public List<Tensor> tensors() {
            return network.tensors();
        }

        @Override
        public void initialize(Program program, SplittableRandom random) {
            network.initialize(program, initialization, random);
        }

        @Override
        public TrainedAction action(Generators generators, List<double[]> weights) {
            return new LearnedAction(shape, generators, weights);
        }
    }

    /** Invertible coordinates of a fixed action. */
    record Conjugated(ConjugatedShape shape, CouplingNetwork network, ConjugatedLoss loss) implements Trainee {
        private static final int COUPLINGS = 4;

        /** Samples from which the offset of a linear action is found. */
        private static final int SAMPLES = 64;

        /** Distance of the singular point, in root-mean-square distances of the samples from their mean. */
        private static final double CLEARANCE = 4;

        private static Conjugated record(
                Graph graph,
                Problem problem,
                ObjectiveKind kind,
                Recipe recipe,
                ActionArchitecture.Conjugated chosen,
                Tensor rawGenerators,
                long seed) {
            Normalizers normalizers = problem.normalizers(recipe.beta());
            LatentAction latent = problem.group().isTranslations()
                    ? new LatentAction.Translation(problem.group().count(), normalizers.field())
                    : linear(problem, seed);
            ConjugatedShape shape = new ConjugatedShape(
                    latent, problem.target().parameterCount(), COUPLINGS, chosen.width(), chosen.depth(), seed);
            CouplingNetwork network = new CouplingNetwork(graph, shape);
            ConjugatedLoss loss = new ConjugatedLoss(
                    graph,
                    network,
                    latent,
                    rawGenerators,
                    problem.target(),
                    kind.select(recipe.weights()),
                    normalizers,
                    recipe.batch(),
                    recipe.words().mostFactors());
            return new Conjugated(shape, network, loss);
        }

        /** The network begins near the identity, so the coordinates begin as the first parameters. */
        private static LatentAction.Linear linear(Problem problem, long seed) {
            int size = problem.group().size();
            int count = problem.points().parameterCount();
            if (count < size) {
                throw new IllegalArgumentException(
                        "Training: a group of size %d acts on as many coordinates, but there are %d parameters"
                                .formatted(size, count));
            }
            double[][] samples = new double[SAMPLES][count];
            SplittableRandom random = Streams.CALIBRATION.stream(seed);
            double[] mean = new double[size];
            for (double[] sample : samples) {
                problem.points().draw(random, sample, 0);
                for (int i = 0; i < size; i++) {
                    mean[i] += sample[i] / SAMPLES;
                }
            }
            double squares = 0;
            for (double[] sample : samples) {
                for (int i = 0; i < size; i++) {
                    squares += (sample[i] - mean[i]) * (sample[i] - mean[i]);
                }
            }
            double distance = CLEARANCE * Math.sqrt(squares / SAMPLES);
            List<Double> offset = new ArrayList<>();
            for (double center : mean) {
                offset.add(distance / Math.sqrt(size) - center);
            }
            return new LatentAction.Linear(offset);
        }

        @Override
        public List<Tensor> tensors() {
            return network.tensors();
        }

        @Override
        public void initialize(Program program, SplittableRandom random) {
            network.initialize(program, random);
        }

        @Override
        public TrainedAction action(Generators generators, List<double[]> weights) {
            return new ConjugatedAction(shape, generators, weights);
        }
    }

    /** The response of the moving unit, for many batches; the action is at hand for the batch of the problem's target. */
    record Batched(BatchedShape shape, ResponseNetwork network, BatchedLoss loss, BatchView batch) implements Trainee {
        /** Least change of the response in output scales: ten times the tolerance at the length that words have in tests, 0.5. */
        private static final double LEAST_SEEN = 0.05;

        private static Batched record(
                Graph graph,
                Problem problem,
                ObjectiveKind kind,
                Recipe recipe,
                ActionArchitecture.Batched chosen,
                Tensor rawGenerators) {
            if (!(problem.target() instanceof SiteCoordinates site)
                    || problem.pool().isEmpty()) {
                throw new IllegalArgumentException(
                        "Training: an action for many batches is trained at a compensation site, on a pool of batches; give both");
            }
            if (!problem.group().isTranslations() || problem.group().count() != 1) {
                throw new IllegalArgumentException(
                        "Training: an action for many batches has the group of translations with one generator; leave 'group' out");
            }
            BatchView batch = BatchView.of(site);
            Normalizers normalizers = problem.normalizers(recipe.beta());
            BatchedShape shape = new BatchedShape(
                    site.readout().rows(),
                    batch.inputCount(),
                    batch.inputs().columns(),
                    batch.directions().columns(),
                    chosen.width(),
                    chosen.depth(),
                    normalizers.field(),
                    LEAST_SEEN);
            ResponseNetwork network = new ResponseNetwork(graph, shape);
            BatchedLoss loss = new BatchedLoss(
                    graph,
                    network,
                    shape,
                    rawGenerators,
                    site,
                    problem.pool().get(),
                    kind.select(recipe.weights()),
                    normalizers,
                    recipe.batch(),
                    recipe.words().mostFactors());
            return new Batched(shape, network, loss, batch);
        }

        @Override
        public List<Tensor> tensors() {
            return network.tensors();
        }

        @Override
        public void initialize(Program program, SplittableRandom random) {
            network.initialize(program, random);
        }

        @Override
        public TrainedAction action(Generators generators, List<double[]> weights) {
            return new BatchedAction(shape, generators, weights, batch);
        }
    }
}
