package org.isoloss.reproduce;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Moving;
import org.isoloss.model.Subnetwork;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.report.Figure;
import org.isoloss.report.SubnetworkReport;

/** Figure 1: which subsets of parameters pass their symmetries on. The verdicts are computed from the graphs. */
final class SubnetworkFigure {
    private static final long SEED = 31_415;

    private SubnetworkFigure() {}

    static Made make(Study study) {
        return Made.of(List.of(
                panel("figure1a", "(a) Within a wider layer", List.of(2, 4, 2), "0.weight[0:2, :]", "2.weight[:, 0:2]"),
                panel("figure1b", "(b) Within more layers", List.of(2, 3, 3, 2), "0.weight", "2.weight"),
                panel(
                        "figure1c",
                        "(c) Part of a unit's fan",
                        List.of(2, 3, 3, 2),
                        "0.weight[1, 0]",
                        "2.weight[0:2, 1]")));
    }

    private static Figure panel(String name, String title, List<Integer> widths, String... moving) {
        SplittableRandom random = new SplittableRandom(SEED);
        List<DenseLayer> layers = IntStream.range(0, widths.size() - 1)
                .mapToObj(layer -> DenseLayer.of(Matrix.gaussian(widths.get(layer + 1), widths.get(layer), random)))
                .toList();
        DenseNetwork network = new DenseNetwork(Activation.TANH, layers);
        Subnetwork subnetwork = Subnetwork.of(
                Moving.of(network.model(), List.of(moving)),
                network.batches(Matrix.gaussian(4, widths.getFirst(), random)));
        Figure drawn = new SubnetworkReport(name, subnetwork).figure();
        return new Figure(
                name,
                title,
                "Thick edges move, dashed grey edges stay, filled squares are kept. " + drawn.description(),
                drawn.chart());
    }
}
