package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Model;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;

/**
 * All infinitesimal symmetries of a model at its weights that are changes of basis and shifts of what it computes on the way:
 * the changes of parameters that leave every output as it is and move each value between two uses of parameters by an affine
 * map of its channels, up to what no output sees of it. It is one linear system in the changes of the parameters and the maps of
 * all values; the maps are eliminated first, since a motion of a value determines its map.
 */
final class SymmetrySpace {
    /** Singular values of the Jacobian below this share of the largest are taken for zeros. */
    static final double NULL = 1e-9;
    /** A step between singular values that tells what is small from what is 0. */
    static final double CLEAR = 1e4;
    /** What rounding leaves of a singular value that is 0, over the largest, at least. */
    static final double EPSILON = Math.ulp(1.0) / 4;
    /** Derivatives below this size are what rounding left of zeros. */
    static final double ROUNDING = 1e-12;
    /** A motion is affine when this share of the value's size is left of it at most. */
    private static final double AFFINE = 1e-8;

    private final List<SeenPoint> points;
    private final double[] spectrum;
    private final Matrix directions;
    private final Matrix still;
    private final int faint;
    private final List<List<SeenPoint.Fit>> fits;
    private final Map<Value, BlockMaps> maps;

    private SymmetrySpace(
            List<SeenPoint> points,
            double[] spectrum,
            Matrix directions,
            Matrix still,
            int faint,
            List<List<SeenPoint.Fit>> fits,
            Map<Value, BlockMaps> maps) {
        this.points = points;
        this.spectrum = spectrum;
        this.directions = directions;
        this.still = still;
        this.faint = faint;
        this.fits = fits;
        this.maps = maps;
    }

    /**
     * Finds them.
     *
     * @param moving all parameters that count
     * @param cut the values between the uses of parameters
     * @param all inputs
     * @param few how many of the inputs, the first, tell the functions of each value apart
     * @param seed of the directions in which outputs are differentiated
     * @param watcher is told what share of the work is done
     */
    static SymmetrySpace of(
            Moving moving, ValueCut cut, List<Map<String, double[]>> all, int few, long seed, DoubleConsumer watcher) {
        Svd svd = Svd.of(normalised(jacobian(moving, all, seed)));
        Matrix null_ = svd.nullSpace(NULL);
        watcher.accept(0.25);
        List<Map<String, double[]>> samples = all.subList(0, Math.min(few, all.size()));
        List<SeenPoint> points = points(moving, cut, samples, seed);
        watcher.accept(0.5);
        Map<Value, GaugePoint> byValue = new HashMap<>();
        points.forEach(point -> byValue.put(point.value(), point.point()));
        Map<Value, double[]> weights = new HashMap<>();
        List<Value> used =
                cut.uses().stream().map(ParameterUse::weight).distinct().toList();
        List<double[]> numbers = moving.model().computed(used, samples.subList(0, 1));
        for (int i = 0; i < used.size(); i++) {
            weights.put(used.get(i), numbers.get(i));
        }
        List<LinkFit> links = new ArrayList<>();
        for (Set<Value> link : cut.links()) {
            LinkAlgebra algebra = LinkAlgebra.of(cut.part(link), byValue, weights, samples, seed);
            links.add(new LinkFit(algebra, points, link));
            watcher.accept(0.5 + 0.4 * links.size() / cut.links().size());
        }
        List<List<SeenPoint.Fit>> motions = fits(moving, points, samples, null_);
        RowStack conditions = new RowStack(null_.columns());
        for (int point = 0; point < points.size() && !motions.isEmpty(); point++) {
            conditions.add(columns(motions, point, SeenPoint.Fit::residual));
        }
        for (LinkFit link : links) {
            Matrix left = link.residual(motions);
            if (left.columns() == null_.columns()) {
                conditions.add(left);
            }
        }
        Matrix affine = conditions.kernel(AFFINE);
        Matrix directions = null_.times(affine);
        List<List<SeenPoint.Fit>> fits = fits(moving, points, samples, directions);
        Map<Value, BlockMaps> maps = new HashMap<>();
        links.forEach(link -> maps.putAll(link.maps(fits)));
        return new SymmetrySpace(
                points, svd.singularValues(), directions, null_, faint(svd.singularValues()), fits, maps);
    }

    /**
     * Counts singular values that are below {@link #NULL} and no zeros: where they fall without a step there, and with one further
     * down.
     *
     * @param singular values, largest first
     */
    static int faint(double[] singular) {
        int kept = 0;
        while (kept < singular.length && singular[kept] > NULL * singular[0]) {
            kept++;
        }
        if (kept == 0 || kept == singular.length || singular[kept - 1] >= CLEAR * singular[kept]) {
            return 0;
        }
        double widest = 0;
        int last = kept;
        for (int i = kept; i + 1 < singular.length; i++) {
            double step = singular[i] / Math.max(singular[i + 1], EPSILON * singular[0]);
            if (step > widest) {
                widest = step;
                last = i;
            }
        }
        return widest >= CLEAR ? last + 1 - kept : 0;
    }

