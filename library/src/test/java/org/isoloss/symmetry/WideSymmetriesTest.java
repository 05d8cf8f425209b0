package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.isoloss.model.Clamp;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;

/** A few parameters of networks whose values have hundreds of channels: no map of all channels is ever made. */
class WideSymmetriesTest {
    private static final int UNITS = 96;

    private static Value gate(Network net, Value gates, int index, Activation activation) {
        return net.builder.apply(activation, net.builder.slice(gates, 1, index * UNITS, UNITS));
    }

    /** Three gates of each unit, each with two biases of which outputs see the sum alone. */
    private static Model gated() {
        var net = new Network();
        Value input = net.builder.input("input", 1, 4);
        Value state = net.builder.input("state", 1, 4);
        Value gates = net.builder.plus(net.linear(input, "input", 3 * UNITS), net.linear(state, "state", 3 * UNITS));
        Value cell = net.builder.product(gate(net, gates, 0, Activation.SIGMOID), gate(net, gates, 1, Activation.TANH));
        Value hidden =
                net.builder.product(gate(net, gates, 2, Activation.SIGMOID), net.builder.apply(Activation.TANH, cell));
        net.builder.output("hidden", hidden);
        return net.builder.build();
    }

    @Test
    void biasesOfGatesMakeUpForEachOther() {
        Symmetries found = Symmetries.of(gated(), List.of("input.bias", "state.bias"), 3);
        assertThat(found.parameters()).isEqualTo(2 * 3 * UNITS);
        assertThat(found.isDecided()).isTrue();
        assertThat(found.nullity()).isEqualTo(3 * UNITS);
        assertThat(found.rank()).isEqualTo(3 * UNITS);
        assertThat(found.families()).singleElement().satisfies(family -> {
            assertThat(family.name()).isEqualTo("shifts");
            assertThat(family.group()).isEqualTo("R^288");
        });
    }

    @Test
    void oneBiasAloneMayNotMove() {
        Symmetries found = Symmetries.of(gated(), List.of("input.bias[0:8]"), 3);
        assertThat(found.isDecided()).isTrue();
        assertThat(found.nullity()).isZero();
        assertThat(found.families()).isEmpty();
    }

    /** A stream of 80 channels, in which every map is one of all. */
    private static Model streamed() {
        var net = new Network();
        Value input = net.builder.input("input", 1, 80);
        Value stream = net.linear(input, "embedding", 80);
        Value added = net.builder.plus(
                stream, net.linear(net.builder.apply(Clamp.RELU, net.linear(stream, "up", 6)), "down", 80));
        net.builder.output("logits", net.hidden(added, Activation.GELU));
        return net.builder.build();
    }

    /** What is read by a weight that moves, and depends on none that does, stays: nothing of it has to be searched. */
    @Test
    void valuesThatNothingMovesAreNotHeld() {
        Symmetries behind = Symmetries.of(streamed(), List.of("first.bias", "second.weight"), 3);
        assertThat(behind.heldParts()).isZero();
        assertThat(behind.nullity()).isZero();
        assertThat(behind.families()).isEmpty();
        assertThat(Symmetries.of(streamed(), List.of("down.bias", "first.bias"), 3)
                        .heldParts())
                .isOne();
    }

    /** Units are scaled against what reads them; of what they write, four channels are read, and of 80 by two columns 76 are free. */
    @Test
    void scalesOfUnitsBesideWideStreamAreFound() {
        Symmetries found =
                Symmetries.of(streamed(), List.of("up.weight[0:2]", "up.bias[0:2]", "down.weight[:,0:2]"), 3);
        assertThat(found.isDecided()).isTrue();
        assertThat(found.nullity()).isEqualTo(2 * 76 + 2);
        assertThat(found.rank()).isEqualTo(2 * 76 + 2);
        assertThat(found.families())
                .filteredOn(family -> family.name().equals("scales"))
                .extracting(SymmetryFamily::rank)
                .containsExactly(2);
    }
}
