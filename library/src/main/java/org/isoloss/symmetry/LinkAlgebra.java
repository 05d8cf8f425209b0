package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Numbers;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.ParameterUse.Kind;
import org.isoloss.model.Value;

/**
 * The symmetries of a part of a model without parameters, whatever its values: which affine maps of what goes in become affine
 * maps of what comes out, and leave outputs of the model alone. It is a Lie algebra, so that its elements can be followed far
 * from the identity.
 *
 * <p>Found by one linear system: the derivative of the part along each map of each value that goes in, at values drawn at random
 * about those that the model computes.
 */
final class LinkAlgebra {
    private static final double ZERO = 1e-7;
    /** As many maps as a linear system is solved for. */
    private static final int MOST_DIRECTIONS = 5000;

    private final List<Map<Value, Matrix>> basis;

    private LinkAlgebra(List<Map<Value, Matrix>> basis) {
        this.basis = basis;
    }

    /** For each element of a basis, the maps of all values that it moves, shape (n, n + 1). */
    List<Map<Value, Matrix>> basis() {
        return basis;
    }

    /**
     * Refuses a model with a part of which too many maps would have to be searched, before anything is computed.
     *
     * @param cut the model
     * @throws IllegalArgumentException with their number, in one line
     */
    static void requireSearchable(ValueCut cut) {
        for (Set<Value> link : cut.links()) {
            long maps = 0;
            Value widest = null;
            for (Value value : link) {
                long width = cut.width(value);
                if (cut.results().contains(value)) {
                    maps += width * (width + 1);
                    widest = widest == null || width > cut.width(widest) ? value : widest;
                }
            }
            if (widest != null && maps > MOST_DIRECTIONS) {
                throw new IllegalArgumentException(
                        "the %d values that meet at %s have %d maps together, and at most %d are searched: the network is too wide, or repeats too often"
                                .formatted(link.size(), widest.where(), maps, MOST_DIRECTIONS));
            }
        }
    }

    /**
     * Finds the algebra.
     *
     * @param model that the part belongs to
     * @param cut where it is cut
     * @param link the values that meet in the part
     * @param points all values that are moved
     * @param weights the numbers of what scales
     * @param samples inputs of the model
     * @param seed of the values that go in
     */
    static LinkAlgebra of(
            Model model,
            ValueCut cut,
            Set<Value> link,
            Map<Value, GaugePoint> points,
            Map<Value, double[]> weights,
            List<Map<String, double[]>> samples,
            long seed) {
        return new Search(model, cut, link, points, weights, samples, seed).found();
    }

    private static final class Search {
        private final ValueCut cut;
        private final Map<Value, GaugePoint> points;
        private final Map<Value, double[]> weights;
        private final List<Value> free = new ArrayList<>();
        private final List<Value> ends = new ArrayList<>();
        private final List<Value> outputs = new ArrayList<>();
        private final Map<Value, Integer> offsets = new HashMap<>();
        private final Map<Value, List<Matrix>> endMaps = new HashMap<>();
        private final int directions;
        private final List<Map<String, double[]>> drawn;
        private final Model part;

        Search(
                Model model,
                ValueCut cut,
                Set<Value> link,
                Map<Value, GaugePoint> points,
                Map<Value, double[]> weights,
                List<Map<String, double[]>> samples,
                long seed) {
            this.cut = cut;
            this.points = points;
            this.weights = weights;
            int count = 0;
            for (Value value : link) {
                (cut.results().contains(value) ? free : ends).add(value);
            }
            for (Value value : free) {
                offsets.put(value, count);
                count += width(value) * (width(value) + 1);
            }
            this.directions = count;
            for (Value output : model.outputs().values()) {
                if (cut.meets(output).stream().anyMatch(free::contains)) {
                    outputs.add(output);
                }
            }
            this.part = part(model);
            this.drawn = drawn(samples, seed);
        }

        private GaugePoint point(Value value) {
            return Objects.requireNonNull(points.get(value));
        }

        private int offset(Value value) {
            return Objects.requireNonNull(offsets.get(value));
        }

        private int width(Value value) {
            return point(value).width();
        }

