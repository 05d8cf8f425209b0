package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CalibrationTest {
    /** Twice each parameter, and their sum. */
    private static final Target LINEAR = new Target() {
        @Override
        public int parameterCount() {
            return 2;
        }

        @Override
        public int outputCount() {
            return 3;
        }

        @Override
        public Matrix outputs(Matrix parameters) {
            Matrix outputs = Matrix.zeros(parameters.rows(), 3);
            for (int row = 0; row < parameters.rows(); row++) {
                outputs.set(row, 0, 2 * parameters.get(row, 0));
                outputs.set(row, 1, 2 * parameters.get(row, 1));
                outputs.set(row, 2, parameters.get(row, 0) + parameters.get(row, 1));
            }
            return outputs;
        }
    };

    /** s_theta is per coordinate, s_F is of the whole output. */
    @Test
    void parametersAreMeasuredByCoordinateAndOutputsWhole() {
        Calibration calibration = Calibration.of(LINEAR, alternating(3, 4), new SplittableRandom(1));
        assertThat(calibration.parameterScale()).isCloseTo(Math.sqrt((9 + 16) / 2.0), within(1e-15));
        // (6, 8, 7) and its negative have the norm sqrt(149)
        assertThat(calibration.outputScale()).isCloseTo(Math.sqrt(149), within(1e-14));
    }

    @Test
    void sixtyFourSamplesAreDrawn() {
        int[] draws = {0};
        PointSampler counting = new PointSampler() {
            @Override
            public int parameterCount() {
                return 2;
            }

            @Override
            public void draw(SplittableRandom random, double[] points, int offset) {
                draws[0]++;
                points[offset] = 1;
            }

            @Override
            public PointSampler widened(double factor) {
                throw new UnsupportedOperationException("scales are those of the points as they are");
            }
        };
        Calibration.of(LINEAR, counting, new SplittableRandom(1));
        assertThat(draws[0]).isEqualTo(64);
    }

    @Test
    void outputsThatAreAllZeroAreRefused() {
        assertThatThrownBy(() -> Calibration.of(LINEAR, alternating(0, 0), new SplittableRandom(1)))
                .hasMessageStartingWith("Calibration: parameter scale 0.0 and output scale 0.0, expected positive");
    }

    @ParameterizedTest
    @CsvSource({"NaN, 1", "1, NaN", "-1, 1", "1, 0", "Infinity, 1"})
    void scalesThatAreNoneAreRefused(double parameters, double outputs) {
        assertThatThrownBy(() -> new Calibration(parameters, outputs)).isInstanceOf(IllegalArgumentException.class);
    }

    private static PointSampler alternating(double first, double second) {
        return new PointSampler() {
            private double sign = 1;

            @Override
            public int parameterCount() {
                return 2;
            }

            @Override
            public void draw(SplittableRandom random, double[] points, int offset) {
                points[offset] = sign * first;
                points[offset + 1] = sign * second;
                sign = -sign;
            }

            @Override
            public PointSampler widened(double factor) {
                return alternating(factor * first, factor * second);
            }
        };
    }
}
