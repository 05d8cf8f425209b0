package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.ForwardPass;
import org.isoloss.network.ParameterLayout;

/** Directions of one kind that change no output of a network on a batch, for a reason that can be read. */
public final class PointFamily {
    private static final double UNREACHED = 1e-10;
    private static final double INDEPENDENT = 1e-9;

    /** Which families of one network need not be counted beside each other. */
    enum Role {
        /** No relation to others is known. */
        ANY,

        /** Changes of the last layer alone. */
        LAST_LAYER,

        /** One for each weight before the last layer, beginning with that weight. */
        COMPENSATED
    }

    private final String words;
    private final Role role;
    private final List<double[]> directions;

    private PointFamily(String words, Role role, List<double[]> directions) {
        this.words = words;
        this.role = role;
        this.directions = directions;
    }

    /** The dimension that families span together; directions are brought to the coordinates in which ranks are decided. */
    static int spanned(List<PointFamily> families, UnaryOperator<Matrix> coordinates) {
        if (families.stream().anyMatch(family -> family.role == Role.COMPENSATED)) {
            // whatever changes the layers before is compensated up to a change of the last layer that changes nothing
            return families.stream()
                    .filter(family -> family.role != Role.ANY)
                    .mapToInt(PointFamily::size)
                    .sum();
        }
        if (families.isEmpty()) {
            return 0;
        }
        List<double[]> all = new ArrayList<>();
        families.forEach(family -> all.addAll(family.directions));
        double[] values = Svd.valuesOf(coordinates.apply(columns(all)));
        return (int) Arrays.stream(values)
                .filter(value -> value > INDEPENDENT * values[0])
                .count();
    }

    /**
     * Says what they are.
     *
     * @return a phrase with the layer and, where it helps, the units
     */
    public String words() {
        return words;
    }

    /**
     * Returns the number of directions.
     *
     * @return at least 1; they are independent of each other
     */
    public int size() {
        return directions.size();
    }

    /** The directions as columns. */
    Matrix matrix() {
        return columns(directions);
    }

    private static Matrix columns(List<double[]> columns) {
        Matrix matrix = Matrix.zeros(columns.getFirst().length, columns.size());
        for (int k = 0; k < columns.size(); k++) {
            for (int j = 0; j < matrix.rows(); j++) {
                matrix.set(j, k, columns.get(k)[j]);
            }
        }
        return matrix;
    }

    static List<PointFamily> of(DenseNetwork network, Matrix inputs, Matrix jacobian) {
        List<PointFamily> families = new ArrayList<>();
        ForwardPass pass = network.forward(network.parameters(), inputs);
        addGeneric(network, families);
        addWithoutEffect(network, jacobian, families);
        for (int layer = 0; layer < network.layers().size(); layer++) {
            addUnreached(network, pass, layer, families);
        }
        for (int layer = 0; layer < network.layers().size() - 1; layer++) {
            addLinearUnits(network, pass, layer, families);
        }
        addCompensated(network, pass, jacobian, families);
        return families;
    }

    private static void addGeneric(DenseNetwork network, List<PointFamily> families) {
        Architecture architecture = new Architecture(
                network.widths(),
                Collections.nCopies(
                        network.layers().size() - 1,
                        HiddenActivation.named(network.activation().label())),
                network.layers().stream().map(layer -> layer.bias().isPresent()).toList());
        double[] theta = network.parameters();
        for (ReferenceFamily family : ReferenceFamily.of(architecture)) {
            List<double[]> directions = new ArrayList<>();
            family.generators()
                    .forEach(generator -> directions.add(generator.field().valueAt(theta)));
            add(families, "%s of layer %d".formatted(family.kind().words(), family.layer() + 1), Role.ANY, directions);
        }
    }

    private static void addWithoutEffect(DenseNetwork network, Matrix jacobian, List<PointFamily> families) {
        for (ParameterLayout.Entry entry : network.layout().entries()) {
            List<double[]> directions = new ArrayList<>();
            for (int a = entry.offset(); a < entry.offset() + entry.size(); a++) {
                boolean zero = true;
                for (int i = 0; i < jacobian.rows() && zero; i++) {
                    zero = jacobian.get(i, a) == 0;
                }
                if (zero) {
                    double[] direction = new double[jacobian.columns()];
                    direction[a] = 1;
                    directions.add(direction);
                }
            }
            add(families, "weights of %s without effect on the batch".formatted(entry.name()), Role.ANY, directions);
        }
    }

