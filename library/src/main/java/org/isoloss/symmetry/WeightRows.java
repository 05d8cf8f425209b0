package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.ParameterUse.Kind;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * What weights say of the maps of values, beside what activations do: where x goes to G x, the weight W that makes a value becomes
 * H W G^-1, also in directions that no input reaches.
 */
final class WeightRows {
    private final GroupSearch found;
    private final Map<Value, double[]> theirs = new HashMap<>();
    private final Map<Value, ParameterUse> makers = new HashMap<>();

    /**
     * Reads weights.
     *
     * @param found the groups of our network
     * @param parameters of the other network
     */
    WeightRows(GroupSearch found, double[] parameters) {
        this.found = found;
        for (ParameterUse use : found.cut().uses()) {
            if (use.kind() == Kind.CONTRACTION) {
                makers.put(found.cut().scaled(use), use);
            }
        }
        List<Value> used =
                found.cut().uses().stream().map(ParameterUse::weight).distinct().toList();
        SequencedMap<String, Value> observed = new LinkedHashMap<>();
        used.forEach(weight -> observed.put("weight " + observed.size(), weight));
        found.moving().model().outputs().forEach((name, output) -> observed.put("output " + name, output));
        double[] all = ModelTarget.of(
                        found.moving().observing(observed), found.inputs().getFirst())
                .outputs(Matrix.over(1, parameters.length, parameters.clone()))
                .entries();
        int from = 0;
        for (Value weight : used) {
            int count = weight.shape().count();
            theirs.put(weight, Arrays.copyOfRange(all, from, from + count));
            from += count;
        }
    }

    /** The numbers of a weight of the other network. */
    double[] theirs(Value weight) {
        return Objects.requireNonNull(theirs.get(weight));
    }

    /**
     * Columns of the weights that make a value, as rows.
     *
     * @param value that is made
     * @param known the maps of values so far, with the order in which blocks change places
     * @return those of our network, after the map of what they read, and those of the other; null where no contraction makes the
     *     value
     */
    @Nullable
    Pair of(Value value, Map<Value, Affine> known) {
        ParameterUse use = makers.get(value);
        if (use == null) {
            return null;
        }
        Matrix own = found.action().matrix(use, found.action().numbers(use.weight()));
        Affine before = known.get(use.data().getFirst());
        if (before != null && before.shift().length == own.columns()) {
            own = LinearSolve.of(before.matrix())
                    .solveTransposed(own.transpose())
                    .transpose();
        }
        return new Pair(
                own.transpose(),
                found.action().matrix(use, theirs(use.weight())).transpose());
    }

    /**
     * The weights that make a value, its biases, and the weights that read it, each with one column a channel.
     *
     * @param value any
     * @param known the maps of the values around it
     */
    List<Pair> around(Value value, Map<Value, Affine> known) {
        List<Pair> around = new ArrayList<>();
        Pair making = of(value, known);
        if (making != null) {
            around.add(making);
        }
        for (ParameterUse use : found.cut().uses()) {
            GaugePoint point = found.points().get(value);
            if (use.kind() == Kind.SHIFT && use.result().equals(value) && point != null) {
                around.add(new Pair(
                        biases(use, point, found.action().numbers(use.weight())),
                        biases(use, point, theirs(use.weight()))));
            } else if (use.kind() == Kind.CONTRACTION && use.data().getFirst().equals(value)) {
                Matrix own = found.action().matrix(use, found.action().numbers(use.weight()));
                Affine after = known.get(found.cut().scaled(use));
                around.add(new Pair(
                        after == null ? own : Blas.gemm(after.matrix(), false, own, false),
                        found.action().matrix(use, theirs(use.weight()))));
            }
        }
        return around;
    }

    /** One row, as the first carried place has it. */
    private static Matrix biases(ParameterUse use, GaugePoint point, double[] numbers) {
        double factor = use.factor(use.weight());
        return point.arranged(Arrays.stream(use.weightPlaces())
                        .mapToDouble(place -> factor * numbers[place])
                        .toArray())
                .rows(0, 1);
    }

    /**
     * Rows that one map takes to each other.
     *
     * @param ours one vector of channels a row
     * @param theirs the same for the other network
     */
    record Pair(Matrix ours, Matrix theirs) {}
}
