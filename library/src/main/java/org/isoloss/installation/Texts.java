package org.isoloss.installation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.isoloss.checkpoint.TextFile;
import org.isoloss.task.ModelBatch;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an edit is measured on: the protected prefix, the text that goes on from it, and texts that nothing was fitted to.
 *
 * @param prefix ids of the protected tokens
 * @param continued the prefix and what follows it, or nothing
 * @param fresh other texts
 */
public record Texts(List<Integer> prefix, Optional<List<Integer>> continued, List<List<Integer>> fresh) {
    /** How many other texts the paper takes. */
    public static final int FRESH = 3;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** Keeps lists of its own. */
    public Texts {
        prefix = List.copyOf(prefix);
        continued = continued.map(List::copyOf);
        fresh = fresh.stream().map(List::copyOf).toList();
    }

    /** The other texts as inputs of a model, or what its task names as such. */
    List<ModelBatch> others(InstallationSite site) throws IOException {
        List<ModelBatch> others = new ArrayList<>();
        for (List<Integer> text : fresh) {
            others.add(site.batch(text));
        }
        site.setting().fresh().ifPresent(others::add);
        return others;
    }

    /** The file: beginnings of texts, some for fitting and some for tests. */
    private record Beginnings(List<Beginning> training, List<Beginning> validation) {}

    private record Beginning(@Nullable String text, List<Integer> ids) {}

    /**
     * Takes the prefix alone.
     *
     * @param prefix ids of the protected tokens
     * @return without other texts
     */
    public static Texts of(List<Integer> prefix) {
        return new Texts(prefix, Optional.empty(), List.of());
    }

    /**
     * Finds the continuation of a prefix among the training beginnings of a file, and other texts among its validation
     * beginnings.
     *
     * @param prefix ids of the protected tokens
     * @param file JSON with {@code training} and {@code validation}, each a list of objects with {@code ids} and perhaps
     *     {@code text}
     * @return the continuation where a training beginning has the prefix and is longer, and up to three other texts
     * @throws IOException when the file cannot be read
     */
    public static Texts of(List<Integer> prefix, Path file) throws IOException {
        Beginnings beginnings;
        try {
            beginnings = JSON.readValue(TextFile.read(file), Beginnings.class);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "%s: expected {\"training\": [{\"ids\": [..]}, ..], \"validation\": [{\"ids\": [..]}, ..]}: %s"
                            .formatted(file, e.getOriginalMessage()),
                    e);
        }
        Optional<List<Integer>> continued = beginnings.training.stream()
                .map(Beginning::ids)
                .filter(ids -> ids.size() > prefix.size()
                        && ids.subList(0, prefix.size()).equals(prefix))
                .findFirst();
        List<List<Integer>> fresh =
                beginnings.validation.stream().map(Beginning::ids).limit(FRESH).toList();
        return new Texts(prefix, continued, fresh);
    }
}
