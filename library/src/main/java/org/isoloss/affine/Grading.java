package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Splits the p (p + 1) unknowns of {@code [A b]} into blocks that can be solved one by one without losing a solution.
 *
 * <p>Scaling input k by s and column k of the first weight by 1/s changes no pre-activation; scaling output m scales row m
 * of the last layer; where an activation is homogeneous of degree d, a hidden unit may be scaled by r on its way in and
 * by {@code r^-d} on its way out; where it is odd, the same with r = -1. All these act diagonally on the parameters,
 * {@code theta_a -> chi_a theta_a}, and carry a field that preserves all outputs into another such field. So the space of
 * preserving fields is the direct sum of its weight spaces: the unknown {@code A_ab} has the weight {@code chi_a / chi_b}, {@code
 * b_a} has {@code chi_a}, and the equations of different weights do not mix. Permutations of inputs, outputs and the units
 * of a hidden layer carry the weight spaces into each other, so one block of each orbit settles the dimensions of all.
 */
final class Grading implements UnknownBlocks {
    private enum Axis {
        SCALING,
        SIGN,
        NONE
    }

    /** The exponents of a character, one {@code (axis, unit, exponent)} packed into a long each, ascending. */
    private static final int UNIT_BITS = 32;

    private static final int EXPONENT_BITS = 16;
    private static final int EXPONENT_OFFSET = 1 << 15;

    private final Architecture architecture;
    private final int unknownsPerRow;
    private final long[][] characters;

    private Grading(Architecture architecture, long[][] characters) {
        this.architecture = architecture;
        this.unknownsPerRow = characters.length + 1;
        this.characters = characters;
    }

    static Grading of(Architecture architecture) {
        List<Parameter> parameters = architecture.parameters();
        long[][] characters = new long[parameters.size()][];
        for (int a = 0; a < characters.length; a++) {
            characters[a] = character(architecture, parameters.get(a));
        }
        return new Grading(architecture, characters);
    }

    /** Axis 0 are the inputs, axis l the outputs of layer l. */
    private static Axis axis(Architecture architecture, int axis) {
        if (axis == 0 || axis == architecture.layerCount()) {
            return Axis.SCALING;
        }
        HiddenActivation activation = architecture.activations().get(axis - 1);
        return activation.degree() > 0 ? Axis.SCALING : activation.isOdd() ? Axis.SIGN : Axis.NONE;
    }

