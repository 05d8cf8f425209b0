package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.isoloss.network.Calibration;
import org.junit.jupiter.api.Test;

class DataDependenceTest {
    private static final JudgedAction EXACT = Judged.split(new ShearAction());

    @Test
    void theSameWeightsAreExactOnTheirBatchAndNotOnAnother() {
        DataDependence other = DataDependence.of(EXACT, new ScalarSite(-2), new SplittableRandom(1));
        assertThat(other.samples()).isEqualTo(128);
        assertThat(other.conditioning().max()).isLessThan(Judged.ROUNDING);
        assertThat(other.fresh().p50()).isGreaterThan(1e-3);
        assertThat(other.nonFinite()).isEmpty();

        DataDependence same = DataDependence.of(EXACT, ScalarSite.PROTECTED, new SplittableRandom(1));
        assertThat(same.fresh()).isEqualTo(same.conditioning());
        assertThat(same.conditioning()).isEqualTo(other.conditioning());
    }

    @Test
    void bothErrorsUseTheOriginalScale() {
        var doubled = new JudgedAction(
                EXACT.action(),
                EXACT.target(),
                EXACT.points(),
                new Calibration(
                        EXACT.calibration().parameterScale(),
                        2 * EXACT.calibration().outputScale()));
        DataDependence coarse = DataDependence.of(doubled, new ScalarSite(-2), new SplittableRandom(1));
        DataDependence fine = DataDependence.of(EXACT, new ScalarSite(-2), new SplittableRandom(1));
        assertThat(2 * coarse.fresh().p95()).isEqualTo(fine.fresh().p95());
        assertThat(2 * coarse.conditioning().max())
                .isEqualTo(fine.conditioning().max());
    }

    @Test
    void anotherNumberOfParametersIsRefused() {
        Target three = new Target() {
            @Override
            public int parameterCount() {
                return 3;
            }

            @Override
            public int outputCount() {
                return 1;
            }

            @Override
            public Matrix outputs(Matrix parameters) {
                return Matrix.zeros(parameters.rows(), 1);
            }
        };
        assertThatThrownBy(() -> DataDependence.of(EXACT, three, new SplittableRandom(1)))
                .hasMessage("DataDependence: the target on the fresh batch has 3 parameters, the action moves 4");
    }
}
