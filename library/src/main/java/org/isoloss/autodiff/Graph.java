package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;

/**
 * A recording of a computation with fixed shapes. Record once, {@link #compile} to float32 or float64, replay as often as
 * needed. Operations can be recorded until the first program is compiled.
 *
 * <p>Differentiable are the results that depend on a {@link #parameter}, or on an input made with
 * {@link #differentiableInput}.
 */
public final class Graph extends Recording {
    /** Creates an empty recording. */
    public Graph() {}

    /** A summand of {@link #combine}. */
    public static final class Term {
        private final RowCombination.Term term;

        private Term(double factor, Tensor source, int[] rows, boolean live) {
            for (int row : rows) {
                if (row >= source.rows()) {
                    throw new IllegalArgumentException(
                            "Graph.Term: row %d of a source with %d rows".formatted(row, source.rows()));
                }
            }
            term = new RowCombination.Term(factor, source, rows, live);
        }

        /**
         * Returns {@code factor * source[rows[i]]} for output row i.
         *
         * @param factor the scale
         * @param source where the rows come from
         * @param rows for each output row, the source row, or a negative number for none; copied
         * @return the summand
         */
        public static Term of(double factor, Tensor source, int... rows) {
            return new Term(factor, source, rows.clone(), false);
        }

        /**
         * Returns a summand whose row numbers may change from step to step.
         *
         * @param factor the scale
         * @param source where the rows come from
         * @param rows as in {@link #of}; kept, so that later changes take effect
         * @return the summand
         */
        public static Term live(double factor, Tensor source, int[] rows) {
            return new Term(factor, source, rows, true);
        }
    }

    /**
     * Records {@code left right}.
     *
     * @param left shape (m, k)
     * @param right shape (k, n)
     * @return shape (m, n)
     */
    public Tensor product(Tensor left, Tensor right) {
        Shapes.requireProduct(left, right);
        return record(new MatrixProduct(result(left.rows(), right.columns(), left, right), left, right, null));
    }

    /**
     * Records a dense layer {@code z = x weights + bias} of a jet whose value rows come first; tangents have no bias.
     *
     * @param input rows x, shape (n, k)
     * @param weights shape (k, m)
     * @param bias shape (1, m)
     * @return shape (n, m)
     */
    public Jet dense(Jet input, Tensor weights, Tensor bias) {
        Tensor stacked = input.stacked();
        Shapes.requireProduct(stacked, weights);
        Shapes.require("dense: the bias", bias, 1, weights.columns());
        int values = 0;
        while (values < stacked.rows() && input.valueRow(values) < 0) {
            values++;
        }
        for (int row = values; row < stacked.rows(); row++) {
            if (input.valueRow(row) < 0) {
                throw new IllegalArgumentException("Graph.dense: row %d holds values behind tangents".formatted(row));
            }
        }
        double[] ones = new double[values];
        Arrays.fill(ones, 1);
        MatrixProduct.Bias row = new MatrixProduct.Bias(bias, values, constant(Matrix.over(1, values, ones)));
        Tensor output = result(stacked.rows(), weights.columns(), stacked, weights, bias);
        return input.with(record(new MatrixProduct(output, stacked, weights, row)));
    }

    /**
     * Records {@code f(z)} for the value rows and {@code f'(z) dz} for the tangent rows. Where nothing else reads the
     * argument, the results take its place in memory.
     *
     * @param function f
     * @param input z and dz
     * @return the same kinds of rows
     */
    public Jet apply(Pointwise function, Jet input) {
        Tensor z = input.stacked();
        Tensor output = result(z.rows(), z.columns(), z);
        return input.with(record(new PointwiseApplication(output, function, input)));
    }

