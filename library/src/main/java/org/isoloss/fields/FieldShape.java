package org.isoloss.fields;

/**
 * The form of r fields: affine ones, or those of a network with hidden layers.
 *
 * @param parameterCount p, at least 1
 * @param count r, from 1 to {@value #MOST}
 * @param depth hidden layers, from 0, which makes the fields {@code A theta + b}, to 8
 * @param width units of each hidden layer, from 1 to 4096
 */
public record FieldShape(int parameterCount, int count, int depth, int width) {
    /** The most fields that are learned together. */
    public static final int MOST = 12;

    /** Hidden layers of free fields unless others are given. */
    public static final int FREE_DEPTH = 2;

    /** Units of each unless others are given. */
    public static final int FREE_WIDTH = 128;

    /** Refuses sizes out of range. */
    public FieldShape {
        if (parameterCount < 1 || count < 1 || count > MOST || depth < 0 || depth > 8 || width < 1 || width > 4096) {
            throw new IllegalArgumentException(
                    "FieldShape: %d fields of %d parameters with %d hidden layers of %d units, expected 1 to %d fields, 0 to 8 layers, 1 to 4096 units"
                            .formatted(count, parameterCount, depth, width, MOST));
        }
    }

    /** {@return whether the fields are {@code A theta + b}} */
    public boolean isAffine() {
        return depth == 0;
    }

    int inputs(int layer) {
        return layer == 0 ? parameterCount : width;
    }

    int outputs(int layer) {
        return layer == depth ? count * parameterCount : width;
    }
}
