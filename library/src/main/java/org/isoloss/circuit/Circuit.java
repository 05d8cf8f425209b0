package org.isoloss.circuit;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.isoloss.model.Model;

/**
 * A network written out: every output as sums, products and functions of single parameters, inputs and rational constants,
 * each step once. Immutable.
 */
public final class Circuit {
    private final List<Tensor> tensors;
    private final List<Integer> moving;
    private final int inputs;
    private final List<Gate> gates;
    private final List<Integer> outputs;

    Circuit(List<Tensor> tensors, List<Integer> moving, int inputs, List<Gate> gates, List<Integer> outputs) {
        this.tensors = List.copyOf(tensors);
        this.moving = List.copyOf(moving);
        this.inputs = inputs;
        this.gates = List.copyOf(gates);
        this.outputs = List.copyOf(outputs);
    }

    /** One step; arguments are numbers of gates before it. */
    public sealed interface Gate {}

    /**
     * A parameter.
     *
     * @param index its place among {@link #moving}, from 0
     */
    public record Parameter(int index) implements Gate {}

    /**
     * An input.
     *
     * @param index its place among all numbers of all inputs, from 0
     */
    public record Input(int index) implements Gate {}

    /**
     * A fixed number.
     *
     * @param value exactly
     */
    public record Constant(Rational<BigInteger> value) implements Gate {}

    /**
     * The sum of two gates.
     *
     * @param left one
     * @param right the other
     */
    public record Sum(int left, int right) implements Gate {}

    /**
     * The product of two gates.
     *
     * @param left one
     * @param right the other
     */
    public record Product(int left, int right) implements Gate {}

    /**
     * A function of a gate.
     *
     * @param function which
     * @param argument of what
     */
    public record Application(CircuitFunction function, int argument) implements Gate {}

    /**
     * A tensor of parameters.
     *
     * @param name as the model has it
     * @param sizes of its axes
     */
    public record Tensor(String name, List<Integer> sizes) {
        /** Keeps its own list. */
        public Tensor {
            sizes = List.copyOf(sizes);
        }

        /** {@return how many numbers it has, at least 1} */
        public int count() {
            return sizes.stream().reduce(1, Math::multiplyExact);
        }

        /**
         * Names a number of it.
         *
         * @param place row-major, from 0
         * @return such as {@code conv.weight[3,1,2,2]}, counted from 1
         */
        public String entry(int place) {
            List<String> indices = new ArrayList<>();
            for (int axis = sizes.size() - 1; axis >= 0; axis--) {
                indices.addFirst(String.valueOf(place % sizes.get(axis) + 1));
                place /= sizes.get(axis);
            }
            return name + indices.stream().collect(Collectors.joining(",", "[", "]"));
        }
    }

    /**
     * Writes a model out.
     *
     * @param model its parameters and inputs become variables
     * @return the circuit; outputs that depend on no parameter are left out
     * @throws UnsupportedOperationException where an operation has no exact form, with the place and the reason
     * @throws IllegalArgumentException when it would have more than {@value CircuitReading#MOST_GATES} gates
     */
    public static Circuit of(Model model) {
        return CircuitReading.of(model);
    }

    /**
     * Fixes parameters at 0.
     *
     * @param fixed their places among the parameters
     * @return a circuit of the others
     */
    public Circuit fixing(Set<Integer> fixed) {
        return CircuitReading.fixing(this, fixed);
    }

    /** {@return the tensors of the model} */
    public List<Tensor> tensors() {
        return tensors;
    }

    /** {@return which numbers are parameters, by their places among all numbers of all tensors; the others are 0} */
    public List<Integer> moving() {
        return moving;
    }

    /** {@return the number of parameters, p, at least 0} */
    public int parameterCount() {
        return moving.size();
    }

    /** {@return the name of every parameter, such as {@code 0.weight[1,2]}: p of them} */
    public List<String> parameterNames() {
        List<String> names = new ArrayList<>();
        for (Tensor tensor : tensors) {
            for (int place = 0; place < tensor.count(); place++) {
                names.add(tensor.entry(place));
            }
        }
        return moving.stream().map(names::get).toList();
    }

    /** {@return the tensor of every parameter: p of them} */
    public List<Tensor> tensorOfParameter() {
        List<Tensor> owners = new ArrayList<>();
        tensors.forEach(tensor -> owners.addAll(Collections.nCopies(tensor.count(), tensor)));
        return moving.stream().map(owners::get).toList();
    }

    /** {@return the number of inputs, at least 0} */
    public int inputs() {
        return inputs;
    }

    /** {@return the steps, each after its arguments} */
    public List<Gate> gates() {
        return gates;
    }

    /** {@return the gates that are outputs, each once} */
    public List<Integer> outputs() {
        return outputs;
    }

    /**
     * Tells whether a function occurs.
     *
     * @param wanted any
     * @return true when a gate applies it
     */
    public boolean has(CircuitFunction wanted) {
        return gates.stream()
                .anyMatch(gate -> gate instanceof Application application && application.function() == wanted);
    }

    /** {@return whether it has functions but ReLU, so that it is no polynomial on any piece} */
    public boolean isTranscendental() {
        return gates.stream()
                .anyMatch(gate ->
                        gate instanceof Application application && application.function() != CircuitFunction.RELU);
    }
}
