package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * A block all of whose bases are alike, such as the values of an attention head: A acts on what makes it, the inverse on what
 * reads it. With the Gram matrices S of the former and T of the latter, the weights are shortest where A S A' equals
 * A'^-1 T A^-1, and both are diagonal, largest first, in one basis up to signs.
 */
final class BasisBalance {
    private static final double ZERO = 1e-8;
    private static final double SINGULAR = 1e-12;

    private final SequencedMap<Value, int[]> channels;
    /** Whether a value moves by the dual; values that stay are not in it. */
    private final SequencedMap<Value, Boolean> duals;

    private final int width;

    private BasisBalance(SequencedMap<Value, int[]> channels, SequencedMap<Value, Boolean> duals, int width) {
        this.channels = channels;
        this.duals = duals;
        this.width = width;
    }

    /**
     * Reads the kind of a block.
     *
     * @param block any
     * @return null where it is none of all bases
     */
    static @Nullable BasisBalance of(LinkAlgebra.Block block) {
        BasisBalance alike = of(block.channels(), block.basis());
        if (alike == null) {
            return null;
        }
        Value first = alike.duals.firstEntry().getKey();
        int rank = GroupName.rank(block.basis().stream()
                .map(element -> matrix(element, first).entries())
                .toList());
        return rank == alike.width * alike.width ? alike : null;
    }

    /**
     * Reads the kind of a wide block.
     *
     * @param found a group of it
     * @return null where it is none of all bases
     */
    static @Nullable BasisBalance of(WideBlock.Found found) {
        if (found.classical() != WideBlock.Classical.BASES) {
            return null;
        }
        var random = new SplittableRandom(1);
        return of(found.channels(), List.of(found.drawn(random), found.drawn(random)));
    }

    private static @Nullable BasisBalance of(SequencedMap<Value, int[]> channels, List<Map<Value, Matrix>> elements) {
        Value first = channels.keySet().stream()
                .filter(value -> elements.stream().anyMatch(element -> linear(element, value) > ZERO))
                .findFirst()
                .orElse(null);
        if (first == null) {
            return null;
        }
        int width = Objects.requireNonNull(channels.get(first)).length;
        if (width < 2) {
            return null;
        }
        SequencedMap<Value, Boolean> duals = new LinkedHashMap<>();
        for (Map.Entry<Value, int[]> entry : channels.entrySet()) {
            Value value = entry.getKey();
            if (elements.stream().allMatch(element -> linear(element, value) <= ZERO)) {
                continue;
            }
            if (entry.getValue().length != width) {
                return null;
            }
            boolean isAlike = elements.stream()
                    .allMatch(element ->
                            matrix(element, value).minus(matrix(element, first)).largestMagnitude() <= ZERO);
            boolean isDual = elements.stream()
                    .allMatch(element -> matrix(element, value)
                                    .plus(matrix(element, first).transpose())
                                    .largestMagnitude()
                            <= ZERO);
            if (!isAlike && !isDual) {
                return null;
            }
            duals.put(value, isDual);
        }
        return new BasisBalance(channels, duals, width);
    }

    private static Matrix matrix(Map<Value, Matrix> element, Value value) {
        return Affine.of(Objects.requireNonNull(element.get(value))).matrix();
    }

    private static double linear(Map<Value, Matrix> element, Value value) {
        return element.get(value) == null ? 0 : matrix(element, value).largestMagnitude();
    }

    /**
     * The balanced basis.
     *
     * @param maps of the values that move
     * @param gap the least relative difference of two neighbouring diagonal numbers
     */
    record Balanced(Map<Value, Affine> maps, double gap) {}

