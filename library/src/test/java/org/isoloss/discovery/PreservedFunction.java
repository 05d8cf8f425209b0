package org.isoloss.discovery;

import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;
import org.isoloss.model.ModelTarget;
import org.isoloss.network.Activation;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.Networks;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.Support;

/** Small examples of what the paper preserves, as a target and once more in plain loops. */
enum PreservedFunction {
    /** The separated layers: first and last matrix of a tanh network. */
    TANH_NETWORK {
        @Override
        Example example(SplittableRandom random) {
            return network(random, Activation.TANH, new int[] {2, 3, 3, 2}, "0.weight", "4.weight");
        }
    },
    /** A linear network with two 2 x 2 factors. */
    LINEAR_NETWORK {
        @Override
        Example example(SplittableRandom random) {
            return network(random, Activation.IDENTITY, new int[] {2, 2, 2}, "0.weight", "2.weight");
        }
    },
    /** One moving and two compensating sigmoid units in reduced coordinates. */
    SIGMOID_SITE {
        @Override
        Example example(SplittableRandom random) {
            DenseNetwork network = Networks.random(random, Activation.SIGMOID, true, 3, 5, 2);
            SiteCoordinates coordinates = SiteCoordinates.reduced(CompensationSite.choose(
                    network.block(0), Networks.gaussian(random, 2, 3), new MovingUnits.LargestContribution(1)));
            return new Example(coordinates, ReferenceTarget.site(coordinates), coordinates.origin());
        }
    };

    /** A target, its reference and a point around which parameters are drawn. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Example(DifferentiableTarget target, ReferenceTarget reference, double[] origin) {}

    abstract Example example(SplittableRandom random);

    private static Example network(SplittableRandom random, Activation activation, int[] widths, String... tensors) {
        DenseNetwork network = Networks.random(random, activation, false, widths);
        Support support = Support.tensors(network.layout(), tensors);
        Matrix inputs = Networks.gaussian(random, 3, widths[0]);
        ModelTarget target = DenseTarget.outputs(network, support, inputs);
        return new Example(target, ReferenceTarget.network(network, support, inputs), target.origin());
    }
}
