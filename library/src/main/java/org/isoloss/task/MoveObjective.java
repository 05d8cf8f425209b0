package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.flow.ClassLoss;
import org.isoloss.flow.Heading;
import org.isoloss.flow.Objective;
import org.isoloss.flow.Rounding;
import org.isoloss.flow.SeenPart;
import org.isoloss.flow.WeightGrid;
import org.isoloss.flow.WeightMagnitudes;
import org.isoloss.flow.WeightNorm;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Dimensions;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.OutputChannels;

/**
 * What falls along a move, and what is shown of it.
 *
 * @param falls along the way
 * @param shown for a point
 */
record MoveObjective(Objective falls, ToDoubleFunction<double[]> shown) {
    /**
     * Makes the objective of a direction.
     *
     * @param kept what stays
     * @param seen what is seen of a motion
     * @param outputs the protected outputs at a point
     */
    static MoveObjective of(
            MoveDirection direction, ModelTarget kept, SeenPart seen, Function<double[], Matrix> outputs)
            throws IOException {
        double[] origin = kept.origin();
        double norm = norm(origin);
        return switch (direction) {
            case MoveDirection.Random(long seed) -> {
                var random = new SplittableRandom(seed);
                double[] drawn = new double[origin.length];
                Arrays.setAll(drawn, _ -> random.nextGaussian());
                yield heading(seen.of(drawn), origin);
            }
            case MoveDirection.Stored(Path file) -> heading(stored(file, kept.moving()), origin);
            case MoveDirection.SmallerNorm() -> new MoveObjective(new WeightNorm(), point -> norm(point) / norm);
            case MoveDirection.Sparser() -> {
                WeightMagnitudes magnitudes = WeightMagnitudes.of(origin);
                yield new MoveObjective(magnitudes, point -> (double) magnitudes.nearZero(point) / point.length);
            }
            case MoveDirection.LessRounding(WeightGrid.Kind kind) -> {
                WeightGrid grid = WeightGrid.of(kind, OutputChannels.of(kept.moving()));
                Matrix wanted = outputs.apply(origin);
                yield new MoveObjective(
                        Rounding.of(kept, grid, origin),
                        point ->
                                outputs.apply(grid.rounded(point)).minus(wanted).frobeniusNorm()
                                        / wanted.frobeniusNorm());
            }
            case MoveDirection.Loss(ModelBatch inputs, List<Integer> labels, boolean increases) -> {
                Moving same = Moving.at(inputs.model(), kept.moving().within());
                ClassLoss loss = ClassLoss.of(ModelTarget.of(same, inputs.batches()), labels, increases);
                yield new MoveObjective(loss, loss::loss);
            }
        };
    }

    private static MoveObjective heading(double[] direction, double[] origin) {
        Heading heading = Heading.of(direction);
        double begin = heading.value(origin);
        double norm = norm(origin);
        return new MoveObjective(heading, point -> (begin - heading.value(point)) / norm);
    }

    private static double[] stored(Path file, Moving moving) throws IOException {
        double[] direction = new double[moving.count()];
        int next = 0;
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            boolean single = moving.places().size() == 1 && checkpoint.names().size() == 1;
            for (Map.Entry<String, int[]> tensor : moving.places().entrySet()) {
                String name = single ? checkpoint.names().getFirst() : tensor.getKey();
                if (!checkpoint.names().contains(name)) {
                    throw new IllegalArgumentException(
                            "--toward %s: no array '%s', which moves; there are %s; give one of its shape for each tensor that moves"
                                    .formatted(file, name, String.join(", ", checkpoint.names())));
                }
                StoredTensor stored = checkpoint.tensor(name);
                Dimensions shape = moving.model().parameter(tensor.getKey()).shape();
                String expected = Shape.of(
                                Arrays.stream(shape.toArray()).asLongStream().toArray())
                        .toString();
                if (!stored.shape().toString().equals(expected)) {
                    throw new IllegalArgumentException(
                            "--toward %s: the array '%s' has shape %s, expected %s, that of the tensor %s"
                                    .formatted(file, name, stored.shape(), expected, tensor.getKey()));
                }
                double[] numbers = stored.toDoubles();
                for (int place : tensor.getValue()) {
                    direction[next++] = numbers[place];
                }
            }
        }
        double norm = norm(direction);
        if (!(norm > 0 && Double.isFinite(norm))) {
            throw new IllegalArgumentException(
                    "--toward %s: the numbers for what moves have norm %s, so they are no direction"
                            .formatted(file, norm));
        }
        return direction;
    }

    static double norm(double[] vector) {
        return Matrix.over(1, vector.length, vector).frobeniusNorm();
    }
}
