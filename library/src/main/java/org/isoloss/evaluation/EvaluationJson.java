package org.isoloss.evaluation;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/** The JSON form of an {@link Evaluation}: its components by name, in their order, in snake case. */
final class EvaluationJson {
    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .changeDefaultPropertyInclusion(all -> all.withValueInclusion(JsonInclude.Include.NON_ABSENT))
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .defaultPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")))
            .build();

    private EvaluationJson() {}

    static String write(Evaluation evaluation) {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(evaluation) + "\n";
    }

    static Evaluation read(String text, String source) {
        try {
            JsonNode tree = JSON.readTree(text);
            JsonNode format = tree.path("format");
            if (!format.isInt() || format.intValue() != Evaluation.FORMAT) {
                throw new IllegalArgumentException(
                        "%s: the evaluation has format %s, this version reads format %d; evaluate the run again"
                                .formatted(source, format.isMissingNode() ? "none" : format, Evaluation.FORMAT));
            }
            Evaluation evaluation = JSON.treeToValue(tree, Evaluation.class);
            requireComplete(JSON.readTree(write(evaluation)), tree, source, "");
            return evaluation;
        } catch (JacksonException e) {
            throw new IllegalArgumentException("%s: %s%s".formatted(source, place(e), e.getOriginalMessage()), e);
        }
    }

    /**
     * Refuses a text without a number that belongs there: Jackson takes a missing number for 0 unless it is told to require
     * every component, and then it requires the optional ones too.
     */
    private static void requireComplete(JsonNode complete, JsonNode given, String source, String path) {
        for (String name : complete.propertyNames()) {
            if (!given.has(name)) {
                throw new IllegalArgumentException("%s: %s%s is missing".formatted(source, path, name));
            }
            requireComplete(complete.get(name), given.get(name), source, path + name + ".");
        }
        for (int i = 0; complete.isArray() && i < complete.size(); i++) {
            String element = path.substring(0, path.length() - 1) + "[" + i + "].";
            requireComplete(complete.get(i), given.get(i), source, element);
        }
    }

    private static String place(JacksonException e) {
        String path = e.getPath().stream()
                .map(step -> step.getPropertyName() == null ? "[" + step.getIndex() + "]" : step.getPropertyName())
                .collect(Collectors.joining("."))
                .replace(".[", "[");
        return path.isEmpty() ? "" : path + ": ";
    }
}
