package org.isoloss.circuit;

import org.isoloss.circuit.Circuit.Application;
import org.isoloss.circuit.Circuit.Constant;
import org.isoloss.circuit.Circuit.Gate;
import org.isoloss.circuit.Circuit.Input;
import org.isoloss.circuit.Circuit.Parameter;
import org.isoloss.circuit.Circuit.Product;
import org.isoloss.circuit.Circuit.Sum;
import org.isoloss.exact.Rationals;
import org.isoloss.linalg.Matrix;

/** A circuit at one point in float64: every gate, and the derivatives of the outputs backward through the gates. */
public final class CircuitPoint {
    private final Circuit circuit;
    private final double[] values;

    /**
     * Computes every gate.
     *
     * @param circuit of p parameters
     * @param parameters length p; not modified
     * @param inputs of its number of inputs; not modified
     */
    public CircuitPoint(Circuit circuit, double[] parameters, double[] inputs) {
        this.circuit = circuit;
        this.values = new double[circuit.gates().size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = switch (circuit.gates().get(i)) {
                case Parameter(int index) -> parameters[index];
                case Input(int index) -> inputs[index];
                case Constant(var number) -> Rationals.toDouble(number);
                case Sum(int left, int right) -> values[left] + values[right];
                case Product(int left, int right) -> values[left] * values[right];
                case Application(CircuitFunction function, int argument) -> function.value(values[argument]);
            };
        }
    }

    /**
     * Returns a gate.
     *
     * @param gate its number
     * @return its value
     */
    public double value(int gate) {
        return values[gate];
    }

    /** {@return the outputs} */
    public double[] outputs() {
        return circuit.outputs().stream().mapToDouble(output -> values[output]).toArray();
    }

    /** {@return the derivative of every output, a row each, in every parameter} */
    public Matrix jacobian() {
        int outputs = circuit.outputs().size();
        Matrix jacobian = Matrix.zeros(outputs, circuit.parameterCount());
        for (int output = 0; output < outputs; output++) {
            double[] upstream = new double[values.length];
            upstream[circuit.outputs().get(output)] = 1;
            for (int i = values.length - 1; i >= 0; i--) {
                if (upstream[i] != 0) {
                    passBack(circuit.gates().get(i), upstream[i], upstream, jacobian, output);
                }
            }
        }
        return jacobian;
    }

    private void passBack(Gate gate, double slope, double[] upstream, Matrix jacobian, int output) {
        switch (gate) {
            case Parameter(int index) -> jacobian.set(output, index, slope);
            case Sum(int left, int right) -> {
                upstream[left] += slope;
                upstream[right] += slope;
            }
            case Product(int left, int right) -> {
                double before = values[left];
                upstream[left] += slope * values[right];
                upstream[right] += slope * before;
            }
            case Application(CircuitFunction function, int argument) ->
                upstream[argument] += slope * function.slope(values[argument]);
            case Input _, Constant _ -> {}
        }
    }
}
