package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Moving;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;

/** A unit of which two parameters are seen as a product, a + b b, a unit that is never active, and one that sometimes is. */
class FollowedFamiliesTest {
    private final Model model = model();
    private final Moving moving = Moving.all(model);
    private final List<Map<String, double[]>> samples = RandomInputs.of(model, 64, 1);
    private final FollowedElements elements = new FollowedElements(moving, samples);
    private final OutputChange outputs = new OutputChange(moving, samples);

    /** Parameters in order: a, b, the shift of the unit that is never active, that of the other one. */
    private static Model model() {
        ModelBuilder builder = Model.builder();
        Value x = builder.input("x", 4, 1);
        Value a = builder.parameter("a", Dimensions.of(1), Numbers.of(0.7));
        Value b = builder.parameter("b", Dimensions.of(1), Numbers.of(1.1));
        Value never = builder.parameter("never", Dimensions.of(1), Numbers.of(-2));
        Value sometimes = builder.parameter("sometimes", Dimensions.of(1), Numbers.of(0.3));
        builder.output("product", builder.product(x, builder.plus(a, builder.product(b, b))));
        Value bounded = builder.apply(Activation.TANH, x);
        builder.output("never", builder.apply(Clamp.RELU, builder.plus(bounded, never)));
        builder.output("sometimes", builder.apply(Clamp.RELU, builder.plus(bounded, sometimes)));
        return builder.build();
    }

    /** Along the parabola, which a straight line leaves. */
    @Test
    void curvesAreFollowed() {
        double[] tangent = {-2 * 1.1, 1, 0, 0};
        double[] end = elements.drawn(new int[] {0, 1}, tangent);
        assertThat(outputs.of(end)).isLessThanOrEqualTo(Symmetries.EXACT);
        assertThat(Math.abs(end[1] - 1.1)).isGreaterThan(0.2);
        assertThat(outputs.of(elements.straight(tangent))).isGreaterThan(1e-2);
    }

    @Test
    void whatChangesTheOutputsLeadsNowhere() {
        assertThat(elements.drawn(new int[] {0, 1, 3}, new double[] {0, 0, 0, 1}))
                .isEqualTo(moving.origin());
        assertThat(elements.drawn(new int[] {3}, new double[] {0, 0, 0, 1})).isEqualTo(moving.origin());
    }

    /** The shift of the unit that is never active changes nothing here, and does where it is another one. */
    @Test
    void whatHoldsHereAloneIsNotAnywhere() {
        assertThat(elements.areAnywhere(new int[] {0, 1}, 1, new SplittableRandom(1)))
                .isTrue();
        assertThat(elements.areAnywhere(new int[] {0, 1}, 2, new SplittableRandom(1)))
                .isFalse();
        assertThat(elements.areAnywhere(new int[] {2}, 1, new SplittableRandom(1)))
                .isFalse();
    }

    @Test
    void coneLeadsAwayFromTheBend() {
        KinkCone cone = new KinkCone(moving, samples);
        Matrix rays = Objects.requireNonNull(
                cone.drawn(Matrix.over(4, 1, new double[] {0, 0, 1, 0}), 3, new SplittableRandom(1)));
        assertThat(Arrays.stream(rays.row(2))).allMatch(shift -> shift < 0);
        assertThat(cone.drawn(Matrix.over(4, 1, new double[] {0, 0, 0, 1}), 3, new SplittableRandom(1)))
                .isNull();
    }

    @Test
    void familiesAreCurvesAndHalfLines() {
        Symmetries found = Symmetries.of(model, List.of(), 1);
        assertThat(found.nullity()).isEqualTo(2);
        assertThat(found.families())
                .extracting(SymmetryFamily::name, SymmetryFamily::group, SymmetryFamily::tensors)
                .containsExactlyInAnyOrder(
                        tuple("curves", "R", List.of("a", "b")), tuple("on one side", "R>=0", List.of("never")));
    }
}
