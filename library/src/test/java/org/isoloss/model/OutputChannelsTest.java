package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Channels of weights in both layouts, counted by hand. */
class OutputChannelsTest {
    /** The first weight is (in, out), the second (out, in), behind them a bias. */
    private static Model model() {
        ModelBuilder builder = Model.builder();
        double[] first = {1, -2, 3, 4, 5, -6};
        double[] second = {1, 2, 3, -4, 5, 6};
        double[] bias = {1, 2};
        Value input = builder.input("x", 1, 2);
        Value hidden =
                builder.contract("bi,io->bo", input, builder.parameter("first", Dimensions.of(2, 3), () -> first));
        Value sums =
                builder.contract("bi,oi->bo", hidden, builder.parameter("second", Dimensions.of(2, 3), () -> second));
        builder.output("y", builder.plus(sums, builder.parameter("bias", Dimensions.of(2), () -> bias)));
        return builder.build();
    }

    @Test
    void columnsOfOneLayoutAndRowsOfTheOther() {
        OutputChannels all = OutputChannels.of(Moving.all(model()));
        assertThat(all.channels()).containsExactly(0, 1, 2, 0, 1, 2, 3, 3, 3, 4, 4, 4, -1, -1);
        assertThat(all.others()).containsOnly(0);
    }

    @Test
    void whatStaysInAChannelCounts() {
        OutputChannels some = OutputChannels.of(Moving.of(model(), List.of("first[0]", "second[1, 0:2]")));
        assertThat(some.channels()).containsExactly(0, 1, 2, 4, 4);
        assertThat(some.others()).containsExactly(4, 5, 6, 6, 6);
    }
}
