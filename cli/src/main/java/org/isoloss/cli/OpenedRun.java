package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.isoloss.action.GroupAction;
import org.isoloss.action.TrainedAction;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;
import org.isoloss.task.DenseSetting;
import org.isoloss.task.ModelSetting;
import org.isoloss.task.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A finished run, opened to compute with, for a program that has Java within it. Arrays are float64 and row-major, one point or
 * group element a row.
 */
public final class OpenedRun {
    /** As many points are moved at a time, which bounds the memory that it takes. */
    private static final int ROWS = 4096;

    /** Fewer points than this are moved one by one, which is faster than to fill a batch up. */
    private static final int FEW = 8;

    private final RunDirectory run;
    private final TrainedAction action;
    private final TrainedAction single; // for one point at a time
    private @Nullable Setting setting;

    private OpenedRun(RunDirectory run) throws IOException {
        this.run = run;
        this.action = run.action();
        this.single = action.forRows(1);
    }

    /**
     * Opens a run.
     *
     * @param folder of one finished run
     * @return ready to compute
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when there is no such run, several, or one that is not finished
     */
    public static OpenedRun open(String folder) throws IOException {
        return new OpenedRun(Runs.one(Path.of(folder)));
    }

    /** {@return the folder of the run} */
    public String folder() {
        return run.folder().toString();
    }

    /** {@return the number of moving parameters, p} */
    public int parameterCount() {
        return action.parameterCount();
    }

    /** {@return the number of generators, r} */
    public int generatorCount() {
        return action.generators().count();
    }

    /** {@return the number of rows of a group element, s} */
    public int groupSize() {
        return action.generators().size();
    }

    /**
     * Returns a generator.
     *
     * @param index from 0
     * @return h, shape (s, s)
     */
    public double[] generator(int index) {
        return action.generators().get(index).entries().clone();
    }

    /**
     * Exponentiates matrices.
     *
     * @param matrices shape (n, s, s); not modified
     * @return their exponentials, shape (n, s, s)
     */
    public double[] exponentials(double[] matrices) {
        int size = groupSize() * groupSize();
        double[] result = new double[matrices.length];
        for (int at = 0; at < matrices.length; at += size) {
            Matrix one = Matrix.over(groupSize(), groupSize(), Arrays.copyOfRange(matrices, at, at + size));
            System.arraycopy(MatrixExponential.of(one).entries(), 0, result, at, size);
        }
        return result;
    }

    /**
     * Moves points.
     *
     * @param elements group elements g, shape (n, s, s); not modified
     * @param points theta, shape (n, p); not modified
     * @return {@code a_X(g, theta)}, shape (n, p)
     */
    public double[] apply(double[] elements, double[] points) {
        return byRows(elements, points, GroupAction::apply);
    }

    /**
     * Returns the induced field.
     *
     * @param directions h, shape (n, s, s); not modified
     * @param points theta, shape (n, p); not modified
     * @return {@code v_(X,h)(theta)}, shape (n, p)
     */
    public double[] field(double[] directions, double[] points) {
        return byRows(directions, points, GroupAction::field);
    }

    /** One of the maps of an action. */
    @FunctionalInterface
    private interface Evaluated {
        Matrix of(GroupAction action, Matrix matrices, Matrix points);
    }

    private double[] byRows(double[] matrices, double[] points, Evaluated map) {
        int size = groupSize() * groupSize();
        int count = parameterCount();
        int rows = points.length / count;
        if (matrices.length != rows * size || points.length != rows * count) {
            throw new IllegalArgumentException(
                    "%d numbers of group elements and %d of points, expected (n, %d, %d) and (n, %d)"
                            .formatted(matrices.length, points.length, groupSize(), groupSize(), count));
        }
        if (rows <= ROWS) {
            return rows == 0
                    ? new double[0]
                    : map.of(
                                    rows < FEW ? single : action,
                                    Matrix.over(rows, size, matrices),
                                    Matrix.over(rows, count, points))
                            .entries();
        }
        double[] result = new double[points.length];
        for (int from = 0; from < rows; from += ROWS) {
            int to = Math.min(rows, from + ROWS);
            double[] some = byRows(
                    Arrays.copyOfRange(matrices, from * size, to * size),
                    Arrays.copyOfRange(points, from * count, to * count),
                    map);
            System.arraycopy(some, 0, result, from * count, some.length);
        }
        return result;
    }

    /**
     * Returns the network's own moving parameters, read from the files that the task names.
     *
     * @return theta0, length p
     * @throws IOException when they cannot be read
     */
    public double[] origin() throws IOException {
        return setting().origin();
    }

    /**
     * Returns the tensors that a point stands for, as the network's file stores them.
     *
     * @param point theta, length p; not modified
     * @return those that hold moving parameters, whole, by name
     * @throws IOException when the network cannot be read
     */
    public Map<String, double[]> tensors(double[] point) throws IOException {
        return setting().tensorsAt(point);
    }

    /**
     * Returns the shape of a tensor as the network's file stores it.
     *
     * @param tensor its name
     * @return one size an axis
     * @throws IOException when the network cannot be read
     */
    public int[] shape(String tensor) throws IOException {
        return switch (setting()) {
            case ModelSetting model ->
                sizes(model.batch().model().parameter(tensor).shape().sizes());
            case DenseSetting dense
            when dense.task().network().checkpoint() != null -> {
                try (Checkpoint stored = Checkpoint.open(
                        Path.of(String.valueOf(dense.task().network().checkpoint())))) {
                    yield stored.tensor(tensor).shape().sizes().stream()
                            .mapToInt(Math::toIntExact)
                            .toArray();
                }
            }
            case DenseSetting dense ->
                sizes(dense.network().layout().entry(tensor).shape());
        };
    }

    private static int[] sizes(List<Integer> sizes) {
        return sizes.stream().mapToInt(Integer::intValue).toArray();
    }

    private Setting setting() throws IOException {
        Setting read = setting;
        if (read == null) {
            read = Runs.setting(run);
            setting = read;
        }
        return read;
    }
}
