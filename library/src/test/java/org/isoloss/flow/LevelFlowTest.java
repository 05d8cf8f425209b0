package org.isoloss.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The laws of flows that keep values, with answers known by hand and forward passes of other code. */
class LevelFlowTest {
    private static final double KEPT = 1e-12;

    private static Numbers numbers(double... all) {
        return () -> all;
    }

    private static double[] drawn(SplittableRandom random, int count) {
        double[] drawn = new double[count];
        Arrays.setAll(drawn, _ -> random.nextGaussian());
        return drawn;
    }

    /** The output is a product of two numbers and the input. */
    private static Model product(double a, double b) {
        ModelBuilder builder = Model.builder();
        Value input = builder.input("x", 1);
        Value one = builder.parameter("a", Dimensions.of(1), numbers(a));
        Value other = builder.parameter("b", Dimensions.of(1), numbers(b));
        builder.output("y", builder.product(other, builder.product(one, input)));
        return builder.build();
    }

    private static Model layers(long seed, int inputs, int hidden, int outputs) {
        var random = new SplittableRandom(seed);
        ModelBuilder builder = Model.builder();
        Value input = builder.input("x", 3, inputs);
        Value first =
                builder.parameter("first", Dimensions.of(hidden, inputs), numbers(drawn(random, hidden * inputs)));
        Value second =
                builder.parameter("second", Dimensions.of(outputs, hidden), numbers(drawn(random, outputs * hidden)));
        Value sums = builder.contract("bi,hi->bh", input, first);
        builder.output("y", builder.contract("bh,oh->bo", builder.product(sums, sums), second));
        return builder.build();
    }

