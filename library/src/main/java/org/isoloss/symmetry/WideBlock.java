package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.ParameterUse.Kind;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * A block with too many maps for a linear system. Of its algebra those parts are found that are classical: all bases, rotations,
 * rotations that keep ones, and what commutes with rotary positions, the same for all values or a basis and its dual. Each is
 * tried on the part by a random element.
 */
final class WideBlock {
    /** What rounding leaves of a map that stays. */
    private static final double ZERO = 1e-9;
    /** As many values of which some may stay and some move by the dual; more move alike. */
    private static final int MOST_ROLES = 4;

    private final Part part;
    private final BlockSearch search;
    private final int index;
    private final SequencedMap<Value, int[]> block;
    private final Map<Value, double[]> weights;
    private final Map<Value, GaugePoint> points;
    private final List<Value> free = new ArrayList<>();
    private final List<ParameterUse> scales = new ArrayList<>();
    private final int width;

    WideBlock(Part part, BlockSearch search, int index, Map<Value, double[]> weights, Map<Value, GaugePoint> points) {
        this.part = part;
        this.search = search;
        this.index = index;
        this.block = part.blocks().blocks().get(index);
        this.weights = weights;
        this.points = points;
        part.moved().stream().filter(block::containsKey).forEach(free::add);
        for (ParameterUse use : part.cut().uses()) {
            Value scaled = part.cut().scaled(use);
            Value data = use.data().getFirst();
            if (use.kind() == Kind.SCALE && free.contains(scaled) && block.containsKey(data)) {
                free.remove(scaled);
                scales.add(use);
            }
        }
        this.width = free.stream().mapToInt(this::width).min().orElse(0);
    }

    private int width(Value value) {
        return Objects.requireNonNull(block.get(value)).length;
    }

    /** The classical algebras of matrices of n rows. */
    enum Classical {
        BASES {
            @Override
            Matrix drawn(int n, SplittableRandom random) {
                Matrix drawn = Matrix.zeros(n, n);
                for (int i = 0; i < n * n; i++) {
                    drawn.entries()[i] = random.nextGaussian();
                }
                return drawn;
            }

            @Override
            String group(int n) {
                return "GL(%d)".formatted(n);
            }

            @Override
            int dimension(int n) {
                return n * n;
            }
        },
        ROTATIONS {
            @Override
            Matrix drawn(int n, SplittableRandom random) {
                Matrix any = BASES.drawn(n, random);
                return any.minus(any.transpose());
            }

            @Override
            String group(int n) {
                return "O(%d)".formatted(n);
            }

            @Override
            int dimension(int n) {
                return n * (n - 1) / 2;
            }
        },
        ROTATIONS_THAT_KEEP_ONES {
            @Override
            Matrix drawn(int n, SplittableRandom random) {
                Matrix centred = Matrix.identity(n);
                for (int i = 0; i < n * n; i++) {
                    centred.entries()[i] -= 1.0 / n;
                }
                return centred.times(ROTATIONS.drawn(n, random)).times(centred);
            }

            @Override
            String group(int n) {
                return ROTATIONS.group(n - 1);
            }

            @Override
            int dimension(int n) {
                return ROTATIONS.dimension(n - 1);
            }
        },
        SCALES {
            @Override
            Matrix drawn(int n, SplittableRandom random) {
                Matrix drawn = Matrix.zeros(n, n);
                for (int i = 0; i < n; i++) {
                    drawn.set(i, i, random.nextGaussian());
                }
                return drawn;
            }

            @Override
            String group(int n) {
                return GroupName.power("(R>0)", n);
            }

            @Override
            int dimension(int n) {
                return n;
            }
        },
        ROTARY_HALVES {
            @Override
            Matrix drawn(int n, SplittableRandom random) {
                return rotary(n, random, n / 2, 1);
            }

            @Override
            String group(int n) {
                return rotary(n);
            }

            @Override
            int dimension(int n) {
                return n;
            }
        },
        ROTARY_NEIGHBOURS {
            @Override
            Matrix drawn(int n, SplittableRandom random) {
                return rotary(n, random, 1, 2);
            }

            @Override
            String group(int n) {
                return rotary(n);
            }

            @Override
            int dimension(int n) {
                return n;
            }
        };

