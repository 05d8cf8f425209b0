package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.action.CompensatingAction;
import org.isoloss.action.GroupAction;
import org.isoloss.discovery.Discovery;
import org.isoloss.discovery.Problem;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Target;
import org.isoloss.network.SiteBlock;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.SitePool;
import org.isoloss.source.StoredModel;
import org.isoloss.task.Task.SiteChoice;
import org.isoloss.task.Task.SupportChoice;
import org.jspecify.annotations.Nullable;

/**
 * A task on a model of any kind. The outputs on the protected batch are preserved, and whole tensors or parts of them move:
 * where several tensors are named, the first one moves and the others compensate. Or units of a compensation site move; the
 * problem is then that of the site's block alone, on what the batch brings to it, in float64.
 *
 * @see org.isoloss.model.CompensatedTarget
 */
public final class ModelSetting implements Setting {
    private final Task task;
    private final ModelBatch batch;
    private final @Nullable ModelBatch fresh;
    private final Moved moved;
    private final @Nullable BatchedSite batches;
    private final Problem problem;

    /** What moves: parameters of the model, or units of a site. */
    private sealed interface Moved {
        /** Tensors and parts of them. */
        record Parameters(ModelTarget target, @Nullable ModelTarget fresh) implements Moved {}

        /** Units, by coordinates. */
        record Site(ModelSite site, SiteCoordinates coordinates) implements Moved {}
    }

    private ModelSetting(Task task, ModelBatch batch, @Nullable ModelBatch fresh, Moved moved) {
        this(task, batch, fresh, moved, null);
    }

    private ModelSetting(
            Task task, ModelBatch batch, @Nullable ModelBatch fresh, Moved moved, @Nullable BatchedSite batches) {
        this.batches = batches;
        this.task = task;
        this.batch = batch;
        this.fresh = fresh;
        this.moved = moved;
        this.problem = switch (moved) {
            case Moved.Parameters parameters -> problem(task, parameters.target);
            case Moved.Site site -> {
                Problem one = SiteTask.problem(task, choice(task), site.coordinates);
                yield batches == null ? one : one.over(batches.pool());
            }
        };
    }

    static ModelSetting of(Task task, Path folder) throws IOException {
        String name = task.network().model() != null
                ? task.network().model()
                : String.valueOf(task.network().transformer());
        Path file = StoredModel.located(folder.resolve(name));
        ModelBatch batch = ModelBatch.read(file, task.data(), folder);
        ModelBatch fresh = task.fresh() == null ? null : ModelBatch.read(file, task.fresh(), folder);
        SupportChoice support = task.support();
        if (support != null) {
            ModelTarget target = target(support, batch);
            return new ModelSetting(
                    task, batch, fresh, new Moved.Parameters(target, fresh == null ? null : target(support, fresh)));
        }
        SiteChoice choice = choice(task);
        int layer = choice.layer() == null ? 0 : choice.layer();
        if (task.pool() != null) {
            return pooled(task, folder, batch, fresh, layer, choice);
        }
        ModelSite site = ModelSite.choose(batch, layer, SiteTask.movingUnits(choice), choice.rows());
        return new ModelSetting(task, batch, fresh, new Moved.Site(site, SiteTask.coordinates(choice, site.site())));
    }

    private static ModelSetting pooled(
            Task task, Path folder, ModelBatch batch, @Nullable ModelBatch fresh, int layer, SiteChoice choice)
            throws IOException {
        PrefixPool prefixes = new PrefixPool(batch, layer);
        SiteBlock units = ModelSite.moving(ModelSite.units(batch.model(), prefixes.block()), choice.rows());
        Matrix own = ModelSite.entering(batch.model(), batch.batches(), List.of(prefixes.block()))
                .getFirst();
        SitePool pool = SiteTask.pool(
                task, choice, units, prefixes.entering("pool", requireSource(task.pool()), folder), own.rows(), true);
        SitePool unseen = task.unseen() == null
                ? null
                : pool.with(prefixes.entering("unseen", requireSource(task.unseen()), folder));
        SiteCoordinates coordinates = pool.coordinates(own);
        ModelSite site = ModelSite.of(batch, layer, coordinates.site(), choice.rows());
        return new ModelSetting(
                task, batch, fresh, new Moved.Site(site, coordinates), new BatchedSite(task, choice, pool, unseen));
    }

