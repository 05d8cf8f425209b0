package org.isoloss.action;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.isoloss.lie.Generators;

/** An action whose numbers were trained, as run folders keep it: a description, generators and named weights. */
public sealed interface TrainedAction extends ParameterDerivative permits LearnedAction, ConjugatedAction {
    /**
     * Returns the architecture.
     *
     * @return its kind
     */
    ActionKind kind();

    /**
     * Returns everything but the numbers.
     *
     * @return values by name, as text; {@link #read} takes them
     */
    Map<String, String> description();

    /**
     * Returns the names of the weight tensors, for files.
     *
     * @return as many as {@link #weights}, in the same order
     */
    List<String> tensorNames();

    /**
     * Returns the trained numbers.
     *
     * @return one array for each tensor; copies
     */
    List<double[]> weights();

    /**
     * Makes an action from what a file keeps.
     *
     * @param kind of the action
     * @param description the values of {@link #description} by name; refuses names that it does not have
     * @param generators of the group
     * @param tensors the weights by name
     * @return the action
     */
    static TrainedAction read(
            ActionKind kind,
            UnaryOperator<String> description,
            Generators generators,
            Function<String, double[]> tensors) {
        return switch (kind) {
            case DISPLACEMENT -> {
                ActionShape shape = ActionShape.described(description);
                yield new LearnedAction(shape, generators, numbers(LearnedAction.tensorNames(shape.depth()), tensors));
            }
            case CONJUGATED -> {
                ConjugatedShape shape = ConjugatedShape.described(description);
                yield new ConjugatedAction(shape, generators, numbers(CouplingNetwork.tensorNames(shape), tensors));
            }
        };
    }

    private static List<double[]> numbers(List<String> names, Function<String, double[]> tensors) {
        List<double[]> numbers = new ArrayList<>();
        names.forEach(name -> numbers.add(tensors.apply(name)));
        return numbers;
    }
}
