package org.isoloss.flow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.ModelTarget;

/**
 * The part of a motion of parameters that a batch sees: which changes, to first order, something that is computed of it on the
 * way. The rest the batch is blind to, as eight images are to all but eight directions of each row of a first layer.
 *
 * @see ModelTarget#seen
 */
public final class SeenPart {
    /** Singular values of a block at most this times its largest count as zero. */
    private static final double ROUNDING = 1e-10;

    private static final int TOGETHER = 64;

    private final int count;
    private final List<Block> blocks;

    /** Coordinates that are seen together, and an orthonormal basis of what is seen of them, one direction a row. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Block(int[] coordinates, Matrix basis) {}

    private SeenPart(int count, List<Block> blocks) {
        this.count = count;
        this.blocks = blocks;
    }

    /**
     * Finds what is seen at a point.
     *
     * @param looked all that is looked at, such as {@link ModelTarget#seen} gives
     * @param point theta, length p; not modified
     * @return the seen part
     */
    public static SeenPart of(ModelTarget looked, double[] point) {
        int p = looked.parameterCount();
        List<Entry> entries = new ArrayList<>();
        for (int first = 0; first < p; first += TOGETHER) {
            int[] next = {first};
            int some = Math.min(TOGETHER, p - first);
            Matrix columns = looked.products(point, some, direction -> {
                Arrays.fill(direction, 0);
                direction[next[0]++] = 1;
            });
            for (int row = 0; row < columns.rows(); row++) {
                for (int column = 0; column < some; column++) {
                    if (columns.get(row, column) != 0) {
                        entries.add(new Entry(row, first + column, columns.get(row, column)));
                    }
                }
            }
        }
        return new SeenPart(p, blocks(looked.outputCount(), p, entries));
    }

    private record Entry(int row, int coordinate, double number) {}

    /** Rows and coordinates fall apart into blocks that share neither. */
    private static List<Block> blocks(int rows, int p, List<Entry> entries) {
        int[] above = new int[rows + p];
        Arrays.setAll(above, i -> i);
        for (Entry entry : entries) {
            above[root(above, entry.row)] = root(above, rows + entry.coordinate);
        }
        Map<Integer, List<Entry>> together = new LinkedHashMap<>();
        entries.forEach(entry -> together.computeIfAbsent(root(above, entry.row), _ -> new ArrayList<>())
                .add(entry));
        return together.values().stream().map(SeenPart::block).toList();
    }

    private static int root(int[] above, int node) {
        int root = node;
        while (above[root] != root) {
            above[root] = above[above[root]];
            root = above[root];
        }
        return root;
    }

    private static Block block(List<Entry> entries) {
        int[] coordinates =
                entries.stream().mapToInt(Entry::coordinate).distinct().sorted().toArray();
        int[] rows = entries.stream().mapToInt(Entry::row).distinct().sorted().toArray();
        Matrix matrix = Matrix.zeros(rows.length, coordinates.length);
        entries.forEach(entry -> matrix.set(
                Arrays.binarySearch(rows, entry.row),
                Arrays.binarySearch(coordinates, entry.coordinate),
                entry.number));
        Svd svd = Svd.of(matrix);
        Matrix all = svd.right().transpose();
        return new Block(coordinates, all.rows(0, svd.rank(ROUNDING)));
    }

    /** {@return how many independent directions are seen} */
    public int dimension() {
        return blocks.stream().mapToInt(block -> block.basis.rows()).sum();
    }

    /**
     * Takes the seen part of a motion.
     *
     * @param motion length p; not modified
     * @return its orthogonal projection onto what is seen
     */
    public double[] of(double[] motion) {
        if (motion.length != count) {
            throw new IllegalArgumentException(
                    "SeenPart.of: a motion of %d numbers, expected %d".formatted(motion.length, count));
        }
        double[] seen = new double[count];
        for (Block block : blocks) {
            for (int row = 0; row < block.basis.rows(); row++) {
                double product = 0;
                for (int i = 0; i < block.coordinates.length; i++) {
                    product += block.basis.get(row, i) * motion[block.coordinates[i]];
                }
                for (int i = 0; i < block.coordinates.length; i++) {
                    seen[block.coordinates[i]] += product * block.basis.get(row, i);
                }
            }
        }
        return seen;
    }
}
