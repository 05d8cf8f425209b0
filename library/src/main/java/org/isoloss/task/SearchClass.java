package org.isoloss.task;

import java.util.List;
import org.isoloss.discovery.Group;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.task.Task.GroupChoice;
import org.jspecify.annotations.Nullable;

/** The group that a task searches in. */
final class SearchClass {
    private SearchClass() {}

    /** Unless the task asks for matrices, an action whose law holds by construction is one of translations: they have no singular orbit. */
    static Group of(@Nullable GroupChoice choice, boolean lawful) {
        if (choice == null) {
            return lawful ? Group.translations(1) : Group.ONE_GENERATOR;
        }
        if (lawful && choice.size() == null && choice.supplied() == null) {
            return Group.translations(choice.generators() == null ? 1 : choice.generators());
        }
        List<List<List<Double>>> supplied = choice.supplied();
        if (supplied == null) {
            return Group.learned(
                    choice.size() == null ? 2 : choice.size(), choice.generators() == null ? 1 : choice.generators());
        }
        return Group.supplied(
                Generators.of(supplied.stream().map(SearchClass::matrix).toList()));
    }

    private static Matrix matrix(List<List<Double>> rows) {
        int columns = rows.isEmpty() ? 0 : rows.getFirst().size();
        Matrix matrix = Matrix.zeros(rows.size(), columns);
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).size() != columns) {
                throw new IllegalArgumentException("group: row %d of a supplied generator has %d numbers, expected %d"
                        .formatted(i + 1, rows.get(i).size(), columns));
            }
            for (int j = 0; j < columns; j++) {
                matrix.set(i, j, rows.get(i).get(j));
            }
        }
        return matrix;
    }
}
