package org.isoloss.discovery;

import java.util.List;
import org.isoloss.discovery.ActionArchitecture.Displacement;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.network.Activation;
import org.isoloss.network.Calibration;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.NonsingularPoints;
import org.isoloss.network.PointSampler;
import org.isoloss.network.Support;

/** The two-layer linear network of the paper, with a narrow action network, for short fits. */
final class TinyFit {
    private TinyFit() {}

    static Problem linear(Group group) {
        DenseNetwork network = new DenseNetwork(
                Activation.IDENTITY, List.of(DenseLayer.of(Matrix.identity(2)), DenseLayer.of(Matrix.identity(2))));
        ModelTarget target = DenseTarget.outputs(network, Support.all(network.layout()), Matrix.identity(2));
        PointSampler points = new NonsingularPoints(
                new GaussianPoints(network.parameters(), 0.2, 0),
                List.of(new NonsingularPoints.Factor(0, 2), new NonsingularPoints.Factor(4, 2)));
        Calibration scales = Calibration.of(target, points, Streams.CALIBRATION.stream(1));
        return new Problem(target, points, group, scales.parameterScale(), scales.outputScale());
    }

    static Recipe recipe(int steps, int width) {
        return recipe(steps, width, OptimizerKind.ADAM);
    }

    static Recipe recipe(int steps, int width, OptimizerKind optimizer) {
        Recipe base = Recipe.DEFAULT;
        Displacement network = (Displacement) base.architecture();
        return new Recipe(
                new Displacement(width, 2, network.initialization(), network.law()),
                steps,
                16,
                new LearningRate.Cosine(6e-3, Math.min(100, steps / 5), 1e-3),
                base.weights(),
                base.beta(),
                base.words(),
                base.ramp(),
                OptimizerChoice.of(optimizer, 5), // not a divisor of the width
                base.clip());
    }
}
