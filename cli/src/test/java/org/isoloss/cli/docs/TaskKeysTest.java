package org.isoloss.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.isoloss.discovery.ActionArchitecture.Displacement;
import org.isoloss.discovery.LearningRate;
import org.isoloss.discovery.Recipe;
import org.isoloss.task.Task;
import org.junit.jupiter.api.Test;

/** The table of docs/discover.md has every key of a task file, with its type and default. */
class TaskKeysTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z.]+)` \\| ([^|]+) \\| ([^|]+) \\| [^|]+ \\|$");

    /** What the page says about a key. */
    private record Key(String type, String standard) {}

    private static Map<String, Key> documented() {
        Map<String, Key> keys = new LinkedHashMap<>();
        ROW.matcher(Pages.read(Pages.REPOSITORY.resolve(Path.of("docs", "discover.md"))))
                .results()
                .forEach(row -> keys.put(row.group(1), key(row)));
        return keys;
    }

    private static Key key(MatchResult row) {
        return new Key(row.group(2), row.group(3));
    }

    @Test
    void everyKeyHasARowWithItsType() {
        Map<String, String> types = new LinkedHashMap<>();
        collect("", Task.class, types, new HashSet<>());
        Map<String, String> shown = new LinkedHashMap<>();
        documented().forEach((name, key) -> shown.put(name, key.type()));

        assertThat(shown).containsExactlyEntriesOf(types);
    }

    @Test
    void theDefaultsAreThoseOfTheDefaultRecipe() {
        Recipe recipe = Recipe.DEFAULT;
        Map<String, Key> keys = documented();
        Map<String, Number> defaults = new LinkedHashMap<>();
        defaults.put("seed", Task.DEFAULT_SEED);
        defaults.put("recipe.steps", recipe.steps());
        defaults.put("recipe.batch", recipe.batch());
        defaults.put("recipe.peak", ((LearningRate.Cosine) recipe.learningRate()).peak());
        defaults.put("recipe.radius", recipe.words().radius());
        defaults.put("recipe.factors", recipe.words().mostFactors());
        defaults.put("recipe.invariance", recipe.weights().invariance());
        defaults.put("recipe.preservation", recipe.weights().preservation());
        Displacement network = (Displacement) recipe.architecture();
        defaults.put("recipe.transport", network.law().transport());
        defaults.put("recipe.composition", network.law().composition());
        defaults.put("recipe.beta", recipe.beta());
        defaults.put("recipe.ramp", recipe.ramp());
        defaults.put("recipe.width", network.width());
        defaults.put("recipe.depth", network.depth());

        assertThat(defaults)
                .allSatisfy((name, value) -> assertThat(keys)
                        .hasEntrySatisfying(
                                name,
                                key -> assertThat(Double.parseDouble(key.standard()))
                                        .isEqualTo(value.doubleValue())));
    }

    /** Keys in the order of the records; the keys of a record that occurs twice are listed once. */
    private static void collect(String prefix, Class<?> type, Map<String, String> types, Set<Class<?>> seen) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + component.getName();
            Type declared = component.getGenericType();
            types.put(name, describe(declared));
            if (element(declared) instanceof Class<?> inner && inner.isRecord() && seen.add(inner)) {
                collect(name + ".", inner, types, seen);
            }
        }
    }

    private static Type element(Type type) {
        return type instanceof ParameterizedType list ? element(list.getActualTypeArguments()[0]) : type;
    }

    private static String describe(Type type) {
        if (type instanceof ParameterizedType list) {
            Type inner = list.getActualTypeArguments()[0];
            if (inner instanceof ParameterizedType) {
                return "list of matrices";
            }
            return "list of "
                    + switch (describe(inner)) {
                        case "text" -> "texts";
                        case "whole number" -> "whole numbers";
                        default -> "groups of keys";
                    };
        }
        Class<?> plain = (Class<?>) type;
        if (plain.isEnum()) {
            List<String> names = Arrays.stream(plain.getEnumConstants())
                    .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                    .toList();
            return String.join(", ", names.subList(0, names.size() - 1)) + " or " + names.getLast();
        }
        if (plain == String.class) {
            return "text";
        }
        if (plain == Boolean.class) {
            return "true or false";
        }
        if (plain == Integer.class || plain == Long.class) {
            return "whole number";
        }
        return plain == Double.class || plain == double.class ? "number" : "group of keys";
    }
}
