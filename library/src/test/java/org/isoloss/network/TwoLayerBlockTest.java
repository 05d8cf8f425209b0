package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;

class TwoLayerBlockTest {
    private final DenseLayer first = DenseLayer.of(Matrix.of(3, 2, 1, 2, 3, 4, 5, 6), new double[] {7, 8, 9});
    private final DenseLayer second = DenseLayer.of(Matrix.of(2, 3, 10, 11, 12, 13, 14, 15), new double[] {1, 1});

    @Test
    void aBiasIsOneMoreIncomingWeightOnAnInputOfOne() {
        TwoLayerBlock block = TwoLayerBlock.of(Activation.TANH, first, second);
        assertThat(block.biased()).isTrue();
        assertThat(block.inputWidth()).isEqualTo(2);
        assertThat(block.units()).isEqualTo(3);
        assertThat(block.outputWidth()).isEqualTo(2);
        assertThat(block.activation()).isEqualTo(Activation.TANH);
        assertThat(block.incoming(2, 0).entries()).containsExactly(5, 6, 9, 1, 2, 7);
        assertThat(block.outgoing(2, 0).entries()).containsExactly(12, 10, 15, 13);
        Matrix augmented = block.augmented(Matrix.of(1, 2, 0.5, -1));
        assertThat(augmented.rows()).isEqualTo(3);
        assertThat(augmented.entries()).containsExactly(0.5, -1, 1);
    }

    @Test
    void withoutBiasNothingIsAdded() {
        TwoLayerBlock block = TwoLayerBlock.of(Activation.RELU, DenseLayer.of(first.weight()), second);
        assertThat(block.biased()).isFalse();
        assertThat(block.inputWidth()).isEqualTo(2);
        assertThat(block.incoming(1).entries()).containsExactly(3, 4);
        assertThat(block.augmented(Matrix.of(2, 2, 1, 2, 3, 4)).entries()).containsExactly(1, 3, 2, 4);
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> TwoLayerBlock.of(Activation.TANH, second, second))
                .hasMessage(
                        "TwoLayerBlock: the second weight has shape (2, 3), expected 2 columns, the units of the first");
        TwoLayerBlock block = TwoLayerBlock.of(Activation.TANH, first, second);
        assertThatThrownBy(() -> block.augmented(Matrix.zeros(0, 2)))
                .hasMessage(
                        "TwoLayerBlock: the batch has shape (0, 2), expected at least one row of 2, the input width");
    }
}
