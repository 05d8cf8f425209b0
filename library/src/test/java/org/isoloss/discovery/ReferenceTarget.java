package org.isoloss.discovery;

import java.util.Arrays;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.Support;

/** A preserved function with its directional derivative, in plain loops. Components may come in any order. */
interface ReferenceTarget {
    /** Returns F(theta) and DF(theta)[v]. */
    double[][] along(double[] theta, double[] v);

    default double[] values(double[] theta) {
        return along(theta, new double[theta.length])[0];
    }

    /** A dense network without biases, its layers one after the other for value and tangent. */
    static ReferenceTarget network(DenseNetwork network, Support support, Matrix inputs) {
        return (theta, v) -> {
            double[] full = network.parameters();
            double[] change = new double[full.length];
            support.scatter(theta, full);
            support.scatter(v, change);
            int layers = network.layers().size();
            double[][] outputs = new double[2][0];
            for (int input = 0; input < inputs.rows(); input++) {
                double[] value = inputs.row(input);
                double[] tangent = new double[value.length];
                for (int layer = 0; layer < layers; layer++) {
                    ParameterLayout.Entry weight = network.layout().weight(layer);
                    double[] sums = new double[weight.rows()];
                    double[] changes = new double[weight.rows()];
                    for (int i = 0; i < weight.rows(); i++) {
                        for (int j = 0; j < weight.columns(); j++) {
                            sums[i] += full[weight.index(i, j)] * value[j];
                            changes[i] += change[weight.index(i, j)] * value[j] + full[weight.index(i, j)] * tangent[j];
                        }
                    }
                    value = sums;
                    tangent = changes;
                    if (layer < layers - 1) {
                        activate(network.activation(), value, tangent);
                    }
                }
                outputs[0] = joined(outputs[0], value);
                outputs[1] = joined(outputs[1], tangent);
            }
            return outputs;
        };
    }

    /** The paper's {@code f_X(D, W) = W Z_B + R_U sigma(P_0 + D R)}. */
    static ReferenceTarget site(SiteCoordinates coordinates) {
        Matrix features = coordinates.site().features().matrix();
        Matrix readout = coordinates.readout();
        Matrix offset = coordinates.offset();
        Matrix visible = coordinates.inputs();
        return (theta, v) -> {
            double[][] outputs = new double[2][0];
            int count = features.columns();
            for (int input = 0; input < count; input++) {
                double[] value = new double[readout.rows()];
                double[] tangent = new double[readout.rows()];
                for (int a = 0; a < readout.rows(); a++) {
                    for (int b = 0; b < features.rows(); b++) {
                        value[a] += theta[a * features.rows() + b] * features.get(b, input);
                        tangent[a] += v[a * features.rows() + b] * features.get(b, input);
                    }
                }
                int begin = readout.rows() * features.rows();
                double[] sums = new double[readout.columns()];
                double[] changes = new double[readout.columns()];
                for (int c = 0; c < sums.length; c++) {
                    sums[c] = offset.get(c, input);
                    for (int q = 0; q < visible.rows(); q++) {
                        sums[c] += theta[begin + c * visible.rows() + q] * visible.get(q, input);
                        changes[c] += v[begin + c * visible.rows() + q] * visible.get(q, input);
                    }
                }
                activate(coordinates.activation(), sums, changes);
                for (int a = 0; a < readout.rows(); a++) {
                    for (int c = 0; c < sums.length; c++) {
                        value[a] += readout.get(a, c) * sums[c];
                        tangent[a] += readout.get(a, c) * changes[c];
                    }
                }
                outputs[0] = joined(outputs[0], value);
                outputs[1] = joined(outputs[1], tangent);
            }
            return outputs;
        };
    }

    /** Replaces z by f(z) and dz by f'(z) dz. */
    static void activate(Pointwise activation, double[] values, double[] tangents) {
        for (int i = 0; i < values.length; i++) {
            tangents[i] *= activation.first(values[i]);
            values[i] = activation.value(values[i]);
        }
    }

    private static double[] joined(double[] left, double[] right) {
        double[] all = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, all, left.length, right.length);
        return all;
    }
}