    private static double[] output(Model model, Map<String, double[]> inputs) {
        return Objects.requireNonNull(model.run(Precision.FLOAT64, inputs).get("y"));
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Way(double[] point, FlowEnd end, FlowState state) {}

    private static Way follow(LevelFlow flow, double distance) {
        FlowState state = flow.start();
        for (int i = 0; i < 3000; i++) {
            LevelFlow.Advance advance = flow.advance(state, distance);
            state = advance.state();
            LevelFlow.Piece piece = advance.piece();
            if (piece != null && flow.distance(state.point()) >= distance) {
                return new Way(piece.at(distance), FlowEnd.REACHED, state);
            }
            FlowEnd end = advance.end();
            if (end != null) {
                return new Way(state.point(), end, state);
            }
        }
        throw new AssertionError("the flow does not end");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void valuesStayForAnotherForwardPassAndTheDistanceIsReached(long seed) {
        Model model = layers(seed, 5, 7, 2);
        var random = new SplittableRandom(seed + 10);
        Map<String, double[]> inputs = Map.of("x", drawn(random, 15));
        Moving moving = Moving.all(model);
        ModelTarget target = ModelTarget.of(moving, inputs);
        SeenPart seen =
                SeenPart.of(ModelTarget.seen(moving, List.of(inputs), List.of(model.output("y"))), moving.origin());
        assertThat(seen.dimension()).isEqualTo(7 * 3 + 2 * 3);
        var flow = new LevelFlow(target, Heading.of(drawn(random, moving.count())), seen, moving.origin());
        Way way = follow(flow, 0.3);
        assertThat(way.end).isEqualTo(FlowEnd.REACHED);
        assertThat(flow.distance(way.point)).isCloseTo(0.3, within(1e-5));
        double[] before = output(model, inputs);
        double[] after = output(model.with(moving.tensors(way.point)), inputs);
        assertThat(Vectors.norm(Vectors.difference(after, before)) / Vectors.norm(before))
                .isLessThan(KEPT);
        double[] straight = Vectors.moved(
                moving.origin(),
                0.1,
                Vectors.difference(way.point, moving.origin())); // shows that the measure can fail
        double[] elsewhere = output(model.with(moving.tensors(straight)), inputs);
        assertThat(Vectors.norm(Vectors.difference(elsewhere, before))).isGreaterThan(1e-6);
    }

    /** {@code a b = 2}: the least norm is at {@code a = b = sqrt 2}, and the way there is a hyperbola. */
    @Test
    void theSmallestNormOnAHyperbolaIsFound() {
        Model model = product(4, 0.5);
        ModelTarget target = ModelTarget.of(Moving.all(model), Map.of("x", new double[] {1}));
        var flow = new LevelFlow(target, new WeightNorm(), seen(model), target.origin());
        Way way = follow(flow, Double.POSITIVE_INFINITY);
        assertThat(way.end).isEqualTo(FlowEnd.STATIONARY);
        assertThat(way.point).containsExactly(new double[] {Math.sqrt(2), Math.sqrt(2)}, within(2e-3));
        assertThat(way.point[0] * way.point[1]).isCloseTo(2, within(1e-14));
    }

    /** {@code a b = 0} from (1, 0) against a: J = (b, a) has rank 0 where a is 0, at distance 1, and rank 1 beyond. */
    @Test
    void aPlantedDropOfRankIsFoundWithItsPlace() {
        Model model = product(1, 0);
        ModelTarget target = ModelTarget.of(Moving.all(model), Map.of("x", new double[] {1}));
        SeenPart everything = seen(layersOfSize());
        var flow = new LevelFlow(target, Heading.of(new double[] {-1, 0}), everything, target.origin());
        Way way = follow(flow, 1.5);
        assertThat(way.state.rankChanges()).hasSize(1);
        FlowState.RankChange change = way.state.rankChanges().getFirst();
        assertThat(change.distance()).isCloseTo(1, within(1e-5));
        assertThat(change.before()).isEqualTo(1);
        assertThat(change.there()).isEqualTo(0);
        assertThat(way.end).isEqualTo(FlowEnd.REACHED);
        assertThat(way.point).containsExactly(new double[] {-0.5, 0}, within(1e-5));
    }

    /** Two numbers, both of which are seen. */
    private static Model layersOfSize() {
        ModelBuilder builder = Model.builder();
        Value input = builder.input("x", 1, 2);
        Value weight = builder.parameter("w", Dimensions.of(2), numbers(1, 0));
        builder.output("y", builder.product(input, weight));
        return builder.build();
    }

    private static SeenPart seen(Model model) {
        Moving moving = Moving.all(model);
        Map<String, double[]> inputs =
                model.inputs().firstEntry().getValue().shape().count() == 1
                        ? Map.of("x", new double[] {1})
                        : Map.of("x", new double[] {1, 1});
        return SeenPart.of(ModelTarget.seen(moving, List.of(inputs), List.of(model.output("y"))), moving.origin());
    }

    @Test
    void aFlowThatIsTakenOnFromAStateHasTheSameBits() {
        Model model = layers(4, 5, 7, 2);
        var random = new SplittableRandom(5);
        Map<String, double[]> inputs = Map.of("x", drawn(random, 15));
        Moving moving = Moving.all(model);
        double[] direction = drawn(random, moving.count());
        SeenPart seen =
                SeenPart.of(ModelTarget.seen(moving, List.of(inputs), List.of(model.output("y"))), moving.origin());
        ModelTarget target = ModelTarget.of(moving, inputs);
        var flow = new LevelFlow(target, Heading.of(direction), seen, moving.origin());
        FlowState half = flow.start();
        for (int i = 0; i < 3; i++) {
            half = flow.advance(half, 0.5).state();
        }
        FlowState end = half;
        for (int i = 0; i < 3; i++) {
            end = flow.advance(end, 0.5).state();
        }
        var again = new LevelFlow(target, Heading.of(direction), seen, moving.origin());
        FlowState taken =
                new FlowState(half.point().clone(), half.step(), half.length(), half.steps(), half.rankChanges());
        for (int i = 0; i < 3; i++) {
            taken = again.advance(taken, 0.5).state();
        }
        assertThat(taken.point()).containsExactly(end.point());
    }

    /** The iteration for many components against the decomposition, at the point that it is prepared at and near it. */
    @Test
    void conjugateGradientsDoWhatTheDecompositionDoes() {
        Model model = layers(6, 5, 7, 2);
        var random = new SplittableRandom(7);
        ModelTarget target = ModelTarget.of(Moving.all(model), Map.of("x", drawn(random, 15)));
        double[] origin = target.origin();
        ProductRows prepared =
                ProductRows.of(target, origin, target.jacobian(origin)).orElseThrow();
        double[] near = Vectors.moved(origin, 0.02, drawn(random, origin.length));
        var exact = new DecomposedRows(target.jacobian(near), 0);
        double[] direction = drawn(random, origin.length);
        double[] change = drawn(random, target.outputCount());
        assertThat(prepared.at(near).kept(direction)).containsExactly(exact.kept(direction), within(1e-11));
        assertThat(prepared.at(near).leastStep(change)).containsExactly(exact.leastStep(change), within(1e-11));
        assertThat(Matrix.over(
                                1,
                                change.length,
                                target.tangent(near, exact.kept(direction)).clone())
                        .frobeniusNorm())
                .isLessThan(1e-11);
    }

    @Test
    void weightsThatAreAllZeroAreRefused() {
        Model model = product(0, 0);
        ModelTarget target = ModelTarget.of(Moving.all(model), Map.of("x", new double[] {1}));
        SeenPart seen = seen(layersOfSize());
        assertThatThrownBy(() -> new LevelFlow(target, new WeightNorm(), seen, target.origin()))
                .hasMessageContaining("what moves has norm 0.0", "let weights move that are not all 0");
    }
}
