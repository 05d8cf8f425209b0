package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Value;

/** A group that acts on the blocks of one part. */
sealed interface GroupFactor {
    /** A change of scales by a factor of two. */
    double REACH = Math.log(2);

    /** How many dimensions it has; 0 for a finite group. */
    int dimension();

    /** The values that its elements may move. */
    Set<Value> values();

    /** A product of Lie groups, one for each of some blocks. */
    record Continuous(List<LinkAlgebra.Block> blocks) implements Lie {
        @Override
        public Set<Value> values() {
            return blocks.getFirst().channels().keySet();
        }

        @Override
        public int dimension() {
            return blocks.stream().mapToInt(block -> block.basis().size()).sum();
        }

        @Override
        public void draw(
                SplittableRandom random,
                ToDoubleFunction<SplittableRandom> length,
                Map<Value, GaugePoint> points,
                BlockMaps maps) {
            for (LinkAlgebra.Block block : blocks) {
                Map<Value, Matrix> near = new LinkedHashMap<>();
                for (Map<Value, Matrix> element : block.basis()) {
                    double weight = random.nextGaussian();
                    element.forEach((value, map) -> near.merge(value, map.scaled(weight), Matrix::plus));
                }
                maps.add(block.channels(), near, length.applyAsDouble(random) / Lie.size(near, points));
            }
        }
    }

    /** Lie groups of blocks that are known by their kind, for each block one. */
    record Classical(List<WideBlock.Found> blocks) implements Lie {
        @Override
        public Set<Value> values() {
            return blocks.getFirst().roles().keySet();
        }

        @Override
        public int dimension() {
            return blocks.stream().mapToInt(WideBlock.Found::dimension).sum();
        }

        @Override
        public void draw(
                SplittableRandom random,
                ToDoubleFunction<SplittableRandom> length,
                Map<Value, GaugePoint> points,
                BlockMaps maps) {
            for (WideBlock.Found block : blocks) {
                Map<Value, Matrix> near = block.drawn(random);
                maps.add(block.channels(), near, length.applyAsDouble(random) / Lie.size(near, points));
            }
        }
    }

    /** A group with an algebra. */
    sealed interface Lie extends GroupFactor {
        /**
         * Draws for each block an element of its algebra.
         *
         * @param random of the draws
         * @param length of each element
         * @param points the values
         * @param maps to which it is added
         */
        void draw(
                SplittableRandom random,
                ToDoubleFunction<SplittableRandom> length,
                Map<Value, GaugePoint> points,
                BlockMaps maps);

        /** The largest singular value of a matrix, or the largest shift in units of the value's size. */
        static double size(Map<Value, Matrix> maps, Map<Value, GaugePoint> points) {
            double largest = 0;
            for (Map.Entry<Value, Matrix> entry : maps.entrySet()) {
                Affine map = Affine.of(entry.getValue());
                double rms = Objects.requireNonNull(points.get(entry.getKey())).size();
                largest = Math.max(largest, Svd.valuesOf(map.matrix())[0]);
                for (double shift : map.shift()) {
                    largest = Math.max(largest, Math.abs(shift) / Math.max(rms, Double.MIN_NORMAL));
                }
            }
            return largest;
        }
    }

    /**
     * All orders of some things: each has the same number of channels of every value.
     *
     * @param things for each of them, for each value its channels
     */
    record Permutations(List<? extends Map<Value, int[]>> things) implements GroupFactor {
        @Override
        public Set<Value> values() {
            return Set.copyOf(things.getFirst().keySet());
        }

        @Override
        public int dimension() {
            return 0;
        }

        /** Puts the thing at place order[i] at place i. */
        Map<Value, int[]> sources(int[] order, Map<Value, GaugePoint> points) {
            Map<Value, int[]> sources = new LinkedHashMap<>();
            for (int i = 0; i < order.length; i++) {
                Map<Value, int[]> from = things.get(order[i]);
                things.get(i).forEach((value, channels) -> {
                    int[] own = sources.computeIfAbsent(value, _ -> {
                        int[] same = new int
                                [Objects.requireNonNull(points.get(value)).width()];
                        Arrays.setAll(same, channel -> channel);
                        return same;
                    });
                    for (int at = 0; at < channels.length; at++) {
                        own[channels[at]] = Objects.requireNonNull(from.get(value))[at];
                    }
                });
            }
            return sources;
        }

        /** One cycle through so many things, so that none stays. */
        static int[] cycle(int count, SplittableRandom random) {
            int[] order = new int[count];
            Arrays.setAll(order, i -> i);
            for (int i = order.length - 1; i > 0; i--) { // Sattolo's algorithm
                int j = random.nextInt(i);
                int kept = order[i];
                order[i] = order[j];
                order[j] = kept;
            }
            return order;
        }
    }

    /**
     * Changes of sign, each block for itself.
     *
     * @param pattern the signs of a block's one channel of each value
     * @param channels for each block that channel
     */
    record Signs(Map<Value, Integer> pattern, List<? extends Map<Value, int[]>> channels) implements GroupFactor {
        @Override
        public Set<Value> values() {
            return pattern.keySet();
        }

        @Override
        public int dimension() {
            return 0;
        }

        /** The maps of one block that take all signs of the pattern. */
        Map<Value, Affine> maps() {
            Map<Value, Affine> maps = new LinkedHashMap<>();
            pattern.forEach((value, sign) ->
                    maps.put(value, new Affine(Matrix.over(1, 1, new double[] {sign}), new double[1])));
            return maps;
        }
    }
}
