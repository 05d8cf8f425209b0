package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;

/**
 * Finds the algebra of every block of a part by one linear system: the derivative of the part along each map of each value that
 * goes in, at values drawn at random about those that the model computes. Blocks do not meet, so that one derivative serves all
 * of them.
 */
final class BlockSearch {
    private static final double ZERO = 1e-7;
    private static final int LEAST_DRAWS = 4;

    private final Part part;
    private final Map<Value, GaugePoint> points;
    private final Map<Value, double[]> weights;
    private final List<Map<String, double[]>> drawn;
    private final Map<Value, Integer> offsets = new HashMap<>();
    private final Model withMaps;
    private final List<Value> reached;
    private final List<Matrix> numbers = new ArrayList<>();

    BlockSearch(
            Part part,
            Map<Value, GaugePoint> points,
            Map<Value, double[]> weights,
            List<Map<String, double[]>> samples,
            long seed) {
        this.part = part;
        this.points = points;
        this.weights = weights;
        int count = 0;
        for (Value value : part.moved()) {
            offsets.put(value, count);
            count += width(value) * (width(value) + 1);
        }
        this.withMaps = part.withMaps(points);
        this.drawn = part.drawn(points, samples, needed(), seed);
        this.reached = List.copyOf(withMaps.outputs().values());
        List<double[]> computed =
                withMaps.computed(reached.subList(0, part.ends().size()), drawn);
        for (int i = 0; i < part.ends().size(); i++) {
            numbers.add(point(part.ends().get(i)).arranged(computed.get(i)));
        }
    }

    private GaugePoint point(Value value) {
        return Objects.requireNonNull(points.get(value));
    }

    private int width(Value value) {
        return point(value).width();
    }

    /**
     * One map of one block: row and column of a value's map, within the block's channels.
     *
     * @param value that is moved
     * @param row which channel moves
     * @param column which channel is added to it; the number of channels where it is a constant
     */
    private record Entry(Value value, int row, int column) {}

    private List<Entry> entries(SequencedMap<Value, int[]> block) {
        List<Entry> entries = new ArrayList<>();
        block.forEach((value, channels) -> {
            for (int i = 0; offsets.containsKey(value) && i < channels.length; i++) {
                for (int j = 0; j <= channels.length; j++) {
                    entries.add(new Entry(value, i, j));
                }
            }
        });
        return entries;
    }

    /** So many draws that every block has several times more numbers than maps. */
    private int needed() {
        return IntStream.range(0, part.blocks().blocks().size())
                .map(this::needed)
                .reduce(LEAST_DRAWS, Math::max);
    }

    private int needed(int index) {
        SequencedMap<Value, int[]> block = part.blocks().blocks().get(index);
        long rows = part.blocks().outputs().stream()
                .flatMapToInt(Arrays::stream)
                .filter(of -> of == index)
                .count();
        int needed = 1;
        for (Value end : part.ends()) {
            int[] channels = block.get(end);
            if (channels != null) {
                int carried = point(end).carried();
                rows += (long) carried * channels.length;
                needed = Math.max(needed, 2 + 3 * (channels.length + 1) / carried);
            }
        }
        return rows == 0 ? needed : (int) Math.max(needed, 3 * part.blocks().maps(index) / rows + 2);
    }

    /** Finds the algebras of the blocks, those without elements among them. */
    List<LinkAlgebra.Block> found() {
        List<SequencedMap<Value, int[]>> blocks = part.blocks().blocks();
        List<List<Entry>> entries = blocks.stream().map(this::entries).toList();
        int probes = entries.stream().mapToInt(List::size).max().orElse(0);
        if (probes == 0) {
            return List.of();
        }
        Moving moving = Moving.all(withMaps);
        int[] next = {0};
        Matrix motions = ModelTarget.of(moving, drawn)
                .tangents(moving.origin(), probes, direction -> probe(entries, next[0]++, direction));
        List<LinkAlgebra.Block> found = new ArrayList<>();
        for (int index = 0; index < entries.size(); index++) {
            if (!entries.get(index).isEmpty()) {
                found.add(found(index, entries.get(index), motions));
            }
        }
        return found;
    }

    private void probe(List<List<Entry>> entries, int probe, double[] direction) {
        Arrays.fill(direction, 0);
        for (int index = 0; index < entries.size(); index++) {
            if (probe < entries.get(index).size()) {
                Entry entry = entries.get(index).get(probe);
                int[] channels =
                        Objects.requireNonNull(part.blocks().blocks().get(index).get(entry.value()));
                int n = width(entry.value());
                int column = entry.column() == channels.length ? n : channels[entry.column()];
                direction[
                        Objects.requireNonNull(offsets.get(entry.value())) + channels[entry.row()] * (n + 1) + column] = 1;
            }
        }
    }

