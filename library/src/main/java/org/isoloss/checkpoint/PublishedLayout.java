package org.isoloss.checkpoint;

import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Parameters as transformers saves them, under the names that published files use. */
final class PublishedLayout implements ParameterLayout {
    private final TransformerConfig config;
    private final Checkpoint weights;
    private final Set<String> there;

    PublishedLayout(TransformerConfig config, Checkpoint weights) {
        this.config = config;
        this.weights = weights;
        this.there = new HashSet<>(weights.names());
    }

    @Override
    public Optional<String> storedName(String name) {
        return spellings(config.architecture(), name).filter(there::contains).findFirst();
    }

    /** Returns the names that published files use for a tensor: with and without the prefix, and BERT's older norms. */
    static Stream<String> spellings(TransformerArchitecture kind, String name) {
        String prefix = kind.prefix();
        if (kind == TransformerArchitecture.BERT) {
            String older =
                    name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta");
            return Stream.of(name, "bert." + name, older, "bert." + older);
        }
        return name.startsWith(prefix) ? Stream.of(name, name.substring(prefix.length())) : Stream.of(name);
    }

    @Override
    public StoredTensor inOrder(String name, StoredTensor stored) {
        return stored;
    }

    @Override
    public boolean isBuffer(String stored) throws IOException {
        StoredTensor tensor = weights.tensor(stored);
        return Buffers.contains(config, stored, tensor.type(), tensor.shape());
    }

    @Override
    public Shape storedShape(String stored) throws IOException {
        return weights.tensor(stored).shape();
    }
}
