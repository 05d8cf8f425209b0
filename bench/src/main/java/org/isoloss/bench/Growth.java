package org.isoloss.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.isoloss.action.Initialization;
import org.isoloss.affine.AffineFields;
import org.isoloss.affine.Architecture;
import org.isoloss.discovery.ActionArchitecture.Displacement;
import org.isoloss.discovery.Group;
import org.isoloss.discovery.GroupLaw;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.Training;
import org.isoloss.evaluation.EvaluationGrid;
import org.isoloss.evaluation.FiniteActionErrors;
import org.isoloss.evaluation.JudgedAction;
import org.isoloss.flow.LevelFlow;
import org.isoloss.flow.SeenPart;
import org.isoloss.flow.WeightNorm;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.Support;
import org.isoloss.report.Axis;
import org.isoloss.report.Figure;
import org.isoloss.report.LineChart;
import org.isoloss.report.Series;
import org.isoloss.symmetry.GraphSymmetries;
import org.isoloss.symmetry.Symmetries;

/**
 * What jobs cost against the size of what they are given. Writes the figures {@code growth-...}, with their numbers as CSV, and prints the
 * exponent of each line between its last three sizes beside the one that the mathematics asks for: dense layers are linear in their weights,
 * a factorisation of m rows of length p takes m^2 p, a null space of p columns p^3.
 */
public final class Growth {
    private static final int UNITS = 8;
    private static final double LONG_ENOUGH = 0.5;

    /** One line of the picture. */
    private record Line(String name, double expected, List<double[]> points) {
        /** The slope of a straight line through the last three points, both axes logarithmic. */
        double exponent() {
            List<double[]> last = points.subList(Math.max(0, points.size() - 3), points.size());
            double x = last.stream()
                    .mapToDouble(point -> Math.log(point[0]))
                    .average()
                    .orElseThrow();
            double y = last.stream()
                    .mapToDouble(point -> Math.log(point[1]))
                    .average()
                    .orElseThrow();
            double above = 0;
            double below = 0;
            for (double[] point : last) {
                above += (Math.log(point[0]) - x) * (Math.log(point[1]) - y);
                below += Math.pow(Math.log(point[0]) - x, 2);
            }
            return above / below;
        }

        Series series() {
            return Series.of(
                    name,
                    Series.Style.LINE,
                    points.stream().mapToDouble(point -> point[0]).toArray(),
                    points.stream().mapToDouble(point -> point[1]).toArray());
        }
    }

    /** Prepares a job of some size. */
    @FunctionalInterface
    private interface Job {
        Runnable of(int size);
    }

    private Growth() {}

