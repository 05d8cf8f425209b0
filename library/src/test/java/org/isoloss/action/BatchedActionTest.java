package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Tensor;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.isoloss.network.Activation;
import org.isoloss.network.BatchView;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.TwoLayerBlock;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Random weights: the laws hold before any training, for every batch. {@code BatchedTrainingTest} tests what training adds. */
class BatchedActionTest {
    private static final Generators TRANSLATION = LatentAction.Translation.generators(1);

    private static TwoLayerBlock block() {
        SplittableRandom random = new SplittableRandom(1);
        return TwoLayerBlock.of(
                Activation.TANH,
                DenseLayer.of(
                        Matrix.gaussian(6, 5, random),
                        Matrix.gaussian(1, 6, random).entries()),
                DenseLayer.of(Matrix.gaussian(4, 6, random)));
    }

    private static SiteCoordinates site(Matrix batch, boolean reduced) {
        CompensationSite site = CompensationSite.of(block(), batch, new int[] {5}, new int[] {4, 0, 2});
        return reduced ? SiteCoordinates.reduced(site) : SiteCoordinates.plain(site);
    }

    private static Matrix batch(long seed) {
        return Matrix.gaussian(3, 5, new SplittableRandom(seed));
    }

    private static BatchedAction action(SiteCoordinates site, SplittableRandom random) {
        BatchView view = BatchView.of(site);
        BatchedShape shape =
                new BatchedShape(site.readout().rows(), 3, 6, view.directions().columns(), 12, 2, 0.4, 0.1);
        List<double[]> weights = new ArrayList<>();
        for (Tensor tensor : new ResponseNetwork(new Graph(), shape).tensors()) {
            double[] numbers = new double[tensor.size()];
            Arrays.setAll(numbers, i -> random.nextGaussian() / Math.sqrt(tensor.rows()));
            weights.add(numbers);
        }
        return new BatchedAction(shape, TRANSLATION, weights, view);
    }

    /** What random weights preserve is nothing: the laws of the group are all there is to test. */
    private static GroupActionContract.Instance instance(SiteCoordinates site, SplittableRandom random) {
        Target nothing = new Target() {
            @Override
            public int parameterCount() {
                return site.parameterCount();
            }

            @Override
            public int outputCount() {
                return 1;
            }

            @Override
            public Matrix outputs(Matrix parameters) {
                return Matrix.zeros(parameters.rows(), 1);
            }
        };
        return new GroupActionContract.Instance(
                action(site, random), nothing, GroupActionContract.around(site.origin(), 12, random));
    }

