package org.isoloss.installation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.checkpoint.Tying;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.task.TransformerSetting;
import org.isoloss.transformer.Arithmetic;
import org.isoloss.transformer.ForwardPass;
import org.isoloss.transformer.MovedWeights;
import org.isoloss.transformer.TokenBatch;
import org.isoloss.transformer.Transformer;

/**
 * An open transformer with a site, whose selected weights theta_S can be replaced, rounded, run and measured. Nothing is
 * written: each edit starts from the stored weights, which stay as they are.
 */
public final class InstallationSite implements AutoCloseable {
    /** Outputs of this many entries are held at a time. */
    private static final long MOST_OUTPUTS = 8_000_000;

    private static final double FLOOR = 1e-12;

    private final TransformerSetting setting;
    private final StoredTransformer stored;
    private final Rounding rounding;
    private final Tying tying;
    private final Map<String, ElementType> types = new HashMap<>();
    private final SiteCoordinates coordinates;
    private final SiteCoordinates plain;
    private final double[] original;
    private final Matrix movingOutputs;
    private final Matrix compensatingOutputs;

    private InstallationSite(TransformerSetting setting, StoredTransformer stored, Rounding rounding, Tying tying)
            throws IOException {
        this.setting = setting;
        this.stored = stored;
        this.rounding = rounding;
        this.tying = tying;
        this.coordinates = setting.site().orElseThrow();
        this.plain = SiteCoordinates.plain(coordinates.site());
        this.original = plain.origin();
        this.movingOutputs = plain.movingOutputs(row(original));
        this.compensatingOutputs = plain.compensatingOutputs(row(original));
        for (MovedWeights part : setting.feedForward().moved(original)) {
            types.put(
                    part.parameter(),
                    rounding.type(stored.tensor(part.parameter()).type()));
        }
    }

    /**
     * Opens the transformer of a setting, with the head that is stored.
     *
     * @param setting with a site
     * @param rounding of installed weights
     * @return to be closed by the caller
     * @throws IOException when the model cannot be read
     */
    public static InstallationSite open(TransformerSetting setting, Rounding rounding) throws IOException {
        return open(setting, rounding, Tying.AS_STORED);
    }

    /**
     * Opens the transformer of a setting.
     *
     * @param setting with a site
     * @param rounding of installed weights
     * @param tying what makes the logits where another head is stored than the configuration says
     * @return to be closed by the caller
     * @throws IOException when the model cannot be read
     */
    @SuppressWarnings("MustBeClosed") // the result takes the model over and closes it
    public static InstallationSite open(TransformerSetting setting, Rounding rounding, Tying tying) throws IOException {
        StoredTransformer stored = StoredTransformer.open(setting.folder(), tying);
        try {
            return new InstallationSite(setting, stored, rounding, tying);
        } catch (IOException | RuntimeException e) {
            stored.close();
            throw e;
        }
    }

    /** {@return what the site belongs to, as given} */
    public TransformerSetting setting() {
        return setting;
    }

    /**
     * Tells what the outputs of the model are.
     *
     * @return true for the logits of a decoder, false for the last hidden states of an encoder
     */
    public boolean givesLogits() {
        return !stored.config().architecture().isEncoder();
    }

    /** {@return what a reader should know of how the model was understood, one line each, mostly none} */
    public List<String> notes() {
        return stored.notes();
    }

    Tying tying() {
        return tying;
    }

    StoredTransformer stored() {
        return stored;
    }

    SiteCoordinates coordinates() {
        return coordinates;
    }

    Rounding rounding() {
        return rounding;
    }

    /** The type that a parameter of the site is rounded to. */
    ElementType type(String parameter) {
        ElementType type = types.get(parameter);
        if (type == null) {
            throw new IllegalArgumentException("parameter '%s' does not move at this site".formatted(parameter));
        }
        return type;
    }

    /** The selected weights as they are stored: U_B, then the moving rows. */
    double[] original() {
        return original.clone();
    }

    /** The selected weights that coordinates stand for, rounded. */
    double[] installed(double[] point) {
        return setting.feedForward().nearest(coordinates.toPlain(point), this::type);
    }

    /** The same without rounding. */
    double[] exact(double[] point) {
        return coordinates.toPlain(point);
    }

    /** Moves stored weights on: their coordinates move, what coordinates do not see stays, and the sum is rounded. */
    double[] onward(double[] weights, UnaryOperator<double[]> move) {
        double[] from = coordinates.fromPlain(weights);
        double[] before = coordinates.toPlain(from);
        double[] after = coordinates.toPlain(move.apply(from));
        double[] next = weights.clone();
        for (int i = 0; i < next.length; i++) {
            next[i] += after[i] - before[i];
        }
        return setting.feedForward().nearest(next, this::type);
    }

    Transformer transformer(Arithmetic arithmetic) throws IOException {
        return Transformer.of(stored, arithmetic);
    }

    List<MovedWeights> parts(double[] weights) {
        return setting.feedForward().moved(weights);
    }

    /** Runs the complete model for each edit on one text, and looks at its tokens from one on. */
    List<OutputDrift> drifts(Arithmetic arithmetic, List<Integer> tokens, int from, List<double[]> edits)
            throws IOException {
        TokenBatch batch =
                TokenBatch.of(tokens.stream().mapToInt(Integer::intValue).toArray());
        Transformer transformer = transformer(arithmetic);
        long each = (long) tokens.size() * transformer.config().vocabulary();
        int most = (int) Math.clamp(MOST_OUTPUTS / each, 2, edits.size() + 1L) - 1;
        List<OutputDrift> drifts = new ArrayList<>();
        for (int begin = 0; begin < edits.size(); begin += most) {
            List<List<MovedWeights>> some = new ArrayList<>();
            some.add(List.of());
            edits.subList(begin, Math.min(edits.size(), begin + most)).forEach(edit -> some.add(parts(edit)));
            ForwardPass pass = transformer.runEach(batch, setting.feedForward().layer(), some);
            Matrix before = pass.output(0).rows(from, tokens.size());
            for (int i = 1; i < some.size(); i++) {
                drifts.add(OutputDrift.of(before, pass.output(i).rows(from, tokens.size())));
            }
        }
        return drifts;
    }

    /** The displacement {@code ||theta'_S - theta_S||}. */
    static double distance(double[] from, double[] to) {
        double sum = 0;
        for (int i = 0; i < from.length; i++) {
            sum += (to[i] - from[i]) * (to[i] - from[i]);
        }
        return Math.sqrt(sum);
    }

    double motionPercent(double[] weights) {
        return 100 * distance(original, weights) / (row(original).frobeniusNorm() + FLOOR);
    }

    /** The change of the block's output on the prefix over the sum of those of the moving and the compensating units. */
    double cancellation(double[] weights) {
        Matrix moving = plain.movingOutputs(row(weights)).minus(movingOutputs);
        Matrix compensating = plain.compensatingOutputs(row(weights)).minus(compensatingOutputs);
        return moving.plus(compensating).frobeniusNorm()
                / (moving.frobeniusNorm() + compensating.frobeniusNorm() + FLOOR);
    }

    private static Matrix row(double[] numbers) {
        return Matrix.of(1, numbers.length, numbers);
    }

    @Override
    public void close() throws IOException {
        stored.close();
    }
}
