package org.isoloss.basis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.isoloss.basis.Subgroup.Change;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.PivotedQr;
import org.isoloss.model.AxisClass;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;

/** What elements near the identity do to the weights of a model, by central differences. */
final class SmallElements {
    /** Differences are exact to its square, and to rounding over it. */
    private static final double STEP = 1e-6;
    /** Rounding over the step, in some hundred terms, and far below any singular value of the models. */
    private static final double ZERO = 1e-7;

    private SmallElements() {}

    /** How many dimensions some rows span. */
    static int rank(Matrix rows) {
        return rows.rows() == 0 ? 0 : PivotedQr.of(rows).rank(ZERO);
    }

    /** The directions of a factor, one for each entry of its arrays, as long as 1 where they are not 0. */
    static List<double[]> of(BasisGroup group, Subgroup part) {
        Map.Entry<String, Matrix> drawn = group.drawn(List.of(part), 1).arrays().firstEntry();
        Matrix zero = Matrix.zeros(drawn.getValue().rows(), drawn.getValue().columns());
        List<double[]> rows = new ArrayList<>();
        for (int i = 0; i < zero.entries().length; i++) {
            Matrix unit = zero.copy();
            unit.entries()[i] = 1;
            rows.add(difference(group, drawn.getKey(), zero, unit));
        }
        return rows;
    }

    static List<double[]> of(BasisGroup group, Change change) {
        if (change.kind() != Subgroup.Kind.BASIS) {
            return of(group, (Subgroup) change);
        }
        AxisClass channels = change.channels();
        int n = channels.size();
        String name = group.drawn(List.of(change), 1).arrays().firstEntry().getKey();
        Matrix identities = Matrix.zeros(channels.count() * n, n);
        for (int i = 0; i < identities.rows(); i++) {
            identities.set(i, i % n, 1);
        }
        List<double[]> rows = new ArrayList<>();
        for (int index = 0; index < channels.count(); index++) {
            for (Matrix field : fields(channels)) {
                Matrix all = Matrix.zeros(channels.count() * n, n);
                System.arraycopy(field.entries(), 0, all.entries(), index * n * n, n * n);
                rows.add(difference(group, name, identities, all));
            }
        }
        return rows;
    }

    /** The Lie algebra of a class, spanned. */
    private static List<Matrix> fields(AxisClass channels) {
        int n = channels.size();
        List<Matrix> fields = new ArrayList<>();
        if (channels.kind() == AxisClass.Kind.COMMUTING) {
            List<int[]> still = channels.blocks().stream()
                    .filter(block -> block.length == 1)
                    .toList();
            still.forEach(row -> still.forEach(column -> fields.add(unit(n, row[0], column[0]))));
            channels.blocks().stream().filter(block -> block.length == 2).forEach(pair -> {
                fields.add(unit(n, pair[0], pair[0]).plus(unit(n, pair[1], pair[1])));
                fields.add(unit(n, pair[0], pair[1]).minus(unit(n, pair[1], pair[0])));
            });
            return fields;
        }
        boolean isOrthogonal = channels.kind() == AxisClass.Kind.ORTHOGONAL;
        Matrix centring = Matrix.identity(n);
        for (int i = 0; i < n * n; i++) {
            centring.entries()[i] -= 1.0 / n;
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                Matrix field = isOrthogonal ? unit(n, i, j).minus(unit(n, j, i)) : unit(n, i, j);
                boolean right = channels.fixesOnes() || (isOrthogonal && channels.fixesOnesDual());
                boolean left = channels.fixesOnesDual() || (isOrthogonal && channels.fixesOnes());
                field = right ? field.times(centring) : field;
                fields.add(left ? centring.times(field) : field);
            }
        }
        return fields;
    }

    private static Matrix unit(int n, int row, int column) {
        Matrix unit = Matrix.zeros(n, n);
        unit.set(row, column, 1);
        return unit;
    }

    private static double[] difference(BasisGroup group, String name, Matrix identity, Matrix field) {
        double[] up = weights(group, name, identity.plus(field.scaled(STEP)));
        double[] down = weights(group, name, identity.minus(field.scaled(STEP)));
        double[] slope = new double[up.length];
        Arrays.setAll(slope, i -> (up[i] - down[i]) / (2 * STEP));
        double length = Math.sqrt(Arrays.stream(slope).map(x -> x * x).sum());
        return length < 1e-8
                ? new double[up.length]
                : Arrays.stream(slope).map(x -> x / length).toArray();
    }

    private static double[] weights(BasisGroup group, String name, Matrix array) {
        SequencedMap<String, Matrix> arrays = new LinkedHashMap<>(Map.of(name, array));
        SequencedMap<String, Numbers> changed = group.tensors(group.element(arrays));
        Model moved = group.model().reading(changed);
        return moved.parameters().keySet().stream()
                .flatMapToDouble(tensor -> Arrays.stream(moved.numbers(tensor)))
                .toArray();
    }
}
