package org.isoloss.sweep;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.sweep.SweepRow.Outcome;

/**
 * The fits of one combination, which differ in their seeds alone.
 *
 * @param labels what varies, without the seed
 * @param rows of its fits, at least one
 */
record SweepGroup(List<String> labels, List<SweepRow> rows) {
    /** All combinations that have a row, in the order of the sweep. */
    static List<SweepGroup> of(Sweep sweep, List<SweepRow> rows) {
        Map<Integer, List<SweepRow>> byCombination = new LinkedHashMap<>();
        for (SweepRow row : rows) {
            byCombination
                    .computeIfAbsent((row.fit() - 1) / sweep.seeds(), any -> new ArrayList<>())
                    .add(row);
        }
        return byCombination.values().stream()
                .map(group -> new SweepGroup(
                        group.getFirst().labels().subList(0, sweep.variations().size() - 1), group))
                .toList();
    }

    /** An error of every fit that has it as a finite number. */
    double[] errors(String key) {
        return rows.stream()
                .flatMap(row -> row.error(key).stream())
                .mapToDouble(Double::doubleValue)
                .filter(Double::isFinite)
                .toArray();
    }

    int size() {
        return rows.size();
    }

    int fitting() {
        return (int) rows.stream().filter(row -> row.outcome() == Outcome.FITS).count();
    }

    int failures() {
        return (int) rows.stream().filter(row -> row.outcome().isFailure()).count();
    }
}
