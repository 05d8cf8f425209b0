package org.isoloss.task;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.isoloss.affine.AffineFields;
import org.isoloss.affine.Architecture;
import org.isoloss.affine.ConstraintSolver;
import org.isoloss.affine.HiddenActivation;
import org.isoloss.affine.Sampling;
import org.isoloss.checkpoint.TextFile;
import org.isoloss.model.DenseChain;
import org.isoloss.model.Model;
import org.jspecify.annotations.Nullable;

/**
 * A network whose whole algebra of preserving affine fields is wanted, as a file states it.
 *
 * @param name of the network, which every result repeats; letters, digits and hyphens
 * @param network its shape
 * @param sampling changes of the usual sampling
 * @param solver {@code dense} or {@code graded}; the one that suits the size where left out
 * @param seeds of the extractions; the paper's 101, 102 and 103 where left out
 */
public record RecoveryTask(
        String name,
        Shape network,
        @Nullable SamplingChoice sampling,
        @Nullable ConstraintSolver solver,
        @Nullable List<Long> seeds) {
    /** Refuses a task without its parts. */
    public RecoveryTask {
        Check.given("name", name);
        Check.that(name.matches("[A-Za-z0-9-]+"), "name must be letters, digits and hyphens, got '%s'", name);
        Check.given("network", network);
        Check.that(seeds == null || !seeds.isEmpty(), "seeds must name at least one seed");
    }

    /**
     * Reads a task.
     *
     * @param file YAML
     * @param overrides values by dotted key, such as {@code network.activation} to {@code tanh}, in place of the file's
     * @return the task
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException naming file, line, key and what is allowed
     */
    public static RecoveryTask read(Path file, Map<String, String> overrides) throws IOException {
        return TaskFile.parse(file.toString(), TextFile.read(file), overrides, RecoveryTask.class);
    }

    /**
     * Returns the question that the task asks.
     *
     * @param otherSolver in place of the task's; null for its own, or the one that suits the size
     * @return with the network's architecture, the sampling, the seeds and the solver
     */
    public AffineFields question(@Nullable ConstraintSolver otherSolver) {
        Architecture architecture = network.architecture();
        ConstraintSolver stated = otherSolver != null ? otherSolver : solver;
        ConstraintSolver chosen = stated != null ? stated : ConstraintSolver.choose(architecture);
        AffineFields question = AffineFields.of(architecture).solver(chosen);
        if (sampling != null) {
            question = question.sampling(sampling.over(Sampling.of(chosen)));
        }
        return seeds == null
                ? question
                : question.seeds(seeds.stream().mapToLong(Long::longValue).toArray());
    }

    /**
     * The shape of a network.
     *
     * @param widths input, hidden and output widths
     * @param activation one for all hidden layers, or a list of one for each
     * @param biases true, false, or a list of one for each layer; false where left out
     */
    public record Shape(
            List<Integer> widths,

            @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) @Nullable
            List<String> activation,

            @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) @Nullable
            List<Boolean> biases) {
        /** Refuses lists of a wrong length. */
        public Shape {
            Check.given("network.widths", widths);
            Check.that(
                    widths.size() >= 2 && widths.stream().allMatch(width -> width >= 1 && width <= 4_096),
                    "network: widths must be at least two numbers from 1 to 4096, got %s",
                    widths);
            Check.that(
                    widths.size() == 2 || (activation != null && !activation.isEmpty()),
                    "network: 'activation' must be given");
            Check.that(
                    activation == null || activation.size() <= 1 || activation.size() == widths.size() - 2,
                    "network: %s activations for %s hidden layers, expected one or one for each",
                    activation == null ? 0 : activation.size(),
                    widths.size() - 2);
            Check.that(
                    biases == null || biases.size() <= 1 || biases.size() == widths.size() - 1,
                    "network: %s bias flags for %s layers, expected one or one for each",
                    biases == null ? 0 : biases.size(),
                    widths.size() - 1);
        }

        /** {@return the architecture, with an activation for each hidden layer and a flag for each layer} */
        public Architecture architecture() {
            List<HiddenActivation> activations = activation == null
                    ? List.of()
                    : activation.stream().map(HiddenActivation::named).toList();
            List<Boolean> biased = biases == null || biases.isEmpty() ? List.of(false) : biases;
            return new Architecture(
                    widths, repeated(activations, widths.size() - 2), repeated(biased, widths.size() - 1));
        }

        /**
         * Refuses a network of another shape.
         *
         * @param file of the network
         * @param model of it
         * @throws IllegalArgumentException when widths or biases differ
         */
        public void requireShape(Path file, Model model) {
            List<DenseChain.Layer> layers = DenseChain.of(model).orElseThrow();
            List<Integer> stored = new ArrayList<>(List.of(layers.getFirst().inputs()));
            layers.forEach(layer -> stored.add(layer.outputs()));
            List<Boolean> biased =
                    layers.stream().map(layer -> layer.bias() != null).toList();
            List<Boolean> stated = architecture().biased();
            if (!stored.equals(widths) || !biased.equals(stated)) {
                throw new IllegalArgumentException(
                        "%s has widths %s and biases %s, the network file states %s and %s; change network.widths or network.biases"
                                .formatted(file, stored, biased, widths, stated));
            }
        }

        private static <T> List<T> repeated(List<T> given, int count) {
            return given.size() == 1 ? Collections.nCopies(count, given.getFirst()) : given;
        }
    }

    /**
     * Changes of the solver's usual sampling; what is left out stays.
     *
     * @param vectors least number of parameter vectors for every block; 512 for the dense solver, 8 for blocks where left out
     * @param inputs for each vector
     * @param weightScale multiplies all weights
     * @param inputScale multiplies all inputs
     */
    public record SamplingChoice(
            @Nullable Integer vectors,
            @Nullable Integer inputs,
            @Nullable Double weightScale,
            @Nullable Double inputScale) {
        /**
         * Returns the sampling.
         *
         * @param usual what stands where nothing is stated
         * @return with every number
         */
        Sampling over(Sampling usual) {
            return new Sampling(
                    vectors == null ? usual.vectors() : vectors,
                    inputs == null ? usual.inputsPerVector() : inputs,
                    weightScale == null ? usual.weightScale() : weightScale,
                    inputScale == null ? usual.inputScale() : inputScale);
        }
    }
}
