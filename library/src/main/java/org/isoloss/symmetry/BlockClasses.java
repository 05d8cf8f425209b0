package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import org.isoloss.model.Model;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * Which blocks of a part compute the same function, and through which of them signs go: found by giving all blocks the same
 * random numbers and comparing what comes out. Equal blocks can change places, whatever the values.
 */
final class BlockClasses {
    private static final double EQUAL = 1e-12;
    private static final int DRAWS = 3;
    /** So many values of one block have 2^n patterns of signs, which are all tried. */
    private static final int MOST_SIGNS = 4;

    private final Part part;
    private final Model plain;
    private final List<Map<String, double[]>> samples;
    private final Map<Value, int[]> blockOf = new HashMap<>();
    private final Map<Value, int[]> placeOf = new HashMap<>();
    private final List<double @Nullable []> computed;
    private final long seed;

    BlockClasses(Part part, Map<Value, GaugePoint> points, List<Map<String, double[]>> samples, long seed) {
        this.part = part;
        this.plain = part.withMaps(points);
        this.samples = samples;
        this.seed = seed;
        List<SequencedMap<Value, int[]>> blocks = part.blocks().blocks();
        for (int index = 0; index < blocks.size(); index++) {
            int number = index;
            blocks.get(index).forEach((value, channels) -> {
                int[] of =
                        blockOf.computeIfAbsent(value, _ -> new int[part.cut().width(value)]);
                int[] place =
                        placeOf.computeIfAbsent(value, _ -> new int[part.cut().width(value)]);
                for (int i = 0; i < channels.length; i++) {
                    of[channels[i]] = number;
                    place[channels[i]] = i;
                }
            });
        }
        this.computed = computed(Map.of());
    }

    /** Classes of at least two blocks that no output of the model reads. */
    List<List<Integer>> equal() {
        List<List<Integer>> classes = new ArrayList<>();
        for (int index = 0; index < computed.size(); index++) {
            double[] own = computed.get(index);
            if (own == null) {
                continue;
            }
            int number = index;
            classes.stream()
                    .filter(other -> isEqual(other.getFirst(), number))
                    .findFirst()
                    .orElseGet(() -> {
                        classes.add(new ArrayList<>());
                        return classes.getLast();
                    })
                    .add(index);
        }
        classes.removeIf(blocks -> blocks.size() < 2);
        return classes;
    }

    private boolean isEqual(int left, int right) {
        Map<Value, int[]> one = part.blocks().blocks().get(left);
        Map<Value, int[]> other = part.blocks().blocks().get(right);
        return one.keySet().equals(other.keySet())
                && one.keySet().stream()
                        .allMatch(value -> Objects.requireNonNull(one.get(value)).length
                                == Objects.requireNonNull(other.get(value)).length)
                && distance(computed.get(left), computed.get(right), 1) <= EQUAL;
    }

    private static double distance(double @Nullable [] left, double @Nullable [] right, double sign) {
        if (left == null || right == null || left.length != right.length) {
            return Double.POSITIVE_INFINITY;
        }
        double largest = 0;
        double size = 0;
        for (int i = 0; i < left.length; i++) {
            largest = Math.max(largest, Math.abs(left[i] - sign * right[i]));
            size = Math.max(size, Math.abs(left[i]));
        }
        return size == 0 ? largest : largest / size;
    }

    /**
     * Finds signs that go through blocks of one channel a value.
     *
     * @return for each block the patterns that go through it: for each value 1 or -1, those that stay left out
     */
    List<List<Map<Value, Integer>>> signs() {
        List<List<Map<Value, Integer>>> found = new ArrayList<>();
        computed.forEach(_ -> found.add(new ArrayList<>()));
        List<Value> moved = part.moved();
        if (moved.size() > MOST_SIGNS) {
            return found;
        }
        for (int pattern = 1; pattern < 1 << moved.size(); pattern++) {
            Map<Value, Integer> signs = new LinkedHashMap<>();
            for (int i = 0; i < moved.size(); i++) {
                signs.put(moved.get(i), (pattern >> i & 1) == 0 ? 1 : -1);
            }
            List<double @Nullable []> after = computed(signs);
            for (int index = 0; index < after.size(); index++) {
                Map<Value, Integer> through = through(index, signs, after.get(index));
                if (through != null) {
                    found.get(index).add(through);
                }
            }
        }
        return found;
    }