    /**
     * Records a sum of gathered rows: row i is the sum of {@code factor * source[rows[i]]}.
     *
     * @param terms at least one, with as many row numbers each and sources of one width
     * @return as many rows as each term has row numbers
     */
    public Tensor combine(Term... terms) {
        int rows = terms[0].term.rowCount();
        int columns = terms[0].term.source().columns();
        Tensor[] sources = new Tensor[terms.length];
        for (int i = 0; i < terms.length; i++) {
            sources[i] = terms[i].term.source();
            if (terms[i].term.rowCount() != rows || sources[i].columns() != columns) {
                throw new IllegalArgumentException("Graph.combine: term %d has %d rows of %d columns, expected %d of %d"
                        .formatted(i + 1, terms[i].term.rowCount(), sources[i].columns(), rows, columns));
            }
        }
        List<RowCombination.Term> recorded =
                Arrays.stream(terms).map(term -> term.term).toList();
        return record(new RowCombination(result(rows, columns, sources), recorded));
    }

    /**
     * Records the rows of several tensors below one another.
     *
     * @param parts at least one, all of one width
     * @return all rows in order
     */
    public Tensor concatenate(Tensor... parts) {
        int rows = 0;
        for (Tensor part : parts) {
            rows += part.rows();
        }
        Term[] terms = new Term[parts.length];
        int begin = 0;
        for (int i = 0; i < parts.length; i++) {
            int[] source = repeat(-1, rows);
            for (int row = 0; row < parts[i].rows(); row++) {
                source[begin + row] = row;
            }
            begin += parts[i].rows();
            terms[i] = Term.of(1, parts[i], source);
        }
        return combine(terms);
    }

    /**
     * Records chosen columns: column j is column {@code columns[j]} of all sources side by side.
     *
     * @param sources at least one, as many rows each
     * @param columns none of them twice
     * @return as many rows, and as many columns as {@code columns} has numbers
     */
    public Tensor columns(List<Tensor> sources, List<Integer> columns) {
        int rows = sources.getFirst().rows();
        List<ColumnChoice.Part> parts = new ArrayList<>();
        int begin = 0;
        for (Tensor source : sources) {
            Shapes.require("columns: each source", source, rows, source.columns());
            int first = begin;
            int end = begin + source.columns();
            int[] to = IntStream.range(0, columns.size())
                    .filter(column -> columns.get(column) >= first && columns.get(column) < end)
                    .toArray();
            int[] from =
                    Arrays.stream(to).map(column -> columns.get(column) - first).toArray();
            parts.add(new ColumnChoice.Part(source, from, to));
            begin = end;
        }
        Shapes.requireChoice(columns, begin);
        Tensor output = result(rows, columns.size(), sources.toArray(Tensor[]::new));
        return record(new ColumnChoice(output, parts));
    }

    /**
     * Records the sum entry by entry, {@code left + factor * right}.
     *
     * @param left any shape
     * @param factor the scale of the second summand
     * @param right the same shape
     * @return the same shape
     */
    public Tensor add(Tensor left, double factor, Tensor right) {
        int[] all = range(0, left.rows());
        return combine(Term.of(1, left, all), Term.of(factor, right, all));
    }

    /**
     * Records a copy that no gradient passes.
     *
     * @param tensor any tensor
     * @return the same numbers as a constant of the backward pass
     */
    public Tensor detach(Tensor tensor) {
        Tensor output = create(tensor.rows(), tensor.columns(), Storage.Role.RESULT, false);
        RowCombination.Term all = new RowCombination.Term(1, tensor, range(0, tensor.rows()), false);
        return record(new RowCombination(output, List.of(all)));
    }

    /**
     * Records the product entry by entry.
     *
     * @param left any shape
     * @param right the same shape
     * @return the same shape
     */
    public Tensor times(Tensor left, Tensor right) {
        Shapes.requireSame("times", left, right);
        return record(new EntryProduct(result(left.rows(), left.columns(), left, right), left, right));
    }

