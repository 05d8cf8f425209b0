package org.isoloss.autodiff;

import java.util.Arrays;

/**
 * Values together with directional derivatives (forward mode), stacked as rows of one tensor: so a dense layer is one
 * product for both, and the backward pass runs through both. A value may have several tangents, one, or none.
 */
public final class Jet {
    private final Tensor stacked;
    private final int[] valueRows;

    private Jet(Tensor stacked, int[] valueRows) {
        this.stacked = stacked;
        this.valueRows = valueRows;
    }

    /**
     * Returns values without tangents.
     *
     * @param values any tensor
     * @return a jet over the same memory
     */
    public static Jet of(Tensor values) {
        int[] valueRows = new int[values.rows()];
        Arrays.fill(valueRows, -1);
        return new Jet(values, valueRows);
    }

    /**
     * Returns a jet over rows of both kinds.
     *
     * @param stacked the rows
     * @param valueRows for each row, -1 where it holds values, otherwise the row that holds the values of this tangent;
     *     copied
     * @return a jet over the same memory
     */
    public static Jet of(Tensor stacked, int[] valueRows) {
        if (valueRows.length != stacked.rows()) {
            throw new IllegalArgumentException(
                    "Jet: %d row numbers for %d rows".formatted(valueRows.length, stacked.rows()));
        }
        for (int row : valueRows) {
            if (row >= valueRows.length) {
                throw new IllegalArgumentException(
                        "Jet: row %d is named as values, but there are %d rows".formatted(row, valueRows.length));
            }
            if (row >= 0 && valueRows[row] >= 0) {
                throw new IllegalArgumentException("Jet: row %d is named as values but holds a tangent".formatted(row));
            }
        }
        return new Jet(stacked, valueRows.clone());
    }

    /** {@return all rows, values and tangents: the tensor of this jet} */
    public Tensor stacked() {
        return stacked;
    }

    /**
     * Returns the kind of a row.
     *
     * @param row from 0
     * @return -1 where the row holds values, otherwise the row of the values to which this tangent belongs
     */
    public int valueRow(int row) {
        return valueRows[row];
    }

    /**
     * Returns a jet of the same kinds of rows over another tensor.
     *
     * @param other as many rows as this jet
     * @return a jet over {@code other}
     */
    public Jet with(Tensor other) {
        return of(other, valueRows);
    }
}