        /** What it is called in a list of families. */
        String kind() {
            return switch (this) {
                case BASES -> "basis";
                case ROTATIONS, ROTATIONS_THAT_KEEP_ONES -> "rotations";
                case SCALES -> "scales";
                case ROTARY_HALVES, ROTARY_NEIGHBOURS -> "bases of blocks";
            };
        }

        abstract Matrix drawn(int n, SplittableRandom random);

        abstract String group(int n);

        abstract int dimension(int n);

        private static String rotary(int n) {
            return GroupName.power("(C*)", n / 2);
        }

        /** For each pair of channels a common scale and an angle. */
        private static Matrix rotary(int n, SplittableRandom random, int distance, int step) {
            Matrix drawn = Matrix.zeros(n, n);
            for (int pair = 0; pair < n / 2; pair++) {
                int i = pair * step;
                int j = i + distance;
                double scale = random.nextGaussian();
                double angle = random.nextGaussian();
                drawn.set(i, i, scale);
                drawn.set(j, j, scale);
                drawn.set(i, j, -angle);
                drawn.set(j, i, angle);
            }
            return drawn;
        }
    }

    /** How a value moves with a matrix A: not, by A, or by the dual, minus the transpose of A. */
    private enum Role {
        STAYS,
        MOVES,
        DUAL
    }

    /**
     * An algebra that the block has.
     *
     * @param classical which matrices
     * @param roles of the values that go in
     */
    record Found(WideBlock of, Classical classical, Map<Value, Role> roles) {
        int dimension() {
            return classical.dimension(of.width);
        }

        String group() {
            return classical.group(of.width);
        }

        int width() {
            return of.width;
        }

        /** The channels of every value of the block. */
        SequencedMap<Value, int[]> channels() {
            return of.block;
        }

        /** What goes in and moves by the matrix itself, one after the other as wide as it. */
        List<Value> movedAlike() {
            return roles.entrySet().stream()
                    .filter(entry -> entry.getValue() == Role.MOVES && of.width(entry.getKey()) == of.width)
                    .map(Map.Entry::getKey)
                    .toList();
        }

        /** The channels of what moves, in or out. */
        SequencedMap<Value, int[]> movedChannels() {
            SequencedMap<Value, int[]> moved = new LinkedHashMap<>(of.block);
            Map<Value, Matrix> maps = drawn(new SplittableRandom(1));
            moved.keySet().removeIf(value -> {
                Matrix map = maps.get(value);
                return map == null || map.largestMagnitude() <= ZERO;
            });
            return moved;
        }

        /** Whether a parameter scales what a value is. */
        boolean isScaled(Value value) {
            return of.scales.stream().anyMatch(use -> of.part.cut().scaled(use).equals(value));
        }

        /** The numbers by which a value is scaled, in our network or the other. */
        double[] scales(Value value, WeightRows weights, boolean ofOther) {
            ParameterUse use = of.scales.stream()
                    .filter(scale -> of.part.cut().scaled(scale).equals(value))
                    .findFirst()
                    .orElseThrow();
            double[] numbers =
                    ofOther ? weights.theirs(use.weight()) : Objects.requireNonNull(of.weights.get(use.weight()));
            return of.spread(use, numbers);
        }

        /** Draws an element, with the maps of all values of the block. */
        Map<Value, Matrix> drawn(SplittableRandom random) {
            return Objects.requireNonNull(of.maps(classical.drawn(of.width, random), roles));
        }
    }

