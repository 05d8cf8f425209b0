package org.isoloss.autodiff;

import java.util.List;

/** Refuses tensors whose shapes do not fit: kernels do not check. */
final class Shapes {
    private Shapes() {}

    static void require(String what, Tensor tensor, int rows, int columns) {
        if (tensor.rows() != rows || tensor.columns() != columns) {
            throw new IllegalArgumentException(
                    "Graph.%s has shape %s, expected (%d, %d)".formatted(what, tensor, rows, columns));
        }
    }

    static void requireSame(String what, Tensor left, Tensor right) {
        if (left.rows() != right.rows() || left.columns() != right.columns()) {
            throw new IllegalArgumentException("Graph.%s: shapes %s and %s differ".formatted(what, left, right));
        }
    }

    /** Refuses a column that is not there or comes twice. */
    static void requireChoice(List<Integer> columns, int count) {
        boolean[] chosen = new boolean[count];
        for (int column : columns) {
            if (column < 0 || column >= count || chosen[column]) {
                throw new IllegalArgumentException(
                        "Graph.columns: column %d of %d is not there, or chosen twice".formatted(column, count));
            }
            chosen[column] = true;
        }
    }

    static void requireProduct(Tensor left, Tensor right) {
        if (left.columns() != right.rows()) {
            throw new IllegalArgumentException(
                    "Graph: product of %s and %s: the inner sizes differ".formatted(left, right));
        }
    }
}
