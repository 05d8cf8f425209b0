package org.isoloss.autodiff;

import java.util.Arrays;
import java.util.List;
import org.isoloss.autodiff.Graph.Term;

/** Each way in which an operation can be recorded, on leaves of random shapes. */
enum OperationCase {
    PRODUCT_WITH_WEIGHTS {
        @Override
        Tensor record(Leaves leaves) {
            int inner = leaves.size();
            return leaves.graph().product(leaves.input(leaves.size(), inner), leaves.parameter(inner, leaves.size()));
        }
    },
    PRODUCT_OF_INPUTS {
        @Override
        Tensor record(Leaves leaves) {
            int inner = leaves.size();
            return leaves.graph().product(leaves.input(leaves.size(), inner), leaves.input(inner, leaves.size()));
        }
    },
    PRODUCT_OF_WEIGHTS {
        @Override
        Tensor record(Leaves leaves) {
            int inner = leaves.size();
            return leaves.graph()
                    .product(leaves.parameter(leaves.size(), inner), leaves.parameter(inner, leaves.size()));
        }
    },
    COLUMNS_OF_ONE {
        @Override
        Tensor record(Leaves leaves) {
            return leaves.graph().columns(List.of(leaves.input(leaves.size(), 5)), List.of(3, 0, 4));
        }
    },
    COLUMNS_OF_SEVERAL {
        @Override
        Tensor record(Leaves leaves) {
            int rows = leaves.size();
            Tensor left = leaves.input(rows, 2);
            return leaves.graph().columns(List.of(left, leaves.parameter(rows, 3), left), List.of(5, 1, 3, 0, 6, 2));
        }
    },
    PRODUCT_WITH_ITSELF {
        @Override
        Tensor record(Leaves leaves) {
            int size = leaves.size();
            Tensor square = leaves.input(size, size);
            return leaves.graph().product(square, square);
        }
    },
    PRODUCT_OF_PARTS {
        @Override
        Tensor record(Leaves leaves) {
            int inner = leaves.size();
            Tensor input = leaves.input(leaves.size() + 2, inner);
            Tensor weights = leaves.parameter(inner + 2, leaves.size());
            return leaves.graph().product(input.rows(1, input.rows() - 1), weights.rows(1, inner + 1));
        }
    },
    PRODUCT_OF_REGROUPED_ENTRIES {
        @Override
        Tensor record(Leaves leaves) {
            Tensor input = leaves.input(6, 2).shaped(3, 4);
            return leaves.graph().product(input, leaves.parameter(2, 6).shaped(4, 3));
        }
    },
    PRODUCT_OF_OVERLAPPING_PARTS {
        @Override
        Tensor record(Leaves leaves) {
            Tensor input = leaves.input(5, 3);
            return leaves.graph().product(input.rows(0, 3), input.rows(1, 4));
        }
    },
    WEIGHTS_IN_TWO_PRODUCTS {
        @Override
        Tensor record(Leaves leaves) {
            Tensor weights = leaves.parameter(4, 3);
            return leaves.graph()
                    .concatenate(
                            leaves.graph().product(leaves.input(2, 4), weights),
                            weights.rows(1, 3),
                            leaves.graph().product(leaves.input(3, 4), weights));
        }
    },
    TWO_WEIGHTS_ON_TWO_INPUTS {
        @Override
        Tensor record(Leaves leaves) {
            Tensor left = leaves.input(2, 3);
            Tensor right = leaves.input(2, 3);
            Tensor first = leaves.parameter(3, 2);
            Tensor second = leaves.parameter(3, 2);
            return leaves.graph()
                    .concatenate(
                            leaves.graph().product(left, first),
                            leaves.graph().product(right, second),
                            leaves.graph().product(right, first),
                            leaves.graph().product(left, second),
                            leaves.graph().product(left, first));
        }
    },
    WEIGHTS_ON_PARTS_OF_AN_INPUT {
        @Override
        Tensor record(Leaves leaves) {
            Tensor input = leaves.input(5, 3);
            Tensor weights = leaves.parameter(3, 2);
            return leaves.graph()
                    .concatenate(
                            leaves.graph().product(input.rows(0, 2), weights),
                            leaves.graph().product(input.rows(3, 5), weights));
        }
    },
    PARTS_OF_WEIGHTS_IN_PRODUCTS {
        @Override
        Tensor record(Leaves leaves) {
            Tensor weights = leaves.parameter(4, 3);
            return leaves.graph()
                    .concatenate(
                            leaves.graph().product(leaves.input(2, 2), weights.rows(0, 2)),
                            leaves.graph().product(leaves.input(3, 4), weights),
                            leaves.graph().product(leaves.input(1, 2), weights.rows(2, 4)));
        }
    },
    WEIGHTS_REGROUPED_IN_PRODUCTS {
        @Override
        Tensor record(Leaves leaves) {
            Tensor weights = leaves.parameter(4, 3);
            Tensor asTheyAre = leaves.graph().product(leaves.input(4, 4), weights);
            Tensor regrouped = leaves.graph().product(leaves.input(3, 3), weights.shaped(3, 4));
            return leaves.graph().concatenate(asTheyAre.shaped(3, 4), regrouped);
        }
    },
    DENSE {
        @Override
        Tensor record(Leaves leaves) {
            leaves.stackedKinds();
            Jet input = leaves.jetOfRows(leaves.size());
            int outputs = leaves.size();
            Tensor weights = leaves.parameter(input.stacked().columns(), outputs);
            return leaves.graph()
                    .dense(input, weights, leaves.parameter(1, outputs))
                    .stacked();
        }
    },
    DENSE_TWICE {
        @Override
        Tensor record(Leaves leaves) {
            leaves.stackedKinds();
            int size = leaves.size();
            Tensor weights = leaves.parameter(size, size);
            Tensor bias = leaves.input(1, size);
            Jet once = leaves.graph().dense(leaves.jetOfRows(size), weights, bias);
            return leaves.graph().dense(once, weights, bias).stacked();
        }
    },
    APPLY {
        @Override
        Tensor record(Leaves leaves) {
            leaves.mixedKinds();
            return leaves.graph()
                    .apply(Wave.RIGHT, leaves.jetOfRows(leaves.size()))
                    .stacked();
        }
    },
    COMBINE {
        @Override
        Tensor record(Leaves leaves) {
            int columns = leaves.size();
            Tensor left = leaves.input(3, columns);
            Tensor right = leaves.parameter(2, columns);
            return leaves.graph()
                    .combine(
                            Term.of(-1.5, left, 2, -1, 0, 2, -1),
                            Term.of(1, right, 1, 1, -1, 0, -1),
                            Term.of(0.5, left, -1, 0, -1, 1, -1));
        }
    },
    COMBINE_RUNS_OF_ROWS {
        @Override
        Tensor record(Leaves leaves) {
            int columns = leaves.size();
            Tensor left = leaves.input(2, columns);
            Tensor right = leaves.parameter(5, columns);
            return leaves.graph()
                    .combine(
                            Term.of(1, left, -1, 0, 1, -1, 1, 1),
                            Term.of(-2, right, 0, 1, 2, 3, 4, 4),
                            Term.of(1, right, 1, 2, 3, -1, 4, 4));
        }
    },
    COMBINE_CHANGING_ROWS {
        @Override
        Tensor record(Leaves leaves) {
            Tensor source = leaves.input(4, leaves.size());
            int[] rows = {0, 0, 0};
            Tensor result = leaves.graph().combine(Term.live(2, source, rows), Term.of(1, source, 3, 3, -1));
            rows[0] = -1;
            rows[2] = 2;
            return result;
        }
    },
    CONCATENATE {
        @Override
        Tensor record(Leaves leaves) {
            int columns = leaves.size();
            Tensor first = leaves.input(2, columns);
            return leaves.graph().concatenate(first, leaves.parameter(3, columns), first.rows(1, 2));
        }
    },
    ADD {
        @Override
        Tensor record(Leaves leaves) {
            int rows = leaves.size();
            int columns = leaves.size();
            return leaves.graph().add(leaves.input(rows, columns), -0.6, leaves.parameter(rows, columns));
        }
    },
    TIMES {
        @Override
        Tensor record(Leaves leaves) {
            int rows = leaves.size();
            int columns = leaves.size();
            return leaves.graph().times(leaves.input(rows, columns), leaves.parameter(rows, columns));
        }
    },
    TIMES_ITSELF {
        @Override
        Tensor record(Leaves leaves) {
            Tensor factor = leaves.input(leaves.size(), leaves.size());
            return leaves.graph().times(factor, factor);
        }
    },
    INNER_PRODUCT {
        @Override
        Tensor record(Leaves leaves) {
            int rows = leaves.size();
            int columns = leaves.size();
            return leaves.graph().innerProduct(-0.4, leaves.input(rows, columns), leaves.parameter(rows, columns));
        }
    },
    SQUARED_NORM {
        @Override
        Tensor record(Leaves leaves) {
            Tensor vectors = leaves.input(leaves.size() + 1, leaves.size());
            return leaves.graph().innerProduct(2, vectors.rows(1, vectors.rows()), vectors.rows(1, vectors.rows()));
        }
    },
    NORMALIZE {
        @Override
        Tensor record(Leaves leaves) {
            return leaves.graph().normalize(leaves.parameter(leaves.size(), leaves.size() + 1));
        }
    },
    WORDS {
        @Override
        Tensor record(Leaves leaves) {
            int size = 2 + leaves.random().nextInt(2);
            int count = leaves.size();
            Words words = new Words(5, 3);
            Arrays.setAll(words.coefficients(), i -> leaves.random().nextDouble(-1, 1));
            Arrays.setAll(words.indices(), i -> i % count);
            words.coefficients()[4] = 0;
            return leaves.graph().words(leaves.parameter(count, size * size), words, size);
        }
    },
    MATRIX_PRODUCTS {
        @Override
        Tensor record(Leaves leaves) {
            int size = leaves.size();
            int rows = leaves.size();
            return leaves.graph()
                    .matrixProducts(leaves.input(rows, size * size), leaves.parameter(rows, size * size), size);
        }
    },
    MATRIX_SQUARES {
        @Override
        Tensor record(Leaves leaves) {
            int size = 1 + leaves.size();
            Tensor matrices = leaves.input(leaves.size(), size * size);
            return leaves.graph().matrixProducts(matrices, matrices, size);
        }
    };

    abstract Tensor record(Leaves leaves);
}
