package org.isoloss.reproduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.isoloss.model.Clamp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CompletenessTest {
    static Stream<CountedNetworks> kinds() {
        return CountedNetworks.all().stream().filter(kind -> !kind.name().startsWith("ReLU"));
    }

    /** Counting by hand, the Jacobian, and the families are three ways to one number. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void theListTheNullityAndCountingAgree(CountedNetworks kind) {
        assertThat(Completeness.rows(kind, 5))
                .hasSameSizeAs(kind.members())
                .allSatisfy(row -> assertThat(row)
                        .containsEntry("decided", true)
                        .containsEntry("nullity", row.get("counted"))
                        .containsEntry("rank", row.get("counted")));
    }

    /** A count that is wrong by one, and a table that says so. */
    @Test
    void wrongCountIsSeen() {
        CensusNetwork network = CensusNetwork.dense("ReLU 3-4-2", Clamp.RELU, true, 3, 4, 2);
        var kind = new CountedNetworks("wrong", List.of(new CountedNetworks.Counted(network, 5)));
        Map<String, Object> row = Completeness.rows(kind, 5).getFirst();
        assertThat(row).containsEntry("rank", 4).containsEntry("nullity", 4).containsEntry("counted", 5);
    }
}
