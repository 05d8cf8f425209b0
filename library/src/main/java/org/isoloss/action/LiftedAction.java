package org.isoloss.action;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Moving;
import org.isoloss.model.Reception;
import org.isoloss.model.SubnetworkInputs;

/**
 * The induced action of proposition {@code prop:symmetry-from-subnetworks},
 * {@code a'_X(g, (theta_1, theta_2)) = (theta_1, a_(h(theta_1, X))(g, theta_2))}.
 */
final class LiftedAction implements GroupAction {
    private final Reception reception;
    private final int[] moving;
    private final int count;
    private final ActionFamily family;
    private final Generators generators;

    /** Points that give the subnetwork the same inputs. */
    private record Group(SubnetworkInputs inputs, List<Integer> rows) {}

    @FunctionalInterface
    private interface Step {
        Matrix of(GroupAction action, int[] rows, Matrix moving);
    }

    LiftedAction(Moving moving, Reception reception, ActionFamily family) {
        Moving all = Moving.all(moving.model());
        this.reception = reception;
        this.moving = moving.within();
        this.count = all.count();
        this.family = family;
        SubnetworkInputs here = reception.at(all.origin());
        this.generators = family.at(here).generators();
        member(here);
    }

    private GroupAction member(SubnetworkInputs inputs) {
        GroupAction action = family.at(inputs);
        if (action.parameterCount() != moving.length) {
            throw new IllegalArgumentException("Lift: the action is on %d parameters, the subnetwork has %d"
                    .formatted(action.parameterCount(), moving.length));
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
        return count;
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
    private Matrix each(Matrix parameters, Matrix results, Step step) {
        for (Group group : groups(parameters)) {
            int[] rows = group.rows.stream().mapToInt(Integer::intValue).toArray();
            Matrix part = Matrix.zeros(rows.length, moving.length);
            for (int i = 0; i < rows.length; i++) {
                for (int j = 0; j < moving.length; j++) {
                    part.set(i, j, parameters.get(rows[i], moving[j]));
                }
            }
            Matrix moved = step.of(member(group.inputs), rows, part);
            for (int i = 0; i < rows.length; i++) {
                for (int j = 0; j < moving.length; j++) {
                    results.set(rows[i], moving[j], moved.get(i, j));
                }
            }
        }
        return results;
    }

    private List<Group> groups(Matrix parameters) {
        List<Group> groups = new ArrayList<>();
        for (int row = 0; row < parameters.rows(); row++) {
            SubnetworkInputs inputs = reception.at(parameters.row(row));
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
