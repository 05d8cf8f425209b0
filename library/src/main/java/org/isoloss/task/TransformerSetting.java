package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.action.CompensatingAction;
import org.isoloss.action.GroupAction;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.discovery.Problem;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.task.Task.SiteChoice;
import org.isoloss.transformer.Arithmetic;
import org.isoloss.transformer.FeedForwardSite;
import org.isoloss.transformer.MovedWeights;
import org.isoloss.transformer.Transformer;

/**
 * A task on a transformer: a compensation site in the feed-forward block of one layer, for a protected prefix. The problem
 * is that of the block alone, on what the prefix brings to it, in float64.
 */
public final class TransformerSetting implements Setting {
    private final Task task;
    private final Path folder;
    private final FeedForwardSite feedForward;
    private final SiteCoordinates coordinates;
    private final Problem problem;
    private final List<String> notices;

    private TransformerSetting(
            Task task, Path folder, FeedForwardSite feedForward, SiteChoice choice, List<String> notices) {
        this.task = task;
        this.notices = List.copyOf(notices);
        this.folder = folder;
        this.feedForward = feedForward;
        this.coordinates = SiteTask.coordinates(choice, feedForward.site());
        this.problem = SiteTask.problem(task, choice, coordinates);
    }

    static TransformerSetting of(Task task, Path relativeTo) throws IOException {
        String name = task.network().transformer();
        List<Integer> tokens = task.data().tokens();
        SiteChoice choice = task.site();
        if (name == null || tokens == null || choice == null || choice.layer() == null) {
            throw new IllegalArgumentException("the task lacks a part that its own rules require");
        }
        Path folder = relativeTo.resolve(name);
        try (StoredTransformer stored = StoredTransformer.open(folder)) {
            Transformer transformer = Transformer.of(stored, Arithmetic.FLOAT64);
            List<String> notices = task.data().outputs() == null ? stored.notes() : confirmed(task, folder, relativeTo);
            FeedForwardSite site = FeedForwardSite.choose(
                    transformer, tokens, choice.layer(), SiteTask.movingUnits(choice), choice.rows());
            return new TransformerSetting(task, folder, site, choice, notices);
        }
    }

    private static List<String> confirmed(Task task, Path model, Path relativeTo) throws IOException {
        try (ModelBatch batch = ModelBatch.read(model, task.data(), relativeTo)) {
            return batch.notices();
        }
    }

    @Override
    public List<String> notices() {
        return notices;
    }

    @Override
    public Task task() {
        return task;
    }

    @Override
    public Problem problem() {
        return problem;
    }

    /** {@return where the transformer is, a folder with its configuration and weights} */
    public Path folder() {
        return folder;
    }

    /** {@return the site in the transformer, its layer, tokens and block with the names of the tensors} */
    public FeedForwardSite feedForward() {
        return feedForward;
    }

    @Override
    public double[] origin() {
        return coordinates.origin();
    }

    @Override
    public Optional<SiteCoordinates> site() {
        return Optional.of(coordinates);
    }

    /**
     * Returns the rows and columns that coordinates stand for.
     *
     * @param point length p; not modified
     * @return the moving unit's incoming weights and bias and the compensating units' outgoing weights, in float64
     */
    public List<MovedWeights> weightsAt(double[] point) {
        return feedForward.moved(coordinates.toPlain(point));
    }

    /**
     * Returns the whole tensors that coordinates stand for.
     *
     * @param point length p; not modified
     * @return by transformers' names, in the shape that is stored, as {@link Transformer#with} takes them
     */
    public Map<String, Matrix> parametersAt(double[] point) {
        return feedForward.parameters(coordinates.toPlain(point));
    }

    @Override
    public Optional<Target> freshTarget() {
        return Optional.empty();
    }

    @Override
    public Optional<GroupAction> reference() {
        return Optional.of(CompensatingAction.at(coordinates));
    }

    @Override
    public DenseSetting dense() {
        throw new IllegalArgumentException(
                "the network of task '%s' is a transformer, and this takes a network of dense layers; see 'isoloss transformer'"
                        .formatted(task.name()));
    }
}
