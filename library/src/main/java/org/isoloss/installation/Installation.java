package org.isoloss.installation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.action.GroupAction;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.linalg.Matrix;
import org.isoloss.transformer.Arithmetic;
import org.isoloss.transformer.TokenBatch;
import org.isoloss.transformer.Transformer;

/**
 * One edit of a transformer and all that must be known of it, so that nobody takes noise for a symmetry: what changed in the
 * weights, what that did to the complete model, and what rounding alone does to it.
 */
public final class Installation {
    private final InstallationSite site;
    private final double coefficient;
    private final double[] weights;
    private final Map<String, Matrix> parameters;
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
            Map<String, Matrix> parameters,
            Measures measures) {
        this.site = site;
        this.coefficient = coefficient;
        this.weights = weights;
        this.parameters = parameters;
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
        Map<String, Matrix> parameters = site.setting().feedForward().parameters(site.exact(point));
        List<EditReport.EditedTensor> tensors = new ArrayList<>();
        for (Map.Entry<String, Matrix> parameter : parameters.entrySet()) {
            tensors.add(EditReport.EditedTensor.of(
                    site.stored().tensor(parameter.getKey()),
                    parameter.getValue().entries(),
                    site.type(parameter.getKey())));
        }
        List<OutputDrift> fresh = new ArrayList<>();
        for (List<Integer> text : texts.fresh()) {
            fresh.add(drift(site, Arithmetic.FLOAT32, weights, text, 0));
        }
        Optional<OutputDrift> continuation = texts.continued().isEmpty()
                ? Optional.empty()
                : Optional.of(drift(
                        site,
                        Arithmetic.FLOAT32,
                        weights,
                        texts.continued().get(),
                        texts.prefix().size()));
        Measures measures = new Measures(
                new EditReport(tensors),
                site.motionPercent(weights),
                site.cancellation(weights),
                drift(site, Arithmetic.FLOAT32, weights, texts.prefix(), 0),
                drift(site, Arithmetic.FLOAT64, weights, texts.prefix(), 0),
                drift(site, Arithmetic.FLOAT64, site.exact(point), texts.prefix(), 0),
                InstalledComparison.noise(site, texts.prefix()),
                continuation,
                fresh);
        return new Installation(site, t, weights, parameters, measures);
    }

    private static OutputDrift drift(
            InstallationSite site, Arithmetic arithmetic, double[] weights, List<Integer> tokens, int from)
            throws IOException {
        TokenBatch batch = batch(tokens);
        Transformer transformer = site.transformer(arithmetic);
        Matrix before = transformer.run(batch).output();
        Matrix after = transformer.with(site.parts(weights)).run(batch).output();
        return OutputDrift.of(before.rows(from, tokens.size()), after.rows(from, tokens.size()));
    }

    private static TokenBatch batch(List<Integer> tokens) {
        return TokenBatch.of(tokens.stream().mapToInt(Integer::intValue).toArray());
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
     * @param target a folder that is not there or is empty
     * @return what the writer changed
     * @throws IOException when it cannot be written
     * @throws IllegalArgumentException when the weights were not rounded to types that a folder can have
     */
    public EditReport write(Path target) throws IOException {
        if (site.rounding() == Rounding.NONE) {
            throw new IllegalArgumentException("weights that were not rounded are not written");
        }
        CheckpointEdit edit = Checkpoint.edit(site.setting().folder());
        for (Map.Entry<String, Matrix> parameter : parameters.entrySet()) {
            edit = edit.with(
                    site.stored().storedName(parameter.getKey()),
                    parameter.getValue().entries());
        }
        return (site.rounding() == Rounding.FLOAT32 ? edit.widened() : edit).saveAs(target);
    }

    /**
     * Reads a written model again and runs it on a text.
     *
     * @param written a folder that {@link #write} wrote
     * @param tokens such as the prefix
     * @return whether its float32 outputs have the bits that the edit had before it was written
     * @throws IOException when it cannot be read
     */
    public boolean isGivenBy(Path written, List<Integer> tokens) throws IOException {
        double[] expected = site.transformer(Arithmetic.FLOAT32)
                .with(site.parts(weights))
                .run(batch(tokens))
                .output()
                .entries();
        try (StoredTransformer again = StoredTransformer.open(written, site.tying())) {
            double[] got = Transformer.of(again, Arithmetic.FLOAT32)
                    .run(batch(tokens))
                    .output()
                    .entries();
            return Arrays.equals(expected, got);
        }
    }
}