    private LinkAlgebra.Block found(int index, List<Entry> entries, Matrix motions) {
        SequencedMap<Value, int[]> block = part.blocks().blocks().get(index);
        RowStack conditions = new RowStack(entries.size());
        Map<Value, List<Matrix>> endMaps = new HashMap<>();
        Map<Value, Matrix> endNumbers = new HashMap<>();
        int from = 0;
        for (int i = 0; i < reached.size(); i++) {
            int count = reached.get(i).shape().count();
            if (i < part.ends().size()) {
                Value end = part.ends().get(i);
                int[] channels = block.get(end);
                if (channels != null) {
                    Matrix own = columns(numbers.get(i), channels);
                    endNumbers.put(end, own);
                    AffineFit fit = AffineFit.of(own);
                    List<Matrix> maps = new ArrayList<>();
                    List<double[]> left = new ArrayList<>();
                    for (int entry = 0; entry < entries.size(); entry++) {
                        Matrix motion = columns(point(end).arranged(motion(motions, entry, from, count)), channels);
                        maps.add(fit.map(fit.coordinates(motion)));
                        left.add(fit.residual(motion).entries());
                    }
                    endMaps.put(end, maps);
                    conditions.add(scaledRows(left));
                }
            } else if (i < part.ends().size() + part.outputs().size()) {
                int[] of = part.blocks().outputs().get(i - part.ends().size());
                int[] own =
                        IntStream.range(0, count).filter(at -> of[at] == index).toArray();
                if (own.length > 0) {
                    conditions.add(scaledRows(outputs(motions, entries.size(), from, count, own)));
                }
            }
            from += count;
        }
        new UseConditions(part, block, weights, points, endNumbers)
                .rows(entries(entries), endMaps)
                .forEach(conditions::add);
        Matrix kernel = Echelon.of(conditions.kernel(ZERO));
        List<Map<Value, Matrix>> basis = new ArrayList<>();
        for (int column = 0; column < kernel.columns(); column++) {
            basis.add(element(kernel.column(column), block, entries, endMaps));
        }
        return new LinkAlgebra.Block(block, basis);
    }

    /** For each value the place of the first of its maps among the entries. */
    private static Map<Value, Integer> entries(List<Entry> entries) {
        Map<Value, Integer> first = new HashMap<>();
        for (int i = 0; i < entries.size(); i++) {
            first.putIfAbsent(entries.get(i).value(), i);
        }
        return first;
    }

    private List<double[]> outputs(Matrix motions, int entries, int from, int count, int[] own) {
        List<double[]> columns = new ArrayList<>();
        for (int entry = 0; entry < entries; entry++) {
            double[] motion = motion(motions, entry, from, count);
            columns.add(IntStream.range(0, drawn.size() * own.length)
                    .mapToDouble(at -> motion[at / own.length * count + own[at % own.length]])
                    .toArray());
        }
        return columns;
    }

    /** Columns side by side, over the square root of their length. */
    private static Matrix scaledRows(List<double[]> columns) {
        int length = columns.getFirst().length;
        Matrix rows = Matrix.zeros(length, columns.size());
        double scale = 1 / Math.sqrt(length);
        for (int column = 0; column < columns.size(); column++) {
            for (int row = 0; row < length; row++) {
                rows.set(row, column, scale * columns.get(column)[row]);
            }
        }
        return rows;
    }

    private static Matrix columns(Matrix all, int[] chosen) {
        if (chosen.length == all.columns()) {
            return all;
        }
        Matrix some = Matrix.zeros(all.rows(), chosen.length);
        for (int i = 0; i < all.rows(); i++) {
            for (int j = 0; j < chosen.length; j++) {
                some.set(i, j, all.get(i, chosen[j]));
            }
        }
        return some;
    }

    /** How a probe moves a value that comes out, one draw after the other. */
    private double[] motion(Matrix motions, int probe, int from, int count) {
        int size = motions.columns() / drawn.size();
        double[] motion = new double[count * drawn.size()];
        for (int draw = 0; draw < drawn.size(); draw++) {
            System.arraycopy(
                    motions.entries(), probe * motions.columns() + draw * size + from, motion, draw * count, count);
        }
        return motion;
    }

    private static Map<Value, Matrix> element(
            double[] combination,
            SequencedMap<Value, int[]> block,
            List<Entry> entries,
            Map<Value, List<Matrix>> endMaps) {
        Map<Value, Matrix> element = new LinkedHashMap<>();
        block.forEach((value, channels) -> element.put(value, Matrix.zeros(channels.length, channels.length + 1)));
        for (int i = 0; i < combination.length; i++) {
            Entry entry = entries.get(i);
            Objects.requireNonNull(element.get(entry.value())).set(entry.row(), entry.column(), combination[i]);
        }
        endMaps.forEach((end, maps) -> {
            Matrix map = Objects.requireNonNull(element.get(end));
            for (int i = 0; i < combination.length; i++) {
                map = map.plus(maps.get(i).scaled(combination[i]));
            }
            element.put(end, map);
        });
        double largest = element.values().stream()
                .mapToDouble(Matrix::largestMagnitude)
                .max()
                .orElse(0);
        if (largest > 1) { // so that steps along it are as long as they say
            element.replaceAll((_, map) -> map.scaled(1 / largest));
        }
        return element;
    }
}
