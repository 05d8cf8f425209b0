package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * The group that affine maps near the identity generate, told from the pattern of their matrices: blocks of channels that mix,
 * and in each block everything, rotations, a common scale, or what commutes with a rotation.
 *
 * @param kind in words, such as {@code scales}
 * @param group in the notation of mathematics, such as {@code (R>0)^5}
 * @param permutable whether its identity component together with reflections has all permutations of the channels already
 */
record GroupName(String kind, String group, boolean permutable) {
    static final double ZERO = 1e-7;

    /**
     * Names the group of a family at one value.
     *
     * @param maps a basis of the algebra
     * @param seen orthonormal columns, the directions that count
     */
    static GroupName of(BlockMaps maps, Matrix seen) {
        int dimension = maps.rank();
        BlockMaps linear = maps.linear();
        int linearDimension = linear.rank();
        if (linearDimension == 0) {
            return new GroupName("shifts", power("R", dimension), false);
        }
        int n = seen.rows();
        int m = seen.columns();
        int shifts = dimension - linearDimension;
        String translations = shifts == 0 ? "" : " with shifts " + power("R", shifts);
        if (linear.blocks().stream().allMatch(GroupName::isDiagonal)) {
            boolean common = linearDimension == 1 && n > 1 && matrices(linear).allMatch(GroupName::isMultipleOfOne);
            return common
                    ? new GroupName("size", "R>0" + translations, false)
                    : new GroupName("scales", power("(R>0)", linearDimension) + translations, false);
        }
        if (linearDimension == 1
                && m > 1
                && isMultipleOfOne(inSeen(matrices(linear).findFirst().orElseThrow(), seen))) {
            return new GroupName("size", "R>0" + translations, false);
        }
        if (linearDimension == m * m) {
            return shifts == m
                    ? new GroupName("affine maps", "Aff(%d)".formatted(m), true)
                    : new GroupName("basis", "GL(%d)".formatted(m) + translations, true);
        }
        if (linearDimension == m * (m - 1) / 2 && matrices(linear).allMatch(a -> isSkew(inSeen(a, seen)))) {
            return new GroupName("rotations", "O(%d)".formatted(m) + translations, m == n);
        }
        String blocks = blocks(linear, linearDimension);
        return blocks.isEmpty()
                ? new GroupName("changes of basis", "Lie group of dimension %d".formatted(dimension), false)
                : new GroupName("bases of blocks", blocks + translations, false);
    }

    private static Stream<Matrix> matrices(BlockMaps linear) {
        return linear.whole().stream().map(map -> Affine.of(map).matrix());
    }

    private static Matrix inSeen(Matrix matrix, Matrix seen) {
        return seen.transpose().times(matrix).times(seen);
    }

    static String power(String group, int exponent) {
        return exponent == 1 ? group.replaceAll("^\\((.*)\\)$", "$1") : "%s^%d".formatted(group, exponent);
    }

    /** A product over the blocks of channels that mix; empty where a block is none of those known. */
    private static String blocks(BlockMaps linear, int dimension) {
        Map<String, Integer> counts = new TreeMap<>();
        int sum = 0;
        for (List<double[]> parts :
                linear.blocks().stream().flatMap(GroupName::mixed).toList()) {
            int m = (int) Math.round(Math.sqrt(parts.getFirst().length));
            int rank = rank(parts);
            if (rank == 0) {
                continue;
            }
            sum += rank;
            String name = rank == m * m
                    ? m == 1 ? "(R>0)" : "GL(%d)".formatted(m)
                    : m == 2 && rank == 2 && parts.stream().allMatch(GroupName::commutesWithRotation) ? "(C*)" : "";
            if (name.isEmpty()) {
                return "";
            }
            counts.merge(name, 1, Integer::sum);
        }
        if (sum != dimension) {
            return sum % dimension == 0 && counts.size() == 1 // blocks that share their bases
                    ? power(
                            counts.keySet().iterator().next(),
                            counts.values().iterator().next() * dimension / sum)
                    : "";
        }
        List<String> factors = new ArrayList<>();
        counts.forEach((name, count) -> factors.add(power(name, count)));
        return String.join(" x ", factors);
    }

    /** The matrices of one block, for each set of its channels that they mix, row-major. */
    private static Stream<List<double[]>> mixed(BlockMaps.Block block) {
        int n = block.channels().length;
        int[] root = new int[n];
        Arrays.setAll(root, i -> i);
        Matrix entries = block.entries();
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (root[i] != root[j] && largest(entries, i * (n + 1) + j) > ZERO) {
                    int from = root[i];
                    int to = root[j];
                    Arrays.setAll(root, k -> root[k] == from ? to : root[k]);
                }
            }
        }
        return IntStream.range(0, n)
                .boxed()
                .collect(Collectors.groupingBy(i -> root[i], LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(channels -> IntStream.range(0, entries.columns())
                        .mapToObj(map -> channels.stream()
                                .flatMapToDouble(i ->
                                        channels.stream().mapToDouble(j -> entries.get(i * (n + 1) + j, map)))
                                .toArray())
                        .toList());
    }

    private static double largest(Matrix matrix, int row) {
        return Arrays.stream(matrix.row(row)).map(Math::abs).max().orElse(0);
    }

    private static boolean commutesWithRotation(double[] a) {
        return Math.abs(a[0] - a[3]) <= ZERO && Math.abs(a[1] + a[2]) <= ZERO;
    }

    static int rank(List<double[]> vectors) {
        if (vectors.isEmpty()) {
            return 0;
        }
        Matrix rows = Matrix.zeros(vectors.size(), vectors.getFirst().length);
        for (int i = 0; i < vectors.size(); i++) {
            System.arraycopy(vectors.get(i), 0, rows.entries(), i * rows.columns(), rows.columns());
        }
        return rank(rows);
    }

    /** The number of independent rows, or columns, of a matrix whose rows or columns are not small. */
    static int rank(Matrix matrix) {
        return (int) Arrays.stream(Svd.valuesOf(matrix))
                .filter(singular -> singular > ZERO)
                .count();
    }

    private static boolean isDiagonal(BlockMaps.Block block) {
        int n = block.channels().length;
        return IntStream.range(0, n * (n + 1))
                .filter(i -> i / (n + 1) != i % (n + 1))
                .allMatch(i -> largest(block.entries(), i) <= ZERO);
    }

    private static boolean isMultipleOfOne(Matrix a) {
        return a.minus(Matrix.identity(a.rows()).scaled(a.get(0, 0))).largestMagnitude() <= ZERO;
    }

    private static boolean isSkew(Matrix a) {
        return a.plus(a.transpose()).largestMagnitude() <= ZERO;
    }
}