        /** The part as a model of its own, whose parameters are the maps, zero where nothing moves. */
        private Model part(Model model) {
            ModelBuilder builder = model.extended();
            Map<Value, Value> replaced = new HashMap<>();
            model.inputs()
                    .forEach((name, input) -> replaced.put(
                            input, builder.input("input " + name, input.shape().toArray())));
            for (int i = 0; i < free.size(); i++) {
                Value value = free.get(i);
                int n = width(value);
                Value given = builder.input("value " + i, value.shape().toArray());
                Value map = builder.parameter("map %04d".formatted(i), Dimensions.of(n, n + 1), zeros(n * (n + 1)));
                replaced.put(value, moved(builder, given, map, point(value)));
            }
            List<Value> wanted = new ArrayList<>(ends);
            wanted.addAll(outputs);
            List<Value> built = builder.replacing(wanted, replaced);
            for (int i = 0; i < built.size(); i++) {
                builder.output("end %04d".formatted(i), built.get(i));
            }
            // so that no map is out of sight
            for (int i = 0; i < free.size(); i++) {
                builder.output("free %04d".formatted(i), Objects.requireNonNull(replaced.get(free.get(i))));
            }
            return builder.build();
        }

        private static Numbers zeros(int count) {
            double[] zeros = new double[count];
            return () -> zeros;
        }

        private static Value moved(ModelBuilder builder, Value given, Value map, GaugePoint point) {
            int[] order = point.order();
            int n = point.width();
            Value rows = builder.reshape(builder.transpose(given, order), Dimensions.of(point.carried(), n));
            Value matrix = builder.slice(map, 1, 0, n);
            Value shift = builder.reshape(builder.slice(map, 1, n, 1), Dimensions.of(n));
            Value added = builder.plus(builder.contract("ij,kj->ik", rows, matrix), shift);
            int[] sizes = Arrays.stream(order).map(given.shape()::size).toArray();
            int[] inverse = new int[order.length];
            for (int i = 0; i < order.length; i++) {
                inverse[order[i]] = i;
            }
            return builder.plus(given, builder.transpose(builder.reshape(added, Dimensions.of(sizes)), inverse));
        }

        /** What the model computes at random inputs, with as much noise as it is large. */
        private List<Map<String, double[]>> drawn(List<Map<String, double[]>> samples, long seed) {
            var random = new SplittableRandom(seed);
            int needed = 4;
            for (Value end : ends) {
                needed = Math.max(needed, 2 + 3 * (width(end) + 1) / point(end).carried());
            }
            int rowsOfDraw = Stream.concat(ends.stream(), outputs.stream())
                    .mapToInt(value -> value.shape().count())
                    .sum();
            needed = Math.max(needed, rowsOfDraw == 0 ? 1 : 3 * directions / rowsOfDraw + 2);
            List<Map<String, double[]>> draws = new ArrayList<>();
            for (int draw = 0; draw < needed; draw++) {
                Map<String, double[]> inputs = new LinkedHashMap<>();
                samples.get(draw % samples.size()).forEach((name, numbers) -> inputs.put("input " + name, numbers));
                for (int i = 0; i < free.size(); i++) {
                    GaugePoint point = point(free.get(i));
                    double[] own = point.sample(draw % samples.size());
                    double rms = Math.sqrt(Arrays.stream(own).map(x -> x * x).sum() / own.length);
                    double noise = rms == 0 ? 1 : rms;
                    inputs.put(
                            "value " + i,
                            Arrays.stream(own)
                                    .map(x -> x + noise * random.nextGaussian())
                                    .toArray());
                }
                draws.add(inputs);
            }
            return draws;
        }

        LinkAlgebra found() {
            if (free.isEmpty()) {
                return new LinkAlgebra(List.of());
            }
            Moving moving = Moving.all(part);
            ModelTarget target = ModelTarget.of(moving, drawn);
            Matrix motions = target.jacobian(moving.origin());
            List<Value> all = List.copyOf(part.outputs().values());
            int size = all.stream().mapToInt(value -> value.shape().count()).sum();
            List<double[]> numbers = part.computed(all, drawn);
            RowStack conditions = new RowStack(directions).add(constraints());
            List<GaugePoint> endPoints = new ArrayList<>();
            int from = 0;
            for (int i = 0; i < ends.size() + outputs.size(); i++) {
                int count = all.get(i).shape().count();
                if (i < ends.size()) {
                    endPoints.add(point(ends.get(i)).resampled(numbers.get(i)));
                }
                Matrix rows = Matrix.zeros(directions, count * drawn.size());
                for (int direction = 0; direction < directions; direction++) {
                    double[] motion = motion(motions, direction, from, count, size);
                    GaugePoint.Fit fit = i < ends.size() ? endPoints.get(i).fit(motion) : null;
                    double[] left = fit == null ? motion : fit.whole();
                    if (fit != null) {
                        endMaps.computeIfAbsent(ends.get(i), _ -> new ArrayList<>())
                                .add(fit.map());
                    }
                    System.arraycopy(left, 0, rows.entries(), direction * rows.columns(), left.length);
                }
                conditions.add(rows.transpose().scaled(1 / Math.sqrt(rows.columns())));
                from += count;
            }
            for (ParameterUse use : cut.uses()) {
                if (use.kind() == Kind.SCALE && offsets.containsKey(cut.scaled(use))) {
                    conditions.add(scaling(use, cut.scaled(use)).transpose());
                }
            }
            Matrix kernel = conditions.kernel(ZERO);
            List<Map<Value, Matrix>> basis = new ArrayList<>();
            for (int column = 0; column < kernel.columns(); column++) {
                basis.add(element(kernel.column(column), motions, size, endPoints));
            }
            return new LinkAlgebra(basis);
        }