    /** The signs of what comes out, with those of what goes in; null where what comes out is something else. */
    private @Nullable Map<Value, Integer> through(int index, Map<Value, Integer> signs, double @Nullable [] after) {
        SequencedMap<Value, int[]> block = part.blocks().blocks().get(index);
        double[] before = computed.get(index);
        boolean isUnit = block.values().stream().allMatch(channels -> channels.length == 1);
        boolean moves =
                signs.entrySet().stream().anyMatch(sign -> sign.getValue() < 0 && block.containsKey(sign.getKey()));
        if (before == null || after == null || !isUnit || !moves) {
            return null;
        }
        Map<Value, Integer> through = new LinkedHashMap<>();
        signs.forEach((value, sign) -> {
            if (block.containsKey(value)) {
                through.put(value, sign);
            }
        });
        int from = 0;
        for (Value end : part.ends()) {
            if (block.containsKey(end)) {
                int count = DRAWS * end.shape().count() / part.cut().width(end);
                double[] one = Arrays.copyOfRange(before, from, from + count);
                double[] other = Arrays.copyOfRange(after, from, from + count);
                from += count;
                int sign = distance(one, other, 1) <= EQUAL ? 1 : distance(one, other, -1) <= EQUAL ? -1 : 0;
                if (sign == 0) {
                    return null;
                }
                through.put(end, sign);
            }
        }
        return through;
    }

    /** For each block what comes out of it, one end after the other; null for one that outputs of the model read. */
    private List<double @Nullable []> computed(Map<Value, Integer> signs) {
        List<Map<String, double[]>> drawn = drawn(signs);
        List<Value> reached =
                List.copyOf(plain.outputs().values()).subList(0, part.ends().size());
        List<double[]> numbers = plain.computed(reached, drawn);
        List<List<Double>> sorted = new ArrayList<>();
        part.blocks().blocks().forEach(_ -> sorted.add(new ArrayList<>()));
        for (int i = 0; i < reached.size(); i++) {
            Value end = part.ends().get(i);
            int[] channels = part.cut().channelsOfEntries(end);
            int[] of = Objects.requireNonNull(blockOf.get(end));
            int[] place = Objects.requireNonNull(placeOf.get(end));
            int most = Arrays.stream(place).max().orElse(0);
            for (int at = 0; at <= most; at++) { // by place within the block, so that equal blocks agree
                for (int draw = 0; draw < drawn.size(); draw++) {
                    for (int entry = 0; entry < channels.length; entry++) {
                        if (place[channels[entry]] == at) {
                            sorted.get(of[channels[entry]]).add(numbers.get(i)[draw * channels.length + entry]);
                        }
                    }
                }
            }
        }
        boolean[] observed = new boolean[sorted.size()];
        part.blocks()
                .outputs()
                .forEach(blocks ->
                        Arrays.stream(blocks).filter(block -> block >= 0).forEach(block -> observed[block] = true));
        List<double @Nullable []> computed = new ArrayList<>();
        for (int index = 0; index < sorted.size(); index++) {
            computed.add(
                    observed[index]
                            ? null
                            : sorted.get(index).stream().mapToDouble(x -> x).toArray());
        }
        return computed;
    }

    /** Numbers that depend on the value, the place in the block and the other axes alone, and not on the block. */
    private List<Map<String, double[]>> drawn(Map<Value, Integer> signs) {
        List<Map<String, double[]>> draws = new ArrayList<>();
        for (int draw = 0; draw < DRAWS; draw++) {
            Map<String, double[]> inputs = new LinkedHashMap<>();
            samples.get(draw % samples.size()).forEach((name, given) -> inputs.put(Part.nameOfInput(name), given));
            for (int i = 0; i < part.free().size(); i++) {
                Value value = part.free().get(i);
                int[] channels = part.cut().channelsOfEntries(value);
                int[] place = Objects.requireNonNull(placeOf.get(value));
                int carried = channels.length / part.cut().width(value);
                int[] next = new int[part.cut().width(value)];
                double[][] numbers = new double[Arrays.stream(place).max().orElse(0) + 1][];
                for (int at = 0; at < numbers.length; at++) {
                    var random = new SplittableRandom(seed + 31L * (draw + 31L * (i + 1009L * at)));
                    numbers[at] = new double[carried];
                    Arrays.setAll(numbers[at], _ -> 2 * random.nextGaussian());
                }
                double[] own = new double[channels.length];
                for (int entry = 0; entry < own.length; entry++) {
                    int channel = channels[entry];
                    own[entry] = signs.getOrDefault(value, 1) * numbers[place[channel]][next[channel]++];
                }
                inputs.put(Part.nameOfFree(i), own);
            }
            draws.add(inputs);
        }
        return draws;
    }
}
