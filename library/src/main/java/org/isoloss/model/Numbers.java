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
