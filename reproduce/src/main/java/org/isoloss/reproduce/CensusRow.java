package org.isoloss.reproduce;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
import org.isoloss.report.CensusReport;
import org.isoloss.symmetry.CensusPoint;
import org.isoloss.symmetry.JacobianRank;
import org.isoloss.symmetry.Symmetries;

/** The numbers of one point of a census, by names; one that is undecided is left out. */
final class CensusRow {
    private CensusRow() {}

    /** Looks at a batch, one input a row. */
    static CensusPoint point(Symmetries symmetries, Model model, Matrix inputs) {
        return CensusPoint.of(symmetries, Moving.all(model), List.of(Map.of(CensusNetwork.INPUT, inputs.entries())));
    }

    static Map<String, Object> of(CensusPoint point) {
        Map<String, Object> row = new LinkedHashMap<>();
        JacobianRank data = point.data();
        row.put("parameters", data.parameters());
        row.put("symmetries", point.families());
        put(row, "rank", data.rank());
        put(row, "dimension", point.dimension());
        put(row, "batch", point.ofBatch());
        put(row, "unexplained", point.unexplained());
        row.put("gap", data.gap());
        row.put("least", data.leastKept());
        for (double tolerance : CensusReport.TOLERANCES) {
            row.put(key(tolerance), data.effective(tolerance));
        }
        return row;
    }

    /** The name of a count of singular values. */
    static String key(double tolerance) {
        return "above_%.0e".formatted(tolerance).replace("e-0", "e");
    }

    private static void put(Map<String, Object> row, String key, OptionalInt number) {
        if (number.isPresent()) {
            row.put(key, number.getAsInt());
        }
    }

    /** A number of a row that is there. */
    static int count(Map<String, Object> row, String key) {
        return number(row, key).intValue();
    }

    static Number number(Map<String, Object> row, String key) {
        if (row.get(key) instanceof Number number) {
            return number;
        }
        throw new IllegalStateException("a row of the census has no number '%s': %s".formatted(key, row));
    }
}
