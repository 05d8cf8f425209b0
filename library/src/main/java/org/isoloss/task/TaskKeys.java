package org.isoloss.task;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Finds keys that a task does not have, before anything else is judged: a misspelt key would otherwise be reported as the
 * absence of the right one, and without its line.
 */
final class TaskKeys {
    private final String where;
    private final JsonParser parser;

    private TaskKeys(String where, JsonParser parser) {
        this.where = where;
        this.parser = parser;
    }

    /** Reads to the end of the task. */
    static void check(String where, JsonParser parser, Class<?> kind) {
        if (parser.nextToken() == JsonToken.START_OBJECT) {
            new TaskKeys(where, parser).group(kind, "");
        }
    }

    private void group(Class<?> type, String path) {
        Map<String, Type> known = new TreeMap<>();
        for (RecordComponent component : type.getRecordComponents()) {
            known.put(component.getName(), component.getGenericType());
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = parser.currentName();
            Type of = known.get(key);
            if (of == null) {
                throw new IllegalArgumentException("%s, line %d: key '%s' is unknown; allowed here: %s"
                        .formatted(
                                where,
                                parser.currentTokenLocation().getLineNr(),
                                path + key,
                                known.keySet().stream().collect(Collectors.joining(", "))));
            }
            parser.nextToken();
            value(of, path + key);
        }
    }

    private void value(Type type, String path) {
        if (parser.currentToken() == JsonToken.START_ARRAY && type instanceof ParameterizedType list) {
            for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY && parser.currentToken() != null; i++) {
                value(Arrays.asList(list.getActualTypeArguments()).getFirst(), "%s[%d]".formatted(path, i));
            }
        } else if (parser.currentToken() == JsonToken.START_OBJECT
                && type instanceof Class<?> group
                && group.isRecord()) {
            group(group, path + ".");
        } else {
            parser.skipChildren();
        }
    }
}
