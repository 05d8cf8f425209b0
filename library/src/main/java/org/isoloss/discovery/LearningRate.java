package org.isoloss.discovery;

/** A learning-rate schedule over a whole run. */
public sealed interface LearningRate {
    /**
     * Returns the rate of one step.
     *
     * @param step from 0
     * @param steps steps of the whole run
     * @return positive
     */
    double at(int step, int steps);

    /**
     * One rate for all steps, as in the paper.
     *
     * @param rate positive
     */
    record Constant(double rate) implements LearningRate {
        /** Refuses a rate that is not positive. */
        public Constant {
            requirePositive(rate, "rate");
        }

        @Override
        public double at(int step, int steps) {
            return rate;
        }
    }

    /**
     * A linear warm-up to the peak, then half a cosine down to a fraction of it.
     *
     * @param peak the largest rate, positive
     * @param warmUp steps of the warm-up, at least 0
     * @param lastFraction the last rate over the peak, in (0, 1]
     */
    record Cosine(double peak, int warmUp, double lastFraction) implements LearningRate {
        /** Refuses numbers out of range. */
        public Cosine {
            requirePositive(peak, "peak");
            if (warmUp < 0 || !(lastFraction > 0 && lastFraction <= 1)) {
                throw new IllegalArgumentException(
                        "LearningRate: warmUp %d must be at least 0 and lastFraction %s in (0, 1]"
                                .formatted(warmUp, lastFraction));
            }
        }

        @Override
        public double at(int step, int steps) {
            if (step < warmUp) {
                return peak * (step + 1) / warmUp;
            }
            double progress = steps > warmUp ? Math.min(1, (double) (step - warmUp) / (steps - warmUp)) : 1;
            return peak * (lastFraction + (1 - lastFraction) * 0.5 * (1 + StrictMath.cos(Math.PI * progress)));
        }
    }

    /**
     * Half cosines one after the other, each longer than the one before, for a fit that ends when it is good enough: errors are
     * small when the rate is, and nobody knows beforehand after how many steps they are small enough. Cycles end where
     * {@link Fit} looks; the last takes the steps that are left over.
     *
     * @param cosine of each cycle; its warm-up comes once, in the first
     */
    record Cycles(Cosine cosine) implements LearningRate {
        /** Steps of the first cycle. */
        public static final int FIRST = 500;

        /** Steps by which each cycle is longer than the one before. */
        public static final int GROWTH = ValidationWatch.EVERY;

        @Override
        public double at(int step, int steps) {
            int begin = 0;
            int nominal = FIRST;
            int length = cut(nominal, steps);
            while (step >= begin + length && begin + length < steps) {
                begin += length;
                nominal += GROWTH;
                length = cut(nominal, steps - begin);
            }
            return new Cosine(cosine.peak, begin == 0 ? cosine.warmUp : 0, cosine.lastFraction)
                    .at(step - begin, length);
        }

        private static int cut(int length, int rest) {
            return rest < 2L * length ? rest : length;
        }
    }

    private static void requirePositive(double rate, String what) {
        if (!(rate > 0) || Double.isInfinite(rate)) {
            throw new IllegalArgumentException("LearningRate: %s must be positive, got %s".formatted(what, rate));
        }
    }
}
