package org.isoloss.network;

import java.util.List;

/** How the units that move are chosen among those that do not compensate. */
public sealed interface MovingUnits {
    /**
     * The units named.
     *
     * @param units from 0, at least one, all different
     */
    record Given(List<Integer> units) implements MovingUnits {
        /** Keeps its own list. */
        public Given {
            units = List.copyOf(units);
            if (units.isEmpty() || units.stream().distinct().count() != units.size()) {
                throw new IllegalArgumentException(
                        "moving units %s: expected at least one, all different".formatted(units));
            }
        }
    }

    /**
     * The units that contribute most to the output on the batch.
     *
     * @param count at least 1
     */
    record LargestContribution(int count) implements MovingUnits {
        /** Refuses impossible values. */
        public LargestContribution {
            requirePositive(count);
        }
    }

    /**
     * The units whose contribution answers most to every visible change of their incoming weights, relative to its size,
     * among those that contribute at least the median. A unit that contributes much may lie where its activation is flat,
     * and then moves without doing anything.
     *
     * @param count at least 1
     */
    record MostSensitive(int count) implements MovingUnits {
        /** Refuses impossible values. */
        public MostSensitive {
            requirePositive(count);
        }
    }

    /** {@return the number of moving units, at least 1} */
    default int number() {
        return switch (this) {
            case Given given -> given.units.size();
            case LargestContribution largest -> largest.count;
            case MostSensitive sensitive -> sensitive.count;
        };
    }

    private static void requirePositive(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("%d moving units, expected at least 1".formatted(count));
        }
    }
}
