package org.isoloss.action;

import java.util.List;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;

/**
 * A function of rows, recorded for as many rows at a time as its inputs have.
 *
 * @param program of the recording, weights set
 * @param inputs its arguments, of as many rows each
 * @param results what it computes, one row for each row of the arguments
 */
record RecordedCall(Program program, List<Tensor> inputs, List<Tensor> results) {
    /** How many rows where there are many: enough for fast matrix products, few enough for the second-level cache. */
    static final int ROWS = 128;

    RecordedCall {
        inputs = List.copyOf(inputs);
        results = List.copyOf(results);
    }

    /** Evaluates any number of rows; an argument that has fewer begins again behind its last row. */
    List<Matrix> run(int rows, Matrix... arguments) {
        List<Matrix> filled = results.stream()
                .map(result -> Matrix.zeros(rows, result.columns()))
                .toList();
        int most = inputs.getFirst().rows();
        for (int from = 0; from < rows; from += most) {
            int count = Math.min(most, rows - from);
            for (int i = 0; i < arguments.length; i++) {
                fill(inputs.get(i), arguments[i], from, count);
            }
            program.forward();
            for (int i = 0; i < filled.size(); i++) {
                int columns = results.get(i).columns();
                program.copy(results.get(i), 0, filled.get(i).entries(), from * columns, count * columns);
            }
        }
        return filled;
    }

    private void fill(Tensor tensor, Matrix rows, int from, int count) {
        int columns = rows.columns();
        for (int done = 0; done < count; ) {
            int row = (from + done) % rows.rows();
            int together = Math.min(count - done, rows.rows() - row);
            program.set(tensor, done * columns, rows.entries(), row * columns, together * columns);
            done += together;
        }
    }
}
