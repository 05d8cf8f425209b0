package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;

/**
 * Maps near the identity of the channels of a value, several of them, each of which mixes channels of a block alone: kept block by
 * block, as the maps of all channels of a wide value would not fit in memory.
 *
 * @param width the number of channels
 * @param count how many maps there are
 * @param blocks where they are not zero, no two of which have a channel in common
 */
record BlockMaps(int width, int count, List<Block> blocks) {
    /**
     * The maps of one block.
     *
     * @param channels n of them
     * @param entries one map a column, each of shape (n, n + 1) row-major
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Block(int[] channels, Matrix entries) {
        /** One of the maps. */
        Matrix map(int index) {
            return Matrix.over(channels.length, channels.length + 1, entries.column(index));
        }
    }

    /**
     * Combines the maps.
     *
     * @param combinations one a column
     */
    BlockMaps combined(Matrix combinations) {
        return new BlockMaps(
                width,
                combinations.columns(),
                blocks.stream()
                        .map(block ->
                                new Block(block.channels(), Blas.gemm(block.entries(), false, combinations, false)))
                        .toList());
    }

    /** The maps of all channels, shape (n, n + 1) each. */
    List<Matrix> whole() {
        List<Matrix> whole = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            Matrix map = Matrix.zeros(width, width + 1);
            for (Block block : blocks) {
                Matrix own = block.map(index);
                int n = block.channels().length;
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < n; j++) {
                        map.set(block.channels()[i], block.channels()[j], own.get(i, j));
                    }
                    map.set(block.channels()[i], width, own.get(i, n));
                }
            }
            whole.add(map);
        }
        return whole;
    }

    /** The same without shifts. */
    BlockMaps linear() {
        return new BlockMaps(
                width,
                count,
                blocks.stream()
                        .map(block -> {
                            int n = block.channels().length;
                            Matrix entries = block.entries().copy();
                            for (int i = 0; i < n; i++) {
                                int shift = (i * (n + 1) + n) * count;
                                Arrays.fill(entries.entries(), shift, shift + count, 0);
                            }
                            return new Block(block.channels(), entries);
                        })
                        .toList());
    }

    /** For each pair of maps the sum of the products of their entries. */
    Matrix products() {
        Matrix products = Matrix.zeros(count, count);
        for (Block block : blocks) {
            products = products.plus(Blas.gemm(block.entries(), true, block.entries(), false));
        }
        return products;
    }

    /** How many of the maps are independent. */
    int rank() {
        RowStack entries = new RowStack(count);
        blocks.forEach(block -> entries.add(block.entries()));
        return entries.rank(GroupName.ZERO);
    }
}
