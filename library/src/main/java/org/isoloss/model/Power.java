package org.isoloss.model;

/**
 * A multiple of a power: {@code factor z^exponent}.
 *
 * @param exponent any; where it is not whole, arguments are positive
 * @param factor any
 */
public record Power(double exponent, double factor) implements Differentiable {
    /** {@code 1 / z}. */
    public static final Power RECIPROCAL = new Power(-1, 1);

    /** {@code z^2}. */
    public static final Power SQUARE = new Power(2, 1);

    /** The square root. */
    public static final Power ROOT = new Power(0.5, 1);

    /** {@code 1 / sqrt(z)}. */
    public static final Power RECIPROCAL_ROOT = new Power(-0.5, 1);

    @Override
    public double value(double z) {
        if (factor == 0) {
            return 0;
        }
        double power = switch ((int) (2 * exponent)) {
            case 0 -> exponent == 0 ? 1 : Math.pow(z, exponent);
            case 4 -> exponent == 2 ? z * z : Math.pow(z, exponent);
            case 2 -> exponent == 1 ? z : Math.pow(z, exponent);
            case 1 -> exponent == 0.5 ? Math.sqrt(z) : Math.pow(z, exponent);
            case -1 ->
                exponent == -0.5
                        ? 1 / Math.sqrt(z)
                        : exponent == -0.75 ? 1 / (Math.sqrt(z) * Math.sqrt(Math.sqrt(z))) : Math.pow(z, exponent);
            case -2 -> exponent == -1 ? 1 / z : Math.pow(z, exponent);
            default -> Math.pow(z, exponent);
        };
        return factor * power;
    }

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
    public Power derivative() {
        return new Power(exponent - 1, factor * exponent);
    }

    @Override
    public String toString() {
        return "Power(%s)".formatted(exponent);
    }
}
