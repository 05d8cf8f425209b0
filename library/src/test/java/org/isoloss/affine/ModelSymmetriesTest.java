package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Clamp;
import org.isoloss.model.KnownNetworks;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Networks whose directions that change nothing can be counted by hand. */
class ModelSymmetriesTest {
    @ParameterizedTest(name = "{0}")
    @MethodSource("org.isoloss.model.KnownNetworks#networks")
    void nullSpaceIsWhatIsPlanted(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made) {
        ModelTarget target = new Network().target(width, made);
        PointSymmetries found = PointSymmetries.of(target);
        assertThat(found.parameterCount()).isEqualTo(parameters);
        assertThat(found.nullities().values()).as(name).containsOnly(nullity);
        assertThat(found.basis().columns()).isEqualTo(nullity);
        assertThat(found.doubt()).isEmpty();
        Matrix change = target.jacobian(target.origin()).times(found.basis());
        assertThat(nullity == 0 ? 0 : change.largestMagnitude()).isLessThan(1e-11);
        PointSymmetries alone = PointSymmetries.dimensionOf(target, new SplittableRandom(7));
        assertThat(alone.nullities()).isEqualTo(found.nullities());
        assertThat(alone.doubt()).isEmpty();
        assertThat(alone.outputCount()).isEqualTo(found.outputCount());
    }

    @Test
    void partOfTheParametersHasItsOwnNullSpace() {
        Network net = new Network();
        net.target(3, (made, x) -> made.hidden(x, Clamp.RELU));
        Model model = net.builder.build();
        double[] inputs = net.normal(KnownNetworks.BATCH * 3);
        assertThat(nullity(model, inputs, "first.weight", "first.bias")).isZero();
        assertThat(nullity(model, inputs, "first.weight[1]", "first.bias[1]", "second.weight[:, 1]"))
                .isEqualTo(1);
    }

    @Test
    void fewOutputComponentsBoundTheRank() {
        Network net = new Network();
        net.target(3, (made, x) -> made.hidden(x, Activation.TANH));
        Moving moving = Moving.all(net.builder.build());
        double[] same = new double[KnownNetworks.BATCH * 3]; // one input, so often: two components
        PointSymmetries found = PointSymmetries.of(ModelTarget.of(moving, Map.of("x", same)));
        assertThat(found.nullities().values()).containsOnly(26 - 2);
    }

    private static int nullity(Model model, double[] inputs, String... moving) {
        ModelTarget target = ModelTarget.of(Moving.of(model, List.of(moving)), Map.of("x", inputs));
        PointSymmetries alone = PointSymmetries.dimensionOf(target, new SplittableRandom(7));
        PointSymmetries found = PointSymmetries.of(target);
        assertThat(alone.nullities()).isEqualTo(found.nullities());
        return found.basis().columns();
    }
}
