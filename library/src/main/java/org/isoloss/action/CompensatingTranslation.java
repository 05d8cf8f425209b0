package org.isoloss.action;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.CompensatorFeatures;

/**
 * Corollary {@code cor:subnet-compensating-action} for any block: parameters of the units C are translated along given
 * directions, and the outgoing weights of the units B take up the change of the output.
 */
final class CompensatingTranslation {
    private final CompensatedBlock block;
    private final int[] compensators;
    private final int[] others;
    private final int[] moved;
    private final Matrix directions;
    private final AdditiveGroup group;

    CompensatingTranslation(CompensatedBlock block, int[] compensators, int[] others, int[] moved, Matrix directions) {
        this.block = block;
        this.compensators = compensators.clone();
        this.others = others.clone();
        this.moved = moved.clone();
        this.directions = directions;
        this.group = new AdditiveGroup(directions.rows());
    }

    /** The units that do not compensate; refuses compensators that are not k different units, or leave none to move. */
    static int[] others(int units, int inputs, int[] compensators, String where) {
        int[] others = IntStream.range(0, units)
                .filter(unit -> Arrays.stream(compensators).noneMatch(other -> other == unit))
                .toArray();
        if (others.length != units - compensators.length || compensators.length != inputs) {
            throw new IllegalArgumentException(
                    "%s: compensating units %s for %d inputs, expected as many different units of 0 to %d as inputs"
                            .formatted(where, Arrays.toString(compensators), inputs, units - 1));
        }
        if (others.length == 0) {
            throw new IllegalArgumentException(
                    "%s: all %d units compensate and none is left to move; protect at most %d inputs"
                            .formatted(where, units, units - 1));
        }
        return others;
    }

    /** Refuses parameters that belong to compensating units, or to no unit of the block. */
    static void requireMovable(int[] moved, int[] movable, int parameterCount, String where) {
        boolean[] allowed = new boolean[parameterCount];
        for (int index : movable) {
            allowed[index] = true;
        }
        for (int index : moved) {
            if (index < 0 || index >= allowed.length || !allowed[index]) {
                throw new IllegalArgumentException(
                        "%s: parameter %d is not incident to a unit of the layer that does not compensate"
                                .formatted(where, index));
            }
        }
    }

    /** Refuses directions that are not one row of the moved parameters each; returns a copy. */
    static Matrix directions(Matrix directions, int moved, String where) {
        if (directions.rows() < 1 || directions.columns() != moved) {
            throw new IllegalArgumentException(
                    "%s: directions have shape (%d, %d), expected at least one row of %d, the moved parameters"
                            .formatted(where, directions.rows(), directions.columns(), moved));
        }
        return directions.requireFinite(where + ": directions").copy();
    }

    Generators generators() {
        return group.generators();
    }

    Matrix apply(GroupAction action, Matrix elements, Matrix parameters) {
        Batches.require(action, elements, parameters);
        Matrix result = parameters.copy();
        for (int row = 0; row < parameters.rows(); row++) {
            double[] before = parameters.row(row);
            double[] after = translated(before, group.vector(elements, row));
            Matrix entering = block.entering(before);
            Matrix change =
                    block.contribution(before, entering, others).minus(block.contribution(after, entering, others));
            addOutgoing(after, features(action, before, entering, row).solve(change));
            Batches.setRow(result, row, after);
        }
        return result;
    }

    Matrix derivative(GroupAction action, Matrix elements, Matrix tangents, Matrix parameters) {
        Batches.require(action, elements, parameters);
        Batches.require(action, tangents, parameters);
        Matrix velocities = Matrix.zeros(parameters.rows(), parameters.columns());
        for (int row = 0; row < parameters.rows(); row++) {
            double[] before = parameters.row(row);
            double[] after = translated(before, group.vector(elements, row));
            double[] velocity = translated(new double[before.length], group.tangent(tangents, row));
            Matrix entering = block.entering(before);
            Matrix change = block.contributionDerivative(after, velocity, entering, others)
                    .scaled(-1);
            addOutgoing(velocity, features(action, before, entering, row).solve(change));
            Batches.setRow(velocities, row, velocity);
        }
        return velocities;
    }

    /** Refuses a point outside the domain (equation {@code eq:subnet-regular-domain}), where the features of the compensators are singular or nearly so. */
    private CompensatorFeatures features(GroupAction action, double[] point, Matrix entering, int row) {
        return CompensatorFeatures.of(
                block.features(point, entering, compensators),
                "%s: point %d".formatted(action.getClass().getSimpleName(), row));
    }

    private double[] translated(double[] parameters, double[] x) {
        double[] point = parameters.clone();
        double[] change = Matrix.over(1, x.length, x).times(directions).entries();
        for (int i = 0; i < moved.length; i++) {
            point[moved[i]] += change[i];
        }
        return point;
    }

    private void addOutgoing(double[] parameters, Matrix change) {
        for (int output = 0; output < change.rows(); output++) {
            for (int j = 0; j < compensators.length; j++) {
                parameters[block.outgoingIndex(output, compensators[j])] += change.get(output, j);
            }
        }
    }
}
