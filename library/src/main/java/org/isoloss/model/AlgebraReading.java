package org.isoloss.model;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Values of a model computed over any algebra, entry by entry. */
public final class AlgebraReading {
    private AlgebraReading() {}

    /**
     * Computes values.
     *
     * @param algebra adds and multiplies
     * @param results what is wanted
     * @param given entries, row-major, of inputs and of what else is not computed here
     * @param <T> the elements
     * @return for each result its entries, row-major
     * @throws UnsupportedOperationException when an operation has no value over this algebra, with the place and the reason
     */
    public static <T> List<List<T>> read(Algebra<T> algebra, List<Value> results, Map<Value, List<T>> given) {
        Map<Value, List<T>> entries = new HashMap<>(given);
        for (Value value : Execution.order(results, given.keySet())) {
            if (!entries.containsKey(value)) {
                List<List<T>> arguments =
                        value.arguments().stream().map(entries::get).toList();
                try {
                    entries.put(value, value.operation().over(algebra, value, arguments));
                } catch (UnsupportedOperationException e) {
                    throw new UnsupportedOperationException("%s: %s".formatted(value, e.getMessage()), e);
                }
            }
        }
        return results.stream().map(entries::get).toList();
    }
}
