package org.isoloss.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;

/** What a batch sees of weights, counted by hand, and against everything that is computed on the way. */
class SeenPartTest {
    private static double[] drawn(SplittableRandom random, int count) {
        double[] drawn = new double[count];
        Arrays.setAll(drawn, _ -> random.nextGaussian());
        return drawn;
    }

    private static Model dense(int batch, int inputs, int hidden, int outputs) {
        var random = new SplittableRandom(1);
        ModelBuilder builder = Model.builder();
        var input = builder.input("x", batch, inputs);
        double[] first = drawn(random, hidden * inputs);
        double[] bias = drawn(random, hidden);
        double[] second = drawn(random, outputs * hidden);
        var sums = builder.plus(
                builder.contract(
                        "bi,hi->bh", input, builder.parameter("first", Dimensions.of(hidden, inputs), () -> first)),
                builder.parameter("bias", Dimensions.of(hidden), () -> bias));
        builder.output(
                "y",
                builder.contract(
                        "bh,oh->bo",
                        builder.apply(Activation.TANH, sums),
                        builder.parameter("second", Dimensions.of(outputs, hidden), () -> second)));
        return builder.build();
    }

    private static SeenPart of(Model model, Moving moving, Map<String, double[]> inputs) {
        return SeenPart.of(ModelTarget.seen(moving, List.of(inputs), List.of(model.output("y"))), moving.origin());
    }

    /** Eight images see 8 of 64 directions of a row, 56 they are blind to; a bias adds none, as the images span the ones. */
    @Test
    void eightImagesSeeEightDirectionsOfEachRow() {
        Model model = dense(8, 64, 4, 3);
        Map<String, double[]> inputs = Map.of("x", drawn(new SplittableRandom(2), 8 * 64));
        assertThat(of(model, Moving.of(model, List.of("first")), inputs).dimension())
                .isEqualTo(4 * 8);
        assertThat(of(model, Moving.of(model, List.of("first", "bias")), inputs).dimension())
                .isEqualTo(4 * 8);
        assertThat(of(model, Moving.of(model, List.of("bias")), inputs).dimension())
                .isEqualTo(4);
        assertThat(of(model, Moving.of(model, List.of("second[:, 0:2]")), inputs)
                        .dimension())
                .isEqualTo(3 * 2);
        assertThat(of(model, Moving.all(model), inputs).dimension()).isEqualTo(4 * 8 + 3 * 4);
    }

    /** Where a row is moved across all inputs nothing of it is seen; along one of them all is. */
    @Test
    void aMotionAcrossTheInputsIsBlind() {
        Model model = dense(2, 3, 1, 2);
        Moving moving = Moving.of(model, List.of("first"));
        SeenPart seen = of(model, moving, Map.of("x", new double[] {1, 0, 1, 0, 1, 0}));
        assertThat(seen.of(new double[] {1, 0, -1})).containsExactly(new double[] {0, 0, 0}, within(1e-15));
        assertThat(seen.of(new double[] {1, 0, 1})).containsExactly(new double[] {1, 0, 1}, within(1e-15));
        assertThat(seen.of(new double[] {0, 3, 2})).containsExactly(new double[] {1, 3, 1}, within(1e-15));
    }

    /** Blocks of values that are held apart see what the whole Jacobian of sums and outputs sees. */
    @Test
    void blocksSeeWhatTheSumsAndTheOutputsSeeTogether() {
        Model model = dense(3, 5, 4, 2);
        Map<String, double[]> inputs = Map.of("x", drawn(new SplittableRandom(3), 15));
        Moving moving = Moving.all(model);
        SeenPart seen = of(model, moving, inputs);
        Matrix outputs = ModelTarget.of(moving, inputs).jacobian(moving.origin());
        assertThat(Svd.of(outputs).rank(1e-10)).isLessThan(seen.dimension());
        double[] motion = drawn(new SplittableRandom(4), moving.count());
        double[] blind = Vectors.difference(motion, seen.of(motion));
        assertThat(Vectors.norm(Blas.gemv(outputs, false, blind))).isLessThan(1e-13);
        assertThat(seen.of(blind)).containsExactly(new double[moving.count()], within(1e-13));
        assertThat(seen.dimension()).isEqualTo(4 * 3 + 2 * 3);
    }
}
