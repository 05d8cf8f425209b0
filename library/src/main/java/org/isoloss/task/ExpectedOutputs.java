package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.checkpoint.TransformerConfig;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Float32Outputs;
import org.isoloss.task.InputTable.RowChoice;
import org.isoloss.transformer.Arithmetic;
import org.isoloss.transformer.TokenBatch;
import org.isoloss.transformer.Transformer;
import org.jspecify.annotations.Nullable;

/**
 * What a network gives for some inputs, as the program that trained it computed it. The weights of a file do not say that there
 * is a skip, a second activation or a scaling of the inputs; the outputs do.
 *
 * <p>An output agrees when it differs by at most {@link #TOLERANCE} of its largest magnitude over the inputs (for a
 * transformer, of the largest of all outputs), or by no more than float32 explains: 16 times what float32 arithmetic moves this
 * output, or 4 times what it moves any.
 */
public final class ExpectedOutputs {
    /** Largest difference of an output, relative to its largest magnitude. */
    public static final double TOLERANCE = 1e-5;

    private static final double OWN_ROUNDINGS = 16;
    private static final double ANY_ROUNDINGS = 4;
    private static final Pattern WITH_ARRAY = Pattern.compile("(.+\\.npz):([^:\\\\]+)");
    private static final String CAUSES =
            "usual causes: a skip connection, a second or a last activation, a normalisation, dropout left active (model.eval()),"
                    + " inputs in other units or another order";

    private final String file;
    private final Matrix outputs;

    private ExpectedOutputs(String file, Matrix outputs) {
        this.file = file;
        this.outputs = outputs;
    }

    /**
     * Reads outputs.
     *
     * @param text a CSV, npz or npy file, an npz with several arrays as {@code FILE.npz:NAME}; one row an input, also with an
     *     axis of length 1 before, and one number an input without an axis for outputs
     * @param folder to which the path is relative
     * @param choice which rows of a table the inputs are; a file with outputs for the whole table gives the same ones
     * @return the outputs of the chosen inputs
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when it holds no outputs, or not as many rows
     */
    public static ExpectedOutputs read(String text, Path folder, RowChoice choice) throws IOException {
        NumberFile file = new NumberFile(folder.resolve(path(text)));
        Optional<StoredTensor> array = file.array(array(text), false);
        Matrix all =
                array.isPresent() ? matrix(text, array.get()) : file.table(null).numbers();
        all.requireFinite(text);
        int chosen = choice.of(Matrix.zeros(choice.rows(), 1)).rows();
        if (all.rows() != chosen && all.rows() != choice.rows()) {
            throw new IllegalArgumentException("%s holds outputs of %d inputs, expected %d%s"
                    .formatted(
                            text,
                            all.rows(),
                            chosen,
                            chosen == choice.rows()
                                    ? ""
                                    : ", as many as are chosen, or %d, as many as the data has"
                                            .formatted(choice.rows())));
        }
        return new ExpectedOutputs(text, all.rows() == choice.rows() ? choice.of(all) : all);
    }

    private static String path(String text) {
        Matcher array = WITH_ARRAY.matcher(text);
        return array.matches() ? array.group(1) : text;
    }

    private static @Nullable String array(String text) {
        Matcher array = WITH_ARRAY.matcher(text);
        return array.matches() ? array.group(2) : null;
    }

    /**
     * Returns the file of such a text.
     *
     * @param text as {@link #read} takes it
     * @return without the name of an array
     */
    public static Path file(String text) {
        return Path.of(path(text));
    }

    /** The same array of the same file, whatever the folder from which it is read. */
    static String absolute(Path folder, String text) {
        String array = array(text);
        String path = folder.resolve(path(text)).toAbsolutePath().normalize().toString();
        return array == null ? path : path + ":" + array;
    }

    private static Matrix matrix(String text, StoredTensor array) {
        Shape shape = array.shape();
        int rank = shape.rank();
        boolean leading = rank == 3 && shape.size(0) == 1;
        if (shape.count() == 0 || shape.count() > Integer.MAX_VALUE || !(rank == 1 || rank == 2 || leading)) {
            throw new IllegalArgumentException(
                    "%s has shape %s, expected outputs of shape (inputs, outputs)".formatted(text, shape));
        }
        int columns = rank == 1 ? 1 : (int) shape.size(rank - 1);
        return Matrix.over((int) shape.count() / columns, columns, array.toDoubles());
    }

    /**
     * Compares what a dense network computes.
     *
     * @param checkpoint the network's file, for the message
     * @param network with its own weights
     * @param inputs one input a row; not modified
     * @return one line that says how well the outputs agree
     * @throws IllegalArgumentException when they do not, in one line
     */
    public String confirm(String checkpoint, DenseNetwork network, Matrix inputs) {
        String seen = seen(checkpoint, network.widths(), network.activation().label());
        return confirm(
                seen, network.outputs(network.parameters(), inputs), () -> Float32Outputs.of(network, inputs), true);
    }

    /** What isoloss takes a file for. */
    static String seen(String file, List<Integer> widths, String activations) {
        int layers = widths.size() - 1;
        return "%s as %d layer%s of widths %s with %s"
                .formatted(
                        file,
                        layers,
                        layers == 1 ? "" : "s",
                        widths.stream().map(String::valueOf).collect(Collectors.joining(", ")),
                        layers == 1 ? "no activation" : activations + " between them and none after the last");
    }

