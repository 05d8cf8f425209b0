package org.isoloss.model;

/**
 * A slope below, 1 between and none above: {@code Clamp(0, Infinity, 0)} is ReLU, {@code Clamp(0, 6, 0)} ReLU6,
 * {@code Clamp(0, Infinity, 0.01)} the leaky ReLU of PyTorch, and with two finite bounds and no slope it is a clamp.
 *
 * @param low where the slope changes; the function is {@code low + below (z - low)} under it
 * @param high from where the function is constant
 * @param below the slope under {@code low}
 */
public record Clamp(double low, double high, double below) implements PiecewiseLinear {
    /** {@code max(z, 0)}. */
    public static final Clamp RELU = new Clamp(0, Double.POSITIVE_INFINITY, 0);

    @Override
    public double slope(double z) {
        return z <= low ? below : z <= high ? 1 : 0;
    }

    @Override
    public double offset(double z) {
        return z <= low ? low * (1 - below) : z <= high ? 0 : high;
    }

    @Override
    public void values(float[] numbers, float[] scratch, float[] more, int from, int to) {
        float floor = (float) low;
        float ceiling = (float) high;
        float slope = (float) below;
        if (below == 0) {
            for (int i = from; i < to; i++) {
                numbers[i] = Math.min(Math.max(numbers[i], floor), ceiling);
            }
        } else {
            for (int i = from; i < to; i++) {
                float z = numbers[i];
                numbers[i] = z <= floor ? floor + slope * (z - floor) : Math.min(z, ceiling);
            }
        }
    }

    @Override
    public String toString() {
        return "Clamp(%s, %s, %s)".formatted(low, high, below);
    }
}
