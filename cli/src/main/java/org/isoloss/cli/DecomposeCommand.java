package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.isoloss.action.FlowAction;
import org.isoloss.action.SmoothCutoff;
import org.isoloss.action.VectorField;
import org.isoloss.decomposition.Decomposition;
import org.isoloss.decomposition.DecompositionCheck;
import org.isoloss.decomposition.Grouping;
import org.isoloss.decomposition.OutputCoordinates;
import org.isoloss.decomposition.OutputPreservingFamily;
import org.isoloss.decomposition.TwistFamily;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.report.DecompositionReport;
import org.isoloss.report.Provenance;
import org.isoloss.task.ProtectedUnits;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;
import org.isoloss.task.Task.SiteChoice;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Takes an output-preserving transformation apart into transformations of small subnetworks. */
@Command(
        name = "decompose",
        description =
                "Writes a transformation that keeps the outputs as a product of maps that change k + 1 hidden units each.",
        mixinStandardHelpOptions = true)
final class DecomposeCommand implements Callable<Integer> {
    private static final double REACH = 1;
    private static final double FLOW_TOLERANCE = 1e-12;
    private static final double FLOW_SPEED = 0.5;
    private static final double PROMISED = 1e-10;

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Mixin
    private final TaskOptions taskOptions = new TaskOptions();

    @Option(
            names = "--flow",
            description = "Decompose the flow of a random direction, projected and cut off, instead of a twist.")
    private boolean flow;

    @Option(
            names = "--turns",
            paramLabel = "R",
            description = "Full turns of the twist at its centre, 1/3 where left out.")
    private double turns = 1.0 / 3;

    @Option(names = "--by-unit", description = "One factor for each hidden unit instead of each coordinate.")
    private boolean byUnit;

    @Option(
            names = "--layer",
            paramLabel = "N",
            description = "Which layer of hidden units, from 0; that of the task's site, or 0, where left out.")
    private @Nullable Integer layer;

    @Option(
            names = "--units",
            paramLabel = "N",
            split = ",",
            description = "The hidden units that may change, from 0; all of the layer where left out.")
    private List<Integer> units = new ArrayList<>();

    @Option(
            names = "--points",
            paramLabel = "N",
            description = "Points at which everything is measured, 4 where left out.")
    private int points = 4;

    @Override
    public Integer call() throws Exception {
        if (points < 1) {
            throw new IllegalArgumentException("--points is %d, expected at least 1".formatted(points));
        }
        Task task = taskOptions.task();
        Setting setting = Setting.of(task, taskOptions.folder());
        Notices.print(spec, setting);
        var random = new SplittableRandom(shared.seed(101));
        SiteChoice site = task.site();
        int chosen = layer != null ? layer : site != null && site.layer() != null ? site.layer() : 0;
        ProtectedUnits hidden = ProtectedUnits.of(setting, chosen, units);
        OutputCoordinates coordinates = OutputCoordinates.choose(hidden.block(), hidden.inputs());
        OutputPreservingFamily family = flow
                ? flow(coordinates, random.split())
                : TwistFamily.of(coordinates, REACH, 0, coordinates.movingCount() - 1, turns);
        Matrix starts = starts(coordinates, points, random.split());
        long start = System.nanoTime();
        Decomposition decomposition =
                Decomposition.of(coordinates, family, starts, byUnit ? Grouping.UNIT : Grouping.COORDINATE);
        var check = DecompositionCheck.of(coordinates, family, decomposition.factors(), starts, hidden::outputs);
        double seconds = (System.nanoTime() - start) * 1e-9;
        var report = new DecompositionReport(task.name(), hidden.units(), decomposition, check);
        PrintWriter out = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            out.println(JsonMapper.shared().writeValueAsString(summary(report)));
        } else {
            out.print(report.table().toText());
            out.printf("%d factors, made and checked in %.1f s%n", check.factors(), seconds);
        }
        Path folder = shared.out(Path.of("runs", task.name()));
        report.write(starts, provenance(task), folder);
        if (!(check.motion() > PROMISED)) {
            throw new UnusableResultException(
                    "%s: the family moves none of the %d points by more than %.0e, so that nothing was checked; take more --points, or more --turns"
                            .formatted(task.name(), check.points(), PROMISED));
        }
        boolean kept = check.productError() <= PROMISED
                && check.outputError() <= PROMISED
                && check.inverseError() <= PROMISED
                && check.mostUnits() <= coordinates.compensators().length + 1;
        return kept ? ExitCode.DONE : ExitCode.UNUSABLE;
    }

    private static OutputPreservingFamily flow(OutputCoordinates coordinates, SplittableRandom random) {
        double[] origin = coordinates.origin();
        double[] direction = gaussian(origin.length, FLOW_SPEED, random);
        VectorField field = SmoothCutoff.of(origin, coordinates.radii(REACH)).times(VectorField.constant(direction));
        return OutputPreservingFamily.flow(
                FlowAction.of(coordinates.outputs(), field).withTolerance(FLOW_TOLERANCE));
    }

    /** At distances from the centre to near the surface of the support, in random directions. */
    private static Matrix starts(OutputCoordinates coordinates, int count, SplittableRandom random) {
        double[] origin = coordinates.origin();
        double[] radii = coordinates.radii(REACH);
        Matrix starts = Matrix.zeros(count, origin.length);
        for (int row = 0; row < count; row++) {
            double[] offset = gaussian(origin.length, (row + 0.5) / count, random);
            for (int i = 0; i < origin.length; i++) {
                starts.set(row, i, origin[i] + radii[i] * offset[i]);
            }
        }
        return starts;
    }

    private static double[] gaussian(int length, double norm, SplittableRandom random) {
        double[] vector = new double[length];
        Arrays.setAll(vector, i -> random.nextGaussian());
        return Matrix.over(1, length, vector)
                .scaled(norm / Matrix.over(1, length, vector).frobeniusNorm())
                .entries();
    }

    private static Map<String, Object> summary(DecompositionReport report) {
        DecompositionCheck check = report.check();
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("task", report.name());
        summary.put("parts", report.decomposition().parts().size());
        summary.put("derivative_norm", report.largestNorm());
        summary.put("factors", check.factors());
        summary.put("most_units", check.mostUnits());
        summary.put("motion", check.motion());
        summary.put("product", check.productError());
        summary.put("output", check.outputError());
        summary.put("inverse", check.inverseError());
        summary.put("proper_subnetworks", report.decomposition().coordinates().hasProperSubnetworks());
        return summary;
    }

    private Provenance provenance(Task task) throws IOException {
        List<String> line = spec.commandLine().getParseResult().originalArgs();
        return Provenance.here(
                Stream.concat(Stream.of("isoloss", "decompose"), line.stream()).toList(),
                Map.of("task", task.name()),
                List.of(shared.seed(101)),
                List.of(),
                Blas.coreName());
    }
}
