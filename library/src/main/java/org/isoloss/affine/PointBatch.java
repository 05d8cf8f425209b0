package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DenseChain;
import org.isoloss.model.Model;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Value;
import org.isoloss.network.ParameterLayout;
import org.jspecify.annotations.Nullable;

/** One parameter point of a dense network and one batch: what every layer receives and computes there, and the Jacobian. */
final class PointBatch {
    private final ModelTarget target;
    private final Architecture architecture;
    private final ParameterLayout layout;
    private final double[] theta;
    private final List<Matrix> received;
    private final List<Matrix> sums;
    private @Nullable Matrix jacobian;

    /** For each parameter of the layout its place among those of the target. */
    private final int[] places;

    private PointBatch(ModelTarget target, Architecture architecture, List<DenseChain.Layer> layers) {
        Map<String, Integer> offsets = new HashMap<>();
        int next = 0;
        for (Map.Entry<String, int[]> entry : target.moving().places().entrySet()) {
            offsets.put(entry.getKey(), next);
            next += entry.getValue().length;
        }
        List<String> names = new ArrayList<>();
        IntStream.Builder order = IntStream.builder();
        for (DenseChain.Layer layer : layers) {
            names.add(layer.weight().where());
            int weight = Objects.requireNonNull(offsets.get(names.getLast()));
            for (int unit = 0; unit < layer.outputs(); unit++) {
                for (int j = 0; j < layer.inputs(); j++) {
                    order.add(weight + (layer.transposed() ? j * layer.outputs() + unit : unit * layer.inputs() + j));
                }
            }
            Value bias = layer.bias();
            if (bias != null) {
                names.add(bias.where());
                int first = Objects.requireNonNull(offsets.get(names.getLast()));
                IntStream.range(0, layer.outputs()).forEach(unit -> order.add(first + unit));
            }
        }
        this.target = target;
        this.architecture = architecture;
        this.layout = ParameterLayout.of(architecture.widths(), architecture.biased(), names);
        this.places = order.build().toArray();
        double[] origin = target.origin();
        this.theta = Arrays.stream(places).mapToDouble(place -> origin[place]).toArray();
        this.received =
                values(target, layers.stream().map(DenseChain.Layer::received).toList());
        this.sums = values(target, layers.stream().map(DenseChain.Layer::sums).toList());
    }

    /** Reads the layers of a network that is nothing else and moves whole; nothing where it is another. */
    static Optional<PointBatch> of(ModelTarget target) {
        Model model = target.moving().model();
        List<DenseChain.Layer> layers = DenseChain.of(model).orElse(List.of());
        if (layers.isEmpty()
                || layers.getLast().function() != null
                || target.parameterCount() != model.parameterCount()) {
            return Optional.empty();
        }
        List<Integer> widths = new ArrayList<>(List.of(layers.getFirst().inputs()));
        List<HiddenActivation> activations = new ArrayList<>();
        layers.forEach(layer -> widths.add(layer.outputs()));
        for (DenseChain.Layer hidden : layers.subList(0, layers.size() - 1)) {
            HiddenActivation.of(hidden.function()).ifPresent(activations::add);
        }
        return activations.size() < layers.size() - 1
                ? Optional.empty()
                : Optional.of(new PointBatch(
                        target,
                        new Architecture(
                                widths,
                                activations,
                                layers.stream()
                                        .map(layer -> layer.bias() != null)
                                        .toList()),
                        layers));
    }

    private static List<Matrix> values(ModelTarget target, List<Value> values) {
        List<double[]> numbers = target.atOrigin(values);
        return IntStream.range(0, values.size())
                .mapToObj(i -> {
                    int width = values.get(i).shape().size(1);
                    return Matrix.over(numbers.get(i).length / width, width, numbers.get(i));
                })
                .toList();
    }

    /** Directions in the order of the layout in that of the target. */
    Matrix restored(Matrix directions) {
        Matrix restored = Matrix.zeros(directions.rows(), directions.columns());
        for (int a = 0; a < places.length; a++) {
            for (int k = 0; k < directions.columns(); k++) {
                restored.set(places[a], k, directions.get(a, k));
            }
        }
        return restored;
    }

