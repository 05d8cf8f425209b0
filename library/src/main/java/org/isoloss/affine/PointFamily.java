package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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

    private final String words;
    private final List<double[]> directions;

    private PointFamily(String words, List<double[]> directions) {
        this.words = words;
        this.directions = directions;
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

    List<double[]> directions() {
        return directions;
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
            add(families, "%s of layer %d".formatted(family.kind().words(), family.layer() + 1), directions);
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
            add(families, "weights of %s without effect on the batch".formatted(entry.name()), directions);
        }
    }

    /** Row changes of a layer's weights orthogonal to everything it receives: unused inputs, duplicate or dead units. */
    private static void addUnreached(DenseNetwork network, ForwardPass pass, int layer, List<PointFamily> families) {
        Matrix unreached = Svd.of(augmented(network, pass, layer)).nullSpace(UNREACHED);
        ParameterLayout.Entry weight = network.layout().weight(layer);
        List<double[]> directions = new ArrayList<>();
        for (int unit = 0; unit < weight.rows(); unit++) {
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
                "changes of %s orthogonal to all that the batch sends into layer %d (%d of %d directions)"
                        .formatted(weight.name(), layer + 1, unreached.columns(), unreached.rows()),
                directions);
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
        add(families, "mixings of " + where, mixings);
        add(families, "translations of " + where, translations);
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
                directions);
    }

    private static void add(List<PointFamily> families, String words, List<double[]> directions) {
        if (!directions.isEmpty()) {
            families.add(new PointFamily(words, directions));
        }
    }
}
