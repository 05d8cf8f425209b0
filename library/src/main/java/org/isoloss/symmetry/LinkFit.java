package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Value;

/** Motions of the values that meet in a part without parameters, as elements of the part's algebra. */
final class LinkFit {
    private static final double RANK = 1e-9;

    /** What the entries of a map count where several maps make the same motion: those off the diagonal most, shifts least. */
    private static final double[] COSTS = {1, 0.1, 1e-3};

    private final List<Plain> blocks;
    private final List<SeenPoint> points;
    private final int[] places;
    private final Matrix design;

    /**
     * The algebra of a block, in a basis that is orthonormal under the costs, so that the shortest combination is the plainest map.
     *
     * @param channels for each value those that belong to the block, n of them
     * @param maps of these, shape (n, n + 1) row-major, one element a column
     * @param count how many elements there are
     */
    private record Plain(SequencedMap<Value, int[]> channels, Map<Value, Matrix> maps, int count) {
        BlockMaps.Block at(Value value) {
            return new BlockMaps.Block(
                    Objects.requireNonNull(channels.get(value)), Objects.requireNonNull(maps.get(value)));
        }
    }

    LinkFit(LinkAlgebra algebra, List<SeenPoint> points, Set<Value> link) {
        this.places = IntStream.range(0, points.size())
                .filter(place -> link.contains(points.get(place).value()))
                .toArray();
        this.points = Arrays.stream(places).mapToObj(points::get).toList();
        this.blocks = algebra.blocks().stream()
                .filter(block -> !block.basis().isEmpty())
                .map(LinkFit::plainest)
                .toList();
        List<double[]> columns = new ArrayList<>();
        for (Plain block : blocks) {
            for (int element = 0; element < block.count(); element++) {
                columns.add(motion(block, element));
            }
        }
        this.design = columnsOf(columns);
    }

    private double[] motion(Plain block, int element) {
        return points.stream()
                .flatMapToDouble(point -> {
                    if (!block.channels().containsKey(point.value())) {
                        return DoubleStream.generate(() -> 0).limit(point.sizeOfMotion());
                    }
                    BlockMaps.Block own = block.at(point.value());
                    return Arrays.stream(point.motion(own.channels(), own.map(element)));
                })
                .toArray();
    }

    private static Plain plainest(LinkAlgebra.Block block) {
        List<double[]> weighted = block.basis().stream()
                .map(element -> element.values().stream()
                        .flatMapToDouble(LinkFit::weighted)
                        .toArray())
                .toList();
        Svd svd = Svd.of(columnsOf(weighted));
        int count = weighted.size();
        Matrix mixing = svd.right().copy();
        for (int row = 0; row < count; row++) {
            for (int column = 0; column < count; column++) {
                mixing.set(row, column, mixing.get(row, column) / svd.singularValues()[column]);
            }
        }
        Map<Value, Matrix> maps = new LinkedHashMap<>();
        for (Value value : block.channels().keySet()) {
            Matrix all = columnsOf(block.basis().stream()
                    .map(element -> Objects.requireNonNull(element.get(value)).entries())
                    .toList());
            maps.put(value, Blas.gemm(all, false, mixing, false));
        }
        return new Plain(block.channels(), maps, count);
    }

    private static DoubleStream weighted(Matrix map) {
        int n = map.rows();
        return IntStream.range(0, n * (n + 1))
                .mapToDouble(i -> map.entries()[i] * COSTS[i % (n + 1) == n ? 2 : i / (n + 1) == i % (n + 1) ? 1 : 0]);
    }

    private static Matrix columnsOf(List<double[]> columns) {
        Matrix matrix = Matrix.zeros(columns.isEmpty() ? 0 : columns.getFirst().length, columns.size());
        for (int column = 0; column < columns.size(); column++) {
            for (int row = 0; row < matrix.rows(); row++) {
                matrix.set(row, column, columns.get(column)[row]);
            }
        }
        return matrix;
    }

    /** One motion of all values of the part a column. */
    private Matrix motions(List<List<SeenPoint.Fit>> fits) {
        return columnsOf(fits.stream()
                .map(direction -> Arrays.stream(places)
                        .mapToObj(direction::get)
                        .flatMapToDouble(fit -> Arrays.stream(fit.motion()))
                        .toArray())
                .toList());
    }

    /** The combination of the elements of the algebra that comes nearest to each motion, one a column. */
    private Matrix weights(Matrix motions) {
        return design.columns() == 0 || motions.rows() == 0
                ? Matrix.zeros(design.columns(), motions.columns())
                : LeastSquares.of(design, motions, RANK).solution();
    }

    /** What the algebra leaves of motions, one a column. */
    Matrix residual(List<List<SeenPoint.Fit>> fits) {
        Matrix motions = motions(fits);
        return design.columns() == 0 || motions.rows() == 0 ? motions : motions.minus(design.times(weights(motions)));
    }

    /** For each value the maps of all motions. */
    Map<Value, BlockMaps> maps(List<List<SeenPoint.Fit>> fits) {
        Matrix weights = weights(motions(fits));
        Map<Value, BlockMaps> maps = new HashMap<>();
        for (SeenPoint point : points) {
            List<BlockMaps.Block> own = new ArrayList<>();
            int from = 0;
            for (Plain block : blocks) {
                if (block.channels().containsKey(point.value())) {
                    BlockMaps.Block basis = block.at(point.value());
                    Matrix chosen = weights.rows(from, from + block.count());
                    own.add(new BlockMaps.Block(basis.channels(), Blas.gemm(basis.entries(), false, chosen, false)));
                }
                from += block.count();
            }
            maps.put(point.value(), new BlockMaps(point.point().width(), fits.size(), own));
        }
        return maps;
    }
}
