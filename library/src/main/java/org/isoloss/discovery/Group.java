package org.isoloss.discovery;

import java.util.Arrays;
import java.util.Optional;
import org.isoloss.action.LatentAction;
import org.isoloss.lie.Generators;

/**
 * The search class: matrices of one size, with generators to be learned or given.
 *
 * @param size rows of the matrices s, at least 1
 * @param count number of generators r, at least 1
 * @param supplied a basis that is kept fixed at its scale, or nothing where the generators are learned
 */
public record Group(int size, int count, Optional<Generators> supplied) {
    /** One learned generator of size 2: the search class of the paper's one-generator experiments. */
    public static final Group ONE_GENERATOR = learned(2, 1);

    /** Refuses impossible sizes. */
    public Group {
        if (size < 1 || count < 1) {
            throw new IllegalArgumentException(
                    "Group: size %d and %d generators, expected at least 1 of each".formatted(size, count));
        }
        if (count > size * size) {
            throw new IllegalArgumentException(
                    "Group: %d generators of size %d cannot be independent, expected at most %d"
                            .formatted(count, size, size * size));
        }
        if (supplied.isPresent()
                && (supplied.get().size() != size || supplied.get().count() != count)) {
            throw new IllegalArgumentException("Group: %d generators of size %d supplied, expected %d of size %d"
                    .formatted(supplied.get().count(), supplied.get().size(), count, size));
        }
    }

    /**
     * Learns the generators.
     *
     * @param size rows of the matrices, at least 1
     * @param count number of generators, at least 1
     * @return the search class
     */
    public static Group learned(int size, int count) {
        return new Group(size, count, Optional.empty());
    }

    /**
     * Takes the additive group of R^q, as matrices {@code [[I, x], [0, 1]]} of size q + 1.
     *
     * @param dimension q, at least 1
     * @return the search class, generators kept fixed
     */
    public static Group translations(int dimension) {
        return supplied(LatentAction.Translation.generators(dimension));
    }

    /** Whether the generators are those of {@link #translations}, at whatever positive scale. */
    boolean isTranslations() {
        if (supplied.isEmpty() || size != count + 1) {
            return false;
        }
        Generators expected = LatentAction.Translation.generators(count);
        Generators units = supplied.get().normalised();
        for (int i = 0; i < count; i++) {
            if (!Arrays.equals(units.get(i).entries(), expected.get(i).entries())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Keeps given generators and their scale; training works with the same directions of norm 1.
     *
     * @param generators a basis; the cosines between its matrices must be 0 to 1e-9
     * @return the search class
     */
    public static Group supplied(Generators generators) {
        Generators units = generators.normalised();
        for (int i = 0; i < units.count(); i++) {
            for (int j = 0; j < i; j++) {
                double[] a = units.get(i).entries();
                double[] b = units.get(j).entries();
                double inner = 0;
                for (int k = 0; k < a.length; k++) {
                    inner += a[k] * b[k];
                }
                if (Math.abs(inner) > 1e-9) {
                    throw new IllegalArgumentException(
                            "Group: supplied generators %d and %d have an inner product of %.3g times their norms, expected 0: give an orthogonal basis"
                                    .formatted(j + 1, i + 1, inner));
                }
            }
        }
        return new Group(generators.size(), generators.count(), Optional.of(generators));
    }
}
