package org.isoloss.linalg;

import java.util.ArrayList;
import java.util.List;

/** A product of OpenBLAS, one tile after the other. */
final class TiledGemm implements BoundGemm {
    private final PreparedGemm[] tiles;

    private TiledGemm(List<PreparedGemm> tiles) {
        this.tiles = tiles.toArray(PreparedGemm[]::new);
    }

    /** Binds one tile to its arrays. */
    @FunctionalInterface
    interface Binding {
        PreparedGemm tile(int row, int column, int rows, int columns);
    }

    /** Cuts a product of placed factors, shapes (m, k) and (k, n). */
    static TiledGemm of(Placement ofA, Placement ofB, int m, int n, int k, Binding binding) {
        GemmTile tile = GemmTile.of(m, n, k, ofA.transposed(), ofB.transposed());
        List<PreparedGemm> tiles = new ArrayList<>();
        for (int column = 0; column < n; column += tile.columns()) {
            for (int row = 0; row < m; row += tile.rows()) {
                int rows = Math.min(tile.rows(), m - row);
                tiles.add(binding.tile(row, column, rows, Math.min(tile.columns(), n - column)));
            }
        }
        return new TiledGemm(tiles);
    }

    @Override
    public void run(boolean accumulate) {
        for (PreparedGemm tile : tiles) {
            tile.run(accumulate);
        }
    }

    @Override
    public long flops() {
        long sum = 0;
        for (PreparedGemm tile : tiles) {
            sum += tile.flops();
        }
        return sum;
    }
}
