package org.isoloss.checkpoint;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Parameters as transformers saves them, under the names that published files use. */
final class PublishedLayout implements ParameterLayout {
    private final TransformerArchitecture kind;
    private final Set<String> there;

    PublishedLayout(TransformerArchitecture kind, Checkpoint weights) {
        this.kind = kind;
        this.there = new HashSet<>(weights.names());
    }

    @Override
    public Optional<String> storedName(String name) {
        return spellings(kind, name).filter(there::contains).findFirst();
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
}
