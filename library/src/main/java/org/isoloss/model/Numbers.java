package org.isoloss.model;

/** Numbers that are read when they are used: a tensor of a file, or an array. */
public interface Numbers {
    /** {@return the numbers, row-major; not to be modified} */
    double[] asFloat64();

    /** {@return the numbers rounded to float32, row-major; not to be modified} */
    default float[] asFloat32() {
        double[] wide = asFloat64();
        float[] narrow = new float[wide.length];
        for (int i = 0; i < wide.length; i++) {
            narrow[i] = (float) wide[i];
        }
        return narrow;
    }

    /** {@return whether parts are read where they lie, so that large tensors need not be held whole} */
    default boolean isReadInParts() {
        return false;
    }

    /**
     * Reads a part in float32.
     *
     * @param from the first number, row-major
     * @param target receives the numbers; modified
     * @param at where they begin
     * @param count how many
     */
    default void read(int from, float[] target, int at, int count) {
        System.arraycopy(asFloat32(), from, target, at, count);
    }

    /**
     * Reads a part in float64.
     *
     * @param from the first number, row-major
     * @param target receives the numbers; modified
     * @param at where they begin
     * @param count how many
     */
    default void read(int from, double[] target, int at, int count) {
        System.arraycopy(asFloat64(), from, target, at, count);
    }

    /**
     * Holds an array.
     *
     * @param values row-major; copied
     * @return the numbers
     */
    static Numbers of(double... values) {
        double[] kept = values.clone();
        return () -> kept;
    }
}
