package org.isoloss.autodiff;

/**
 * The sine, whose derivatives can be given the wrong sign.
 *
 * @param firstSign 1, or -1 for a planted error
 * @param secondSign 1, or -1 for a planted error
 */
record Wave(double firstSign, double secondSign) implements Pointwise {
    static final Wave RIGHT = new Wave(1, 1);

    @Override
    public double value(double z) {
        return Math.sin(z);
    }

    @Override
    public double first(double z) {
        return firstSign * Math.cos(z);
    }

    @Override
    public double second(double z) {
        return -secondSign * Math.sin(z);
    }
}
