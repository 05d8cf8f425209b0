package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.isoloss.checkpoint.Checkpoint;

/** The numbers of all tensors of a file or folder, for comparison. */
final class StoredWeights {
    private StoredWeights() {}

    static Map<String, double[]> weights(Path model) throws IOException {
        Map<String, double[]> weights = new LinkedHashMap<>();
        try (Checkpoint file = Checkpoint.open(model)) {
            for (String name : file.names()) {
                weights.put(name, file.tensor(name).toDoubles());
            }
        }
        return weights;
    }
}
