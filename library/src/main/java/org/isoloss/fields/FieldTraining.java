package org.isoloss.fields;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Optimizer;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Soap;
import org.isoloss.autodiff.Tensor;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Streams;
import org.isoloss.linalg.GemmKernel;
import org.isoloss.network.PointSampler;

/** Training of r fields together: affine ones in float64, free ones in float32. A pure function of its arguments. */
public final class FieldTraining {
    private static final double LEAST_PRESSURE = 0.003;

    private FieldTraining() {}

    /**
     * Learns fields.
     *
     * @param problem what is to be preserved, and where; its group is not asked
     * @param shape of the fields, of as many parameters as the problem has
     * @param brackets what is asked of their brackets; supplied constants are of as many elements as there are fields
     * @param recipe how to train
     * @param seed of all random streams
     * @param listener told of each step done
     * @return the fields
     * @throws IllegalStateException when the loss is no longer finite
     */
    public static LearnedFields run(
            Problem problem, FieldShape shape, Brackets brackets, FieldRecipe recipe, long seed, IntConsumer listener) {
        require(problem, shape, brackets);
        Graph graph = new Graph();
        FieldLoss loss = new FieldLoss(graph, problem, shape, brackets, recipe);
        Optimizer optimizer = new Soap(graph, loss.trained(), recipe.clip(), recipe.block());
        Program program = graph.compile(shape.isAffine() ? Precision.FLOAT64 : Precision.FLOAT32, GemmKernel.chosen());
        SplittableRandom initial = Streams.INITIALIZATION.stream(seed);
        loss.network().initialize(program, initial);
        List<Tensor> fieldTensors = loss.network().tensors();
        for (Tensor tensor :
                loss.trained().subList(fieldTensors.size(), loss.trained().size())) {
            double[] numbers = new double[tensor.size()];
            Arrays.setAll(numbers, _ -> 0.1 * initial.nextGaussian());
            program.set(tensor, numbers);
        }
        PointSampler near = problem.points();
        PointSampler far = recipe.spread() == 1 ? near : near.widened(recipe.spread());
        double[] drawn = new double[recipe.batch() * shape.parameterCount()];
        for (int step = 0; step < recipe.steps(); step++) {
            SplittableRandom random = Streams.TRAINING.stream(seed, step);
            for (int sample = 0; sample < recipe.batch(); sample++) {
                (2 * sample < recipe.batch() ? near : far).draw(random, drawn, sample * shape.parameterCount());
            }
            program.set(loss.points(), drawn);
            double rate = recipe.learningRate().at(step, recipe.steps());
            boolean late = 2 * step > recipe.steps();
            program.set(loss.pressure(), new double[] {late ? Math.max(LEAST_PRESSURE, rate / recipe.peak()) : 1});
            program.forward();
            double value = program.get(loss.loss(), 0);
            if (Double.isFinite(value)) {
                program.backward(loss.loss());
                value = optimizer.update(program, step + 1, rate);
            }
            if (!Double.isFinite(value)) {
                throw new IllegalStateException(
                        "fields: the loss became %s at step %d; lower the learning rate, which is %s at most"
                                .formatted(value, step, recipe.peak()));
            }
            listener.accept(step + 1);
        }
        return new LearnedFields(
                shape,
                fieldTensors.stream()
                        .map(tensor -> program.get(tensor).entries())
                        .toList());
    }

    /**
     * Returns the root-mean-square norm that training gives each field: that of a change of basis of h hidden units along a
     * matrix of norm 1, {@code s_theta sqrt(p / h)}, with h the size of the supplied matrices, 2 where none are.
     *
     * @param problem says p and s_theta
     * @param brackets says h
     * @return positive
     */
    public static double size(Problem problem, Brackets brackets) {
        int size = brackets instanceof Brackets.Supplied supplied ? supplied.size() : 2;
        return problem.parameterScale() * Math.sqrt((double) problem.points().parameterCount() / size);
    }

    private static void require(Problem problem, FieldShape shape, Brackets brackets) {
        if (shape.parameterCount() != problem.points().parameterCount()) {
            throw new IllegalArgumentException("FieldTraining: fields of %d parameters, the problem has %d"
                    .formatted(shape.parameterCount(), problem.points().parameterCount()));
        }
        if (brackets instanceof Brackets.Supplied supplied
                && supplied.constants().dimension() != shape.count()) {
            throw new IllegalArgumentException("FieldTraining: constants of %d elements for %d fields"
                    .formatted(supplied.constants().dimension(), shape.count()));
        }
    }
}