    /** Finds those that no larger one with the same roles contains. */
    List<Found> found(SplittableRandom random) {
        List<Found> found = new ArrayList<>();
        if (free.isEmpty() || free.stream().anyMatch(value -> width(value) % width != 0)) {
            return found;
        }
        for (Map<Value, Role> roles : roles()) {
            for (Classical classical : Classical.values()) {
                if (classical != Classical.SCALES
                        && found.stream().noneMatch(other -> other.roles().equals(roles))
                        && maps(classical.drawn(width, random), roles) != null) {
                    found.add(new Found(this, classical, roles));
                }
            }
        }
        for (ParameterUse use : scales) {
            Map<Value, Role> alone = Map.of(part.cut().scaled(use), Role.MOVES);
            if (maps(Classical.SCALES.drawn(width, random), alone) != null) {
                found.add(new Found(this, Classical.SCALES, alone));
            }
        }
        return found;
    }

    /** The first value that moves moves by A: whether A or its dual is called A says nothing. */
    private List<Map<Value, Role>> roles() {
        List<Map<Value, Role>> all = new ArrayList<>();
        if (free.size() > MOST_ROLES) {
            Map<Value, Role> alike = new LinkedHashMap<>();
            free.forEach(value -> alike.put(value, Role.MOVES));
            return List.of(alike);
        }
        int count = IntStream.range(0, free.size()).reduce(1, (product, _) -> 3 * product);
        for (int code = 1; code < count; code++) {
            Map<Value, Role> roles = new LinkedHashMap<>();
            int rest = code;
            for (Value value : free) {
                roles.put(value, Role.values()[rest % 3]);
                rest /= 3;
            }
            Role first = roles.values().stream()
                    .filter(role -> role != Role.STAYS)
                    .findFirst()
                    .orElse(Role.STAYS);
            if (first == Role.MOVES) {
                all.add(roles);
            }
        }
        all.sort((left, right) -> Long.compare(moving(left), moving(right)));
        return all;
    }

    private static long moving(Map<Value, Role> roles) {
        return roles.values().stream().filter(role -> role != Role.STAYS).count();
    }

    /** The maps of all values for one matrix; null where the part does not allow it. */
    private @Nullable Map<Value, Matrix> maps(Matrix a, Map<Value, Role> roles) {
        Map<Value, Matrix> given = new LinkedHashMap<>();
        roles.forEach((value, role) -> {
            if (role != Role.STAYS) {
                given.put(value, repeated(role == Role.MOVES ? a : a.transpose().scaled(-1), width(value)));
            }
        });
        Map<Value, Matrix> maps = search.completed(index, given);
        if (maps == null || scales.isEmpty()) {
            return maps;
        }
        for (ParameterUse use : scales) {
            Matrix data = maps.get(use.data().getFirst());
            if (data != null && data.largestMagnitude() > ZERO) {
                given.put(part.cut().scaled(use), scaled(use, data));
            }
        }
        return search.completed(index, given);
    }

    /** The matrix once for every head that shares it. */
    private static Matrix repeated(Matrix a, int width) {
        Matrix map = Matrix.zeros(width, width + 1);
        int n = a.rows();
        for (int i = 0; i < width; i++) {
            for (int j = 0; j < n; j++) {
                map.set(i, i / n * n + j, a.get(i % n, j));
            }
        }
        return map;
    }

    private Matrix scaled(ParameterUse use, Matrix data) {
        double[] scales = spread(use, Objects.requireNonNull(weights.get(use.weight())));
        Matrix map = Matrix.zeros(data.rows(), data.columns());
        for (int i = 0; i < data.rows(); i++) {
            for (int j = 0; j < data.rows(); j++) {
                map.set(i, j, i == j ? data.get(i, i) : scales[j] == 0 ? 0 : data.get(i, j) * scales[i] / scales[j]);
            }
        }
        return map;
    }

    /** For each channel of the block that a parameter scales, its number. */
    private double[] spread(ParameterUse use, double[] numbers) {
        Value result = part.cut().scaled(use);
        Matrix scales = Objects.requireNonNull(points.get(result))
                .arranged(Arrays.stream(use.weightPlaces())
                        .mapToDouble(place -> numbers[place])
                        .toArray());
        return Arrays.stream(Objects.requireNonNull(block.get(result)))
                .mapToDouble(channel -> scales.get(0, channel))
                .toArray();
    }
}