    /**
     * Changes of the weights into a unit that are orthogonal to everything it receives: unused inputs, duplicate or dead
     * units. Where a ReLU unit is off, it does not matter what it receives.
     */
    private static void addUnreached(DenseNetwork network, ForwardPass pass, int layer, List<PointFamily> families) {
        Matrix received = augmented(network, pass, layer);
        boolean gated = network.activation() == Activation.RELU
                && layer < network.layers().size() - 1;
        Matrix common = gated ? Matrix.zeros(0, 0) : unreached(received);
        ParameterLayout.Entry weight = network.layout().weight(layer);
        List<double[]> directions = new ArrayList<>();
        for (int unit = 0; unit < weight.rows(); unit++) {
            Matrix unreached = gated ? unreached(whereOn(received, pass.preActivations(layer), unit)) : common;
            for (int k = 0; k < unreached.columns(); k++) {
                double[] direction = new double[network.layout().size()];
                for (int j = 0; j < weight.columns(); j++) {
                    direction[weight.index(unit, j)] = unreached.get(j, k);
                }
                if (network.layout().bias(layer).isPresent()) {
                    direction[network.layout().bias(layer).get().index(unit, 0)] = unreached.get(weight.columns(), k);
                }
                directions.add(direction);
            }
        }
        add(
                families,
                "changes of %s orthogonal to all that the batch sends into %s"
                        .formatted(weight.name(), gated ? "a unit where it is on" : "layer " + (layer + 1)),
                layer == network.layers().size() - 1 ? Role.LAST_LAYER : Role.ANY,
                directions);
    }

    private static Matrix unreached(Matrix received) {
        return Svd.of(RowReduction.of(received)).nullSpace(UNREACHED);
    }

    private static Matrix whereOn(Matrix received, Matrix sums, int unit) {
        int[] on = IntStream.range(0, sums.rows())
                .filter(row -> sums.get(row, unit) > 0)
                .toArray();
        Matrix rows = Matrix.zeros(on.length, received.columns());
        for (int i = 0; i < on.length; i++) {
            System.arraycopy(
                    received.entries(), on[i] * received.columns(), rows.entries(), i * rows.columns(), rows.columns());
        }
        return rows;
    }

    /** What a layer receives, with a column of ones where it has a bias. */
    private static Matrix augmented(DenseNetwork network, ForwardPass pass, int layer) {
        Matrix received = pass.activations(layer);
        boolean biased = network.layout().bias(layer).isPresent();
        Matrix augmented = Matrix.zeros(received.rows(), received.columns() + (biased ? 1 : 0));
        for (int i = 0; i < received.rows(); i++) {
            for (int j = 0; j < received.columns(); j++) {
                augmented.set(i, j, received.get(i, j));
            }
            if (biased) {
                augmented.set(i, received.columns(), 1);
            }
        }
        return augmented;
    }

    /** Piecewise linear units that stay on one piece over the batch are linear there, and mix like a linear layer. */
    private static void addLinearUnits(DenseNetwork network, ForwardPass pass, int layer, List<PointFamily> families) {
        Activation activation = network.activation();
        if (activation != Activation.RELU && activation != Activation.LEAKY_RELU) {
            return;
        }
        Matrix sums = pass.preActivations(layer);
        double[] slopes = new double[sums.columns()];
        List<Integer> linear = new ArrayList<>();
        for (int unit = 0; unit < slopes.length; unit++) {
            slopes[unit] = activation.first(sums.get(0, unit));
            int column = unit;
            boolean constant = IntStream.range(0, sums.rows())
                    .allMatch(row -> activation.first(sums.get(row, column)) == slopes[column]);
            if (constant && slopes[unit] != 0) {
                linear.add(unit);
            }
        }
        double[] theta = network.parameters();
        List<double[]> mixings = new ArrayList<>();
        List<double[]> translations = new ArrayList<>();
        boolean biased = network.layout().bias(layer).isPresent()
                && network.layout().bias(layer + 1).isPresent();
        for (int to : linear) {
            for (int from : linear) {
                if (to != from) {
                    mixings.add(mixing(network, theta, layer, to, from, slopes[to] / slopes[from]));
                }
            }
            if (biased) {
                translations.add(translation(network, theta, layer, to, slopes[to]));
            }
        }
        String units = linear.stream().map(unit -> String.valueOf(unit + 1)).collect(Collectors.joining(", "));
        String where = "units %s of layer %d, linear over the batch".formatted(units, layer + 1);
        add(families, "mixings of " + where, Role.ANY, mixings);
        add(families, "translations of " + where, Role.ANY, translations);
    }

