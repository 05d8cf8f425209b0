package org.isoloss.installation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.action.GroupAction;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.linalg.Matrix;
import org.isoloss.task.ModelBatch;

/**
 * One edit of a model and all that must be known of it, so that nobody takes noise for a symmetry: what changed in the
 * weights, what that did to the complete model, and what rounding alone does to it.
 */
public final class Installation {
    private final InstallationSite site;
    private final double coefficient;
    private final double[] weights;
    private final Map<String, double[]> tensors;
    private final Measures measures;

    /**
     * What was measured.
     *
     * @param weights which weights changed after rounding, and by how many units in the last place
     * @param motionPercent change of the selected weights in percent of their norm
     * @param cancellation of the change of the block's output on the prefix
     * @param float32 change of the outputs on the prefix in float32
     * @param float64 the same in float64, with the same rounded weights
     * @param unrounded the same in float64 with weights that were not rounded
     * @param noise what float32 alone does: the unedited model with its sums in another order, beside itself
     * @param continuation change of the outputs on what follows the prefix, in float32; nothing without such a text
     * @param fresh change of the outputs on other texts, in float32
     */
    public record Measures(
            EditReport weights,
            double motionPercent,
            double cancellation,
            OutputDrift float32,
            OutputDrift float64,
            OutputDrift unrounded,
            OutputDrift noise,
            Optional<OutputDrift> continuation,
            List<OutputDrift> fresh) {
        /** Keeps a list of its own. */
        public Measures {
            fresh = List.copyOf(fresh);
        }
    }

    private Installation(
            InstallationSite site,
            double coefficient,
            double[] weights,
            Map<String, double[]> tensors,
            Measures measures) {
        this.site = site;
        this.coefficient = coefficient;
        this.weights = weights;
        this.tensors = tensors;
        this.measures = measures;
    }

    /**
     * Installs {@code exp(t h)} at the original weights and measures. The stored model is not touched.
     *
     * @param site open as long as this is used
     * @param action on the coordinates of the site
     * @param t the coefficient
     * @param texts to measure on
     * @return the edit
     * @throws IOException when the model cannot be read
     */
    public static Installation of(InstallationSite site, GroupAction action, double t, Texts texts) throws IOException {
        double[] point = Transformations.moved(
                        action,
                        action.generators(),
                        new double[] {t},
                        site.setting().origin())
                .requireFinite("the moved weights")
                .row(0);
        double[] weights = site.installed(point);
        // not rounded yet, so that what rounding undoes is counted
        Map<String, double[]> tensors = site.modelSite().tensors(site.exact(point));
        List<EditReport.EditedTensor> edited = new ArrayList<>();
        for (Map.Entry<String, double[]> tensor : tensors.entrySet()) {
            edited.add(EditReport.EditedTensor.of(
                    site.batch().tensor(tensor.getKey()), tensor.getValue(), site.type(tensor.getKey())));
        }
        List<OutputDrift> fresh = new ArrayList<>();
        for (ModelBatch inputs : texts.others(site)) {
            fresh.add(drift(site, Precision.FLOAT32, weights, inputs, 0));
        }
        Optional<OutputDrift> continuation = Optional.empty();
        if (texts.continued().isPresent()) {
            ModelBatch whole = site.batch(texts.continued().get());
            continuation = Optional.of(drift(
                    site, Precision.FLOAT32, weights, whole, texts.prefix().size()));
        }
        ModelBatch prefix = site.batch();
        Measures measures = new Measures(
                new EditReport(edited),
                site.motionPercent(weights),
                site.cancellation(weights),
                drift(site, Precision.FLOAT32, weights, prefix, 0),
                drift(site, Precision.FLOAT64, weights, prefix, 0),
                drift(site, Precision.FLOAT64, site.exact(point), prefix, 0),
                site.noise(prefix),
                continuation,
                fresh);
        return new Installation(site, t, weights, tensors, measures);
    }

    private static OutputDrift drift(
            InstallationSite site, Precision precision, double[] weights, ModelBatch inputs, int from) {
        return site.drifts(precision, inputs, from, List.of(weights)).getFirst();
    }

    /** {@return the coefficient, t} */
    public double coefficient() {
        return coefficient;
    }

    /** {@return what was measured, all of it} */
    public Measures measures() {
        return measures;
    }

    /**
     * Writes the edited model, whole or not at all: only the tensors of the site change, in the type they are stored in. Where
     * the weights were rounded to float32, all tensors of 16 bits become F32, each number exactly, and the configuration says so.
     *
     * @param target a folder that is not there or is empty, or a file
     * @return what the writer changed
     * @throws IOException when it cannot be written
     * @throws IllegalArgumentException when the weights were not rounded to types that a folder can have
     */
    public EditReport write(Path target) throws IOException {
        if (site.rounding() == Rounding.NONE) {
            throw new IllegalArgumentException("weights that were not rounded are not written");
        }
        CheckpointEdit edit = Checkpoint.edit(site.setting().file()).with(tensors);
        return (site.rounding() == Rounding.FLOAT32 ? edit.widened() : edit).saveAs(target);
    }

    /**
     * Reads a written model again and runs it on the protected inputs.
     *
     * @param written a model that {@link #write} wrote
     * @return whether its float32 outputs have the bits that the edit had before it was written
     * @throws IOException when it cannot be read
     */
    public boolean isGivenBy(Path written) throws IOException {
        ModelBatch batch = site.batch();
        ModelBatch again = batch.of(written);
        Matrix expected = InstallationSite.output(
                batch, batch.model().with(site.modelSite().tensors(weights)));
        return Arrays.equals(
                expected.entries(),
                InstallationSite.output(again, again.model()).entries());
    }
}
