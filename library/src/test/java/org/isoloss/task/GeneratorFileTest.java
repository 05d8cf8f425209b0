package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.isoloss.checkpoint.Npz;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Clamp;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.isoloss.symmetry.Symmetries;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GeneratorFileTest {
    /**
     * Rows of length 1 times a Jacobian with entries of some tens: rounding, the error of five points (1e-12), and the share of
     * a family's elements that is left of zeros (1e-10).
     */
    private static final double ZERO = 1e-9;

    @TempDir
    Path folder;

    /** Inputs that the search has not seen. */
    private static ModelTarget fresh(Model model) {
        Map.Entry<String, Value> input = model.inputs().firstEntry();
        int count = input.getValue().shape().count();
        return ModelTarget.of(Moving.all(model), Map.of(input.getKey(), new Network().normal(count)));
    }

    /** What a file has of the directions under a prefix, one a row, in the order of all parameters. */
    private static Matrix rows(Path file, Model model, String prefix, int count) throws IOException {
        Matrix rows = Matrix.zeros(count, (int) model.parameterCount());
        try (Npz npz = Npz.open(file)) {
            int from = 0;
            for (Map.Entry<String, Value> parameter : model.parameters().entrySet()) {
                int size = parameter.getValue().shape().count();
                String name = prefix + "/" + parameter.getKey();
                if (npz.names().contains(name)) {
                    List<Long> sizes = new ArrayList<>(List.of((long) count));
                    parameter.getValue().shape().sizes().forEach(axis -> sizes.add((long) axis));
                    assertThat(npz.tensor(name).shape().sizes()).as(name).isEqualTo(sizes);
                    double[] all = npz.tensor(name).toDoubles();
                    for (int row = 0; row < count; row++) {
                        System.arraycopy(all, row * size, rows.entries(), row * rows.columns() + from, size);
                    }
                }
                from += size;
            }
        }
        return rows;
    }

    private static double largestProduct(Model model, Matrix rows) {
        int[] next = {0};
        ModelTarget target = fresh(model);
        return target.products(
                        target.moving().origin(),
                        rows.rows(),
                        direction -> System.arraycopy(rows.row(next[0]++), 0, direction, 0, direction.length))
                .largestMagnitude();
    }

    private static Matrix stacked(List<Matrix> parts, int columns) {
        int count = parts.stream().mapToInt(Matrix::rows).sum();
        Matrix all = Matrix.zeros(count, columns);
        int at = 0;
        for (Matrix part : parts) {
            System.arraycopy(part.entries(), 0, all.entries(), at, part.entries().length);
            at += part.entries().length;
        }
        return all;
    }

    private static int rank(Matrix rows) {
        return rows.rows() == 0
                ? 0
                : (int) Arrays.stream(Svd.of(rows).singularValues())
                        .filter(value -> value > 1e-6)
                        .count();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("org.isoloss.model.KnownNetworks#networks")
    void everyRowIsInTheNullSpace(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made)
            throws IOException {
        Model model = new Network().target(width, made).moving().model();
        Symmetries found = Symmetries.of(model, List.of(), 5);
        Path file = folder.resolve("generators.npz");
        GeneratorFile.write(found, file);
        List<Matrix> all = new ArrayList<>();
        long[] counts;
        try (Npz npz = Npz.open(file)) {
            counts = npz.tensor("family.generators").toLongs();
            assertThat(npz.tensor("family.rank").toLongs())
                    .containsExactly(found.families().stream()
                            .mapToLong(family -> family.rank())
                            .toArray());
        }
        for (int family = 0; family < counts.length; family++) {
            all.add(rows(file, model, "generators/" + family, (int) counts[family]));
        }
        Matrix generators = stacked(all, parameters);
        if (nullity > 0) {
            assertThat(largestProduct(model, generators)).isLessThan(ZERO);
            Matrix wrong = generators.copy();
            wrong.set(0, 0, wrong.get(0, 0) + 1e-3);
            assertThat(largestProduct(model, wrong)).as("a planted row").isGreaterThan(100 * ZERO);
        }
        assertThat(rank(generators)).isEqualTo(nullity);
        for (int row = 0; row < generators.rows(); row++) {
            assertThat(Matrix.over(1, parameters, generators.row(row)).frobeniusNorm())
                    .isBetween(1 - 1e-6, 1 + 1e-12); // of tensors that a family does not act on nothing is kept
        }
    }

    /** A weight that is a product of two, of more than 500 numbers, so that nothing is followed step by step. */
    @Test
    void whatIsUnexplainedIsOrthonormalAndByTensor() throws IOException {
        Model model = new Network()
                .target(17, (net, x) -> {
                    Value product = net.builder.product(net.parameter("left", 16, 17), net.parameter("right", 16, 17));
                    return net.linear(
                            net.builder.apply(
                                    Activation.TANH, net.layers.linear(x, product, net.parameter("bias", 16))),
                            "second",
                            2);
                })
                .moving()
                .model();
        Symmetries found = Symmetries.of(model, List.of(), 5);
        Path file = folder.resolve("unexplained.npz");
        GeneratorFile.write(found, file);
        Matrix rows = rows(file, model, "unexplained", found.unexplained());
        assertThat(rows.rows()).isEqualTo(272);
        assertThat(rows.times(rows.transpose()).minus(Matrix.identity(272)).largestMagnitude())
                .isLessThan(1e-12);
        assertThat(largestProduct(model, rows)).isLessThan(ZERO);
        assertThat(found.unexplainedByTensor().getOrDefault("left", 0.0)
                        + found.unexplainedByTensor().getOrDefault("right", 0.0))
                .isCloseTo(1, offset(1e-12));
        int approximate = found.families().size();
        try (Npz npz = Npz.open(file)) {
            long[] exact = npz.tensor("family.exact").toLongs();
            assertThat(exact).hasSize(approximate + found.approximate().size()).endsWith(0);
        }
    }

    /** Entries that may not change are 0. */
    @Test
    void partsOfTensorsAreKeptInTheirPlaces() throws IOException {
        Network net = new Network();
        Value inner = net.builder.apply(
                Clamp.RELU, net.layers.linear(net.builder.input("x", 40, 3), net.parameter("in", 4, 3), null));
        net.builder.output("y", net.layers.linear(inner, net.parameter("out", 2, 4), null));
        Symmetries found = Symmetries.of(net.builder.build(), List.of("in[1:3]", "out[:, 1]"), 5);
        Path file = folder.resolve("parts.npz");
        GeneratorFile.write(found, file);
        try (Npz npz = Npz.open(file)) {
            double[] in = npz.tensor("generators/0/in").toDoubles();
            double[] out = npz.tensor("generators/0/out").toDoubles();
            assertThat(in).hasSize(12);
            for (int i = 0; i < 12; i++) {
                assertThat(in[i] != 0).as("in %d", i).isEqualTo(i / 3 == 1);
            }
            for (int i = 0; i < 8; i++) {
                assertThat(out[i] != 0).as("out %d", i).isEqualTo(i % 4 == 1);
            }
        }
    }

    @Test
    void arraysThatAreTooLargeAreRefused() {
        assertThatThrownBy(() -> GeneratorFile.requireKept(8, "wide", 8 * 80_000_000L))
                .hasMessage(
                        "8 directions of wide are 640000000 numbers, and at most 268435456 are kept; choose parts of smaller tensors");
    }
}
