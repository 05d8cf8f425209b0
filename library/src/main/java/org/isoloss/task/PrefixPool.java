package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.UnitBlock;

/** Prefixes of texts as they enter a block of a model that reads tokens: as long as the one that the model is opened for. */
final class PrefixPool {
    private final ModelBatch batch;
    private final UnitBlock block;
    private final String input;
    private final int length;

    /** Refuses a model that reads something else than one prefix of tokens. */
    PrefixPool(ModelBatch batch, int layer) {
        Map<String, double[]> own = batch.batches().getFirst();
        if (batch.tokens().isEmpty() || batch.batches().size() != 1 || own.size() != 1) {
            throw new IllegalArgumentException(
                    "action: 'batched' goes with a network of dense layers, or with a model that reads nothing but 'tokens'");
        }
        this.batch = batch;
        this.block = ModelSite.blocks(batch.model(), List.of(layer)).getFirst();
        this.input = own.keySet().iterator().next();
        this.length = batch.tokens().size();
    }

    UnitBlock block() {
        return block;
    }

    /**
     * Computes what enters the block.
     *
     * @param name of the source, for messages
     * @param source texts: a table of ids, one text a row, or one text
     * @param folder to which paths are relative
     * @return one token of one prefix a row, prefix by prefix: every run of tokens of a text that is as long as a prefix
     * @throws IOException when a file cannot be read
     */
    Matrix entering(String name, DataSource source, Path folder) throws IOException {
        List<Map<String, double[]>> prefixes = new ArrayList<>();
        for (double[] text : texts(name, source, folder)) {
            for (int from = 0; from + length <= text.length; from++) {
                double[] prefix = new double[length];
                System.arraycopy(text, from, prefix, 0, length);
                prefixes.add(Map.of(input, prefix));
            }
        }
        if (prefixes.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s: no text has %d tokens, as many as the protected prefix; name longer ones"
                            .formatted(name, length));
        }
        Model model = batch.model();
        return ModelSite.entering(model, prefixes, List.of(block)).getFirst();
    }

    private static List<double[]> texts(String name, DataSource source, Path folder) throws IOException {
        List<Integer> tokens = source.tokens();
        if (tokens != null) {
            return List.of(tokens.stream().mapToDouble(Integer::doubleValue).toArray());
        }
        if (source.file() == null) {
            throw new IllegalArgumentException(
                    "%s: a model that reads tokens takes 'tokens', or a 'file' with the ids of a text in each row"
                            .formatted(name));
        }
        Matrix table = InputTable.read(source, folder).inputs();
        List<double[]> texts = new ArrayList<>();
        for (int row = 0; row < table.rows(); row++) {
            texts.add(table.row(row));
        }
        return texts;
    }
}
