package org.isoloss.transformer;

import java.util.stream.IntStream;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;

/**
 * Hidden states in float32. The float64 ones are generated from this file: write {@code float} and {@code (float)} plainly,
 * and nothing that holds for one arithmetic alone.
 */
@SuppressWarnings("cast") // casts that float32 needs say nothing in the float64 copy
final class Float32States implements HiddenStates {
    private final int rows;
    private final int columns;
    private final float[] values;

    private Float32States(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
        this.values = new float[Math.multiplyExact(rows, columns)];
    }

    static Float32States gather(Parameter table, int[] rows) {
        int width = table.columns();
        var states = new Float32States(rows.length, width);
        for (int i = 0; i < rows.length; i++) {
            table.read((long) rows[i] * width, states.values, i * width, width);
        }
        return states;
    }

    private static Float32States of(HiddenStates states) {
        return (Float32States) states;
    }

    private static float[] read(Parameter vector) {
        float[] values = new float[vector.columns()];
        vector.read(0, values, 0, values.length);
        return values;
    }

    @Override
    public HiddenStates times(Projection projection) {
        int in = projection.in();
        int out = projection.out();
        var product = new Float32States(rows, out);
        var tiling = new Tiling(rows, in, out);
        float[] bias = projection.bias() == null ? new float[0] : read(projection.bias());
        tiling.run(() -> {
            float[] tile = new float[tiling.width() * in];
            return (from, count) -> {
                readTile(projection, from, count, tile);
                int stride = projection.isInOut() ? count : in;
                boolean outIn = !projection.isInOut();
                Blas.gemm(values, 0, in, false, tile, 0, stride, outIn, product.values, from, out, rows, count, in)
                        .run(1, 0);
                product.addToRows(bias, from, count);
            };
        });
        return product;
    }

    /** Reads the weights of some outputs: (count, in), or (in, count) where they are stored so. */
    private static void readTile(Projection projection, int from, int count, float[] tile) {
        if (!projection.isInOut()) {
            projection.weight().read((long) from * projection.in(), tile, 0, count * projection.in());
            return;
        }
        for (int input = 0; input < projection.in(); input++) {
            projection.weight().read((long) input * projection.out() + from, tile, input * count, count);
        }
    }

    private void addToRows(float[] bias, int from, int count) {
        for (int row = 0; row < rows && bias.length > 0; row++) {
            for (int i = from; i < from + count; i++) {
                values[row * columns + i] += bias[i];
            }
        }
    }

    @Override
    public HiddenStates normalized(Normalization norm) {
        float[] weight = read(norm.weight());
        float[] bias = norm.bias() == null ? new float[columns] : read(norm.bias());
        float offset = (float) norm.offset();
        var normalized = new Float32States(rows, columns);
        for (int row = 0; row < rows; row++) {
            int at = row * columns;
            double mean = norm.bias() == null ? 0 : mean(at);
            double factor = 1 / Math.sqrt(meanSquare(at, mean) + norm.epsilon());
            for (int i = 0; i < columns; i++) {
                float standard = (float) ((values[at + i] - mean) * factor);
                normalized.values[at + i] = standard * (offset + weight[i]) + bias[i];
            }
        }
        return normalized;
    }

    private double mean(int at) {
        double sum = 0;
        for (int i = 0; i < columns; i++) {
            sum += values[at + i];
        }
        return sum / columns;
    }

    private double meanSquare(int at, double mean) {
        double sum = 0;
        for (int i = 0; i < columns; i++) {
            double deviation = values[at + i] - mean;
            sum += deviation * deviation;
        }
        return sum / columns;
    }

    @Override
    public void add(HiddenStates other) {
        float[] addends = of(other).values;
        for (int i = 0; i < values.length; i++) {
            values[i] += addends[i];
        }
    }

    @Override
    public void multiply(HiddenStates other) {
        float[] factors = of(other).values;
        for (int i = 0; i < values.length; i++) {
            values[i] *= factors[i];
        }
    }

    @Override
    public void scale(double factor) {
        float rounded = (float) factor;
        for (int i = 0; i < values.length; i++) {
            values[i] *= rounded;
        }
    }

