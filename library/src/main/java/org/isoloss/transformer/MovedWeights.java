package org.isoloss.transformer;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;

/** New values of one row, column or entry of a parameter, in the shape that is stored. */
public final class MovedWeights {
    /** What of a parameter changes. */
    public enum Part {
        /** A row of a matrix. */
        ROW,
        /** A column of a matrix. */
        COLUMN,
        /** One entry of a vector. */
        ENTRY
    }

    private final String parameter;
    private final Part part;
    private final int index;
    private final double[] values;

    MovedWeights(String parameter, Part part, int index, double... values) {
        this.parameter = parameter;
        this.part = part;
        this.index = index;
        this.values = values.clone();
    }

    /** {@return the name, as transformers calls the parameter} */
    public String parameter() {
        return parameter;
    }

    /** {@return the kind of the part, row, column or entry} */
    public Part part() {
        return part;
    }

    /** {@return which row, column or entry: from 0} */
    public int index() {
        return index;
    }

    /** {@return the new numbers: in order; a copy} */
    public double[] values() {
        return values.clone();
    }

    /** Told of a number and its place. */
    @FunctionalInterface
    interface Place {
        void take(int index, double value);
    }

    /** Tells of the numbers that lie among consecutive ones of the parameter, row by row, and where among them. */
    void forEach(long from, int count, int columns, Place place) {
        long first = part == Part.ROW ? (long) index * columns : index;
        int step = part == Part.COLUMN ? columns : 1;
        long skipped = from <= first ? 0 : Math.ceilDiv(from - first, step);
        for (long i = skipped; i < values.length && first + i * step < from + count; i++) {
            place.take((int) (first + i * step - from), values[(int) i]);
        }
    }

    /** Writes the values to their place; a vector is a matrix of one row. */
    void writeTo(Matrix whole) {
        for (int i = 0; i < values.length; i++) {
            switch (part) {
                case ROW -> whole.set(index, i, values[i]);
                case COLUMN -> whole.set(i, index, values[i]);
                case ENTRY -> whole.set(0, index, values[i]);
            }
        }
    }

    @Override
    public String toString() {
        return switch (part) {
            case ROW -> "%s[%d, :] of %d".formatted(parameter, index, values.length);
            case COLUMN -> "%s[:, %d] of %d".formatted(parameter, index, values.length);
            case ENTRY -> "%s[%d] = %s".formatted(parameter, index, Arrays.toString(values));
        };
    }
}
