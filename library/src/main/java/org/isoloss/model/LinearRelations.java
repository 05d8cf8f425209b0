package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.isoloss.linalg.Matrix;

/**
 * Homogeneous linear equations between many unknowns, most of which say that one is a multiple of another: over the real numbers, or
 * over the two numbers 0 and 1.
 */
final class LinearRelations {
    private static final double ZERO = 1e-9;

    private final boolean isBinary;
    private final int[] parent;
    private final double[] ratio; // an unknown is so many times its parent
    private final boolean[] isZero;
    private final List<Map<Integer, Double>> rows = new ArrayList<>();

    LinearRelations(int count, boolean isBinary) {
        this.isBinary = isBinary;
        this.parent = new int[count];
        this.ratio = new double[count];
        this.isZero = new boolean[count];
        Arrays.setAll(parent, i -> i);
        Arrays.fill(ratio, 1);
    }

    void zero(int unknown) {
        isZero[root(unknown)] = true;
    }

    private int root(int unknown) {
        int at = unknown;
        double times = 1;
        while (parent[at] != at) {
            times *= ratio[at];
            at = parent[at];
        }
        if (unknown != at) {
            parent[unknown] = at;
            ratio[unknown] = times;
        }
        return at;
    }

    private double ratio(int unknown) {
        return root(unknown) == unknown ? 1 : ratio[unknown];
    }

    /** Adds the equation that a sum of multiples of unknowns is zero. */
    void add(int[] unknowns, double[] factors) {
        Map<Integer, Double> row = reduced(unknowns, factors);
        if (row.size() == 1) {
            zero(row.keySet().iterator().next());
        } else if (row.size() == 2) {
            var entries = List.copyOf(row.entrySet());
            int one = entries.get(0).getKey();
            parent[one] = entries.get(1).getKey();
            ratio[one] =
                    isBinary ? 1 : -entries.get(1).getValue() / entries.get(0).getValue();
        } else if (!row.isEmpty()) {
            rows.add(row);
        }
    }

    /** The same over roots, of which none is zero. */
    private Map<Integer, Double> reduced(int[] unknowns, double[] factors) {
        Map<Integer, Double> row = new TreeMap<>();
        for (int i = 0; i < unknowns.length; i++) {
            int root = root(unknowns[i]);
            if (!isZero[root]) {
                row.merge(root, factors[i] * ratio(unknowns[i]), this::sum);
            }
        }
        row.values().removeIf(factor -> Math.abs(factor) < ZERO);
        return row;
    }

    private double sum(double left, double right) {
        double sum = left + right;
        return isBinary ? Math.floorMod(Math.round(sum), 2) : sum;
    }

    /**
     * Solves for some unknowns.
     *
     * @param wanted unknowns; equations with others among them count
     * @return a row for each, over a basis of all that they can be together
     */
    Matrix solved(int[] wanted) {
        settle();
        Map<Integer, Integer> roots = new LinkedHashMap<>();
        for (int unknown : wanted) {
            if (!isZero[root(unknown)]) {
                roots.putIfAbsent(root(unknown), roots.size());
            }
        }
        List<Map<Integer, Double>> own = connected(roots);
        Matrix free = nullspace(own, roots.size());
        Matrix values = Matrix.zeros(wanted.length, free.columns());
        for (int i = 0; i < wanted.length; i++) {
            Integer root = roots.get(root(wanted[i]));
            for (int k = 0; k < free.columns() && root != null; k++) {
                values.set(i, k, ratio(wanted[i]) * free.get(root, k));
            }
        }
        return basis(values);
    }

    /** Uses equations that have become shorter until none does. */
    private void settle() {
        boolean changed = true;
        while (changed) {
            changed = false;
            List<Map<Integer, Double>> before = List.copyOf(rows);
            rows.clear();
            for (Map<Integer, Double> row : before) {
                int[] unknowns =
                        row.keySet().stream().mapToInt(Integer::intValue).toArray();
                int kept = rows.size();
                add(
                        unknowns,
                        row.values().stream().mapToDouble(Double::doubleValue).toArray());
                changed |= rows.size() == kept;
            }
        }
    }

