package org.isoloss.network;

import java.util.Arrays;
import java.util.List;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Graph.Term;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.autodiff.Tensor;
import org.isoloss.autodiff.WeightSlice;
import org.isoloss.linalg.Matrix;

/**
 * Records a dense network for a batch of parameter vectors and their tangents. Features are rows; each parameter vector
 * has a block of neighbouring columns, one column an input. What does not depend on moving parameters is computed once.
 */
final class NetworkRecording {
    private final Graph graph;
    private final Jet parameters;
    private final int inputs;

    /**
     * Starts a recording.
     *
     * @param parameters moving parameters and tangents, one vector a row
     * @param inputs number of inputs in the batch
     */
    NetworkRecording(Graph graph, Jet parameters, int inputs) {
        this.graph = graph;
        this.parameters = parameters;
        this.inputs = inputs;
    }

    /**
     * Records the layers, with the activation between them.
     *
     * @param batch one input a column, shape (n, inputs)
     * @return one output vector or tangent a row, output by output; the kinds of rows of the parameters
     */
    Jet outputs(List<RecordedLayer> layers, Pointwise activation, Matrix batch) {
        Matrix known = batch;
        int layer = 0;
        while (!layers.get(layer).weightMoves() && !layers.get(layer).biasMoves()) {
            known = values(layers.get(layer), known);
            layer++;
            if (layer == layers.size()) {
                throw new IllegalArgumentException("NetworkRecording: no layer has a moving parameter");
            }
            known = applied(activation, known);
        }
        Tensor features = first(layers.get(layer), known);
        for (layer++; layer < layers.size(); layer++) {
            features = next(layers.get(layer), activated(activation, features));
        }
        return bySample(features);
    }

    private static Matrix values(RecordedLayer layer, Matrix features) {
        return layer.weight().times(features).plus(layer.biasColumn().times(ones(features.columns())));
    }

    private static Matrix ones(int columns) {
        Matrix ones = Matrix.zeros(1, columns);
        Arrays.fill(ones.entries(), 1);
        return ones;
    }

    private static Matrix applied(Pointwise activation, Matrix sums) {
        Matrix values = sums.copy();
        for (int i = 0; i < values.entries().length; i++) {
            values.entries()[i] = activation.value(values.entries()[i]);
        }
        return values;
    }

    /** A layer on an input that all parameter vectors share. */
    private Tensor first(RecordedLayer layer, Matrix known) {
        if (layer.weightMoves()) {
            Moving weight = moving(layer.weightPositions(), layer.weight());
            return withBias(
                    layer, graph.sharedInputProduct(weight.vectors.stacked(), weight.where, graph.constant(known)));
        }
        Moving bias = moving(layer.biasPositions(), layer.biasColumn());
        Tensor sums = graph.sharedInputProduct(bias.vectors.stacked(), bias.where, graph.constant(ones(inputs)));
        return onValues(sums, layer.weight().times(known));
    }

    /** A layer on the activations of a layer before that moves. */
    private Tensor next(RecordedLayer layer, Tensor features) {
        if (!layer.weightMoves()) {
            return withBias(layer, graph.product(graph.constant(layer.weight()), features));
        }
        Moving weight = moving(layer.weightPositions(), layer.weight());
        return withBias(layer, graph.sampleProduct(weight.vectors, weight.where, features, inputs));
    }

    private Tensor withBias(RecordedLayer layer, Tensor sums) {
        if (layer.biasMoves()) {
            Moving bias = moving(layer.biasPositions(), layer.biasColumn());
            graph.addSharedInputProduct(sums, bias.vectors.stacked(), bias.where, graph.constant(ones(inputs)));
            return sums;
        }
        return layer.biasIsZero() ? sums : onValues(sums, layer.biasColumn().times(ones(inputs)));
    }

