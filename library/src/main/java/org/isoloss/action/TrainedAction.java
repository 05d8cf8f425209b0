package org.isoloss.action;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.BatchView;

/** An action whose numbers were trained, as run folders keep it: a description, generators and named weights. */
public sealed interface TrainedAction extends ParameterDerivative
        permits LearnedAction, ConjugatedAction, BatchedAction {
    /** {@return the architecture, its kind} */
    ActionKind kind();

    /** {@return everything but the numbers: values by name, as text; {@link #read} takes them} */
    Map<String, String> description();

    /** {@return names and sizes of the weight tensors, for files: as many as {@link #weights}, in the same order} */
    List<WeightTensor> tensors();

    /**
     * {@return how the coordinates are split into two halves, where they are: for every two couplings the coordinates of the
     * first half, p / 2 of them rounded down, then those of the second; empty for an action without couplings}
     */
    default List<List<Integer>> splits() {
        return List.of();
    }

    /** {@return the trained numbers: one array for each tensor, weights by input, then by output; copies} */
    List<double[]> weights();

    /** {@return the same action with memory of its own, for another thread: the same bits} */
    TrainedAction copy();

    /**
     * Returns the same action, made for few points at a time: what it computes is padded to so many rows.
     *
     * @param rows at least 1; other actions take more than a hundred together
     * @return the same map, up to rounding
     */
    TrainedAction forRows(int rows);

    /**
     * Makes an action from what a file keeps.
     *
     * @param kind of the action
     * @param description the values of {@link #description} by name; refuses names that it does not have
     * @param generators of the group
     * @param tensors the numbers of a tensor, in the order of {@link #weights}
     * @return the action
     */
    static TrainedAction read(
            ActionKind kind,
            UnaryOperator<String> description,
            Generators generators,
            Function<WeightTensor, double[]> tensors) {
        return switch (kind) {
            case DISPLACEMENT -> {
                ActionShape shape = ActionShape.described(description);
                yield new LearnedAction(shape, generators, numbers(shape.tensors(), tensors));
            }
            case CONJUGATED -> {
                ConjugatedShape shape = ConjugatedShape.described(description);
                yield new ConjugatedAction(shape, generators, numbers(shape.tensors(), tensors));
            }
            case BATCHED -> {
                BatchedShape shape = BatchedShape.described(description);
                List<double[]> all = numbers(shape.tensors(), tensors);
                int columns = shape.tensors().getLast().outputs();
                Matrix table = Matrix.over(shape.inputs(), columns, all.getLast());
                yield new BatchedAction(
                        shape, generators, all.subList(0, all.size() - 1), BatchView.ofTable(table, shape.visible()));
            }
        };
    }

    private static List<double[]> numbers(List<WeightTensor> names, Function<WeightTensor, double[]> tensors) {
        return names.stream().map(tensors).toList();
    }
}
