package org.isoloss.installation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Signed coefficients of {@code exp(t h)} over their radius, and those of a second transformation after the first: eight
 * magnitudes uniform on [0.2, 1], each paired with its negative. The same ones serve every radius and every transformation.
 *
 * @param first 16 numbers
 * @param second as many; the pair of a negative has the negative of both
 */
record Coefficients(List<Double> first, List<Double> second) {
    static final int MAGNITUDES = 8;
    private static final double LEAST = 0.2;

    Coefficients {
        first = List.copyOf(first);
        second = List.copyOf(second);
    }

    static Coefficients draw(SplittableRandom random) {
        List<Double> first = new ArrayList<>();
        List<Double> second = new ArrayList<>();
        for (int i = 0; i < MAGNITUDES; i++) {
            double t = random.nextDouble(LEAST, 1);
            double u = random.nextBoolean() ? random.nextDouble(LEAST, 1) : -random.nextDouble(LEAST, 1);
            first.addAll(List.of(t, -t));
            second.addAll(List.of(u, -u));
        }
        return new Coefficients(first, second);
    }

    double[] first(double radius) {
        return first.stream().mapToDouble(t -> radius * t).toArray();
    }

    double[] second(double radius) {
        return second.stream().mapToDouble(t -> radius * t).toArray();
    }
}