    /**
     * Compares what any function computes, without an allowance for float32 where the outputs cancel.
     *
     * @param seen what isoloss takes the function for, for the message
     * @param computed one input a row, one output a column; not modified
     * @return one line that says how well the outputs agree
     * @throws IllegalArgumentException when they do not, in one line
     */
    String confirm(String seen, Matrix computed) {
        return confirm(seen, computed, () -> computed, true);
    }

    /**
     * Compares what a transformer computes.
     *
     * @param stored the transformer, open
     * @param transformer the same in float64
     * @param tokens of one text
     * @return one line that says how well the logits, or the last hidden states of an encoder, agree
     * @throws IOException when the weights cannot be read
     * @throws IllegalArgumentException when they do not agree, in one line
     */
    public String confirm(StoredTransformer stored, Transformer transformer, TokenBatch tokens) throws IOException {
        TransformerConfig config = transformer.config();
        String seen = "%s as %s of %d layers of width %d with %s"
                .formatted(
                        stored.weights().path(),
                        config.architecture(),
                        config.layers(),
                        config.width(),
                        config.activation().label());
        Transformer narrow = Transformer.of(stored, Arithmetic.FLOAT32);
        return confirm(
                seen, transformer.run(tokens).output(), () -> narrow.run(tokens).output(), false);
    }

    /** Compares what any program of ours computes; {@code narrow} does so in float32. */
    String confirm(String seen, Matrix computed, Supplier<Matrix> narrow) {
        return confirm(seen, computed, narrow, true);
    }

    private String confirm(String seen, Matrix computed, Supplier<Matrix> narrow, boolean eachOutput) {
        if (computed.columns() != outputs.columns()) {
            throw new IllegalArgumentException("%s holds %d outputs an input, the network gives %d; isoloss sees %s"
                    .formatted(file, outputs.columns(), computed.columns(), seen));
        }
        double[] magnitudes = largest(computed, outputs, eachOutput);
        double[] allowed = magnitudes.clone();
        for (int output = 0; output < allowed.length; output++) {
            allowed[output] *= TOLERANCE;
        }
        Worst worst = worst(computed, allowed);
        if (worst.share > 1) {
            widen(allowed, computed, narrow.get());
            worst = worst(computed, allowed);
        }
        double magnitude = magnitudes[worst.output];
        double computedThere = computed.get(worst.input, worst.output);
        double said = outputs.get(worst.input, worst.output);
        double relative = magnitude == 0 ? 0 : Math.abs(computedThere - said) / magnitude;
        String limit = "allowed %.1e".formatted(magnitude == 0 ? 0 : allowed[worst.output] / magnitude);
        if (!(worst.share <= 1)) {
            throw new IllegalArgumentException(
                    "%s is not what isoloss computes: input %d, output %d: isoloss computes %.7g, the file says %.7g, which differs by %.1e of the largest magnitude (%s); isoloss sees %s; %s"
                            .formatted(
                                    file,
                                    worst.input,
                                    worst.output,
                                    computedThere,
                                    said,
                                    relative,
                                    limit,
                                    seen,
                                    CAUSES));
        }
        return "outputs agree with %s: %d inputs of %d outputs, largest difference %.1e of the largest magnitude (%s)"
                .formatted(file, outputs.rows(), outputs.columns(), relative, limit);
    }

    /** Where outputs depart most, as a share of what is allowed. */
    private record Worst(int input, int output, double share) {}

    private Worst worst(Matrix computed, double[] allowed) {
        Worst worst = new Worst(0, 0, 0);
        for (int input = 0; input < outputs.rows(); input++) {
            for (int output = 0; output < outputs.columns(); output++) {
                double difference = Math.abs(computed.get(input, output) - outputs.get(input, output));
                double share = difference == 0 ? 0 : difference / allowed[output];
                if (!(share <= worst.share)) { // also where it is NaN
                    worst = new Worst(input, output, share);
                }
            }
        }
        return worst;
    }

    /** Allows what rounding to float32 explains. */
    private static void widen(double[] allowed, Matrix computed, Matrix narrow) {
        Matrix rounding = narrow.minus(computed);
        double[] own = largest(rounding, rounding, true);
        double any = 0;
        for (double noise : own) {
            any = Math.max(any, noise);
        }
        if (Double.isFinite(any)) { // what overflows in float32 explains nothing
            for (int output = 0; output < allowed.length; output++) {
                allowed[output] = Math.max(allowed[output], Math.max(OWN_ROUNDINGS * own[output], ANY_ROUNDINGS * any));
            }
        }
    }

    private static double[] largest(Matrix first, Matrix second, boolean eachOutput) {
        double[] largest = new double[first.columns()];
        double all = 0;
        for (Matrix matrix : List.of(first, second)) {
            for (int row = 0; row < matrix.rows(); row++) {
                for (int column = 0; column < largest.length; column++) {
                    largest[column] = Math.max(largest[column], Math.abs(matrix.get(row, column)));
                    all = Math.max(all, largest[column]);
                }
            }
        }
        if (!eachOutput) {
            Arrays.fill(largest, all);
        }
        return largest;
    }
}
