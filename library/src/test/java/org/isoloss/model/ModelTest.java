package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.isoloss.model.KnownNetworks.Network;
import org.junit.jupiter.api.Test;

class ModelTest {
    /** A norm and two affine maps are still told apart from their parts when a weight has other numbers. */
    @Test
    void groupsOfOperationsStayWithOtherNumbers() {
        Network net = new Network();
        Model model = net.target(3, (made, x) -> made.normed(x, 0.5)).moving().model();
        Model other = model.with(Map.of("first.bias", new double[4]));
        List<Composite> before = model.composites();
        assertThat(before).extracting(Composite::role).contains(Composite.Role.LINEAR, Composite.Role.LAYER_NORM);
        assertThat(other.composites())
                .extracting(Composite::role)
                .isEqualTo(before.stream().map(Composite::role).toList());
        Composite last = other.composites().getLast();
        assertThat(last.result()).isSameAs(other.output("y"));
        assertThat(last.arguments()).contains(other.parameter("second.weight"));
        Composite first = other.composites().getFirst();
        assertThat(first.arguments()).contains(other.parameter("first.bias"));
        assertThat(first.arguments()).doesNotContain(model.parameter("first.bias"));
        assertThat(other.size()).isGreaterThan(model.size());
        assertThat(other.with(Map.of()).composites()).isEqualTo(other.composites());
    }
}
