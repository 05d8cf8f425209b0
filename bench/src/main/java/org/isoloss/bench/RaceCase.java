package org.isoloss.bench;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.Initialization;
import org.isoloss.discovery.ActionArchitecture.Displacement;
import org.isoloss.discovery.Group;
import org.isoloss.discovery.GroupLaw;
import org.isoloss.discovery.LearningRate;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.ObjectiveWeights;
import org.isoloss.discovery.OptimizerChoice;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.Training;
import org.isoloss.lie.WordDistribution;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.Support;

/**
 * The training steps of the race, as {@code bench/peers/STEP.md} defines them: one learned 2x2 generator, batch 32, an
 * action network of 3 x 256 SiLU units, the hybrid objective with finite preservation.
 *
 * <p>The loss is the same to the last factor: parameter scale 1 and beta 0.5 give the scale term its 0.25, and as they
 * also divide the transport and composition residuals by 0.5, these have weight 0.25 in place of 1. Words have one
 * factor, drawn as isoloss always does: lengths uniform from 0.1 to 0.5 with a random sign, where the peers draw
 * uniformly from -0.5 to 0.5. Neither changes the cost of a step.
 */
enum RaceCase {
    /** Two scalar parameters of {@code u sigmoid(0.7 x) + 0.9 sigmoid(v x)} at x = 1.3. */
    P2 {
        @Override
        ModelTarget target(SplittableRandom random) {
            double u = 0.5 * random.nextGaussian();
            double v = 0.5 * random.nextGaussian();
            DenseNetwork network = new DenseNetwork(
                    Activation.SIGMOID,
                    List.of(DenseLayer.of(Matrix.of(2, 1, 0.7, v)), DenseLayer.of(Matrix.of(1, 2, u, 0.9))));
            ParameterLayout layout = network.layout();
            Support support = Support.indices(
                    layout,
                    layout.entry("2.weight").index(0, 0),
                    layout.entry("0.weight").index(1, 0));
            return DenseTarget.outputs(network, support, Matrix.of(1, 1, 1.3));
        }
    },

    /** The 96 outer weights of a 4-16-16-2 tanh network, on 24 inputs. */
    P96 {
        @Override
        ModelTarget target(SplittableRandom random) {
            DenseNetwork network = new DenseNetwork(
                    Activation.TANH,
                    List.of(
                            DenseLayer.of(normal(random, 16, 4, 0.5)),
                            DenseLayer.of(normal(random, 16, 16, 0.25)),
                            DenseLayer.of(normal(random, 2, 16, 0.5))));
            Support support = Support.tensors(network.layout(), "0.weight", "4.weight");
            return DenseTarget.outputs(network, support, normal(random, 24, 4, 1));
        }
    };

    private static final Recipe RECIPE = new Recipe(
            new Displacement(256, 3, Initialization.LECUN, new GroupLaw(0.25, 0.25, 0)),
            Integer.MAX_VALUE,
            32,
            new LearningRate.Constant(1e-3),
            new ObjectiveWeights(10, 10, 1, 0),
            0.5,
            WordDistribution.exactly(0.5, 1),
            0,
            new OptimizerChoice.Adam(),
            10);

    abstract ModelTarget target(SplittableRandom random);

    Training training(long seed) {
        ModelTarget target = target(new SplittableRandom(seed));
        GaussianPoints points = new GaussianPoints(target.origin(), 0.2, 0);
        return new Training(new Problem(target, points, Group.ONE_GENERATOR, 1, 1), ObjectiveKind.HYBRID, RECIPE, seed);
    }

    private static Matrix normal(SplittableRandom random, int rows, int columns, double deviation) {
        Matrix matrix = Matrix.zeros(rows, columns);
        Arrays.setAll(matrix.entries(), i -> deviation * random.nextGaussian());
        return matrix;
    }
}
