package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.flow.FlowState;
import org.isoloss.flow.FlowState.RankChange;
import org.isoloss.linalg.Matrix;

/**
 * How far a move has come, kept in a file until it is done, so that it goes on with the same bits after it was stopped.
 *
 * @param flow where it is
 * @param rows what was measured on the way
 */
record MoveState(FlowState flow, List<MoveRow> rows) {
    private static final String OF = "move";

    MoveState {
        rows = List.copyOf(rows);
    }

    /** Writes it, whole or not at all. */
    void save(Path file, String identity) throws IOException {
        new SafetensorsWriter()
                .metadata(OF, identity)
                .add("point", Matrix.over(1, flow.point().length, flow.point()))
                .add("flow", Matrix.of(1, 3, flow.step(), flow.length(), flow.steps()))
                .add(
                        "rank_changes",
                        matrix(
                                flow.rankChanges().stream()
                                        .map(change ->
                                                new double[] {change.distance(), change.before(), change.there()})
                                        .toList(),
                                3))
                .add("rows", matrix(rows.stream().map(MoveRow::numbers).toList(), MoveRow.COLUMNS))
                .saveTo(file);
    }

    private static Matrix matrix(List<double[]> rows, int columns) {
        Matrix matrix = Matrix.zeros(rows.size(), columns);
        for (int row = 0; row < rows.size(); row++) {
            System.arraycopy(rows.get(row), 0, matrix.entries(), row * columns, columns);
        }
        return matrix;
    }

    /** Reads it, if there is one. */
    static Optional<MoveState> read(Path file, String identity) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try (Checkpoint stored = Checkpoint.open(file)) {
            if (!identity.equals(stored.metadata().get(OF))) {
                throw new IllegalArgumentException(
                        "%s holds another move, which was stopped: with other options, or the model or the inputs were others; finish that one, or delete the file to begin anew"
                                .formatted(file));
            }
            double[] flow = stored.tensor("flow").toDoubles();
            List<RankChange> changes = new ArrayList<>();
            Matrix ranks = stored.tensor("rank_changes").toMatrix();
            for (int row = 0; row < ranks.rows(); row++) {
                changes.add(new RankChange(ranks.get(row, 0), (int) ranks.get(row, 1), (int) ranks.get(row, 2)));
            }
            List<MoveRow> rows = new ArrayList<>();
            Matrix measured = stored.tensor("rows").toMatrix();
            for (int row = 0; row < measured.rows(); row++) {
                rows.add(MoveRow.of(measured.row(row)));
            }
            double[] point = stored.tensor("point").toDoubles();
            return Optional.of(new MoveState(new FlowState(point, flow[0], flow[1], (int) flow[2], changes), rows));
        }
    }
}
