package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    private final List<Map<Value, Matrix>> basis;
    private final List<SeenPoint> points;
    private final Set<Value> link;
    private final Matrix design;

    LinkFit(LinkAlgebra algebra, List<SeenPoint> points, Set<Value> link) {
        this.basis = plainest(algebra.basis());
        this.points = points;
        this.link = link;
        List<double[]> columns = new ArrayList<>();
        for (Map<Value, Matrix> element : basis) {
            List<double[]> parts = new ArrayList<>();
            for (SeenPoint point : points) {
                if (link.contains(point.value())) {
                    parts.add(point.motion(Objects.requireNonNull(element.get(point.value()))));
                }
            }
            columns.add(parts.stream().flatMapToDouble(Arrays::stream).toArray());
        }
        this.design = columns.isEmpty() ? Matrix.zeros(0, 0) : columnsOf(columns);
    }

    /** A basis that is orthonormal under the costs, so that the shortest combination is the plainest map. */
    private static List<Map<Value, Matrix>> plainest(List<Map<Value, Matrix>> basis) {
        int count = basis.size();
        if (count == 0) {
            return basis;
        }
        List<double[]> weighted = new ArrayList<>();
        for (Map<Value, Matrix> element : basis) {
            weighted.add(
                    element.values().stream().flatMapToDouble(LinkFit::weighted).toArray());
        }
        Svd svd = Svd.of(columnsOf(weighted));
        Matrix mixing = svd.right().copy();
        for (int row = 0; row < count; row++) {
            for (int column = 0; column < count; column++) {
                mixing.set(row, column, mixing.get(row, column) / svd.singularValues()[column]);
            }
        }
        List<Map<Value, Matrix>> plain = new ArrayList<>();
        for (int j = 0; j < count; j++) {
            plain.add(new LinkedHashMap<>());
        }
        for (Value value : basis.getFirst().keySet()) {
            List<Matrix> mixed = mixed(basis, value, mixing);
            for (int j = 0; j < count; j++) {
                plain.get(j).put(value, mixed.get(j));
            }
        }
        return plain;
    }

    /**
     * Combines the maps of a value.
     *
     * @param basis elements
     * @param value one that they have maps of
     * @param weights one combination a column
     */
    private static List<Matrix> mixed(List<Map<Value, Matrix>> basis, Value value, Matrix weights) {
        Matrix first = Objects.requireNonNull(basis.getFirst().get(value));
        Matrix all = columnsOf(basis.stream()
                .map(element -> Objects.requireNonNull(element.get(value)).entries())
                .toList());
        Matrix mixed = Blas.gemm(all, false, weights, false);
        List<Matrix> maps = new ArrayList<>();
        for (int column = 0; column < weights.columns(); column++) {
            maps.add(Matrix.over(first.rows(), first.columns(), mixed.column(column)));
        }
        return maps;
    }

    private static DoubleStream weighted(Matrix map) {
        int n = map.rows();
        return IntStream.range(0, n * (n + 1))
                .mapToDouble(i -> map.entries()[i] * COSTS[i % (n + 1) == n ? 2 : i / (n + 1) == i % (n + 1) ? 1 : 0]);
    }

    private static Matrix columnsOf(List<double[]> columns) {
        Matrix matrix = Matrix.zeros(columns.getFirst().length, columns.size());
        for (int column = 0; column < columns.size(); column++) {
            for (int row = 0; row < matrix.rows(); row++) {
                matrix.set(row, column, columns.get(column)[row]);
            }
        }
        return matrix;
    }

    /** One motion of all values of the part a column. */
    private Matrix motions(List<List<SeenPoint.Fit>> fits) {
        List<double[]> columns = new ArrayList<>();
        for (List<SeenPoint.Fit> direction : fits) {
            List<double[]> parts = new ArrayList<>();
            for (int point = 0; point < points.size(); point++) {
                if (link.contains(points.get(point).value())) {
                    parts.add(direction.get(point).motion());
                }
            }
            columns.add(parts.stream().flatMapToDouble(Arrays::stream).toArray());
        }
        return columns.isEmpty() ? Matrix.zeros(0, 0) : columnsOf(columns);
    }

    /** What the algebra leaves of motions, one a column. */
    Matrix residual(List<List<SeenPoint.Fit>> fits) {
        Matrix motions = motions(fits);
        return design.columns() == 0 || motions.rows() == 0
                ? motions
                : motions.minus(
                        design.times(LeastSquares.of(design, motions, RANK).solution()));
    }

    /** For each value the maps of all motions. */
    Map<Value, List<Matrix>> maps(List<List<SeenPoint.Fit>> fits) {
        Matrix motions = motions(fits);
        Matrix weights = design.columns() == 0 || motions.rows() == 0
                ? Matrix.zeros(design.columns(), fits.size())
                : LeastSquares.of(design, motions, RANK).solution();
        Map<Value, List<Matrix>> maps = new HashMap<>();
        for (SeenPoint point : points) {
            if (link.contains(point.value())) {
                int n = point.point().width();
                List<Matrix> own = basis.isEmpty()
                        ? Collections.nCopies(fits.size(), Matrix.zeros(n, n + 1))
                        : mixed(basis, point.value(), weights);
                maps.put(point.value(), own);
            }
        }
        return maps;
    }
}
