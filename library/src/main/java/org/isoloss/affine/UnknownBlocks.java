package org.isoloss.affine;

import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/** The p (p + 1) unknowns of {@code [A b]} in blocks whose equations do not mix; together they lose no solution. */
interface UnknownBlocks {
    /** Returns one block of every orbit, with the number of blocks in the orbit; largest blocks first. */
    List<Grading.Orbit> orbits();

    /** Returns every block of the orbit of the given one. */
    Collection<Grading.Block> orbit(Grading.Block block);

    /** All unknowns as one block. */
    Grading.Block whole();

    /** All unknowns of p parameters as one block. */
    static Grading.Block whole(int parameters) {
        return new Grading.Block(
                IntStream.range(0, parameters * (parameters + 1)).boxed().toList());
    }
}
