package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.ActionShape;
import org.isoloss.action.CompensatingAction;
import org.isoloss.action.GroupAction;
import org.isoloss.action.HiddenBasisAction;
import org.isoloss.action.LearnedAction;
import org.isoloss.action.RescalingAction;
import org.isoloss.discovery.ActionArchitecture.Displacement;
import org.isoloss.discovery.Group;
import org.isoloss.discovery.LearningRate;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.Training;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.lie.WordDistribution;
import org.isoloss.lie.WordSampler;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;
import org.isoloss.model.ModelTarget;
import org.isoloss.network.Activation;
import org.isoloss.network.Calibration;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.Networks;
import org.isoloss.network.PointSampler;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.Support;

/**
 * An action, exact or not, on a small network.
 *
 * @param exact whether it obeys every law to rounding
 */
record BoundCase(String name, GroupAction action, DifferentiableTarget target, PointSampler points, boolean exact) {
    /** Two words and a point for each of many rows. */
    record Drawn(List<GroupPath> second, Matrix first, List<GroupPath> back, Matrix points) {}

    @Override
    public String toString() {
        return name;
    }

    ErrorBounds bounds() {
        return ErrorBounds.of(action, target, target::jacobian);
    }

    Drawn draw(int count, double radius, SplittableRandom random) {
        Generators generators = action.generators();
        Matrix drawn = Matrix.zeros(count, action.parameterCount());
        Matrix first = Matrix.zeros(count, generators.size() * generators.size());
        List<GroupPath> second = new ArrayList<>();
        List<GroupPath> back = new ArrayList<>();
        var sampler = new WordSampler(WordDistribution.upTo(radius, 3), generators.count());
        for (int row = 0; row < count; row++) {
            points.draw(random, drawn.entries(), row * drawn.columns());
            GroupWord word = sampler.draw(random);
            Rows.set(first, row, word.matrix(generators).entries());
            back.add(GroupPath.of(word.inverse(), generators));
            second.add(GroupPath.of(sampler.draw(random), generators));
        }
        return new Drawn(second, first, back, drawn);
    }

    /** Ten actions: four exact, two learned, four broken. */
    static List<BoundCase> all() {
        return List.of(
                basis(),
                rescaling(),
                compensation(false),
                compensation(true),
                untrained(),
                shortlyTrained(),
                broken("hidden basis with a wave", basis(), 0, 0.05),
                broken("compensation with a wave", compensation(false), 0, 0.02),
                broken("rescaling with a wrong identity", rescaling(), 0.01, 0),
                lawless());
    }

    private static BoundCase broken(String name, BoundCase exact, double shift, double size) {
        return new BoundCase(name, new PerturbedAction(exact.action, shift, size), exact.target, exact.points, false);
    }

    static BoundCase basis() {
        DenseNetwork network = new DenseNetwork(
                Activation.IDENTITY, List.of(DenseLayer.of(Matrix.identity(2)), DenseLayer.of(Matrix.identity(2))));
        ModelTarget target = DenseTarget.outputs(network, Support.all(network.layout()), Matrix.identity(2));
        return new BoundCase(
                "hidden basis",
                HiddenBasisAction.of(network),
                target,
                new GaussianPoints(target.origin(), 0.2, 0),
                true);
    }

    private static BoundCase rescaling() {
        var random = new SplittableRandom(41);
        DenseNetwork network = Networks.random(random, Activation.RELU, false, 2, 3, 1);
        ModelTarget target =
                DenseTarget.outputs(network, Support.all(network.layout()), Networks.gaussian(random, 3, 2));
        return new BoundCase(
                "rescaling", RescalingAction.of(network), target, new GaussianPoints(target.origin(), 0.3, 0), true);
    }

    static BoundCase compensation(boolean plain) {
        var random = new SplittableRandom(42);
        DenseNetwork network = Networks.random(random, Activation.TANH, true, 2, 4, 2);
        CompensationSite site = CompensationSite.choose(
                network.block(0), Networks.gaussian(random, 2, 2), new MovingUnits.MostSensitive(1));
        SiteCoordinates target = plain ? SiteCoordinates.plain(site) : SiteCoordinates.reduced(site);
        return new BoundCase(
                plain ? "compensation in plain coordinates" : "compensation",
                CompensatingAction.at(target),
                target,
                new GaussianPoints(target.origin(), 0.2 * target.weightScale(), 0),
                true);
    }

    /** A sigmoid network of two units on two inputs. */
    private static ModelTarget sigmoid(SplittableRandom random) {
        DenseNetwork network = Networks.random(random, Activation.SIGMOID, false, 1, 2, 1);
        return DenseTarget.outputs(network, Support.all(network.layout()), Networks.gaussian(random, 2, 1));
    }

    private static BoundCase lawless() {
        ModelTarget target = sigmoid(new SplittableRandom(43));
        return new BoundCase(
                "no law but the identity",
                new LawlessAction(),
                target,
                new GaussianPoints(target.origin(), 0.3, 0),
                false);
    }

    static BoundCase untrained() {
        var random = new SplittableRandom(44);
        ModelTarget target = sigmoid(random);
        var shape = new ActionShape(2, 2, target.parameterCount(), 8, 2, Activation.SILU);
        int[] sizes = {8 * 8, 8, 8 * 8, 8, 8 * 4};
        List<double[]> weights = new ArrayList<>();
        for (int size : sizes) {
            weights.add(Networks.gaussian(random, 1, size).scaled(0.4).entries());
        }
        Generators generators =
                Generators.normalising(List.of(Networks.gaussian(random, 2, 2), Networks.gaussian(random, 2, 2)));
        return new BoundCase(
                "an untrained network",
                new LearnedAction(shape, generators, weights),
                target,
                new GaussianPoints(target.origin(), 0.3, 0),
                false);
    }

    private static BoundCase shortlyTrained() {
        BoundCase linear = basis();
        Calibration scales = Calibration.of(linear.target, linear.points, new SplittableRandom(45));
        Problem problem = new Problem(
                linear.target, linear.points, Group.ONE_GENERATOR, scales.parameterScale(), scales.outputScale());
        Recipe base = Recipe.DEFAULT;
        int steps = 200;
        Displacement network = (Displacement) base.architecture();
        Recipe recipe = new Recipe(
                new Displacement(16, 2, network.initialization(), network.law()),
                steps,
                16,
                new LearningRate.Cosine(6e-3, 40, 1e-3),
                base.weights(),
                base.beta(),
                base.words(),
                base.ramp(),
                base.optimizer(),
                base.clip());
        Training training = new Training(problem, ObjectiveKind.HYBRID, recipe, 1);
        for (int step = 0; step < steps; step++) {
            training.step();
        }
        return new BoundCase("a shortly trained network", training.action(), linear.target, linear.points, false);
    }
}