    @Nested
    class Plain extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return BatchedActionTest.instance(site(batch(2), false), random);
        }
    }

    @Nested
    class Reduced extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return BatchedActionTest.instance(site(batch(2), true), random);
        }
    }

    /** At hand for a batch that its weights were not made with. */
    @Nested
    class AnotherBatch extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            Instance made = BatchedActionTest.instance(site(batch(2), true), random);
            BatchView other = BatchView.of(site(batch(7), true));
            return new Instance(((BatchedAction) made.action()).on(other), made.target(), made.points());
        }
    }

    private static Matrix element(double coefficient) {
        Matrix element = GroupWord.exp(coefficient).matrix(TRANSLATION);
        return Matrix.over(1, element.entries().length, element.entries());
    }

    private static Matrix permuted(Matrix batch) {
        Matrix permuted = batch.copy();
        System.arraycopy(batch.entries(), 0, permuted.entries(), 5, 10);
        System.arraycopy(batch.entries(), 10, permuted.entries(), 0, 5);
        return permuted;
    }

    @Test
    void aPermutedBatchGivesTheSameBits() {
        BatchedAction action = action(site(batch(2), false), new SplittableRandom(3));
        BatchedAction permuted = action.on(BatchView.of(site(permuted(batch(2)), false)));
        Matrix points = GroupActionContract.around(site(batch(2), false).origin(), 8, new SplittableRandom(4));
        Matrix elements = Batches.repeated(element(0.4), 8);

        assertThat(permuted.apply(elements, points).entries())
                .isEqualTo(action.apply(elements, points).entries());
        BatchedAction other = action.on(BatchView.of(site(batch(7), false)));
        assertThat(other.apply(elements, points)
                        .minus(action.apply(elements, points))
                        .largestMagnitude())
                .as("another batch is another map")
                .isGreaterThan(1e-3);
    }

    /** Reduced coordinates depend on the order of the inputs; the weights that they stand for do not. */
    @Test
    void aPermutedBatchMovesTheSameWeights() {
        SiteCoordinates site = site(batch(2), true);
        SiteCoordinates permuted = site(permuted(batch(2)), true);
        BatchedAction action = action(site, new SplittableRandom(3));
        double[] moved = site.toPlain(action.apply(GroupWord.exp(0.4), site.origin()));
        double[] same =
                permuted.toPlain(action.on(BatchView.of(permuted)).apply(GroupWord.exp(0.4), permuted.origin()));

        for (int i = 0; i < moved.length; i++) {
            assertThat(same[i]).isCloseTo(moved[i], within(1e-12));
        }
    }

    /** The field of a batch is as long as the stride where the batch sees enough of it, and longer where it does not. */
    @Test
    void theFieldIsAsLongAsTheStrideUnlessTooLittleIsSeen() {
        SiteCoordinates site = site(batch(2), true);
        List<double[]> weights = action(site, new SplittableRandom(3)).weights();
        List<double[]> trained = weights.subList(0, weights.size() - 1);
        Matrix origin = Matrix.of(1, site.origin().length, site.origin());
        Matrix direction = Matrix.of(1, 4, TRANSLATION.get(0).entries());

        double length = fieldLength(1e-6, trained, site, direction, origin);
        assertThat(length).isCloseTo(0.4, within(1e-12));
        assertThat(fieldLength(0.1, trained, site, direction, origin)).isGreaterThan(2 * length);
    }

    private static double fieldLength(
            double reach, List<double[]> weights, SiteCoordinates site, Matrix direction, Matrix origin) {
        BatchedShape shape = new BatchedShape(1, 3, 6, 3, 12, 2, 0.4, reach);
        return new BatchedAction(shape, TRANSLATION, weights, BatchView.of(site))
                .field(direction, origin)
                .frobeniusNorm();
    }

    @Test
    void aDescriptionIsReadBack() {
        BatchedAction action = action(site(batch(2), true), new SplittableRandom(3));
        Map<String, double[]> tensors = new LinkedHashMap<>();
        for (int i = 0; i < action.weights().size(); i++) {
            tensors.put(action.tensors().get(i).name(), action.weights().get(i));
        }
        assertThat(tensors).hasSameSizeAs(action.tensors());

        TrainedAction read = TrainedAction.read(
                ActionKind.BATCHED,
                key -> action.description().getOrDefault(key, ""),
                action.generators(),
                tensor -> tensors.getOrDefault(tensor.name(), new double[0]));
        assertThat(read.description()).isEqualTo(action.description());
        double[] origin = site(batch(2), true).origin();
        assertThat(read.apply(GroupWord.exp(0.3), origin)).isEqualTo(action.apply(GroupWord.exp(0.3), origin));
        assertThat(action.copy().apply(GroupWord.exp(0.3), origin)).isEqualTo(action.apply(GroupWord.exp(0.3), origin));
        assertThat(action.forRows(1).apply(GroupWord.exp(0.3), origin))
                .usingComparatorWithPrecision(1e-12)
                .containsExactly(action.apply(GroupWord.exp(0.3), origin));
    }

    @Test
    void whatDoesNotFitIsRefused() {
        BatchedAction action = action(site(batch(2), true), new SplittableRandom(3));
        CompensationSite smaller = CompensationSite.of(block(), batch(2).rows(0, 2), new int[] {5}, new int[] {4, 0});
        assertThatThrownBy(() -> action.on(BatchView.of(SiteCoordinates.reduced(smaller))))
                .hasMessage(
                        "BatchedAction: the batch has 2 inputs of 6 numbers, expected 3 of 6: as many inputs as compensating units");
        BatchedShape shape = new BatchedShape(1, 3, 6, 3, 12, 2, 0.4, 0.1);
        List<double[]> weights = action.weights().subList(0, action.weights().size() - 1);
        assertThatThrownBy(
                        () -> new BatchedAction(shape, LatentAction.Translation.generators(2), weights, action.batch()))
                .hasMessage("BatchedAction: 2 generators of size 3, expected the one of translations, of size 2");
        List<double[]> blind = new ArrayList<>(weights);
        blind.set(weights.size() - 1, new double[6]);
        assertThatThrownBy(() -> new BatchedAction(shape, TRANSLATION, blind, action.batch()))
                .hasMessage(
                        "BatchedAction: no input of the batch is read out, so it has no direction to move in; protect other inputs");
        assertThatThrownBy(() -> new BatchedShape(1, 3, 6, 3, 0, 2, 0.4, 0.1))
                .hasMessage(
                        "BatchedShape: outputs 1, inputs 3, seen 6, visible 3, width 0, depth 2, stride 0.4, reach 0.1: all must be positive");
    }
}
