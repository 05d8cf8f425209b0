package org.isoloss.model;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Large tensors that are read in parts give what they give when they are held. */
class StoredTableTest {
    private static final int WIDTH = 260;

    /** Numbers of which the whole is read only where it has to be. */
    private static final class Parts implements Numbers {
        private final double[] values;
        private int wholes;

        Parts(double[] values) {
            this.values = values;
        }

        @Override
        public double[] asFloat64() {
            wholes++;
            return values;
        }

        @Override
        public boolean isReadInParts() {
            return true;
        }

        @Override
        public void read(int from, float[] target, int at, int count) {
            for (int i = 0; i < count; i++) {
                target[at + i] = (float) values[from + i];
            }
        }

        @Override
        public void read(int from, double[] target, int at, int count) {
            System.arraycopy(values, from, target, at, count);
        }
    }

    private static Value output(ModelBuilder builder, Value states, Value indices, Value table, String use) {
        return switch (use) {
            case "out in" -> builder.contract("aby,zy->abz", states, table);
            case "in out" -> builder.contract("aby,yz->abz", states, table);
            case "rows" -> builder.lookup(table, indices, 0);
            case "columns" -> builder.lookup(table, indices, 1);
            case "both" ->
                builder.contract(
                        "aby,zy->abz", builder.reshape(builder.lookup(table, indices, 0), states.shape()), table);
            default -> builder.slice(table, 0, 3, 2);
        };
    }

    @ParameterizedTest
    @CsvSource({"out in, 0", "in out, 0", "rows, 0", "both, 0", "columns, 1", "slice, 1"})
    void equalsWhatIsHeld(String use, int wholes) {
        var random = new SplittableRandom(3);
        double[] values = random.doubles(WIDTH * WIDTH, -1, 1).toArray();
        Map<String, double[]> given = Map.of(
                "states", random.doubles(6 * WIDTH, -1, 1).toArray(), "indices", new double[] {3, 0, 259, 17, 17, 100});
        for (Precision precision : Precision.values()) {
            var parts = new Parts(values);
            double[][] results = new double[2][];
            for (int way = 0; way < 2; way++) {
                ModelBuilder builder = Model.builder();
                Value states = builder.input("states", 2, 3, WIDTH);
                Value indices = builder.input("indices", 6);
                Value table =
                        builder.parameter("table", Dimensions.of(WIDTH, WIDTH), way == 0 ? Numbers.of(values) : parts);
                builder.output("y", output(builder, states, indices, table, use));
                results[way] =
                        requireNonNull(builder.build().run(precision, given).get("y"));
            }
            assertThat(parts.wholes).isEqualTo(wholes);
            double tolerance = precision == Precision.FLOAT64 ? 1e-13 : 2e-5;
            assertThat(results[1]).containsExactly(results[0], within(tolerance));
        }
    }
}
