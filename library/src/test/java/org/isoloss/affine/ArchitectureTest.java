package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    @Test
    void parametersFollowTheLayout() {
        Architecture architecture = Architecture.of(HiddenActivation.RELU, true, 2, 1, 1);
        assertThat(architecture.parameters().stream().map(Parameter::name))
                .containsExactly("W1[1,1]", "W1[1,2]", "b1[1]", "W2[1,1]", "b2[1]");
        assertThat(architecture.parameterCount()).isEqualTo(5);
    }

    @Test
    void labelsNameTheKinds() {
        assertThat(Architecture.linear(2, 2, 2).label()).isEqualTo("identity (2, 2, 2)");
        assertThat(Architecture.relu(2, 3, 3, 1).label()).isEqualTo("relu (2, 3, 3, 1)");
        assertThat(Architecture.of(HiddenActivation.RELU, true, 8, 16, 8).label())
                .isEqualTo("relu (8, 16, 8) with biases");
        assertThat(new Architecture(
                                List.of(2, 3, 3, 2),
                                List.of(HiddenActivation.RELU, HiddenActivation.IDENTITY),
                                List.of(true, false, false))
                        .label())
                .isEqualTo("relu, identity (2, 3, 3, 2) with some biases");
    }

    @Test
    void listsMustFitTogether() {
        assertThatThrownBy(() -> Architecture.linear(2))
                .hasMessage("Architecture: widths [2], expected input, hidden and output widths of at least 1");
        assertThatThrownBy(() -> new Architecture(List.of(2, 2, 2), List.of(), List.of(false, false)))
                .hasMessage("Architecture: 0 activations for widths [2, 2, 2], expected 1, one a hidden layer");
        assertThatThrownBy(() -> new Architecture(List.of(2, 2), List.of(), List.of()))
                .hasMessage("Architecture: 0 bias flags for widths [2, 2], expected 1, one a layer");
    }
}