    /**
     * Measures.
     *
     * @param arguments the folder for the figure; not modified
     * @throws IOException when it cannot be written
     */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments.length == 0 ? "runs" : arguments[0]);
        int[] moving = {8, 32, 96, 320, 1_000, 3_200, 10_000, 32_000, 100_000};
        int[] inputs = {1, 4, 16, 64, 256};
        List<Line> byMoving = List.of(
                measured("training step", 1, moving, p -> step(p, 4, 1)),
                measured("test cell", 1, Arrays.copyOf(moving, 7), p -> evaluation(p, 4)),
                measured("step of the flow", 1, Arrays.copyOfRange(moving, 1, 9), p -> move(p, 4)));
        List<Line> byInputs = List.of(
                measured("training step", 1, inputs, m -> step(320, m, 1)),
                measured("test cell", 1, inputs, m -> evaluation(320, m)),
                measured("step of the flow", 2, inputs, m -> move(3_200, m)));
        List<Line> byGenerators = List.of(measured("training step", 1, new int[] {1, 2, 3, 4}, r -> step(320, 4, r)));
        List<Line> byParameters = List.of(
                measured("recovery with its proof", 2, new int[] {8, 32, 128, 512}, Growth::recovery),
                measured("symmetries", 3, new int[] {100, 400, 1_600, 4_800}, Growth::numerical),
                measured(
                        "symmetries from the graph",
                        1,
                        new int[] {10_000, 100_000, 1_000_000, 10_000_000, 30_000_000},
                        Growth::structural));
        Files.createDirectories(folder);
        draw(folder, "growth-moving", "moving parameters", byMoving);
        draw(folder, "growth-inputs", "protected inputs", byInputs);
        draw(folder, "growth-generators", "generators", byGenerators);
        draw(folder, "growth-model", "parameters of the network", byParameters);
    }

    private static void draw(Path folder, String name, String against, List<Line> lines) throws IOException {
        new Figure(
                        name,
                        "Cost against " + against,
                        "Seconds of one job against the number of %s, both logarithmic.".formatted(against),
                        new LineChart(
                                Axis.log(against, ""),
                                Axis.log("time", "s"),
                                lines.stream().map(Line::series).toList()))
                .write(folder);
        for (Line line : lines) {
            System.out.printf(
                    Locale.ROOT,
                    "%-26s %-26s exponent %.2f, expected at most %.0f%n",
                    line.name(),
                    against,
                    line.exponent(),
                    line.expected());
        }
    }

    private static Line measured(String name, double expected, int[] sizes, Job job) {
        List<double[]> points = new ArrayList<>();
        for (int i = 0; i < 3; i++) { // the first must not pay for the compiler
            repeated(job.of(sizes[Math.min(i, sizes.length - 2)]));
        }
        for (int size : sizes) {
            points.add(new double[] {size, repeated(job.of(size))});
            System.err.printf(Locale.ROOT, "%s %d: %.3g s%n", name, size, points.getLast()[1]);
        }
        return new Line(name, expected, points);
    }

    /** Seconds of one run, the median of as many as take a while. */
    private static double repeated(Runnable work) {
        List<Double> seconds = new ArrayList<>();
        double sum = 0;
        while (sum < LONG_ENOUGH || seconds.size() < 2) {
            long start = System.nanoTime();
            work.run();
            seconds.add(1e-9 * (System.nanoTime() - start));
            sum += seconds.getLast();
        }
        seconds.sort(null);
        return seconds.get(seconds.size() / 2);
    }

    /** The first weights of a network with 8 hidden units move. */
    private static ModelTarget target(int moving, int inputs) {
        SplittableRandom random = new SplittableRandom(1);
        int width = moving / UNITS;
        DenseNetwork network = new DenseNetwork(
                Activation.TANH,
                List.of(
                        DenseLayer.of(normal(random, UNITS, width, 1 / Math.sqrt(width))),
                        DenseLayer.of(normal(random, 2, UNITS, 0.5))));
        return DenseTarget.outputs(
                network, Support.tensors(network.layout(), "0.weight"), normal(random, inputs, width, 1));
    }

    private static Problem problem(int moving, int inputs, int generators) {
        ModelTarget target = target(moving, inputs);
        return new Problem(target, new GaussianPoints(target.origin(), 0.05, 0), Group.learned(2, generators), 1, 1);
    }

    private static Training training(Problem problem) {
        Recipe recipe =
                Recipe.DEFAULT.withArchitecture(new Displacement(256, 3, Initialization.LECUN, new GroupLaw(1, 1, 0)));
        return new Training(problem, ObjectiveKind.HYBRID, recipe, 1);
    }

    private static Runnable step(int moving, int inputs, int generators) {
        Training training = training(problem(moving, inputs, generators));
        return training::step;
    }

    private static Runnable evaluation(int moving, int inputs) {
        Problem problem = problem(moving, inputs, 1);
        var tested = JudgedAction.of(training(problem).action(), problem);
        EvaluationGrid cell = EvaluationGrid.PAPER.part(List.of(0.5), List.of(1));
        return () -> FiniteActionErrors.run(tested, cell, new SplittableRandom(1));
    }

    private static Runnable move(int moving, int inputs) {
        ModelTarget target = target(moving, inputs);
        var flow = new LevelFlow(target, new WeightNorm(), SeenPart.of(target, target.origin()), target.origin());
        return () -> flow.advance(flow.start(), Double.POSITIVE_INFINITY);
    }

    /** ReLU networks with as many inputs as hidden units and outputs. */
    private static Runnable recovery(int parameters) {
        int width = (int) Math.round(Math.sqrt(parameters / 2.0));
        Architecture network = Architecture.relu(width, width, width);
        return () -> AffineFields.of(network).seeds(101).recover().orThrow();
    }

    /** Three square layers with ReLU between. */
    private static Model model(int parameters) {
        int width = (int) Math.round(Math.sqrt(parameters / 3.0));
        SplittableRandom random = new SplittableRandom(1);
        ModelBuilder builder = Model.builder();
        Value value = builder.input("x", 4, width);
        for (int layer = 0; layer < 3; layer++) {
            double[] numbers =
                    normal(random, width, width, Math.sqrt(2.0 / width)).entries();
            Value weight = builder.parameter(layer + ".weight", Dimensions.of(width, width), Numbers.of(numbers));
            value = builder.contract("ij,jk->ik", layer == 0 ? value : builder.apply(Clamp.RELU, value), weight);
        }
        builder.output("y", value);
        return builder.build();
    }

    private static Runnable numerical(int parameters) {
        Model model = model(parameters);
        return () -> Symmetries.of(model, List.of(), 1, _ -> {});
    }

    private static Runnable structural(int parameters) {
        Model model = model(parameters);
        return () -> GraphSymmetries.of(model, 1, _ -> {});
    }

    private static Matrix normal(SplittableRandom random, int rows, int columns, double deviation) {
        Matrix matrix = Matrix.zeros(rows, columns);
        Arrays.setAll(matrix.entries(), i -> deviation * random.nextGaussian());
        return matrix;
    }
}