    /** Several times more rows than parameters where outputs have as many numbers, each a gradient of outputs combined at random, at every input some. */
    private static Matrix jacobian(Moving moving, List<Map<String, double[]>> inputs, long seed) {
        Model model = moving.model();
        List<Value> tensors =
                moving.places().keySet().stream().map(model::parameter).toList();
        int rows = inputs.size() * Math.min(2 * moving.count() / inputs.size() + 2, Symmetries.outputs(model));
        Matrix whole = OutputGradients.of(model, tensors, inputs, rows, seed);
        Matrix chosen = Matrix.zeros(rows, moving.count());
        for (int row = 0; row < rows; row++) {
            int at = 0;
            int from = 0;
            for (Map.Entry<String, int[]> entry : moving.places().entrySet()) {
                for (int place : entry.getValue()) {
                    chosen.set(row, at++, whole.get(row, from + place));
                }
                from += model.parameter(entry.getKey()).shape().count();
            }
        }
        return chosen;
    }

    /** Each row divided by its norm, so that no sample counts more than another. */
    static Matrix normalised(Matrix jacobian) {
        int columns = jacobian.columns();
        for (int row = 0; row < jacobian.rows(); row++) {
            double norm =
                    Math.sqrt(Arrays.stream(jacobian.row(row)).map(x -> x * x).sum());
            for (int column = 0; column < columns && norm > ROUNDING; column++) {
                jacobian.entries()[row * columns + column] /= norm;
            }
        }
        return jacobian;
    }

    /** One direction a column, what it has at a value. */
    static Matrix columns(List<List<SeenPoint.Fit>> fits, int point, Function<SeenPoint.Fit, double[]> part) {
        Matrix rows = Matrix.zeros(fits.size(), part.apply(fits.getFirst().get(point)).length);
        for (int direction = 0; direction < fits.size(); direction++) {
            double[] own = part.apply(fits.get(direction).get(point));
            System.arraycopy(own, 0, rows.entries(), direction * rows.columns(), own.length);
        }
        return rows.transpose();
    }

    /** An orthonormal basis of what is orthogonal to orthonormal columns. */
    static Matrix complement(Matrix columns) {
        return columns.columns() == 0
                ? Matrix.identity(columns.rows())
                : new RowStack(columns.rows()).add(columns.transpose()).kernel(0.5);
    }

    private static List<List<SeenPoint.Fit>> fits(
            Moving moving, List<SeenPoint> points, List<Map<String, double[]>> samples, Matrix directions) {
        if (directions.columns() == 0) {
            return List.of();
        }
        SequencedMap<String, Value> observed = new LinkedHashMap<>();
        int size = 0;
        for (int i = 0; i < points.size(); i++) {
            observed.put(Integer.toString(i), points.get(i).value());
            size += points.get(i).value().shape().count();
        }
        for (Map.Entry<String, Value> output : moving.model().outputs().entrySet()) {
            observed.put("output " + output.getKey(), output.getValue()); // so that no parameter is out of sight
            size += output.getValue().shape().count();
        }
        int sizeOfSample = size;
        int[] next = {0};
        Matrix products = ModelTarget.of(moving.observing(observed), samples)
                .tangents(
                        moving.origin(),
                        directions.columns(),
                        direction -> System.arraycopy(directions.column(next[0]++), 0, direction, 0, direction.length));
        List<List<SeenPoint.Fit>> fits = new ArrayList<>();
        for (int direction = 0; direction < directions.columns(); direction++) {
            double[] motion = products.row(direction);
            List<SeenPoint.Fit> own = new ArrayList<>();
            int from = 0;
            for (SeenPoint point : points) {
                int count = point.value().shape().count();
                double[] moved = new double[count * samples.size()];
                for (int sample = 0; sample < samples.size(); sample++) {
                    System.arraycopy(motion, sample * sizeOfSample + from, moved, sample * count, count);
                }
                from += count;
                own.add(point.fit(moved));
            }
            fits.add(own);
        }
        return fits;
    }

    private static List<SeenPoint> points(Moving moving, ValueCut cut, List<Map<String, double[]>> samples, long seed) {
        List<Value> values = List.copyOf(cut.channels().keySet());
        List<double[]> numbers = moving.model().computed(values, samples);
        List<SeenPoint> points = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            Value value = values.get(i);
            Set<Integer> channels = Objects.requireNonNull(cut.channels().get(value));
            int width = cut.width(value);
            int rows = Math.max(samples.size(), 2 * width + 8);
            points.add(new SeenPoint(
                    new GaugePoint(value, channels, numbers.get(i)),
                    OutputGradients.of(moving.model(), List.of(value), samples, rows, seed)));
        }
        return points;
    }

    /** The values that are moved. */
    List<SeenPoint> points() {
        return points;
    }

    /** The values that are moved, without what is seen of them. */
    List<GaugePoint> gaugePoints() {
        return points.stream().map(SeenPoint::point).toList();
    }

    /** Singular values of the Jacobian on the samples, rows normalised, largest first. */
    double[] spectrum() {
        return spectrum.clone();
    }

    /** How many independent changes of the parameters leave the outputs as they are. */
    int nullity() {
        return still.columns() - faint;
    }

    /** An orthonormal basis of the symmetries, one a column. */
    Matrix directions() {
        return directions;
    }

    /** An orthonormal basis of all changes that leave the outputs as they are to first order, {@link #faint} ones among them. */
    Matrix still() {
        return still;
    }

    /** An orthonormal basis of the changes that outputs see, as little as it is. */
    Matrix faint() {
        return still.transpose().rows(0, faint).transpose();
    }

    /** For each direction, how it moves each value. */
    List<List<SeenPoint.Fit>> fits() {
        return fits;
    }

    /** For each direction, the maps near the identity that it makes of a value, of the algebra of the value's part. */
    BlockMaps maps(Value value) {
        return Objects.requireNonNull(maps.get(value));
    }
}
