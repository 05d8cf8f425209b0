package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SupportTest {
    /** 0.weight (3, 2) at 0, 0.bias (3) at 6, 2.weight (2, 3) at 9. */
    private final ParameterLayout layout = ParameterLayout.of(List.of(2, 3, 2), List.of(true, false));

    @Test
    void eachKindSelectsInTheOrderGiven() {
        assertThat(Support.all(layout).indices()).hasSize(15).startsWith(0, 1).endsWith(14);
        assertThat(Support.tensors(layout, "2.weight", "0.bias").indices())
                .containsExactly(9, 10, 11, 12, 13, 14, 6, 7, 8);
        assertThat(Support.rows(layout, "0.weight", 2, 0).indices()).containsExactly(4, 5, 0, 1);
        assertThat(Support.rows(layout, "0.bias", 1).indices()).containsExactly(7);
        assertThat(Support.columns(layout, "2.weight", 2, 1).indices()).containsExactly(11, 10, 14, 13);
        assertThat(Support.indices(layout, 14, 3).indices()).containsExactly(14, 3);
        assertThat(Support.units(layout, 0, 1).indices()).containsExactly(2, 3, 7, 10, 13);
    }

    @Test
    void scatterWritesWhatGatherReadsAndNothingElse() {
        Support support = Support.rows(layout, "0.weight", 1).and(Support.indices(layout, 14));
        double[] full = new double[15];
        support.scatter(new double[] {1, 2, 3}, full);
        assertThat(support.gather(full)).containsExactly(1, 2, 3);
        assertThat(full).containsExactly(0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3);
    }

    @Test
    void whatCannotBeSelectedIsRefused() {
        assertThatThrownBy(() -> Support.tensors(layout, "1.weight"))
                .hasMessage("there is no tensor \"1.weight\"; the network has 0.weight, 0.bias, 2.weight");
        assertThatThrownBy(() -> Support.rows(layout, "0.weight", 3))
                .hasMessage("0.weight has no entry (3, 0): its shape is (3, 2)");
        assertThatThrownBy(() -> Support.indices(layout, 15))
                .hasMessage("Support: index 15 is outside the 15 parameters of the network");
        assertThatThrownBy(() -> Support.indices(layout, 2, 2)).hasMessage("Support: parameter 2 is selected twice");
        assertThatThrownBy(() -> Support.all(layout).and(Support.rows(layout, "0.bias", 1)))
                .hasMessage("Support: parameter 7 is selected twice");
        assertThatThrownBy(() -> Support.tensors(layout))
                .hasMessage("Support: no parameter is selected, expected at least one");
        assertThatThrownBy(() -> Support.units(layout, 1, 0))
                .hasMessage("hidden layer 1 does not exist: the network has 1 hidden layers");
        ParameterLayout other = ParameterLayout.of(List.of(2, 2), List.of(false));
        assertThatThrownBy(() -> Support.all(layout).and(Support.all(other)))
                .hasMessage("Support.and: the supports are of networks with 15 and 4 parameters");
    }

    @Test
    void vectorsOfTheWrongLengthAreRefused() {
        Support support = Support.rows(layout, "0.bias", 0, 1);
        assertThatThrownBy(() -> support.gather(new double[3]))
                .hasMessage("Support.gather: 3 parameters given, expected 15");
        assertThatThrownBy(() -> support.scatter(new double[3], new double[15]))
                .hasMessage("Support.scatter: 3 moving parameters given, expected 2");
        assertThatThrownBy(() -> ParameterLayout.of(List.of(2, 0), List.of(true)))
                .hasMessage(
                        "ParameterLayout: widths [2, 0] with biases [true]; expected at least two positive widths and one bias flag a layer");
    }
}
