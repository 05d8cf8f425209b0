package org.isoloss.checkpoint;

/** Numbers that are made when they are asked for, so that a large tensor need not be held whole. */
@FunctionalInterface
public interface NewNumbers {
    /**
     * Makes some numbers.
     *
     * @param from the first, row-major
     * @param target receives them; modified
     * @param at where they begin
     * @param count how many
     */
    void read(int from, double[] target, int at, int count);

    /**
     * Wraps numbers that are there.
     *
     * @param values row-major; kept, not copied
     * @return these
     */
    static NewNumbers of(double[] values) {
        return (from, target, at, count) -> System.arraycopy(values, from, target, at, count);
    }

    /**
     * Makes some numbers.
     *
     * @param from the first, row-major
     * @param count how many
     * @return length {@code count}
     */
    default double[] read(int from, int count) {
        double[] target = new double[count];
        read(from, target, 0, count);
        return target;
    }
}