    /**
     * Records the product entry by entry of two jets, with the product rule for tangents.
     *
     * @param left any jet
     * @param right the same shape, with the same kinds of rows
     * @return the same kinds of rows
     */
    public Jet times(Jet left, Jet right) {
        int rows = left.stacked().rows();
        Shapes.requireSame("times", left.stacked(), right.stacked());
        int[] values = range(0, rows);
        int[] valuesOfTangents = repeat(-1, rows);
        boolean tangents = false;
        for (int row = 0; row < rows; row++) {
            if (left.valueRow(row) != right.valueRow(row)) {
                throw new IllegalArgumentException(
                        "Graph.times: row %d belongs to the values in row %d on the left and %d on the right"
                                .formatted(row, left.valueRow(row), right.valueRow(row)));
            }
            if (left.valueRow(row) >= 0) {
                tangents = true;
                values[row] = left.valueRow(row);
                valuesOfTangents[row] = left.valueRow(row);
            }
        }
        if (!tangents) {
            return left.with(times(left.stacked(), right.stacked()));
        }
        Tensor rightValues = combine(Term.of(1, right.stacked(), values));
        Tensor leftValues = combine(Term.of(1, left.stacked(), valuesOfTangents));
        return left.with(add(times(left.stacked(), rightValues), 1, times(leftValues, right.stacked())));
    }

    /**
     * Records the scalar {@code factor * sum(left * right)} over all entries.
     *
     * @param factor the scale
     * @param left any shape
     * @param right the same shape
     * @return shape (1, 1)
     */
    public Tensor innerProduct(double factor, Tensor left, Tensor right) {
        Shapes.requireSame("innerProduct", left, right);
        return record(new InnerProduct(result(1, 1, left, right), factor, left, right));
    }

    /**
     * Records each row divided by its Euclidean norm.
     *
     * @param tensor rows, none of them zero
     * @return the same shape
     */
    public Tensor normalize(Tensor tensor) {
        return record(new Normalization(result(tensor.rows(), tensor.columns(), tensor), tensor));
    }

    /**
     * Records the matrices of group words.
     *
     * @param generators one flattened generator a row, shape (r, size * size)
     * @param words filled before each step; kept
     * @param size rows and columns of the matrices
     * @return one flattened matrix a word, shape (words, size * size)
     */
    public Tensor words(Tensor generators, Words words, int size) {
        Shapes.require("words: the matrix of generators", generators, generators.rows(), size * size);
        Tensor output = result(words.count(), size * size, generators);
        return record(new WordProduct(output, generators, words, size));
    }

    /**
     * Records products of small matrices, row by row.
     *
     * @param left one flattened matrix a row, shape (n, size * size)
     * @param right the same shape
     * @param size rows and columns of the matrices
     * @return {@code left[row] right[row]}, the same shape
     */
    public Tensor matrixProducts(Tensor left, Tensor right, int size) {
        Shapes.requireSame("matrixProducts", left, right);
        Shapes.require("matrixProducts: each factor", left, left.rows(), size * size);
        return record(new RowMatrixProduct(result(left.rows(), left.columns(), left, right), left, right, size));
    }

    /**
     * Records a function that is computed elsewhere, of every parameter vector and its tangents.
     *
     * @param function what is computed
     * @param parameters one vector or tangent a row, shape (n, p)
     * @return one vector of values or their derivatives a row, shape (n, m), the same kinds of rows
     */
    public Jet apply(JetFunction function, Jet parameters) {
        Shapes.require(
                "apply: the parameters",
                parameters.stacked(),
                parameters.stacked().rows(),
                function.inputCount());
        Tensor output = result(parameters.stacked().rows(), function.outputCount(), parameters.stacked());
        return parameters.with(record(new FunctionCall(output, parameters, function)));
    }

    /**
     * Returns consecutive row numbers.
     *
     * @param from the first
     * @param to one past the last
     * @return length {@code to - from}
     */
    public static int[] range(int from, int to) {
        int[] range = new int[to - from];
        for (int i = 0; i < range.length; i++) {
            range[i] = from + i;
        }
        return range;
    }

    /**
     * Returns one row number many times.
     *
     * @param row the number
     * @param count how many
     * @return length {@code count}
     */
    public static int[] repeat(int row, int count) {
        int[] repeated = new int[count];
        Arrays.fill(repeated, row);
        return repeated;
    }
}
