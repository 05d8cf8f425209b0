package org.isoloss.affine;

import java.util.BitSet;
import java.util.function.IntUnaryOperator;
import org.isoloss.circuit.Circuit;
import org.isoloss.circuit.CircuitScalings;
import org.isoloss.exact.Rationals;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A circuit and its scalings as certificates have them. */
final class CircuitText {
    private CircuitText() {}

    static void write(Circuit circuit, ObjectNode network) {
        ArrayNode parameters = network.putArray("parameters");
        for (Circuit.Tensor tensor : circuit.tensors()) {
            ArrayNode sizes = parameters.addArray().add(tensor.name()).addArray();
            tensor.sizes().forEach(sizes::add);
        }
        network.put("inputs", circuit.inputs());
        ArrayNode gates = network.putArray("gates");
        for (Circuit.Gate gate : circuit.gates()) {
            ArrayNode node = gates.addArray();
            switch (gate) {
                case Circuit.Parameter(int index) -> node.add("parameter").add(index);
                case Circuit.Input(int index) -> node.add("input").add(index);
                case Circuit.Constant(var value) -> node.add("constant").add(Rationals.text(value));
                case Circuit.Sum(int left, int right) -> node.add("+").add(left).add(right);
                case Circuit.Product(int left, int right) ->
                    node.add("*").add(left).add(right);
                case Circuit.Application(var function, int argument) ->
                    node.add(function.label()).add(argument);
            }
        }
        ArrayNode outputs = network.putArray("outputs");
        circuit.outputs().forEach(outputs::add);
    }

    /** Of variables that are parameters or inputs of the whole circuit, the latter after the former. */
    static void write(Circuit whole, Circuit reduced, CircuitScalings scalings, ObjectNode bound) {
        int kept = reduced.parameterCount();
        IntUnaryOperator place =
                variable -> variable < kept ? reduced.moving().get(variable) : whole.parameterCount() + variable - kept;
        ArrayNode weights = bound.putArray("scalings");
        for (int[] scaling : scalings.weights()) {
            ArrayNode node = weights.addArray();
            for (int variable = 0; variable < scaling.length; variable++) {
                if (scaling[variable] != 0) {
                    node.addArray().add(place.applyAsInt(variable)).add(scaling[variable]);
                }
            }
        }
        ArrayNode signs = bound.putArray("signs");
        for (BitSet sign : scalings.signs()) {
            ArrayNode node = signs.addArray();
            sign.stream().map(place).forEach(node::add);
        }
    }
}