    @Override
    public void activate(Activation activation) {
        IntStream.range(0, rows).parallel().forEach(row -> {
            for (int i = row * columns; i < (row + 1) * columns; i++) {
                values[i] = (float) activation.value(values[i]);
            }
        });
    }

    @Override
    public void rotate(Heads heads, RotaryAngles angles) {
        int pairs = angles.pairs();
        for (int row = 0; row < rows; row++) {
            for (int head = 0; head < heads.count(); head++) {
                int at = row * columns + heads.column(head);
                for (int pair = 0; pair < pairs; pair++) {
                    float cosine = (float) angles.cosine(row % angles.positions(), pair);
                    float sine = (float) angles.sine(row % angles.positions(), pair);
                    float first = values[at + pair];
                    float second = values[at + pairs + pair];
                    values[at + pair] = first * cosine - second * sine;
                    values[at + pairs + pair] = second * cosine + first * sine;
                }
            }
        }
    }

    @Override
    public HiddenStates attend(Heads queries, Heads keys, Heads values, TokenBatch tokens, boolean causal) {
        int size = queries.size();
        var mixed = new Float32States(tokens.tokens(), queries.count() * size);
        IntStream.range(0, tokens.sequences() * queries.count()).parallel().forEach(i -> {
            int sequence = i / queries.count();
            int head = i % queries.count();
            // neighbouring query heads share a key and value head
            int shared = head / (queries.count() / keys.count());
            Float32States scores = scores(queries, head, keys, shared, sequence, tokens.length());
            scores.softmax(tokens, sequence, causal);
            scores.mix(values, shared, sequence, mixed, head * size);
        });
        return mixed;
    }

    /** Returns one row a query of one sequence, one column a key. */
    private static Float32States scores(Heads queries, int head, Heads keys, int shared, int sequence, int length) {
        Float32States query = of(queries.states());
        Float32States key = of(keys.states());
        var scores = new Float32States(length, length);
        Blas.gemm(
                        query.values,
                        sequence * length * query.columns + queries.column(head),
                        query.columns,
                        false,
                        key.values,
                        sequence * length * key.columns + keys.column(shared),
                        key.columns,
                        true,
                        scores.values,
                        0,
                        length,
                        length,
                        length,
                        queries.size())
                .run(1 / Math.sqrt(queries.size()), 0);
        return scores;
    }

    private void softmax(TokenBatch tokens, int sequence, boolean causal) {
        for (int query = 0; query < rows; query++) {
            int at = query * columns;
            int end = causal ? query + 1 : columns;
            double largest = Double.NEGATIVE_INFINITY;
            for (int key = 0; key < end; key++) {
                if (tokens.counts(sequence, key)) {
                    largest = Math.max(largest, values[at + key]);
                }
            }
            double sum = 0;
            for (int key = 0; key < columns; key++) {
                boolean seen = key < end && tokens.counts(sequence, key);
                values[at + key] = seen ? (float) Math.exp(values[at + key] - largest) : 0;
                sum += values[at + key];
            }
            for (int key = 0; key < end; key++) {
                values[at + key] = (float) (values[at + key] / sum);
            }
        }
    }

    /** Writes what these weights make of the values of one head and sequence. */
    private void mix(Heads heads, int shared, int sequence, Float32States mixed, int column) {
        Float32States value = of(heads.states());
        Blas.gemm(
                        values,
                        0,
                        columns,
                        false,
                        value.values,
                        sequence * rows * value.columns + heads.column(shared),
                        value.columns,
                        false,
                        mixed.values,
                        sequence * rows * mixed.columns + column,
                        mixed.columns,
                        rows,
                        heads.size(),
                        rows)
                .run(1, 0);
    }

    @Override
    public Matrix toMatrix(int from, int to) {
        Matrix matrix = Matrix.zeros(to - from, columns);
        for (int i = 0; i < matrix.entries().length; i++) {
            matrix.entries()[i] = values[from * columns + i];
        }
        return matrix;
    }
}
