package org.isoloss.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.isoloss.affine.AffineFields;
import org.isoloss.affine.Architecture;
import org.isoloss.affine.ConstraintSolver;
import org.isoloss.affine.HiddenActivation;
import org.isoloss.affine.Recovery;
import org.isoloss.report.Axis;
import org.isoloss.report.Figure;
import org.isoloss.report.LineChart;
import org.isoloss.report.Series;

/**
 * What a recovery costs against the number of parameters, by blocks and by one dense decomposition, from extraction to exact
 * proof, for one seed. Writes the figure {@code recover-cost}.
 */
public final class RecoveryCost {
    /** Above this the dense decomposition takes minutes and gigabytes. */
    private static final int DENSE = 50;

    private static final List<Architecture> NETWORKS = List.of(
            Architecture.linear(2, 2, 2),
            Architecture.relu(2, 3, 2),
            Architecture.relu(2, 3, 3, 1),
            Architecture.relu(3, 4, 4),
            Architecture.relu(4, 5, 4),
            Architecture.linear(4, 4, 4, 4),
            Architecture.relu(8, 8, 8),
            Architecture.of(HiddenActivation.RELU, true, 8, 16, 8),
            Architecture.relu(16, 16, 16),
            Architecture.relu(64, 16, 10));

    private RecoveryCost() {}

    /**
     * Measures.
     *
     * @param arguments the folder for the figure; not modified
     * @throws IOException when it cannot be written
     */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments.length == 0 ? "runs" : arguments[0]);
        for (int i = 0; i < 3; i++) { // the first networks must not pay for the compiler
            seconds(NETWORKS.get(i), ConstraintSolver.GRADED);
            seconds(NETWORKS.get(i), ConstraintSolver.DENSE);
        }
        List<Series> series = new ArrayList<>();
        for (ConstraintSolver solver : List.of(ConstraintSolver.GRADED, ConstraintSolver.DENSE)) {
            List<double[]> points = new ArrayList<>();
            for (Architecture network : NETWORKS) {
                int p = network.parameterCount();
                if (solver == ConstraintSolver.GRADED || p <= DENSE) {
                    points.add(new double[] {p, seconds(network, solver)});
                    System.out.printf("%s, p = %d, %s: %.3f s%n", network.label(), p, solver, points.getLast()[1]);
                }
            }
            series.add(Series.of(
                    solver == ConstraintSolver.GRADED ? "by blocks" : "one dense decomposition",
                    Series.Style.LINE,
                    points.stream().mapToDouble(point -> point[0]).toArray(),
                    points.stream().mapToDouble(point -> point[1]).toArray()));
        }
        new Figure(
                        "recover-cost",
                        "Cost of recovering all affine fields of a network",
                        "CPU time of one extraction with its exact proof, against the number of parameters p from 8 to 1,184;"
                                + " the dense decomposition has p (p + 1) unknowns and is shown up to p = "
                                + DENSE
                                + ".",
                        new LineChart(Axis.log("parameters p", ""), Axis.log("CPU time", "s"), series))
                .write(folder);
    }

    private static double seconds(Architecture network, ConstraintSolver solver) {
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        Recovery recovery = AffineFields.of(network).solver(solver).seeds(101).recover();
        recovery.orThrow();
        return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start) / 1e9;
    }
}
