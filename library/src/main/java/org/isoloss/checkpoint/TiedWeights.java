package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import org.isoloss.checkpoint.CheckpointEdit.NewValues;

/**
 * The token embedding and the head that the configuration beside the weights ties to it. An edit of one is one of both, unless
 * both are stored and differ, so that the configuration is wrong.
 *
 * @see "transformers 5.24.0, modeling_utils.py: tie_weights"
 */
final class TiedWeights {
    private static final String BERT_HEAD = "cls.predictions.decoder.weight";

    private final Checkpoint weights;
    private final String embedding;
    private final String head;
    private final boolean bothStored;

    private TiedWeights(Checkpoint weights, String embedding, String head, boolean bothStored) {
        this.weights = weights;
        this.embedding = embedding;
        this.head = head;
        this.bothStored = bothStored;
    }

    static TiedWeights of(Path folder, Checkpoint weights) throws IOException {
        Path config = folder.resolve(FolderFiles.CONFIG);
        return Files.exists(config)
                ? of(new ConfigJson(config, JsonFile.read(config)), weights)
                : new TiedWeights(weights, "", "", false);
    }

    static TiedWeights of(ConfigJson config, Checkpoint weights) {
        Optional<TransformerArchitecture> tied = config.tiedArchitecture();
        if (tied.isEmpty()) {
            return new TiedWeights(weights, "", "", false);
        }
        TransformerArchitecture kind = tied.get();
        Set<String> there = new HashSet<>(weights.names());
        String head = kind == TransformerArchitecture.BERT ? BERT_HEAD : kind.head();
        String embedding = PublishedLayout.spellings(kind, kind.embedding())
                .filter(there::contains)
                .findFirst()
                .orElse(kind.embedding());
        return new TiedWeights(weights, embedding, head, there.contains(embedding) && there.contains(head));
    }

    /** Returns the changes with the other of the two where one is among them; refuses what would untie them. */
    SequencedMap<String, NewValues> completed(SequencedMap<String, NewValues> changes) throws IOException {
        NewValues ofEmbedding = changes.get(embedding);
        NewValues ofHead = changes.get(head);
        if (!bothStored) {
            if (ofHead != null && !weights.names().contains(head)) {
                throw wrong("tensor %s is not stored: the configuration ties it to %s; edit that one"
                        .formatted(quoted(head), quoted(embedding)));
            }
            return changes;
        }
        if (ofEmbedding == null && ofHead == null) {
            return changes;
        }
        if (differ()) { // another head than the embedding: each is edited by itself
            return changes;
        }
        var all = new LinkedHashMap<>(changes);
        if (ofEmbedding == null && ofHead != null) {
            all.put(embedding, ofHead);
        } else if (ofHead == null && ofEmbedding != null) {
            all.put(head, ofEmbedding);
        } else if (ofEmbedding != null
                && ofHead != null
                && !Arrays.equals(
                        ofEmbedding.elements().entries(), ofHead.elements().entries())) {
            throw wrong("tensors %s and %s are tied by the configuration; give both the same values or one of them"
                    .formatted(quoted(embedding), quoted(head)));
        }
        return all;
    }

    /** Tells whether both are stored and not the same, so that the configuration ties what is not tied. */
    boolean differ() throws IOException {
        if (!bothStored) {
            return false;
        }
        StoredTensor first = weights.tensor(embedding);
        StoredTensor second = weights.tensor(head);
        return first.type() != second.type()
                || !first.shape().equals(second.shape())
                || first.bytes().mismatch(second.bytes()) >= 0;
    }

    /** Says in a line which of the two makes the logits, for two that differ. */
    String note(Tying tying) {
        return "%s: the configuration ties %s to %s, but both are stored and differ: %s"
                .formatted(
                        weights.path(),
                        quoted(head),
                        quoted(embedding),
                        switch (tying) {
                            case AS_STORED -> "the stored head makes the logits, as in transformers since version 5";
                            case AS_CONFIGURED -> "the embedding makes the logits, as in transformers before version 5";
                        });
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(weights.path(), problem);
    }
}
