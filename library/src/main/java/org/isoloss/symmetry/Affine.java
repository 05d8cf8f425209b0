package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;
import org.isoloss.linalg.Svd;
import org.jgrapht.alg.util.UnionFind;

/** An affine map of the channels of a value. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Affine(Matrix matrix, double[] shift) {
    static Affine identity(int width) {
        return new Affine(Matrix.identity(width), new double[width]);
    }

    /** The first n columns are the matrix, the last the shift. */
    static Affine of(Matrix map) {
        int n = map.rows();
        Matrix matrix = Matrix.zeros(n, n);
        double[] shift = new double[n];
        for (int i = 0; i < n; i++) {
            System.arraycopy(map.entries(), i * (n + 1), matrix.entries(), i * n, n);
            shift[i] = map.get(i, n);
        }
        return new Affine(matrix, shift);
    }

    /** Maps one value a row. */
    Matrix applied(Matrix rows) {
        Matrix moved = rows.times(matrix.transpose());
        for (int i = 0; i < moved.entries().length; i++) {
            moved.entries()[i] += shift[i % shift.length];
        }
        return moved;
    }

    boolean isIdentity() {
        return matrix.minus(Matrix.identity(shift.length)).largestMagnitude() == 0
                && Arrays.stream(shift).allMatch(c -> c == 0);
    }

    /** The affine map that a map near the identity, shape (n, n + 1), leads to: the exponential, of each block of channels that it mixes. */
    static Affine exponential(Matrix map) {
        int n = map.rows();
        Affine whole = identity(n);
        for (int[] channels : blocks(map)) {
            int m = channels.length;
            Matrix square = Matrix.zeros(m + 1, m + 1);
            System.arraycopy(block(map, channels).entries(), 0, square.entries(), 0, m * (m + 1));
            Affine own = of(MatrixExponential.of(square).rows(0, m));
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < m; j++) {
                    whole.matrix.set(channels[i], channels[j], own.matrix.get(i, j));
                }
                whole.shift[channels[i]] = own.shift[i];
            }
        }
        return whole;
    }

    /** The largest singular value of the matrix of a map near the identity, shape (n, n + 1). */
    static double norm(Matrix map) {
        return blocks(map).stream()
                .mapToDouble(channels -> Svd.valuesOf(of(block(map, channels)).matrix)[0])
                .max()
                .orElse(0);
    }

    /** The rows and columns of some channels, and their shifts. */
    private static Matrix block(Matrix map, int[] channels) {
        int m = channels.length;
        Matrix block = Matrix.zeros(m, m + 1);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                block.set(i, j, map.get(channels[i], channels[j]));
            }
            block.set(i, m, map.get(channels[i], map.rows()));
        }
        return block;
    }

    /** The channels that a map moves, sorted into those that it mixes. */
    private static Collection<int[]> blocks(Matrix map) {
        int n = map.rows();
        UnionFind<Integer> mixed = new UnionFind<>(IntStream.range(0, n).boxed().collect(Collectors.toSet()));
        BitSet moved = new BitSet();
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= n; j++) {
                if (map.get(i, j) != 0) {
                    moved.set(i);
                    mixed.union(i, j < n ? j : i);
                    moved.set(j < n ? j : i);
                }
            }
        }
        return moved.stream()
                .boxed()
                .collect(Collectors.groupingBy(mixed::find, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(channels -> channels.stream().mapToInt(Integer::intValue).toArray())
                .toList();
    }
}
