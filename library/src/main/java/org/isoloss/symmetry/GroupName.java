package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
    private static final double ZERO = 1e-7;

    /**
     * Names the group of a family at one value.
     *
     * @param maps shape (n, n + 1) each, a basis of the algebra
     * @param seen orthonormal columns, the directions that count
     */
    static GroupName of(List<Matrix> maps, Matrix seen) {
        int n = seen.rows();
        List<Matrix> linear = new ArrayList<>();
        List<double[]> affine = new ArrayList<>();
        for (Matrix map : maps) {
            Matrix a = Affine.of(map).matrix();
            linear.add(a);
            affine.add(map.entries());
        }
        int dimension = rank(affine);
        int linearDimension = rank(linear.stream().map(Matrix::entries).toList());
        if (linearDimension == 0) {
            return new GroupName("shifts", power("R", dimension), false);
        }
        int shifts = dimension - linearDimension;
        String translations = shifts == 0 ? "" : " with shifts " + power("R", shifts);
        if (linear.stream().allMatch(GroupName::isDiagonal)) {
            boolean common = linearDimension == 1 && n > 1 && linear.stream().allMatch(GroupName::isMultipleOfOne);
            return common
                    ? new GroupName("size", "R>0" + translations, false)
                    : new GroupName("scales", power("(R>0)", linearDimension) + translations, false);
        }
        int m = seen.columns();
        if (linearDimension == 1
                && m > 1
                && isMultipleOfOne(seen.transpose().times(linear.getFirst()).times(seen))) {
            return new GroupName("size", "R>0" + translations, false);
        }
        if (linearDimension == m * m) {
            return shifts == m
                    ? new GroupName("affine maps", "Aff(%d)".formatted(m), true)
                    : new GroupName("basis", "GL(%d)".formatted(m) + translations, true);
        }
        List<Matrix> inSeen =
                linear.stream().map(a -> seen.transpose().times(a).times(seen)).toList();
        if (linearDimension == m * (m - 1) / 2 && inSeen.stream().allMatch(GroupName::isSkew)) {
            return new GroupName("rotations", "O(%d)".formatted(m) + translations, m == n);
        }
        String blocks = blocks(linear, n, linearDimension);
        return blocks.isEmpty()
                ? new GroupName("changes of basis", "Lie group of dimension %d".formatted(dimension), false)
                : new GroupName("bases of blocks", blocks + translations, false);
    }

    static String power(String group, int exponent) {
        return exponent == 1 ? group.replaceAll("^\\((.*)\\)$", "$1") : "%s^%d".formatted(group, exponent);
    }

    /** A product over the blocks of channels that mix; empty where a block is none of those known. */
    private static String blocks(List<Matrix> linear, int n, int dimension) {
        int[] block = new int[n];
        Arrays.setAll(block, i -> i);
        for (Matrix a : linear) {
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    if (Math.abs(a.get(i, j)) > ZERO && block[i] != block[j]) {
                        int from = block[i];
                        int to = block[j];
                        Arrays.setAll(block, k -> block[k] == from ? to : block[k]);
                    }
                }
            }
        }
        Map<Integer, List<Integer>> members = new LinkedHashMap<>();
        for (int i = 0; i < n; i++) {
            members.computeIfAbsent(block[i], _ -> new ArrayList<>()).add(i);
        }
        Map<String, Integer> counts = new TreeMap<>();
        int sum = 0;
        for (List<Integer> channels : members.values()) {
            int m = channels.size();
            List<double[]> parts = new ArrayList<>();
            for (Matrix a : linear) {
                double[] part = new double[m * m];
                for (int i = 0; i < m; i++) {
                    for (int j = 0; j < m; j++) {
                        part[i * m + j] = a.get(channels.get(i), channels.get(j));
                    }
                }
                parts.add(part);
            }
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

    private static boolean isDiagonal(Matrix a) {
        for (int i = 0; i < a.rows(); i++) {
            for (int j = 0; j < a.rows(); j++) {
                if (i != j && Math.abs(a.get(i, j)) > ZERO) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isMultipleOfOne(Matrix a) {
        return a.minus(Matrix.identity(a.rows()).scaled(a.get(0, 0))).largestMagnitude() <= ZERO;
    }

    private static boolean isSkew(Matrix a) {
        return a.plus(a.transpose()).largestMagnitude() <= ZERO;
    }
}
