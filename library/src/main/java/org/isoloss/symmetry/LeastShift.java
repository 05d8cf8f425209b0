package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** The sum of given directions that, added to a vector, makes it shortest: conjugate gradients of the normal equations. */
final class LeastShift {
    private static final double STILL = 1e-30;

    private final List<Direction> directions = new ArrayList<>();
    private final double[] vector;

    /** The entries of a direction that are not zero. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Direction(int[] places, double[] numbers) {
        double dot(double[] other) {
            double sum = 0;
            for (int i = 0; i < places.length; i++) {
                sum += numbers[i] * other[places[i]];
            }
            return sum;
        }

        double size() {
            return LeastShift.dot(numbers, numbers);
        }

        void addTo(double[] other, double factor) {
            for (int i = 0; i < places.length; i++) {
                other[places[i]] += factor * numbers[i];
            }
        }
    }

    /**
     * Prepares.
     *
     * @param vector that is made short; not modified
     */
    LeastShift(double[] vector) {
        this.vector = vector.clone();
    }

    /**
     * Adds a direction.
     *
     * @param moved the vector with the direction added
     * @param noise differences of at most this are none
     */
    void add(double[] moved, double noise) {
        int[] places = IntStream.range(0, moved.length)
                .filter(i -> Math.abs(moved[i] - vector[i]) > noise)
                .toArray();
        directions.add(new Direction(
                places,
                Arrays.stream(places).mapToDouble(i -> moved[i] - vector[i]).toArray()));
    }

    /** How many directions there are. */
    int count() {
        return directions.size();
    }

    /** The places that a direction moves. */
    int[] places(int direction) {
        return directions.get(direction).places();
    }

    /** The same vector with fewer directions. */
    LeastShift without(Set<Integer> some) {
        var fewer = new LeastShift(vector);
        for (int k = 0; k < directions.size(); k++) {
            if (!some.contains(k)) {
                fewer.directions.add(directions.get(k));
            }
        }
        return fewer;
    }

    /** The shortest vector. */
    double[] shortest() {
        double[] factors = factors();
        double[] shortest = vector.clone();
        for (int k = 0; k < factors.length; k++) {
            directions.get(k).addTo(shortest, factors[k]);
        }
        return shortest;
    }

    /** {@return the factor of each direction; of several that are as good, the shortest} */
    double[] factors() {
        int n = directions.size();
        double[] factors = new double[n];
        double[] left = vector.clone();
        double[] gradient = gradient(left);
        double[] step = gradient.clone();
        double size = dot(gradient, gradient);
        double still = STILL * directions.stream().mapToDouble(Direction::size).sum() * dot(vector, vector);
        for (int round = 0; round < 20 * n && size > still; round++) {
            double[] along = new double[left.length];
            for (int k = 0; k < n; k++) {
                directions.get(k).addTo(along, step[k]);
            }
            double length = size / dot(along, along);
            for (int k = 0; k < n; k++) {
                factors[k] += length * step[k];
            }
            for (int i = 0; i < left.length; i++) {
                left[i] += length * along[i];
            }
            gradient = gradient(left);
            double next = dot(gradient, gradient);
            for (int k = 0; k < n; k++) {
                step[k] = gradient[k] + next / size * step[k];
            }
            size = next;
        }
        return factors;
    }

    private double[] gradient(double[] left) {
        return directions.stream().mapToDouble(own -> -own.dot(left)).toArray();
    }

    private static double dot(double[] one, double[] other) {
        double sum = 0;
        for (int i = 0; i < one.length; i++) {
            sum += one[i] * other[i];
        }
        return sum;
    }
}