    /**
     * Balances.
     *
     * @param found the group
     * @param total the maps that come first
     * @return null where a Gram matrix is singular
     */
    @Nullable
    Balanced balanced(GroupSearch found, Map<Value, Affine> total) {
        Matrix made = Matrix.zeros(width, width);
        Matrix read = Matrix.zeros(width, width);
        for (ParameterUse use : found.cut().uses()) {
            if (use.kind() != ParameterUse.Kind.CONTRACTION) {
                continue;
            }
            Value data = use.data().getFirst();
            Value result = found.cut().scaled(use);
            if (!duals.containsKey(data) && !duals.containsKey(result)) {
                continue;
            }
            Matrix weight = found.action().matrix(use, found.action().numbers(use.weight()));
            Affine after = total.get(result);
            Affine before = total.get(data);
            Matrix moved = after == null ? weight : after.matrix().times(weight);
            if (before != null) {
                moved = LinearSolve.of(before.matrix())
                        .solveTransposed(moved.transpose())
                        .transpose();
            }
            if (duals.containsKey(result)) {
                add(Objects.requireNonNull(duals.get(result)) ? read : made, rows(moved, channels.get(result)));
            }
            if (duals.containsKey(data)) {
                add(Objects.requireNonNull(duals.get(data)) ? made : read, rows(moved.transpose(), channels.get(data)));
            }
        }
        Svd ofMade = Svd.of(made);
        double[] sizes = ofMade.singularValues();
        if (!(sizes[width - 1] > SINGULAR * sizes[0])) {
            return null;
        }
        Matrix root = scaledColumns(
                ofMade.left(), Arrays.stream(sizes).map(Math::sqrt).toArray());
        Svd both = Svd.of(root.transpose().times(read).times(root));
        double[] squares = both.singularValues();
        if (!(squares[width - 1] > SINGULAR * squares[0])) {
            return null;
        }
        Matrix back = scaledColumns(
                ofMade.left(),
                Arrays.stream(sizes).map(size -> 1 / Math.sqrt(size)).toArray());
        Matrix basis = scaledColumns(
                        back.times(both.left()),
                        Arrays.stream(squares)
                                .map(square -> Math.sqrt(Math.sqrt(square)))
                                .toArray())
                .transpose();
        double gap = 1;
        for (int i = 1; i < width; i++) {
            gap = Math.min(gap, (squares[i - 1] - squares[i]) / squares[i - 1]);
        }
        return new Balanced(maps(basis, found.points()), gap);
    }

    private static Matrix rows(Matrix matrix, int @Nullable [] some) {
        int[] chosen = Objects.requireNonNull(some);
        Matrix rows = Matrix.zeros(chosen.length, matrix.columns());
        for (int i = 0; i < chosen.length; i++) {
            System.arraycopy(
                    matrix.entries(),
                    chosen[i] * matrix.columns(),
                    rows.entries(),
                    i * matrix.columns(),
                    matrix.columns());
        }
        return rows;
    }

    /** Adds the Gram matrix of rows. */
    private static void add(Matrix sum, Matrix rows) {
        Matrix gram = rows.times(rows.transpose());
        Arrays.setAll(sum.entries(), i -> sum.entries()[i] + gram.entries()[i]);
    }

    private static Matrix scaledColumns(Matrix matrix, double[] factors) {
        Matrix scaled = matrix.copy();
        for (int i = 0; i < scaled.entries().length; i++) {
            scaled.entries()[i] *= factors[i % factors.length];
        }
        return scaled;
    }

    private Map<Value, Affine> maps(Matrix basis, Map<Value, GaugePoint> points) {
        Matrix dual = LinearSolve.of(basis).solve(Matrix.identity(width)).transpose();
        Map<Value, Affine> maps = new LinkedHashMap<>();
        duals.forEach((value, isDual) -> {
            int[] own = Objects.requireNonNull(channels.get(value));
            Affine map =
                    Affine.identity(Objects.requireNonNull(points.get(value)).width());
            for (int i = 0; i < width; i++) {
                for (int j = 0; j < width; j++) {
                    map.matrix().set(own[i], own[j], (isDual ? dual : basis).get(i, j));
                }
            }
            maps.put(value, map);
        });
        return maps;
    }

    /** The signs that the balanced basis leaves open. */
    GroupFactor.Signs signs() {
        Map<Value, Integer> pattern = new LinkedHashMap<>();
        duals.keySet().forEach(value -> pattern.put(value, -1));
        List<Map<Value, int[]>> each = IntStream.range(0, width)
                .mapToObj(i -> {
                    Map<Value, int[]> own = new LinkedHashMap<>();
                    duals.keySet()
                            .forEach(value ->
                                    own.put(value, new int[] {Objects.requireNonNull(channels.get(value))[i]}));
                    return own;
                })
                .toList();
        return new GroupFactor.Signs(pattern, each);
    }
}
