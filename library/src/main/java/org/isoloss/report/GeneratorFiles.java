package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.affine.NamedField;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import tools.jackson.databind.json.JsonMapper;

/**
 * The generators of an algebra of affine fields as arrays: the entries that are not zero as {@code generator}, {@code row},
 * {@code column} (p for the constant part) and {@code value}, and, for small networks, all of {@code A} (k, p, p) and
 * {@code b} (k, p).
 */
final class GeneratorFiles {
    private static final long MOST_DENSE = 4_000_000;

    private final String network;
    private final int parameters;
    private final List<NamedField> generators;

    GeneratorFiles(String network, int parameters, List<NamedField> generators) {
        this.network = network;
        this.parameters = parameters;
        this.generators = generators;
    }

    /** Writes {@code generators.npz} and {@code generators.safetensors}. */
    void write(Path folder) throws IOException {
        int p = parameters;
        int k = generators.size();
        int count = generators.stream()
                .mapToInt(generator -> generator.field().flatten().count())
                .sum();
        long[] generator = new long[count];
        long[] row = new long[count];
        long[] column = new long[count];
        double[] value = new double[count];
        boolean dense = (long) k * p * (p + 1) <= MOST_DENSE;
        double[] linear = new double[dense ? k * p * p : 0];
        double[] constant = new double[dense ? k * p : 0];
        int next = 0;
        for (int g = 0; g < k; g++) {
            RationalVector flat = generators.get(g).field().flatten();
            for (int i = 0; i < flat.count(); i++, next++) {
                int a = flat.index(i) / (p + 1);
                int b = flat.index(i) % (p + 1);
                generator[next] = g;
                row[next] = a;
                column[next] = b;
                value[next] = Rationals.toDouble(flat.value(i));
                if (dense && b < p) {
                    linear[(g * p + a) * p + b] = value[next];
                } else if (dense) {
                    constant[g * p + a] = value[next];
                }
            }
        }
        Shape entries = Shape.of(count);
        NpzWriter npz = new NpzWriter()
                .add("generator", entries, generator)
                .add("row", entries, row)
                .add("column", entries, column)
                .add("value", entries, value);
        SafetensorsWriter safetensors = new SafetensorsWriter()
                .metadata("network", network)
                .metadata(
                        "generators",
                        JsonMapper.builder()
                                .build()
                                .writeValueAsString(generators.stream()
                                        .map(NamedField::name)
                                        .toList()))
                .add("generator", entries, generator)
                .add("row", entries, row)
                .add("column", entries, column)
                .add("value", ElementType.F64, entries, value);
        if (dense) {
            npz.add("A", Shape.of(k, p, p), linear).add("b", Shape.of(k, p), constant);
            safetensors
                    .add("A", ElementType.F64, Shape.of(k, p, p), linear)
                    .add("b", ElementType.F64, Shape.of(k, p), constant);
        }
        npz.saveTo(folder.resolve("generators.npz"));
        safetensors.saveTo(folder.resolve("generators.safetensors"));
    }
}
