package org.isoloss.task;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.dataformat.yaml.YAMLParser;

/**
 * Finds keys that a task does not have, before anything else is judged: a misspelt key would otherwise be reported as the
 * absence of the right one, and without its line. Also finds values that binding would pass over in silence: a fraction where
 * a whole number belongs, a number that is not finite, an alias.
 */
final class TaskKeys {
    private static final String WHOLE_NUMBER = "a whole number";
    private static final String NUMBER = "a finite number";
    private static final Map<Type, String> SCALARS = Map.of(
            Integer.class, WHOLE_NUMBER,
            int.class, WHOLE_NUMBER,
            Long.class, WHOLE_NUMBER,
            long.class, WHOLE_NUMBER,
            Double.class, NUMBER,
            double.class, NUMBER,
            Boolean.class, "true or false");
    private static final double MOST_EXACT = 0x1p53;

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
                throw wrong(path + key, "is unknown; allowed here: " + String.join(", ", known.keySet()));
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
            scalar(type, path);
            if (parser.currentToken() == JsonToken.START_OBJECT || parser.currentToken() == JsonToken.START_ARRAY) {
                anything(path);
            }
        }
    }

    /** Reads a group or list whose keys are nobody's business here, to its end. */
    private void anything(String path) {
        for (int depth = 1; depth > 0; ) {
            JsonToken token = parser.nextToken();
            if (token == null) {
                return;
            }
            requireNoAlias(path);
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        }
    }

    private void requireNoAlias(String path) {
        if (parser instanceof YAMLParser yaml && yaml.isCurrentAlias()) {
            throw wrong(path, "is the alias *%s; write the value itself".formatted(parser.getString()));
        }
    }

    private void scalar(Type type, String path) {
        requireNoAlias(path);
        String expected = Objects.requireNonNullElse(SCALARS.get(type), "");
        boolean fits = switch (parser.currentToken()) {
            case VALUE_STRING -> expected.isEmpty();
            case VALUE_NUMBER_FLOAT -> isValue(expected, parser.getDoubleValue());
            case VALUE_NUMBER_INT -> !expected.equals(NUMBER) || Double.isFinite(parser.getDoubleValue());
            default -> true; // what binding refuses by itself
        };
        if (!fits) {
            throw wrong(path, "has the value '%s', expected %s".formatted(parser.getString(), expected));
        }
    }

    private static boolean isValue(String expected, double value) {
        return switch (expected) {
            case NUMBER -> Double.isFinite(value);
            case WHOLE_NUMBER -> value == Math.rint(value) && Math.abs(value) <= MOST_EXACT;
            default -> true;
        };
    }

    private IllegalArgumentException wrong(String path, String problem) {
        int line = parser.currentTokenLocation().getLineNr();
        return new IllegalArgumentException(
                "%s%s: key '%s' %s".formatted(where, line < 1 ? "" : ", line " + line, path, problem));
    }
}
