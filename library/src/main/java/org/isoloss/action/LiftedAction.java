package org.isoloss.action;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Factorization;
import org.isoloss.network.SubnetworkInputs;
import org.isoloss.network.Support;

/**
 * The induced action of proposition {@code prop:symmetry-from-subnetworks},
 * {@code a'_X(g, (theta_1, theta_2)) = (theta_1, a_(h(theta_1, X))(g, theta_2))}.
 */
final class LiftedAction implements GroupAction {
    private final Factorization factorization;
    private final Matrix batch;
    private final ActionFamily family;
    private final Generators generators;

    /** Points that give the subnetwork the same inputs. */
    private record Group(SubnetworkInputs inputs, List<Integer> rows) {}

    @FunctionalInterface
    private interface Part {
        Matrix of(GroupAction action, int[] rows, Matrix moving);
    }

    LiftedAction(Factorization factorization, double[] parameters, Matrix batch, ActionFamily family) {
        this.factorization = factorization;
        this.batch = batch.copy();
        this.family = family;
        SubnetworkInputs here = factorization.inputs(parameters, batch);
        this.generators = family.at(here).generators();
        member(here);
    }

    private GroupAction member(SubnetworkInputs inputs) {
        GroupAction action = family.at(inputs);
        int moving = factorization.subnetwork().moving().size();
        if (action.parameterCount() != moving) {
            throw new IllegalArgumentException("Lift: the action is on %d parameters, the subnetwork has %d"
                    .formatted(action.parameterCount(), moving));
        }
        if (action.generators().size() != generators.size()
                || action.generators().count() != generators.count()) {
            throw new IllegalArgumentException(
                    "Lift: the group of the family changes with the inputs: %d generators of size %d, expected %d of size %d"
                            .formatted(
                                    action.generators().count(),
                                    action.generators().size(),
                                    generators.count(),
                                    generators.size()));
        }
        return action;
    }

    @Override
    public Generators generators() {
        return generators;
    }

    @Override
    public int parameterCount() {
        return factorization.subnetwork().graph().parameterCount();
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        Batches.require(this, elements, parameters);
        return each(
                parameters,
                parameters.copy(),
                (action, rows, moving) -> action.apply(selected(elements, rows), moving));
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        Batches.require(this, elements, parameters);
        Batches.require(this, directions, parameters);
        return each(
                parameters,
                Matrix.zeros(parameters.rows(), parameters.columns()),
                (action, rows, moving) ->
                        action.derivative(selected(elements, rows), selected(directions, rows), moving));
    }

    /** Replaces the moving parameters of each row of {@code results}, points of equal inputs together. */
    private Matrix each(Matrix parameters, Matrix results, Part part) {
        Support support = factorization.subnetwork().moving();
        for (Group group : groups(parameters)) {
            int[] rows = group.rows.stream().mapToInt(Integer::intValue).toArray();
            Matrix moving = support.gatherColumns(selected(parameters, rows));
            Matrix moved = part.of(member(group.inputs), rows, moving);
            for (int i = 0; i < rows.length; i++) {
                double[] row = results.row(rows[i]);
                support.scatter(moved.row(i), row);
                Batches.setRow(results, rows[i], row);
            }
        }
        return results;
    }

    private List<Group> groups(Matrix parameters) {
        List<Group> groups = new ArrayList<>();
        for (int row = 0; row < parameters.rows(); row++) {
            SubnetworkInputs inputs = factorization.inputs(parameters.row(row), batch);
            Group last = groups.isEmpty() ? null : groups.getLast();
            if (last != null && last.inputs.sameAs(inputs)) {
                last.rows.add(row);
            } else {
                groups.add(new Group(inputs, new ArrayList<>(List.of(row))));
            }
        }
        return groups;
    }

    private static Matrix selected(Matrix matrix, int[] rows) {
        Matrix selected = Matrix.zeros(rows.length, matrix.columns());
        for (int i = 0; i < rows.length; i++) {
            Batches.setRow(selected, i, matrix.row(rows[i]));
        }
        return selected;
    }
}
