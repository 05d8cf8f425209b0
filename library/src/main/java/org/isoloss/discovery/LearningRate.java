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

    private static void requirePositive(double rate, String what) {
        if (!(rate > 0) || Double.isInfinite(rate)) {
            throw new IllegalArgumentException("LearningRate: %s must be positive, got %s".formatted(what, rate));
        }
    }
}
