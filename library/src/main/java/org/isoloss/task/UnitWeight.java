package org.isoloss.task;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.model.UnitBlock;
import org.isoloss.model.UnitBlock.Projection;

/**
 * Where a weight of a hidden unit lies.
 *
 * @param tensor name of the parameter
 * @param index its place there, row-major
 */
record UnitWeight(String tensor, int index) {
    /** What enters a unit: of each projection its row, then its bias where there is one. */
    static List<UnitWeight> entering(UnitBlock block, int unit) {
        List<UnitWeight> weights = new ArrayList<>();
        for (Projection projection : block.incoming()) {
            weights.addAll(of(projection, unit));
            String bias = projection.bias();
            if (bias != null) {
                weights.add(new UnitWeight(bias, projection.biasPlace(unit)));
            }
        }
        return weights;
    }

    /** What leaves a unit. */
    static List<UnitWeight> leaving(UnitBlock block, int unit) {
        return of(block.outgoing(), unit);
    }

    private static List<UnitWeight> of(Projection projection, int unit) {
        return IntStream.range(0, projection.width())
                .mapToObj(i -> new UnitWeight(projection.weight(), projection.place(unit, i)))
                .toList();
    }
}
