package org.isoloss.model;

/** Numbers that are made in float64 when a part of them is read, so that a large tensor need not be held whole. */
public interface ComputedNumbers extends Numbers {
    /** {@return how many there are} */
    int count();

    @Override
    void read(int from, double[] target, int at, int count);

    @Override
    default void read(int from, float[] target, int at, int count) {
        double[] wide = new double[count];
        read(from, wide, 0, count);
        for (int i = 0; i < count; i++) {
            target[at + i] = (float) wide[i];
        }
    }

    @Override
    default double[] asFloat64() {
        double[] all = new double[count()];
        read(0, all, 0, all.length);
        return all;
    }

    @Override
    default boolean isReadInParts() {
        return true;
    }
}