    /** Adds the same numbers, shape (features, inputs), to each block of values; tangents stay. */
    Tensor onValues(Tensor sums, Matrix numbers) {
        int vectors = parameters.stacked().rows();
        Tensor rows = sums.shaped(sums.rows() * vectors, inputs);
        int[] source = new int[rows.rows()];
        for (int i = 0; i < source.length; i++) {
            source[i] = parameters.valueRow(i % vectors) < 0 ? i / vectors : -1;
        }
        return graph.combine(
                        Term.of(1, rows, Graph.range(0, source.length)), Term.of(1, graph.constant(numbers), source))
                .shaped(sums.rows(), sums.columns());
    }

    Tensor activated(Pointwise activation, Tensor sums) {
        return graph.apply(activation, byBlock(sums)).stacked().shaped(sums.rows(), sums.columns());
    }

    /** Some features, values and tangents. */
    Tensor rows(Tensor features, int from, int to) {
        return graph.combine(Term.of(1, features, Graph.range(from, to)));
    }

    /** Multiplies with the same numbers, shape (features, inputs), in each block, values and tangents alike. */
    Tensor scaled(Tensor features, Matrix numbers) {
        int vectors = parameters.stacked().rows();
        int[] source = new int[features.rows() * vectors];
        Arrays.setAll(source, i -> i / vectors);
        Tensor everywhere = graph.combine(Term.of(1, graph.constant(numbers), source));
        return graph.times(features, everywhere.shaped(features.rows(), features.columns()));
    }

    /** The product entry by entry of features of one shape, with the product rule for tangents. */
    Tensor multiplied(Tensor left, Tensor right) {
        return graph.times(byBlock(left), byBlock(right)).stacked().shaped(left.rows(), left.columns());
    }

    /** One row a feature and vector. */
    private Jet byBlock(Tensor features) {
        int vectors = parameters.stacked().rows();
        int[] valueRows = new int[features.rows() * vectors];
        for (int i = 0; i < valueRows.length; i++) {
            int value = parameters.valueRow(i % vectors);
            valueRows[i] = value < 0 ? -1 : i - i % vectors + value;
        }
        return Jet.of(features.shaped(valueRows.length, inputs), valueRows);
    }

    /** From one row a feature to one row a vector. */
    Jet bySample(Tensor features) {
        int vectors = parameters.stacked().rows();
        int outputs = features.rows();
        int[] source = new int[outputs * vectors];
        for (int i = 0; i < source.length; i++) {
            source[i] = (i % outputs) * vectors + i / outputs;
        }
        Tensor rows = features.shaped(outputs * vectors, inputs);
        return parameters.with(graph.combine(Term.of(1, rows, source)).shaped(vectors, outputs * inputs));
    }

    /** Vectors that hold a weight matrix, and where. */
    private record Moving(Jet vectors, WeightSlice where) {}

    /**
     * Finds a matrix in the moving parameters: as it lies there where all of it moves in order, otherwise spread out to a
     * vector of its own, in which what does not move is constant.
     */
    private Moving moving(int[] positions, Matrix numbers) {
        boolean inOrder = true;
        for (int i = 0; i < positions.length; i++) {
            inOrder &= positions[i] >= 0 && positions[i] == positions[0] + i;
        }
        if (inOrder) {
            return new Moving(parameters, new WeightSlice(positions[0], numbers.rows(), numbers.columns()));
        }
        Tensor stacked = parameters.stacked();
        Matrix spread = Matrix.zeros(stacked.columns(), positions.length);
        Matrix fixed = Matrix.of(1, positions.length, numbers.entries());
        for (int i = 0; i < positions.length; i++) {
            if (positions[i] >= 0) {
                spread.set(positions[i], i, 1);
                fixed.set(0, i, 0);
            }
        }
        int[] onlyValues = new int[stacked.rows()];
        for (int row = 0; row < onlyValues.length; row++) {
            onlyValues[row] = parameters.valueRow(row) < 0 ? 0 : -1;
        }
        Tensor vectors = graph.combine(
                Term.of(1, graph.product(stacked, graph.constant(spread)), Graph.range(0, stacked.rows())),
                Term.of(1, graph.constant(fixed), onlyValues));
        return new Moving(parameters.with(vectors), new WeightSlice(0, numbers.rows(), numbers.columns()));
    }
}