        private double[] motion(Matrix motions, int direction, int from, int count, int size) {
            double[] motion = new double[count * drawn.size()];
            for (int draw = 0; draw < drawn.size(); draw++) {
                for (int at = 0; at < count; at++) {
                    motion[draw * count + at] = motions.get(draw * size + from + at, direction);
                }
            }
            return motion;
        }

        private Map<Value, Matrix> element(double[] weights, Matrix motions, int size, List<GaugePoint> endPoints) {
            Map<Value, Matrix> element = new LinkedHashMap<>();
            for (Value value : free) {
                int n = width(value);
                int at = offset(value);
                element.put(value, Matrix.over(n, n + 1, Arrays.copyOfRange(weights, at, at + n * (n + 1))));
            }
            Matrix moved = motions.times(Matrix.over(weights.length, 1, weights));
            int from = 0;
            for (int i = 0; i < ends.size(); i++) {
                int count = ends.get(i).shape().count();
                element.put(
                        ends.get(i),
                        endPoints
                                .get(i)
                                .fit(motion(moved, 0, from, count, size))
                                .map());
                from += count;
            }
            return element;
        }

        /** Off the diagonal, the map of a scaled value is that of the value, with the scales about it. */
        private Matrix scaling(ParameterUse use, Value scaled) {
            Value data = use.data().getFirst();
            int n = width(scaled);
            Matrix rows = Matrix.zeros(directions, n * n);
            List<Matrix> ofEnd = endMaps.get(data);
            if ((ofEnd == null && !offsets.containsKey(data)) || width(data) != n) {
                return rows;
            }
            int[] places = use.weightPlaces();
            double[] numbers = Objects.requireNonNull(weights.get(use.weight()));
            Matrix scales = point(scaled)
                    .arranged(Arrays.stream(places)
                            .mapToDouble(place -> numbers[place])
                            .toArray());
            int own = offset(scaled);
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    if (i == j) {
                        continue;
                    }
                    rows.set(own + i * (n + 1) + j, i * n + j, 1);
                    double ratio = scales.get(0, i) / scales.get(0, j);
                    if (ofEnd == null) {
                        rows.set(offset(data) + i * (n + 1) + j, i * n + j, -ratio);
                    }
                    for (int direction = 0; ofEnd != null && direction < directions; direction++) {
                        rows.set(
                                direction,
                                i * n + j,
                                rows.get(direction, i * n + j)
                                        - ratio * ofEnd.get(direction).get(i, j));
                    }
                }
            }
            return rows;
        }

        /** What a parameter only shifts keeps its basis, and one weight that is used at several steps changes bases once. */
        private Matrix constraints() {
            List<double[]> rows = new ArrayList<>();
            Map<Value, ParameterUse> first = new HashMap<>();
            for (ParameterUse use : cut.uses()) {
                if (use.kind() == Kind.SHIFT) {
                    use.data().forEach(data -> equate(rows, data, use.result()));
                }
                ParameterUse other = first.putIfAbsent(use.weight(), use);
                if (other != null && other.kind() == use.kind() && other.kind() == Kind.CONTRACTION) {
                    equate(rows, other.result(), use.result());
                    equate(rows, other.data().getFirst(), use.data().getFirst());
                }
            }
            Matrix conditions = Matrix.zeros(rows.size(), directions);
            for (int row = 0; row < rows.size(); row++) {
                System.arraycopy(rows.get(row), 0, conditions.entries(), row * directions, directions);
            }
            return conditions;
        }

        private void equate(List<double[]> rows, Value left, Value right) {
            Integer a = offsets.get(left);
            Integer b = offsets.get(right);
            if (a == null || b == null || left == right || width(left) != width(right)) {
                return;
            }
            int n = width(left);
            for (int i = 0; i < n * (n + 1); i++) {
                if (i % (n + 1) < n) {
                    double[] row = new double[directions];
                    row[a + i] = 1;
                    row[b + i] = -1;
                    rows.add(row);
                }
            }
        }
    }
}
