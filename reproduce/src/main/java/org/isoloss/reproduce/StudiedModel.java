package org.isoloss.reproduce;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A transformer that the study takes: what it is called everywhere, and its sites, by the names of our task files. */
public enum StudiedModel {
    /** A small GPT-NeoX that lies among the examples. */
    NEOX("neox-wikitext-1.8m", List.of("neox-layer6-8", "neox-layer6-16", "neox-layer3-8", "neox-layer3-16")),
    /** The smaller of the paper's models. */
    PYTHIA_160M("pythia-160m", List.of("pythia-160m-layer6-8")),
    /** The larger of the paper's models. */
    PYTHIA_1B("pythia-1b", List.of("pythia-1b-layer3-16")),
    /** An encoder of sentences. */
    MINILM("all-MiniLM-L6-v2", List.of("minilm-layer3-8", "minilm-layer3-16")),
    /** A decoder with gated blocks. */
    SMOLLM2("SmolLM2-135M", List.of("smollm2-layer12-8", "smollm2-layer12-16"));

    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable list of strings
    private final List<String> settings;

    StudiedModel(String label, List<String> settings) {
        this.label = label;
        this.settings = settings;
    }

    /** {@return the name, in tables and on the command line} */
    public String label() {
        return label;
    }

    List<String> settings() {
        return settings;
    }

    /** The model that a setting is about, or nothing where it is about none. */
    static List<StudiedModel> of(String setting) {
        return Arrays.stream(values())
                .filter(model -> model.settings.contains(setting))
                .toList();
    }

    /**
     * Finds a model whose folder a user has.
     *
     * @param name on the command line, in any case
     * @return the model
     */
    public static StudiedModel named(String name) {
        return Arrays.stream(values())
                .filter(model -> model != NEOX && model.label.equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("model '%s' is unknown; allowed: %s"
                        .formatted(
                                name,
                                Arrays.stream(values())
                                        .filter(model -> model != NEOX)
                                        .map(StudiedModel::label)
                                        .collect(Collectors.joining(", ")))));
    }
}
