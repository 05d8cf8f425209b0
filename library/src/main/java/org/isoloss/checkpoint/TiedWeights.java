package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    private static final List<String> EMBEDDINGS =
            List.of("embed_tokens.weight", "wte.weight", "embed_in.weight", "word_embeddings.weight");
    private static final String USUAL_HEAD = "lm_head.weight";
    private static final Map<String, String> HEADS = Map.of(
            "embed_in.weight", "embed_out.weight",
            "word_embeddings.weight", "cls.predictions.decoder.weight");

    /** Kinds of models that do not tie them unless their configuration says so; all others do. */
    private static final Set<String> UNTIED =
            Set.of("gpt_neox", "gptj", "llama", "mistral", "qwen2", "qwen3", "olmo2", "phi3", "stablelm");

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
        Path file = folder.resolve(FolderFiles.CONFIG);
        List<String> names = weights.names();
        String embedding = ending(names, EMBEDDINGS);
        if (!Files.exists(file) || embedding.isEmpty() || !isTied(ConfigKeys.read(file))) {
            return new TiedWeights(weights, "", "", false);
        }
        String head = HEADS.getOrDefault(
                embedding.substring(embedding.lastIndexOf('.', embedding.length() - 8) + 1), USUAL_HEAD);
        return new TiedWeights(weights, embedding, head, names.contains(head));
    }

    private static String ending(List<String> names, List<String> endings) {
        return names.stream()
                .filter(name -> endings.stream().anyMatch(ending -> name.equals(ending) || name.endsWith("." + ending)))
                .findFirst()
                .orElse("");
    }

    private static boolean isTied(ConfigKeys keys) {
        return keys.flag("tie_word_embeddings", !UNTIED.contains(keys.plain("model_type")));
    }

    /**
     * Returns the embedding and the head that is to have a tensor of its own.
     *
     * @throws CheckpointFormatException when the configuration ties nothing
     */
    Untied untied() {
        if (embedding.isEmpty()) {
            throw wrong("has no head that the configuration beside it ties to the embedding; leave out --untie");
        }
        return new Untied(embedding, head, bothStored);
    }

    /** Returns the head, or the embedding under its name where it is not stored. */
    StoredTensor head() throws IOException {
        if (bothStored) {
            return weights.tensor(head);
        }
        return weights.tensor(embedding).named(head);
    }

    /**
     * A head that gets a tensor of its own.
     *
     * @param embedding whose numbers it has
     * @param head its name
     * @param isStored whether there is such a tensor already
     */
    record Untied(String embedding, String head, boolean isStored) {}

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
        } else if (ofEmbedding != null && ofHead != null && !ofEmbedding.sameAs(ofHead)) {
            throw wrong("tensors %s and %s are tied by the configuration; give both the same values or one of them"
                    .formatted(quoted(embedding), quoted(head)));
        }
        return all;
    }

    /** Tells whether both are stored and not the same, so that the configuration ties what is not tied. */
    private boolean differ() throws IOException {
        if (!bothStored) {
            return false;
        }
        StoredTensor first = weights.tensor(embedding);
        StoredTensor second = weights.tensor(head);
        return first.type() != second.type()
                || !first.shape().equals(second.shape())
                || first.bytes().mismatch(second.bytes()) >= 0;
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(weights.path(), problem);
    }
}