    Architecture architecture() {
        return architecture;
    }

    ParameterLayout layout() {
        return layout;
    }

    /** The parameters; not to be modified. */
    double[] theta() {
        return theta;
    }

    int layerCount() {
        return architecture.layerCount();
    }

    int inputCount() {
        return received.getFirst().rows();
    }

    /** Whether a layer is the last, which has no activation. */
    boolean isLast(int layer) {
        return layer == layerCount() - 1;
    }

    /** The activation behind a layer that is not the last. */
    HiddenActivation activation(int layer) {
        return architecture.activations().get(layer);
    }

    boolean biased(int layer) {
        return architecture.biased().get(layer);
    }

    /** What a layer computes before its activation, shape (inputs, units). */
    Matrix sums(int layer) {
        return sums.get(layer);
    }

    /** Derivatives of output c of input i in row {@code i m + c}, shape (inputs m, p); computed when they are first asked for. */
    Matrix jacobian() {
        Matrix known = jacobian;
        if (known == null) {
            Matrix own = target.jacobian(target.origin());
            known = Matrix.zeros(own.rows(), places.length);
            for (int i = 0; i < own.rows(); i++) {
                for (int a = 0; a < places.length; a++) {
                    known.set(i, a, own.get(i, places[a]));
                }
            }
            jacobian = known;
        }
        return known;
    }

    /** What a layer receives, with a column of ones where it has a bias. */
    Matrix received(int layer) {
        Matrix values = received.get(layer);
        int columns = values.columns() + (biased(layer) ? 1 : 0);
        Matrix augmented = Matrix.zeros(values.rows(), columns);
        for (int i = 0; i < values.rows(); i++) {
            double[] row = Arrays.copyOf(values.row(i), columns);
            if (biased(layer)) {
                row[columns - 1] = 1;
            }
            System.arraycopy(row, 0, augmented.entries(), i * columns, columns);
        }
        return augmented;
    }

    /** The weight by which a unit takes a column of {@link #received}: its bias for the last where there is one. */
    double weight(int layer, int unit, int column) {
        return theta[parameter(layer, unit, column)];
    }

    /** Where that weight stands among the parameters. */
    int parameter(int layer, int unit, int column) {
        ParameterLayout.Entry weight = layout.weight(layer);
        return column < weight.columns()
                ? weight.index(unit, column)
                : layout.bias(layer).orElseThrow().index(unit, 0);
    }

    /**
     * The binary exponent of each parameter's unit, by which its column of the Jacobian is to be multiplied: the usual size
     * of its unit's sum over the usual size of what it multiplies. Rescaled inputs, outputs and homogeneous units change both
     * alike. Usual sizes are geometric means, so that one huge input does not set them.
     */
    int[] units() {
        int[] exponents = new int[theta.length];
        for (int layer = 0; layer < layerCount(); layer++) {
            Matrix values = received(layer);
            int[] taken = new int[values.columns()];
            for (int j = 0; j < taken.length; j++) {
                taken[j] = usualExponent(values.column(j));
            }
            for (int unit = 0; unit < sums(layer).columns(); unit++) {
                double[] largest = new double[values.rows()];
                for (int i = 0; i < largest.length; i++) {
                    for (int j = 0; j < taken.length; j++) {
                        largest[i] = Math.max(largest[i], Math.abs(weight(layer, unit, j) * values.get(i, j)));
                    }
                }
                int sum = usualExponent(largest);
                for (int j = 0; j < taken.length; j++) {
                    exponents[parameter(layer, unit, j)] = sum - taken[j];
                }
            }
        }
        return exponents;
    }

    /** Of the magnitudes that are not 0; 0 where there are none. */
    private static int usualExponent(double[] values) {
        return (int) Math.round(Arrays.stream(values)
                .filter(value -> value != 0)
                .map(value -> Math.log(Math.abs(value)) / Math.log(2))
                .average()
                .orElse(0));
    }

    /** Whether everything that layers compute is a number: no overflow. */
    boolean isFinite() {
        return sums.stream().allMatch(layer -> Double.isFinite(layer.largestMagnitude()));
    }
}
