package org.isoloss.sweep;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One thing that varies in a sweep: a column of its table.
 *
 * @param key the column, such as {@code layer} or {@code points.deviation}
 * @param choices at least one, in the order of the file
 */
public record Variation(String key, List<Choice> choices) {
    /**
     * One value of it.
     *
     * @param label how tables call it
     * @param changes of the task, YAML by dotted key; none for a seed
     */
    public record Choice(String label, Map<String, String> changes) {}

    /** Refuses a list without values, and two values that tables could not tell apart. */
    public Variation {
        choices = List.copyOf(choices);
        if (choices.isEmpty()) {
            throw new IllegalArgumentException(
                    "'%s' has no values, so there are no fits; name at least one, or leave the key out".formatted(key));
        }
        Set<String> labels = new HashSet<>();
        for (Choice choice : choices) {
            if (!labels.add(choice.label)) {
                throw new IllegalArgumentException(
                        "'%s' has the value '%s' twice; each needs a name of its own".formatted(key, choice.label));
            }
        }
    }

    /** Refuses that this and another change the same key of the task, or a key within the other's. */
    void requireApart(Variation other) {
        for (String mine : keys()) {
            for (String yours : other.keys()) {
                if ((mine + ".").startsWith(yours + ".") || (yours + ".").startsWith(mine + ".")) {
                    throw new IllegalArgumentException("'%s' and '%s' both change '%s'; vary it in one of them"
                            .formatted(key, other.key, mine.length() > yours.length() ? mine : yours));
                }
            }
        }
    }

    private Set<String> keys() {
        return choices.stream()
                .flatMap(choice -> choice.changes.keySet().stream())
                .collect(Collectors.toSet());
    }

    /** Refuses two variations of one column, and two that change the same key. */
    static void requireApart(List<Variation> variations) {
        for (int i = 0; i < variations.size(); i++) {
            for (Variation earlier : variations.subList(0, i)) {
                if (earlier.key.equals(variations.get(i).key)) {
                    throw new IllegalArgumentException("'%s' varies twice".formatted(earlier.key));
                }
                earlier.requireApart(variations.get(i));
            }
        }
    }

    /** {@return the labels in one line; of many the first, the last and their number} */
    public String describe() {
        List<String> labels = labels();
        return labels.size() <= 20
                ? String.join(", ", labels)
                : "%s to %s, %d values".formatted(labels.getFirst(), labels.getLast(), labels.size());
    }

    /** {@return the labels, in order} */
    public List<String> labels() {
        return choices.stream().map(Choice::label).toList();
    }
}
