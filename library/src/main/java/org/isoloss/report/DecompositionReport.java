package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.decomposition.Decomposition;
import org.isoloss.decomposition.DecompositionCheck;
import org.isoloss.decomposition.SubnetworkFactor;
import org.isoloss.linalg.Matrix;

/**
 * A decomposition as a table and a picture.
 *
 * @param name of the task
 * @param units their numbers in the layer
 * @param decomposition the factors
 * @param check what they keep
 */
public record DecompositionReport(
        String name, List<Integer> units, Decomposition decomposition, DecompositionCheck check) {
    /**
     * Lists what was found and checked.
     *
     * @return one row
     */
    public Table table() {
        int most = decomposition.coordinates().compensators().length + 1;
        return Table.of(
                        "%s: the factors at %d points; each changes at most k + 1 = %d units%s"
                                .formatted(
                                        name,
                                        check.points(),
                                        most,
                                        decomposition.coordinates().hasProperSubnetworks()
                                                ? ""
                                                : ", and the layer has no more: no subnetwork is proper"),
                        Column.count("parts", "Parts"),
                        Column.scientific("derivative", "||D(psi - id)||", 2),
                        Column.count("factors", "Factors"),
                        Column.count("units", "Units"),
                        Column.scientific("motion", "Motion", 2),
                        Column.scientific("product", "Product", 2),
                        Column.scientific("output", "Output", 2),
                        Column.scientific("inverse", "Inverse", 2))
                .row(
                        (long) decomposition.parts().size(),
                        largestNorm(),
                        (long) check.factors(),
                        (long) check.mostUnits(),
                        check.motion(),
                        check.productError(),
                        check.outputError(),
                        check.inverseError());
    }

    /**
     * {@return the largest norm of {@code D(psi - id)} that was measured on an increment, at most {@link
     * Decomposition#LARGEST_NORM}}
     */
    public double largestNorm() {
        return decomposition.parts().stream()
                .mapToDouble(Decomposition.Part::derivativeNorm)
                .max()
                .orElse(0);
    }

    /**
     * Draws which unit the factors of each part move, and how far.
     *
     * @param points where the factors are applied, shape (n, p); not modified
     * @return a heat map: hidden units from top to bottom, parts of [0, 1] from left to right
     */
    public Figure figure(Matrix points) {
        List<Decomposition.Part> parts = decomposition.parts();
        Matrix motion = Matrix.zeros(units.size(), parts.size());
        for (int row = 0; row < points.rows(); row++) {
            double[] at = points.row(row);
            int part = 0;
            for (SubnetworkFactor factor : decomposition.factors()) {
                while (parts.get(part).from() < factor.from()) {
                    part++;
                }
                double[] next = factor.apply(at);
                double moved = motion.get(factor.unit(), part);
                for (int i = 0; i < next.length; i++) {
                    moved = Math.max(moved, Math.abs(next[i] - at[i]));
                }
                motion.set(factor.unit(), part, moved);
                at = next;
            }
        }
        return new Figure(
                "factors",
                "What the factors move",
                "Largest change of a parameter by a factor, over all points: for each hidden unit that a factor moves beside the compensating units, and each part of the interval of the family. Darker is farther.",
                new HeatMap(
                        "hidden unit",
                        units.stream().map(String::valueOf).toList(),
                        "part of [0, 1]",
                        IntStream.rangeClosed(1, parts.size())
                                .mapToObj(Integer::toString)
                                .toList(),
                        Axis.linear("largest change", ""),
                        motion));
    }

    /**
     * Writes {@code report.html}, {@code figures/} and {@code tables/}.
     *
     * @param points where the factors are applied, shape (n, p); not modified
     * @param provenance where the result came from
     * @param folder made where it is missing
     * @throws IOException when a file cannot be written
     */
    public void write(Matrix points, Provenance provenance, Path folder) throws IOException {
        HtmlPage.of(
                        "A symmetry in small pieces: %s".formatted(name),
                        "The end of an output-preserving family is the product of %d maps, each of which changes at most %d hidden units and keeps every output."
                                .formatted(check.factors(), check.mostUnits()))
                .section("What the factors keep")
                .table("decomposition", table())
                .figure(figure(points))
                .save(folder, provenance);
    }
}
