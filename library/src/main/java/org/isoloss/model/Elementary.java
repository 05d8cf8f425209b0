package org.isoloss.model;

import org.apache.commons.numbers.gamma.Erf;
import org.isoloss.autodiff.Exponential;
import org.isoloss.autodiff.Pointwise;

/** Elementary functions of one variable. */
public enum Elementary implements Differentiable {
    /** The exponential. */
    EXP {
        @Override
        public double value(double z) {
            return Math.exp(z);
        }

        @Override
        public Pointwise derivative() {
            return EXP;
        }

        @Override
        public void values(float[] numbers, float[] scratch, float[] more, int from, int to) {
            Exponential.replace(numbers, scratch, from, to);
        }
    },
    /** The natural logarithm. */
    LOG {
        @Override
        public double value(double z) {
            return Math.log(z);
        }

        @Override
        public Pointwise derivative() {
            return Power.RECIPROCAL;
        }
    },
    /** The sine. */
    SIN {
        @Override
        public double value(double z) {
            return Math.sin(z);
        }

        @Override
        public Pointwise derivative() {
            return COS;
        }
    },
    /** The cosine. */
    COS {
        @Override
        public double value(double z) {
            return Math.cos(z);
        }

        @Override
        public Pointwise derivative() {
            return MINUS_SIN;
        }
    },
    /** The negative sine, the derivative of the cosine. */
    MINUS_SIN {
        @Override
        public double value(double z) {
            return -Math.sin(z);
        }

        @Override
        public Pointwise derivative() {
            return MINUS_COS;
        }
    },
    /** The negative cosine. */
    MINUS_COS {
        @Override
        public double value(double z) {
            return -Math.cos(z);
        }

        @Override
        public Pointwise derivative() {
            return SIN;
        }
    },
    /** The error function. */
    ERF {
        @Override
        public double value(double z) {
            return Erf.value(z);
        }

        @Override
        public double first(double z) {
            return 2 / Math.sqrt(Math.PI) * Math.exp(-z * z);
        }

        @Override
        public double second(double z) {
            return -2 * z * first(z);
        }

        @Override
        public Pointwise derivative() {
            return new Slope(this, 1);
        }
    },
    /** The absolute value; its derivative at 0 is the one from the left. */
    ABS {
        @Override
        public double value(double z) {
            return Math.abs(z);
        }

        @Override
        public double first(double z) {
            return z > 0 ? 1 : -1;
        }

        @Override
        public double second(double z) {
            return 0;
        }

        @Override
        public Pointwise derivative() {
            return new Slope(this, 1);
        }
    },
    /** The largest whole number that is not larger. */
    FLOOR {
        @Override
        public double value(double z) {
            return Math.floor(z);
        }
    },
    /** The smallest whole number that is not smaller. */
    CEIL {
        @Override
        public double value(double z) {
            return Math.ceil(z);
        }
    },
    /** The nearest whole number, the even one of two. */
    ROUND {
        @Override
        public double value(double z) {
            return Math.rint(z);
        }
    },
    /** -1, 0 or 1. */
    SIGN {
        @Override
        public double value(double z) {
            return Math.signum(z);
        }
    };

    @Override
    public void values(double[] numbers, double[] scratch, double[] more, int from, int to) {
        for (int i = from; i < to; i++) {
            numbers[i] = value(numbers[i]);
        }
    }

    @Override
    public void values(float[] numbers, float[] scratch, float[] more, int from, int to) {
        for (int i = from; i < to; i++) {
            numbers[i] = (float) value(numbers[i]);
        }
    }

    @Override
    public boolean hasKink() {
        return this == ABS || jumps();
    }

    /** {@return whether it is constant but for its jumps} */
    public boolean jumps() {
        return this == FLOOR || this == CEIL || this == ROUND || this == SIGN;
    }

    @Override
    public Pointwise derivative() {
        throw new UnsupportedOperationException("%s jumps and has no derivative".formatted(name()));
    }
}
