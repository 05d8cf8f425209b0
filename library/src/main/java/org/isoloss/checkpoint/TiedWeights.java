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

/** The token embedding and the head that the configuration beside the weights ties to it: an edit of one is one of both. */
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
        Optional<TransformerArchitecture> tied = Files.exists(config)
                ? new ConfigJson(config, JsonFile.read(config)).tiedArchitecture()
                : Optional.empty();
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
        StoredTensor first = weights.tensor(embedding);
        StoredTensor second = weights.tensor(head);
        if (first.type() != second.type()
                || !first.shape().equals(second.shape())
                || first.bytes().mismatch(second.bytes()) >= 0) {
            throw wrong("tensors %s and %s are tied by the configuration, but differ; neither is edited"
                    .formatted(quoted(embedding), quoted(head)));
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

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(weights.path(), problem);
    }
}
