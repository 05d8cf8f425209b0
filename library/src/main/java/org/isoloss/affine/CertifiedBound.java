package org.isoloss.affine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.affine.CertificateContent.UpperBound;

/**
 * Computes again the upper bound on the number of independent preserving fields: the unknowns are sorted by their weights
 * under scalings and signs of units, one weight of each orbit of permutations is kept, and the rank of its equations at
 * the integer points of the certificate is found modulo a prime.
 */
final class CertifiedBound {
    /** An exact point whose coordinates grow by more than this power through the layers before a kink is not followed. */
    private static final long LARGEST_DEGREE = 1_000_000;

    /** No certificate needs more points than these and {@link #POINTS_PER_UNKNOWN} for each unknown of its largest block. */
    private static final int POINTS = 64;

    private static final int POINTS_PER_UNKNOWN = 4;

    private final CertificateContent content;
    private final UpperBound claim;
    private final int parameters;

    /** For each parameter the units that scale it: {@code axis << 40 | unit << 8 | exponent + 32}. */
    private final List<long[]> characters = new ArrayList<>();

    private final List<ForwardPoint> points = new ArrayList<>();
    private final IntegerStream integers;
    private int drawn;

    private CertifiedBound(CertificateContent content, UpperBound claim) {
        this.content = content;
        this.claim = claim;
        this.parameters = content.parameterCount();
        this.integers = new IntegerStream(claim.seed());
        for (int layer = 1; layer < content.widths.size(); layer++) {
            for (int row = 0; row < content.widths.get(layer); row++) {
                for (int column = 0; column < content.widths.get(layer - 1); column++) {
                    characters.add(character(layer, row, column));
                }
            }
            for (int row = 0; content.biases.get(layer - 1) && row < content.widths.get(layer); row++) {
                characters.add(character(layer, row, -1));
            }
        }
    }

    static long of(CertificateContent content, UpperBound claim) {
        return new CertifiedBound(content, claim).bound();
    }

    /** Why there is no exact bound for a network, or nothing. */
    static Optional<String> obstacle(CertificateContent content) {
        List<String> pieces = content.activations.stream()
                .filter(name -> name.endsWith("relu"))
                .toList();
        List<String> transcendental = content.activations.stream()
                .filter(TaylorSeries::isTranscendental)
                .toList();
        if (!pieces.isEmpty() && !transcendental.isEmpty()) {
            return Optional.of("piecewise linear and transcendental layers occur together, %s and %s"
                    .formatted(pieces.getFirst(), transcendental.getFirst()));
        }
        if (transcendental.contains("softplus") && transcendental.stream().anyMatch(name -> name.startsWith("gelu"))) {
            return Optional.of(
                    "softplus has log 2 in its Taylor coefficients and gelu the root of 2/pi, of which it is unknown whether"
                            + " they are algebraically independent");
        }
        long degree = 1;
        for (int i = 0; !pieces.isEmpty() && i < content.activations.size(); i++) {
            String activation = content.activations.get(i);
            degree *= activation.startsWith("z^") ? activation.charAt(2) - '0' : 1;
            if (degree > LARGEST_DEGREE) {
                return Optional.of("its units are polynomials of a degree above %d, too large to be computed at a point"
                        .formatted(LARGEST_DEGREE));
            }
        }
        return Optional.empty();
    }

    private enum Freedom {
        SCALING,
        SIGN,
        NONE
    }

    private Freedom freedom(int axis) {
        if (axis == 0 || axis == content.widths.size() - 1) {
            return Freedom.SCALING;
        }
        String activation = content.activations.get(axis - 1);
        return switch (activation) {
            case "identity", "relu", "leaky_relu" -> Freedom.SCALING;
            case "tanh" -> Freedom.SIGN;
            default -> activation.startsWith("z^") ? Freedom.SCALING : Freedom.NONE;
        };
    }

