package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.DenseNetwork;
import org.isoloss.source.ComputedOutputs;
import org.isoloss.source.NamedArrays;
import org.isoloss.source.StoredNetwork;
import org.isoloss.task.InputTable.RowChoice;
import org.jspecify.annotations.Nullable;

/**
 * What a network gives for some inputs, as the program that trained it computed it. The weights of a file do not say that there
 * is a skip, a second activation or a scaling of the inputs; the outputs do.
 *
 * <p>An output agrees when it differs by at most {@link #TOLERANCE} of its largest magnitude over the inputs (of numbers of one
 * kind, as of logits of a text, of the largest of all), or by no more than float32 explains: 16 times what float32 arithmetic moves this
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
    private final NamedArrays arrays;
    private final RowChoice choice;

    private ExpectedOutputs(String file, NamedArrays arrays, RowChoice choice) {
        this.file = file;
        this.arrays = arrays;
        this.choice = choice;
    }

    /**
     * Reads outputs.
     *
     * @param text a CSV, npz or npy file; of an npz with several arrays one as {@code FILE.npz:NAME}, or each by the name of an
     *     output. One row an input, for three axes one row a token, and one number an input without an axis for outputs
     * @param folder to which the path is relative
     * @param choice which rows of a table the inputs are; a file with outputs for the whole table gives the same ones
     * @return the outputs of the chosen inputs
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when it holds no outputs, or not as many rows
     */
    public static ExpectedOutputs read(String text, Path folder, RowChoice choice) throws IOException {
        var file = new NumberFile(folder.resolve(path(text)));
        String array = array(text);
        if (array == null && Npz.isZip(file.path())) {
            NamedArrays all = NamedArrays.read(file.path());
            if (!all.names().isEmpty()) {
                return new ExpectedOutputs(text, all, choice);
            }
        }
        Optional<StoredTensor> only = file.array(array, false);
        if (only.isPresent()) {
            List<Integer> sizes =
                    only.get().shape().sizes().stream().map(Math::toIntExact).toList();
            return new ExpectedOutputs(
                    text, NamedArrays.NONE.with("", sizes, only.get().toDoubles()), choice);
        }
        Matrix table = file.table(null).numbers();
        return new ExpectedOutputs(
                text, NamedArrays.NONE.with("", List.of(table.rows(), table.columns()), table.entries()), choice);
    }

    /** The rows of the chosen inputs, of an array that has them first, perhaps with an axis of length 1 before. */
    private Matrix rows(String array) {
        List<Integer> sizes = arrays.sizes(array);
        double[] numbers = arrays.numbers(array);
        if (sizes.isEmpty() || numbers.length == 0) {
            throw new IllegalArgumentException(
                    "%s has shape %s, expected outputs of shape (inputs, outputs)".formatted(file, sizes));
        }
        boolean leading = sizes.size() == 3 && sizes.getFirst() == 1 && choice.rows() != 1;
        int inputs = sizes.get(leading ? 1 : 0);
        Matrix all = Matrix.over(inputs, numbers.length / inputs, numbers);
        all.requireFinite(file);
        int chosen = choice.of(Matrix.zeros(choice.rows(), 1)).rows();
        if (inputs != chosen && inputs != choice.rows()) {
            throw new IllegalArgumentException("%s holds outputs of %d inputs, expected %d%s"
                    .formatted(
                            file,
                            inputs,
                            chosen,
                            chosen == choice.rows()
                                    ? ""
                                    : ", as many as are chosen, or %d, as many as the data has"
                                            .formatted(choice.rows())));
        }
        Matrix taken = inputs == choice.rows() ? choice.of(all) : all;
        int columns = sizes.size() == 3 ? sizes.getLast() : taken.columns();
        return Matrix.over(taken.entries().length / columns, columns, taken.entries());
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

    /**
     * Compares what a dense network computes.
     *
     * @param file of the network, for the message
     * @param network with its own weights
     * @param inputs one input a row; kept
     * @return one line that says how well the outputs agree
     * @throws IllegalArgumentException when they do not, in one line
     */
    public List<String> confirm(String file, DenseNetwork network, Matrix inputs) {
        return confirm(
                "%s as %s"
                        .formatted(
                                file,
                                StoredNetwork.described(
                                        network.widths(), network.activation().label())),
                ComputedOutputs.of(network, inputs));
    }

    /**
     * Compares every output that is expected.
     *
     * @param seen what isoloss takes the network for, for the message
     * @param computed what it computes
     * @return one line an output that says how well it agrees
     * @throws IllegalArgumentException when one does not, in one line
     */
    public List<String> confirm(String seen, ComputedOutputs computed) {
        List<String> names = computed.names();
        List<String> given = arrays.names();
        if (given.size() == 1) {
            String only = given.getFirst();
            return List.of(confirm(seen, computed, names.contains(only) ? only : names.getFirst(), rows(only)));
        }
        if (!names.containsAll(given)) {
            throw new IllegalArgumentException("%s holds the arrays %s; name the one that is meant: %s:NAME%s"
                    .formatted(
                            file,
                            String.join(", ", given),
                            file,
                            names.size() == 1
                                    ? ""
                                    : ", or give the outputs of the network alone, which are "
                                            + String.join(", ", names)));
        }
        return given.stream()
                .map(name -> confirm(seen, computed, name, rows(name)))
                .toList();
    }

    private String confirm(String seen, ComputedOutputs network, String name, Matrix outputs) {
        Matrix computed = network.rows(name, Precision.FLOAT64);
        boolean several = network.names().size() > 1;
        if (computed.columns() != outputs.columns() || computed.rows() != outputs.rows()) {
            boolean wide = computed.columns() != outputs.columns();
            throw new IllegalArgumentException("%s holds %d outputs an input, the network gives %d%s; isoloss sees %s"
                    .formatted(
                            file,
                            wide ? outputs.columns() : outputs.rows(),
                            wide ? computed.columns() : computed.rows(),
                            several ? " as '%s'".formatted(name) : "",
                            seen));
        }
        double[] magnitudes = largest(computed, outputs, network.isOfOneKind(name));
        double[] allowed = magnitudes.clone();
        Arrays.setAll(allowed, output -> TOLERANCE * magnitudes[output]);
        Worst worst = worst(computed, outputs, allowed);
        if (worst.share > 1) {
            widen(allowed, network.noise(name));
            worst = worst(computed, outputs, allowed);
        }
        double magnitude = magnitudes[worst.output];
        double computedThere = computed.get(worst.input, worst.output);
        double said = outputs.get(worst.input, worst.output);
        double relative = magnitude == 0 ? 0 : Math.abs(computedThere - said) / magnitude;
        String limit = "allowed %.1e".formatted(magnitude == 0 ? 0 : allowed[worst.output] / magnitude);
        if (!(worst.share <= 1)) {
            throw new IllegalArgumentException(
                    "%s is not what isoloss computes: input %d, output %d%s: isoloss computes %.7g, the file says %.7g, which differs by %.1e of the largest magnitude (%s); isoloss sees %s; %s"
                            .formatted(
                                    file,
                                    worst.input,
                                    worst.output,
                                    several ? " of '%s'".formatted(name) : "",
                                    computedThere,
                                    said,
                                    relative,
                                    limit,
                                    seen,
                                    CAUSES));
        }
        return "%s with %s: %d inputs of %d outputs, largest difference %.1e of the largest magnitude (%s)"
                .formatted(
                        several ? "output '%s' agrees".formatted(name) : "outputs agree",
                        file,
                        outputs.rows(),
                        outputs.columns(),
                        relative,
                        limit);
    }

    /** Where outputs depart most, as a share of what is allowed. */
    private record Worst(int input, int output, double share) {}

    private static Worst worst(Matrix computed, Matrix outputs, double[] allowed) {
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
    private static void widen(double[] allowed, double[] noise) {
        double any = Arrays.stream(noise).max().orElse(0);
        if (Double.isFinite(any)) { // what overflows in float32 explains nothing
            for (int output = 0; output < allowed.length; output++) {
                allowed[output] =
                        Math.max(allowed[output], Math.max(OWN_ROUNDINGS * noise[output], ANY_ROUNDINGS * any));
            }
        }
    }

    private static double[] largest(Matrix first, Matrix second, boolean together) {
        double[] largest = new double[first.columns()];
        for (Matrix matrix : List.of(first, second)) {
            for (int i = 0; i < matrix.entries().length; i++) {
                int column = i % largest.length;
                largest[column] = Math.max(largest[column], Math.abs(matrix.entries()[i]));
            }
        }
        if (together) {
            Arrays.fill(largest, Arrays.stream(largest).max().orElse(0));
        }
        return largest;
    }
}
