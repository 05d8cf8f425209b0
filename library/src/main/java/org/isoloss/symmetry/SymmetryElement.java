package org.isoloss.symmetry;

import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.isoloss.linalg.Matrix;

/**
 * An element of the symmetry group of a model: the affine maps that it makes of the channels of values on the way, by the names of
 * the values.
 */
public final class SymmetryElement {
    private final SequencedMap<String, Affine> maps;

    SymmetryElement(SequencedMap<String, Affine> maps) {
        this.maps = maps;
    }

    /**
     * Makes an element of its maps.
     *
     * @param maps for each value that is moved its map, shape (n, n + 1): the matrix, then what is added
     * @return the element
     * @throws IllegalArgumentException when a map has another shape, or entries that are no numbers
     */
    public static SymmetryElement of(SequencedMap<String, Matrix> maps) {
        SequencedMap<String, Affine> all = new LinkedHashMap<>();
        maps.forEach((name, map) -> {
            if (map.columns() != map.rows() + 1) {
                throw new IllegalArgumentException("the map '%s' of the element has shape (%d, %d), expected (n, n + 1)"
                        .formatted(name, map.rows(), map.columns()));
            }
            for (double entry : map.entries()) {
                if (!Double.isFinite(entry)) {
                    throw new IllegalArgumentException(
                            "the map '%s' of the element has an entry %s".formatted(name, entry));
                }
            }
            all.put(name, Affine.of(map));
        });
        return new SymmetryElement(all);
    }

    SequencedMap<String, Affine> affine() {
        return maps;
    }

    /** {@return for each value that is moved its map, shape (n, n + 1)} */
    public SequencedMap<String, Matrix> maps() {
        SequencedMap<String, Matrix> all = new LinkedHashMap<>();
        maps.forEach((name, map) -> all.put(name, map.map()));
        return all;
    }

    /**
     * Returns the element that takes this one back.
     *
     * @return for the model that this element makes
     * @throws IllegalArgumentException when a map is singular to the working precision
     */
    public SymmetryElement inverse() {
        SequencedMap<String, Affine> all = new LinkedHashMap<>();
        maps.forEach((name, map) -> {
            try {
                all.put(name, map.inverse());
            } catch (ArithmeticException | IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "the map '%s' of the element is singular and has no inverse".formatted(name), e);
            }
        });
        return new SymmetryElement(all);
    }
}