    private static DataSource requireSource(@Nullable DataSource source) {
        if (source == null) {
            throw new IllegalArgumentException("the task lacks a part that its own rules require");
        }
        return source;
    }

    private static SiteChoice choice(Task task) {
        if (task.site() == null) {
            throw new IllegalArgumentException("the task lacks a part that its own rules require");
        }
        return task.site();
    }

    private static ModelTarget target(SupportChoice choice, ModelBatch batch) throws IOException {
        List<String> tensors = choice.tensors();
        return ModelTarget.of(batch.moving(tensors == null ? List.of() : tensors), batch.batches());
    }

    private static Problem problem(Task task, ModelTarget target) {
        Moving moving = target.moving();
        return Discovery.problem(
                moving,
                target,
                task.points().around(target.origin(), moving.scale()),
                SearchClass.of(task.group(), Task.hasLaw(task.action())),
                task.seed() == null ? Task.DEFAULT_SEED : task.seed());
    }

    @Override
    public Task task() {
        return task;
    }

    /** {@return the file of the model} */
    public Path file() {
        return batch.file();
    }

    /** {@return the protected inputs with the model that was opened for them} */
    public ModelBatch batch() {
        return batch;
    }

    /** {@return inputs that are not protected, with a model for them; nothing where the task names none} */
    public Optional<ModelBatch> fresh() {
        return Optional.ofNullable(fresh);
    }

    /** {@return the parameters that move} */
    public Moving moving() {
        return switch (moved) {
            case Moved.Parameters parameters -> parameters.target.moving();
            case Moved.Site site -> Moving.of(batch.model(), site.site.movingParts());
        };
    }

    /** {@return the site with the names of its tensors, where the task has one} */
    public Optional<ModelSite> modelSite() {
        return moved instanceof Moved.Site site ? Optional.of(site.site) : Optional.empty();
    }

    @Override
    public Map<String, double[]> tensorsAt(double[] point) {
        return switch (moved) {
            case Moved.Parameters parameters -> parameters.target.moving().tensors(point);
            case Moved.Site site -> site.site.tensors(site.coordinates.toPlain(point));
        };
    }

    @Override
    public List<String> notices() {
        List<String> notices = new ArrayList<>(batch.notices());
        if (fresh != null) {
            notices.addAll(fresh.notices());
        }
        if (batches != null) {
            notices.addAll(batches.notices());
        }
        return notices.stream().distinct().toList();
    }

    @Override
    public Problem problem() {
        return problem;
    }

    @Override
    public double[] origin() {
        return switch (moved) {
            case Moved.Parameters parameters -> parameters.target.origin();
            case Moved.Site site -> site.coordinates.origin();
        };
    }

    @Override
    public Optional<SiteCoordinates> site() {
        return moved instanceof Moved.Site site ? Optional.of(site.coordinates) : Optional.empty();
    }

    @Override
    public Optional<BatchedSite> batches() {
        return Optional.ofNullable(batches);
    }

    @Override
    public Optional<Target> freshTarget() {
        if (fresh == null) {
            return Optional.empty();
        }
        return switch (moved) {
            case Moved.Parameters parameters -> Optional.ofNullable(parameters.fresh);
            case Moved.Site site -> Optional.of(new SiteOutputs(site.site, site.coordinates, fresh));
        };
    }

    @Override
    public Optional<GroupAction> reference() {
        return site().map(CompensatingAction::at);
    }

    @Override
    public DenseSetting dense() {
        throw new IllegalArgumentException(
                task.network().transformer() != null
                        ? "the network of task '%s' is a transformer, and this takes a network of dense layers; see 'isoloss transformer'"
                                .formatted(task.name())
                        : "the network of task '%s' is a model of any kind, and this takes a network of dense layers"
                                .formatted(task.name()));
    }
}
