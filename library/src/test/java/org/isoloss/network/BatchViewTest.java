package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchViewTest {
    private static final int[] COMPENSATORS = {4, 0, 2};

    private final TwoLayerBlock block = block(new SplittableRandom(1));
    private final Matrix batch = Matrix.gaussian(3, 5, new SplittableRandom(2));

    static TwoLayerBlock block(SplittableRandom random) {
        return TwoLayerBlock.of(
                Activation.TANH,
                DenseLayer.of(
                        Matrix.gaussian(6, 5, random),
                        Matrix.gaussian(1, 6, random).entries()),
                DenseLayer.of(Matrix.gaussian(4, 6, random)));
    }

    static Matrix permuted(Matrix batch) {
        Matrix permuted = Matrix.zeros(batch.rows(), batch.columns());
        for (int row = 0; row < batch.rows(); row++) {
            System.arraycopy(
                    batch.row((row + 1) % batch.rows()), 0, permuted.entries(), row * batch.columns(), batch.columns());
        }
        return permuted;
    }

    private CompensationSite site(Matrix inputs) {
        return CompensationSite.of(block, inputs, new int[] {5}, COMPENSATORS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheSiteSeesIsTheSameWithAndWithoutTheSite(boolean reduced) {
        CompensationSite site = site(batch);
        SiteCoordinates coordinates = reduced ? SiteCoordinates.reduced(site) : SiteCoordinates.plain(site);
        Matrix ofSite = BatchView.of(coordinates).table();
        Matrix light = BatchView.of(block, batch, 5, COMPENSATORS, reduced).table();

        assertThat(light.minus(ofSite).largestMagnitude()).isLessThan(1e-14);
    }

    /** The sums are those of the site: offset + D r_i, input by input in the order of the view. */
    @Test
    void sumsAreThoseOfTheMovingUnit() {
        SiteCoordinates coordinates = SiteCoordinates.reduced(site(batch));
        BatchView view = BatchView.of(coordinates);
        Matrix change = Matrix.gaussian(1, 3, new SplittableRandom(3));
        Matrix sums = view.offsets().plus(view.directions().times(change.transpose()));
        double[] plain = coordinates.toPlain(coordinates.vector(Matrix.zeros(1, 3), change));
        for (int i = 0; i < 3; i++) {
            double expected = 0;
            for (int j = 0; j < 6; j++) {
                expected += plain[plain.length - 6 + j] * view.inputs().get(i, j);
            }
            assertThat(sums.get(i, 0)).isCloseTo(expected, within(1e-13));
        }
    }

    @Test
    void aPermutedBatchIsTheSameSet() {
        double[] table =
                BatchView.of(SiteCoordinates.plain(site(batch))).table().entries();
        double[] permuted = BatchView.of(SiteCoordinates.plain(site(permuted(batch))))
                .table()
                .entries();

        assertThat(permuted).isEqualTo(table);
        Matrix other = batch.copy();
        other.set(1, 1, other.get(1, 1) + 1e-3);
        assertThat(BatchView.of(SiteCoordinates.plain(site(other))).table().entries())
                .isNotEqualTo(table);
    }

    @Test
    void aTableIsReadBack() {
        BatchView view = BatchView.of(SiteCoordinates.reduced(site(batch)));

        BatchView read = BatchView.ofTable(view.table(), 3);
        assertThat(read.table().entries()).isEqualTo(view.table().entries());
        assertThat(read.features().condition()).isEqualTo(view.features().condition());
        assertThat(read.inputCount()).isEqualTo(3);
    }

    @Test
    void severalMovingRowsAreRefused() {
        CompensationSite two = CompensationSite.of(block, batch, new int[] {5, 1}, COMPENSATORS);

        assertThatThrownBy(() -> BatchView.of(SiteCoordinates.plain(two)))
                .hasMessage(
                        "BatchView: an action for many batches takes a block without a gate and one moving unit, got no gate and 2 moving; use action: displacement there");
    }
}
