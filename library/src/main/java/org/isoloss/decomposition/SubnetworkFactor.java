package org.isoloss.decomposition;

/**
 * One factor {@code Phi^-1 T_j Phi} with {@code T_j = Q_j Q_(j-1)^-1} (theorem {@code thm:subnet-map-generation} of the
 * paper). It changes components of z that belong to one hidden unit, and with it the outgoing weights of the compensating
 * units: k + 1 unit blocks at most, whose joint output stays.
 */
public final class SubnetworkFactor implements ParameterMap {
    private final Increment increment;
    private final int first;
    private final int end;

    SubnetworkFactor(Increment increment, int first, int end) {
        this.increment = increment;
        this.first = first;
        this.end = end;
    }

    /**
     * {@return the hidden unit whose weights the factor changes beside the outgoing weights of the compensating units, from 0}
     */
    public int unit() {
        return increment.coordinates().unit(first);
    }

    /** {@return the start of the part of [0, 1] of which this is a factor: from 0, below {@link #to}} */
    public double from() {
        return increment.from();
    }

    /** {@return the end of the part of [0, 1] of which this is a factor: up to 1} */
    public double to() {
        return increment.to();
    }

    @Override
    public double[] apply(double[] point) {
        return mapped(point, first, end);
    }

    @Override
    public double[] inverse(double[] image) {
        return mapped(image, end, first);
    }

    /** {@code Phi^-1 Q_out Q_in^-1 Phi}: only the components between the two differ. */
    private double[] mapped(double[] point, int in, int out) {
        OutputCoordinates coordinates = increment.coordinates();
        double[] x = coordinates.from(point);
        double[] before = increment.partialInverse(in, x);
        double[] image = out > in ? increment.value(before) : before;
        boolean moved = false;
        for (int j = coordinates.outputCount() + first; j < coordinates.outputCount() + end; j++) {
            moved |= x[j] != image[j];
            x[j] = image[j];
        }
        return moved ? coordinates.toParameters(x) : point.clone();
    }
}
