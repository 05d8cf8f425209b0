package org.isoloss.installation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.Tying;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Rerun;
import org.isoloss.model.Value;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.source.StoredNetwork;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.ModelSetting;
import org.isoloss.task.ModelSite;

/**
 * A model with a site, whose selected weights theta_S can be replaced, rounded, run and measured. Nothing is
 * written: each edit starts from the stored weights, which stay as they are.
 */
public final class InstallationSite {
    private static final double FLOOR = 1e-12;

    private final ModelSetting setting;
    private final ModelSite modelSite;
    private final ModelBatch batch;
    private final Rounding rounding;
    private final Map<String, ElementType> types = new HashMap<>();
    private final Map<List<Integer>, ModelBatch> texts = new HashMap<>();
    private final Map<List<Object>, List<Rerun>> reruns = new HashMap<>();
    private final SiteCoordinates coordinates;
    private final SiteCoordinates plain;
    private final double[] original;
    private final Matrix movingOutputs;
    private final Matrix compensatingOutputs;

    private InstallationSite(ModelSetting setting, ModelBatch batch, Rounding rounding) {
        this.setting = setting;
        this.batch = batch;
        this.rounding = rounding;
        this.modelSite = setting.modelSite().orElseThrow();
        this.coordinates = setting.site().orElseThrow();
        this.plain = SiteCoordinates.plain(coordinates.site());
        this.original = plain.origin();
        this.movingOutputs = plain.movingOutputs(row(original));
        this.compensatingOutputs = plain.compensatingOutputs(row(original));
    }

    /**
     * Opens the model of a setting, with the head that is stored.
     *
     * @param setting with a site
     * @param rounding of installed weights
     * @return ready for edits
     * @throws IOException when the model cannot be read
     */
    public static InstallationSite open(ModelSetting setting, Rounding rounding) throws IOException {
        return open(setting, rounding, Tying.AS_STORED);
    }

    /**
     * Opens the model of a setting.
     *
     * @param setting with a site
     * @param rounding of installed weights
     * @param tying what makes the logits where another head is stored than the configuration says
     * @return ready for edits
     * @throws IOException when the model cannot be read
     */
    public static InstallationSite open(ModelSetting setting, Rounding rounding, Tying tying) throws IOException {
        ModelBatch stored = setting.batch();
        var reading = new Reading(tying, StoredNetwork.Tensors.ALL, /* activation= */ null);
        ModelBatch batch = tying == Tying.AS_STORED ? stored : stored.of(stored.file(), reading);
        var site = new InstallationSite(setting, batch, rounding);
        for (String name : site.modelSite.tensors()) {
            site.types.put(name, rounding.type(batch.tensor(name).type()));
        }
        return site;
    }

    /** {@return what the site belongs to, as given} */
    public ModelSetting setting() {
        return setting;
    }

    /**
     * Tells what the outputs of the model are.
     *
     * @return true for the logits of a decoder, false for the last hidden states of an encoder, and what else a model gives
     */
    public boolean givesLogits() {
        return batch.model().outputs().firstEntry().getKey().equals("logits");
    }

    /** {@return what a reader should know of how the model was understood, one line each, mostly none} */
    public List<String> notes() {
        return batch.notices();
    }

    ModelSite modelSite() {
        return modelSite;
    }

    /** The protected inputs. */
    ModelBatch batch() {
        return batch;
    }

    /** A text as inputs of the model. */
    ModelBatch batch(List<Integer> tokens) throws IOException {
        ModelBatch known = tokens.equals(batch.tokens()) ? batch : texts.get(tokens);
        if (known == null) {
            known = batch.of(tokens);
            texts.put(tokens, known);
        }
        return known;
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
        return modelSite.nearest(coordinates.toPlain(point), this::type);
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
        return modelSite.nearest(next, this::type);
    }

    /** Runs the complete model for each edit on some inputs, and looks at the places of its first output from one on. */
    List<OutputDrift> drifts(Precision precision, ModelBatch inputs, int from, List<double[]> edits) {
        List<Rerun> batches = reruns.computeIfAbsent(List.of(precision, inputs), _ -> reruns(precision, inputs));
        int width = width(inputs.model());
        Matrix before = rows(batches, Map.of(), width, from);
        List<OutputDrift> drifts = new ArrayList<>();
        for (double[] edit : edits) {
            drifts.add(OutputDrift.of(before, rows(batches, modelSite.tensors(edit), width, from)));
        }
        return drifts;
    }

    private List<Rerun> reruns(Precision precision, ModelBatch inputs) {
        Model model = inputs.model();
        List<Value> output = List.of(model.outputs().firstEntry().getValue());
        return inputs.batches().stream()
                .map(numbers -> Rerun.of(model, precision, numbers, output, modelSite.tensors()))
                .toList();
    }

    private static Matrix rows(List<Rerun> batches, Map<String, double[]> tensors, int width, int from) {
        double[] all = batches.stream()
                .flatMapToDouble(batch -> Arrays.stream(batch.results(tensors).getFirst()))
                .toArray();
        return Matrix.over(all.length / width, width, all).rows(from, all.length / width);
    }

    private static int width(Model model) {
        return model.outputs().firstEntry().getValue().shape().sizes().reversed().stream()
                .findFirst()
                .orElse(1);
    }

    /** Runs the unedited model in float32 beside itself with its sums in another order. */
    OutputDrift noise(ModelBatch inputs) {
        return OutputDrift.of(
                output(inputs, inputs.model()), output(inputs, inputs.model().reordered()));
    }

    /** The first output in float32, one place a row. */
    static Matrix output(ModelBatch inputs, Model model) {
        double[] all = inputs.batches().stream()
                .flatMapToDouble(batch -> Arrays.stream(
                        model.run(Precision.FLOAT32, batch).firstEntry().getValue()))
                .toArray();
        int width = width(model);
        return Matrix.over(all.length / width, width, all);
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
}