    /** The equations in which some roots, or those that others bring, occur. */
    private List<Map<Integer, Double>> connected(Map<Integer, Integer> roots) {
        List<Map<Integer, Double>> own = new ArrayList<>();
        List<Map<Integer, Double>> others = new ArrayList<>(rows);
        boolean grows = true;
        while (grows) {
            grows = false;
            for (var rest = others.iterator(); rest.hasNext(); ) {
                Map<Integer, Double> row = rest.next();
                if (row.keySet().stream().anyMatch(roots::containsKey)) {
                    row.keySet().forEach(root -> roots.putIfAbsent(root, roots.size()));
                    own.add(row);
                    rest.remove();
                    grows = true;
                }
            }
        }
        return own.stream()
                .map(row -> {
                    Map<Integer, Double> columns = new TreeMap<>();
                    row.forEach((root, factor) -> columns.put(roots.getOrDefault(root, 0), factor));
                    return columns;
                })
                .toList();
    }

    private Matrix nullspace(List<Map<Integer, Double>> equations, int count) {
        Matrix matrix = Matrix.zeros(equations.size(), count);
        for (int i = 0; i < equations.size(); i++) {
            int row = i;
            equations.get(i).forEach((column, factor) -> matrix.set(row, column, factor));
        }
        int[] pivots = reduce(matrix);
        boolean[] isPivot = new boolean[count];
        Arrays.stream(pivots).forEach(pivot -> isPivot[pivot] = true);
        int[] free = java.util.stream.IntStream.range(0, count)
                .filter(i -> !isPivot[i])
                .toArray();
        Matrix space = Matrix.zeros(count, free.length);
        for (int k = 0; k < free.length; k++) {
            space.set(free[k], k, 1);
            for (int row = 0; row < pivots.length; row++) {
                space.set(pivots[row], k, isBinary ? matrix.get(row, free[k]) : -matrix.get(row, free[k]));
            }
        }
        return space;
    }

    /** Columns that span the same, as short as echelon form makes them. */
    private Matrix basis(Matrix values) {
        Matrix rows = values.transpose();
        int rank = reduce(rows).length;
        Matrix basis = Matrix.zeros(values.rows(), rank);
        for (int k = 0; k < rank; k++) {
            for (int i = 0; i < values.rows(); i++) {
                basis.set(i, k, rows.get(k, i));
            }
        }
        return basis;
    }

    /** Brings a matrix to reduced echelon form in place. */
    private int[] reduce(Matrix matrix) {
        List<Integer> pivots = new ArrayList<>();
        for (int column = 0; column < matrix.columns() && pivots.size() < matrix.rows(); column++) {
            int row = pivots.size();
            int best = row;
            for (int i = row; i < matrix.rows(); i++) {
                if (Math.abs(matrix.get(i, column)) > Math.abs(matrix.get(best, column))) {
                    best = i;
                }
            }
            double pivot = matrix.get(best, column);
            if (Math.abs(pivot) > ZERO) {
                for (int j = 0; j < matrix.columns(); j++) {
                    double kept = matrix.get(best, j);
                    matrix.set(best, j, matrix.get(row, j));
                    matrix.set(row, j, kept / pivot);
                }
                for (int i = 0; i < matrix.rows(); i++) {
                    double factor = matrix.get(i, column);
                    for (int j = 0; i != row && factor != 0 && j < matrix.columns(); j++) {
                        matrix.set(
                                i,
                                j,
                                sum(
                                        matrix.get(i, j),
                                        isBinary ? matrix.get(row, j) * factor : -factor * matrix.get(row, j)));
                    }
                }
                pivots.add(column);
            }
        }
        return pivots.stream().mapToInt(Integer::intValue).toArray();
    }
}