    private long[] character(int layer, int row, int column) {
        List<Long> units = new ArrayList<>();
        if (freedom(layer) != Freedom.NONE) {
            units.add(((long) layer << 40) | ((long) row << 8) | 33);
        }
        if (column >= 0 && freedom(layer - 1) != Freedom.NONE) {
            String activation = layer == 1 ? "identity" : content.activations.get(layer - 2);
            int exponent = activation.startsWith("z^") ? activation.charAt(2) - '0' : 1;
            units.add(((long) (layer - 1) << 40) | ((long) column << 8) | (32 - exponent));
        }
        return units.stream().mapToLong(Long::longValue).toArray();
    }

    private record Weight(List<Long> units) {
        List<Long> kinds() {
            return units.stream()
                    .map(unit -> (unit >> 40 << 8) | (unit & 0xff))
                    .sorted()
                    .toList();
        }
    }

    private Weight weight(int a, int b) {
        Map<Long, Integer> exponents = new HashMap<>();
        for (long unit : characters.get(a)) {
            exponents.merge(unit >> 8, (int) (unit & 0xff) - 32, Integer::sum);
        }
        if (b < parameters) {
            for (long unit : characters.get(b)) {
                exponents.merge(unit >> 8, 32 - (int) (unit & 0xff), Integer::sum);
            }
        }
        List<Long> units = new ArrayList<>(4);
        exponents.forEach((unit, exponent) -> {
            int kept = freedom((int) (unit >> 32)) == Freedom.SIGN ? exponent & 1 : exponent;
            if (kept != 0) {
                units.add((unit << 8) | (kept + 32));
            }
        });
        units.sort(null);
        return new Weight(units);
    }

    private static final class Kept {
        private final Weight weight;
        private final List<int[]> unknowns = new ArrayList<>();
        private long total;

        Kept(Weight weight) {
            this.weight = weight;
        }
    }

    private long bound() {
        Map<List<Long>, Kept> orbits = new LinkedHashMap<>();
        for (int a = 0; a < parameters; a++) {
            for (int b = 0; b <= parameters; b++) {
                Weight weight = weight(a, b);
                Kept kept = orbits.computeIfAbsent(weight.kinds(), _ -> new Kept(weight));
                kept.total++;
                if (kept.weight.equals(weight)) {
                    kept.unknowns.add(new int[] {a, b});
                }
            }
        }
        int largest = orbits.values().stream()
                .mapToInt(kept -> kept.unknowns.size())
                .max()
                .orElse(0);
        int enough = POINTS + POINTS_PER_UNKNOWN * largest;
        if (claim.points() > enough) {
            throw new IllegalArgumentException(
                    "points of upper_bound is %d, expected at most %d, %d for each unknown and %d"
                            .formatted(claim.points(), enough, POINTS_PER_UNKNOWN, POINTS));
        }
        long bound = 0;
        for (Kept kept : orbits.values()) {
            bound += kept.total / kept.unknowns.size() * nullity(kept.unknowns);
        }
        return bound;
    }

    private int nullity(List<int[]> unknowns) {
        PrimeElimination elimination = new PrimeElimination(unknowns.size());
        for (int index = 0; index < claim.points() && elimination.rank() < unknowns.size(); index++) {
            Optional<ForwardPoint> point = point(index);
            if (point.isEmpty()) {
                break;
            }
            for (int row = 0; row < point.get().rows() && elimination.rank() < unknowns.size(); row++) {
                long[] coefficients = new long[unknowns.size()];
                for (int j = 0; j < coefficients.length; j++) {
                    coefficients[j] = point.get().coefficient(row, unknowns.get(j)[0], unknowns.get(j)[1]);
                }
                elimination.add(coefficients);
            }
        }
        return unknowns.size() - elimination.rank();
    }

    private Optional<ForwardPoint> point(int index) {
        int limit = 100 + 10 * claim.points();
        while (points.size() <= index && drawn < limit) {
            int[] theta = integers.next(parameters);
            int[] input = integers.next(content.widths.getFirst());
            drawn++;
            ForwardPoint.at(content, theta, input).ifPresent(points::add);
        }
        return index < points.size() ? Optional.of(points.get(index)) : Optional.empty();
    }
}
