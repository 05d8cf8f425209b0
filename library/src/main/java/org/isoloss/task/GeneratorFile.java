package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Moving;
import org.isoloss.symmetry.Symmetries;
import org.isoloss.symmetry.SymmetryFamily;

/**
 * The generators of a model's families at its weights, and the directions that no family explains, as npz: for each family and
 * tensor {@code generators/FAMILY/TENSOR} of shape (generators, shape of the tensor), {@code unexplained/TENSOR} of the same kind,
 * and {@code family.name}, {@code family.group} and others, one entry a family.
 */
public final class GeneratorFile {
    private static final long MOST_NUMBERS = 1L << 28;

    private GeneratorFile() {}

    /**
     * Writes the generators.
     *
     * @param symmetries of a model
     * @param file to be written, whole or not at all
     * @throws IOException when it cannot be written
     * @throws IllegalArgumentException when an array would have more than 2^28 numbers, as of a few rows of a large tensor
     */
    public static void write(Symmetries symmetries, Path file) throws IOException {
        List<SymmetryFamily> families = new ArrayList<>(symmetries.families());
        int exact = families.size();
        families.addAll(symmetries.approximate());
        NpzWriter writer = new NpzWriter();
        text(writer, "name", families, SymmetryFamily::name);
        text(writer, "layer", families, SymmetryFamily::layer);
        text(writer, "group", families, SymmetryFamily::group);
        text(writer, "discrete", families, SymmetryFamily::permutations);
        numbers(writer, "rank", families, SymmetryFamily::rank);
        numbers(writer, "adds", families, SymmetryFamily::adds);
        Shape each = Shape.of(families.size());
        long[] isExact = new long[families.size()];
        long[] generators = new long[families.size()];
        for (int i = 0; i < families.size(); i++) {
            Matrix rows = symmetries.generators(i);
            isExact[i] = i < exact ? 1 : 0;
            generators[i] = rows.rows();
            add(
                    writer,
                    "generators/%d/".formatted(i),
                    rows,
                    symmetries.moving(),
                    families.get(i).tensors());
        }
        writer.add("family.exact", each, isExact).add("family.generators", each, generators);
        Moving moving = symmetries.moving();
        add(
                writer,
                "unexplained/",
                symmetries.unexplainedDirections(),
                moving,
                List.copyOf(moving.places().keySet()));
        writer.saveTo(file);
    }

    private static void text(
            NpzWriter writer, String key, List<SymmetryFamily> families, Function<SymmetryFamily, String> text) {
        writer.add("family." + key, families.stream().map(text).toList());
    }

    private static void numbers(
            NpzWriter writer, String key, List<SymmetryFamily> families, ToLongFunction<SymmetryFamily> number) {
        writer.add(
                "family." + key,
                Shape.of(families.size()),
                families.stream().mapToLong(number).toArray());
    }

    /** One array for each of some tensors, where there is a row: entries that may not change are 0. */
    private static void add(NpzWriter writer, String prefix, Matrix rows, Moving moving, List<String> tensors) {
        int from = 0;
        for (Map.Entry<String, int[]> tensor : moving.places().entrySet()) {
            int[] places = tensor.getValue();
            if (rows.rows() > 0 && tensors.contains(tensor.getKey())) {
                List<Long> sizes = new ArrayList<>(List.of((long) rows.rows()));
                moving.model().parameter(tensor.getKey()).shape().sizes().forEach(size -> sizes.add((long) size));
                Shape shape = new Shape(sizes);
                requireKept(rows.rows(), tensor.getKey(), shape.count());
                double[] all = new double[(int) shape.count()];
                int size = all.length / rows.rows();
                for (int row = 0; row < rows.rows(); row++) {
                    for (int i = 0; i < places.length; i++) {
                        all[row * size + places[i]] = rows.get(row, from + i);
                    }
                }
                writer.add(prefix + tensor.getKey(), shape, all);
            }
            from += places.length;
        }
    }

    static void requireKept(int directions, String tensor, long numbers) {
        if (numbers > MOST_NUMBERS) {
            throw new IllegalArgumentException(
                    "%d directions of %s are %d numbers, and at most %d are kept; choose parts of smaller tensors"
                            .formatted(directions, tensor, numbers, MOST_NUMBERS));
        }
    }
}