    private static long[] character(Architecture architecture, Parameter parameter) {
        List<Long> entries = new ArrayList<>();
        if (!parameter.isBias() && axis(architecture, parameter.layer()) != Axis.NONE) {
            int layer = parameter.layer();
            int degree =
                    layer == 0 ? 1 : architecture.activations().get(layer - 1).degree();
            boolean sign = axis(architecture, layer) == Axis.SIGN;
            entries.add(pack(layer, parameter.column(), sign ? 1 : -degree));
        }
        if (axis(architecture, parameter.layer() + 1) != Axis.NONE) {
            entries.add(pack(parameter.layer() + 1, parameter.row(), 1));
        }
        return entries.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    private static long pack(int axis, int unit, int exponent) {
        return ((long) axis << (UNIT_BITS + EXPONENT_BITS))
                | ((long) unit << EXPONENT_BITS)
                | (exponent + EXPONENT_OFFSET);
    }

    private static int exponent(long entry) {
        return (int) (entry & ((1L << EXPONENT_BITS) - 1)) - EXPONENT_OFFSET;
    }

    @Override
    public List<Orbit> orbits() {
        Map<Long, Growing> orbits = new LinkedHashMap<>();
        for (int a = 0; a < characters.length; a++) {
            for (int b = 0; b < unknownsPerRow; b++) {
                long[] weight = weight(a, b);
                Growing orbit = orbits.computeIfAbsent(orbitKey(weight), key -> new Growing(weight));
                orbit.total++;
                if (Arrays.equals(orbit.weight, weight)) {
                    orbit.members.add(a * unknownsPerRow + b);
                }
            }
        }
        List<Orbit> result = new ArrayList<>();
        orbits.values()
                .forEach(orbit -> result.add(new Orbit(new Block(orbit.members), orbit.total / orbit.members.size())));
        result.sort((left, right) ->
                Integer.compare(right.first().size(), left.first().size()));
        return result;
    }

    @Override
    public Collection<Block> orbit(Block block) {
        long key = orbitKey(weight(block.unknown(0) / unknownsPerRow, block.unknown(0) % unknownsPerRow));
        Map<List<Long>, List<Integer>> blocks = new TreeMap<>((left, right) -> Arrays.compare(
                left.stream().mapToLong(Long::longValue).toArray(),
                right.stream().mapToLong(Long::longValue).toArray()));
        for (int a = 0; a < characters.length; a++) {
            for (int b = 0; b < unknownsPerRow; b++) {
                long[] weight = weight(a, b);
                if (orbitKey(weight) == key) {
                    blocks.computeIfAbsent(Arrays.stream(weight).boxed().toList(), _ -> new ArrayList<>())
                            .add(a * unknownsPerRow + b);
                }
            }
        }
        return blocks.values().stream().map(Block::new).toList();
    }

    @Override
    public Block whole() {
        return UnknownBlocks.whole(characters.length);
    }

    /** The weight of {@code A_ab}, or of the constant {@code b_a} where b is p. */
    private long[] weight(int a, int b) {
        long[] plus = characters[a];
        long[] minus = b < characters.length ? characters[b] : new long[0];
        long[] merged = new long[plus.length + minus.length];
        int count = 0;
        int i = 0;
        int j = 0;
        while (i < plus.length || j < minus.length) {
            long unitPlus = i < plus.length ? plus[i] >> EXPONENT_BITS : Long.MAX_VALUE;
            long unitMinus = j < minus.length ? minus[j] >> EXPONENT_BITS : Long.MAX_VALUE;
            int exponent = 0;
            if (unitPlus <= unitMinus) {
                exponent += exponent(plus[i++]);
            }
            if (unitMinus <= unitPlus) {
                exponent -= exponent(minus[j++]);
            }
            long unit = Math.min(unitPlus, unitMinus);
            if (axis(architecture, (int) (unit >> UNIT_BITS)) == Axis.SIGN) {
                exponent = Math.floorMod(exponent, 2);
            }
            if (exponent != 0) {
                merged[count++] = (unit << EXPONENT_BITS) | (exponent + EXPONENT_OFFSET);
            }
        }
        return Arrays.copyOf(merged, count);
    }

    /** Forgets which units: the multiset of (axis, exponent), at most four of them, in 15 bits each. */
    private static long orbitKey(long[] weight) {
        long[] kinds = new long[weight.length];
        for (int i = 0; i < weight.length; i++) {
            kinds[i] = ((weight[i] >> (UNIT_BITS + EXPONENT_BITS)) << 6) | (exponent(weight[i]) + 32);
        }
        Arrays.sort(kinds);
        long key = weight.length;
        for (long kind : kinds) {
            key = (key << 15) | kind;
        }
        return key;
    }

    /** Unknowns of one weight, as {@code a (p + 1) + b}, ascending. */
    static final class Block {
        private final int[] unknowns;

        Block(List<Integer> unknowns) {
            this.unknowns = unknowns.stream().mapToInt(Integer::intValue).toArray();
        }

        int size() {
            return unknowns.length;
        }

        int unknown(int index) {
            return unknowns[index];
        }
    }

    /**
     * Blocks that permutations carry into each other.
     *
     * @param first one of them
     * @param count how many there are
     */
    record Orbit(Block first, int count) {}

    private static final class Growing {
        private final long[] weight;
        private final List<Integer> members = new ArrayList<>();
        private int total;

        Growing(long[] weight) {
            this.weight = weight;
        }
    }
}
