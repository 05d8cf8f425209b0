package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;
import org.junit.jupiter.api.Test;

class FiniteCheckTest {
    private static final Sampling FEW = new Sampling(64, 4, 1, 1);

    /** The errors of the paper's table are around 1e-15, its motions 4.2 % to 6.4 %. */
    @Test
    void extractedFieldsPreserveComposeAndMove() {
        Architecture architecture = Architecture.linear(2, 2, 2);
        FiniteCheck check =
                FiniteCheck.of(architecture, FEW, Extraction.of(architecture, FEW, ConstraintSolver.DENSE, 101));
        assertThat(check.output()).isLessThan(1.5e-15);
        assertThat(check.composition()).isLessThan(1e-14);
        assertThat(check.inverse()).isLessThan(1e-13);
        assertThat(check.motion()).isBetween(0.03, 0.1);
    }

    /** Fields of a linear network do not preserve a ReLU network of the same shape. */
    @Test
    void fieldsThatDoNotPreserveAreSeen() {
        Extraction linear = Extraction.of(Architecture.linear(2, 2, 2), FEW, ConstraintSolver.DENSE, 101);
        FiniteCheck check = FiniteCheck.of(Architecture.relu(2, 2, 2), FEW, linear);
        assertThat(check.output()).isGreaterThan(1e-3);
        assertThat(check.inverse()).isLessThan(1e-13);
    }

    @Test
    void exponentialsAreThoseOfTheWholeMatrix() {
        Grading.Block block = new Grading.Block(List.of(0, 1, 3, 4, 11));
        FieldEstimate field = FieldEstimate.normalising(block, new double[] {0.3, -0.2, 0.5, 0.1, 0.4});
        double[] whole = new double[16];
        for (int k = 0; k < field.size(); k++) {
            whole[field.unknown(k)] = -0.17 * field.coefficient(k);
        }
        Matrix expected = MatrixExponential.of(Matrix.over(4, 4, whole));
        double[] theta = {0.4, -1.2, 0.7};
        double[] moved = new FieldGroup(3, List.of(field)).exponential(0, -0.17).apply(theta);
        for (int a = 0; a < 3; a++) {
            double sum = expected.get(a, 3);
            for (int b = 0; b < 3; b++) {
                sum += expected.get(a, b) * theta[b];
            }
            assertThat(Math.abs(moved[a] - sum)).isLessThan(1e-15);
        }
    }

    /** As numpy's default percentile. */
    @Test
    void quantilesInterpolate() {
        assertThat(FiniteCheck.quantile(new double[] {4, 1, 3, 2}, 0.5)).isEqualTo(2.5);
        assertThat(FiniteCheck.quantile(new double[] {4, 1, 3, 2}, 0.95)).isBetween(3.849, 3.851);
        assertThat(FiniteCheck.quantile(new double[] {7}, 0.95)).isEqualTo(7);
    }
}