    private static double[] mixing(
            DenseNetwork network, double[] theta, int layer, int to, int from, double slopeRatio) {
        double[] direction = new double[theta.length];
        ParameterLayout.Entry before = network.layout().weight(layer);
        ParameterLayout.Entry behind = network.layout().weight(layer + 1);
        for (int k = 0; k < before.columns(); k++) {
            direction[before.index(to, k)] = theta[before.index(from, k)];
        }
        network.layout().bias(layer).ifPresent(bias -> direction[bias.index(to, 0)] = theta[bias.index(from, 0)]);
        for (int m = 0; m < behind.rows(); m++) {
            direction[behind.index(m, from)] = -slopeRatio * theta[behind.index(m, to)];
        }
        return direction;
    }

    private static double[] translation(DenseNetwork network, double[] theta, int layer, int unit, double slope) {
        double[] direction = new double[theta.length];
        ParameterLayout.Entry behind = network.layout().weight(layer + 1);
        direction[network.layout().bias(layer).orElseThrow().index(unit, 0)] = 1;
        for (int m = 0; m < behind.rows(); m++) {
            direction[network.layout().bias(layer + 1).orElseThrow().index(m, 0)] =
                    -slope * theta[behind.index(m, unit)];
        }
        return direction;
    }

    /**
     * When the last layer receives as many independent vectors as there are inputs, it can undo any change of the layers
     * before (corollary {@code cor:subnet-compensating-action} of the paper).
     */
    private static void addCompensated(
            DenseNetwork network, ForwardPass pass, Matrix jacobian, List<PointFamily> families) {
        int last = network.layers().size() - 1;
        Matrix received = augmented(network, pass, last);
        int earlier = network.layout().weight(last).offset();
        if (earlier == 0 || Svd.of(received).rank(UNREACHED) < received.rows()) {
            return;
        }
        int outputs = network.layout().weight(last).rows();
        Matrix changes = Matrix.zeros(received.rows(), earlier * outputs);
        for (int i = 0; i < received.rows(); i++) {
            for (int a = 0; a < earlier; a++) {
                for (int c = 0; c < outputs; c++) {
                    changes.set(i, a * outputs + c, -jacobian.get(i * outputs + c, a));
                }
            }
        }
        Matrix compensation = LeastSquares.of(received, changes, UNREACHED).solution();
        List<double[]> directions = new ArrayList<>();
        ParameterLayout.Entry weight = network.layout().weight(last);
        for (int a = 0; a < earlier; a++) {
            double[] direction = new double[network.layout().size()];
            direction[a] = 1;
            for (int c = 0; c < outputs; c++) {
                for (int j = 0; j < weight.columns(); j++) {
                    direction[weight.index(c, j)] = compensation.get(j, a * outputs + c);
                }
                if (network.layout().bias(last).isPresent()) {
                    direction[network.layout().bias(last).get().index(c, 0)] =
                            compensation.get(weight.columns(), a * outputs + c);
                }
            }
            directions.add(direction);
        }
        add(
                families,
                "changes of the layers before the last, compensated by the last (its %d inputs are independent)"
                        .formatted(received.rows()),
                Role.COMPENSATED,
                directions);
    }

    private static void add(List<PointFamily> families, String words, Role role, List<double[]> directions) {
        if (!directions.isEmpty()) {
            families.add(new PointFamily(words, role, directions));
        }
    }
}
