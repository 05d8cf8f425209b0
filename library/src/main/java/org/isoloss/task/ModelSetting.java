package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.isoloss.action.ActionKind;
import org.isoloss.action.GroupAction;
import org.isoloss.discovery.Discovery;
import org.isoloss.discovery.Problem;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Target;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.task.Task.DataSource;
import org.isoloss.task.Task.SupportChoice;
import org.jspecify.annotations.Nullable;

/**
 * A task on a model of any kind: the outputs on the protected batch are preserved, and whole tensors or parts of them move.
 * Where several tensors are named, the first one moves and the others compensate.
 *
 * @see org.isoloss.model.CompensatedTarget
 */
public final class ModelSetting implements Setting {
    private final Task task;
    private final Path file;
    private final ModelBatch batch;
    private final @Nullable ModelBatch fresh;
    private final ModelTarget target;
    private final @Nullable ModelTarget freshTarget;
    private final Problem problem;

    private ModelSetting(
            Task task,
            Path file,
            ModelBatch batch,
            @Nullable ModelBatch fresh,
            ModelTarget target,
            @Nullable ModelTarget freshTarget) {
        this.task = task;
        this.file = file;
        this.batch = batch;
        this.fresh = fresh;
        this.target = target;
        this.freshTarget = freshTarget;
        this.problem = problem(task, target);
    }

    static ModelSetting of(Task task, Path folder) throws IOException {
        String name = task.network().model();
        SupportChoice choice = task.support();
        if (name == null || choice == null) {
            throw new IllegalArgumentException("the task lacks a part that its own rules require");
        }
        Path file = folder.resolve(name);
        ModelBatch batch = ModelBatch.read(file, task.data(), folder);
        ModelTarget target = target(choice, batch);
        DataSource others = task.fresh();
        ModelBatch fresh = others == null ? null : ModelBatch.read(file, others, folder);
        ModelTarget freshTarget = fresh == null ? null : target(choice, fresh);
        return new ModelSetting(task, file, batch, fresh, target, freshTarget);
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
                SearchClass.of(task.group(), task.action() == ActionKind.CONJUGATED),
                task.seed() == null ? Task.DEFAULT_SEED : task.seed());
    }

    @Override
    public Task task() {
        return task;
    }

    /** {@return the file of the model} */
    public Path file() {
        return file;
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
        return target.moving();
    }

    /**
     * Returns the tensors that coordinates stand for.
     *
     * @param point length p; not modified
     * @return by name, row-major
     */
    public SequencedMap<String, double[]> tensorsAt(double[] point) {
        return moving().tensors(point);
    }

    @Override
    public List<String> notices() {
        List<String> notices = new ArrayList<>(batch.notices());
        if (fresh != null) {
            notices.addAll(fresh.notices());
        }
        return notices.stream().distinct().toList();
    }

    @Override
    public Problem problem() {
        return problem;
    }

    @Override
    public double[] origin() {
        return target.origin();
    }

    @Override
    public Optional<SiteCoordinates> site() {
        return Optional.empty();
    }

    @Override
    public Optional<Target> freshTarget() {
        return Optional.ofNullable(freshTarget);
    }

    @Override
    public Optional<GroupAction> reference() {
        return Optional.empty();
    }

    @Override
    public DenseSetting dense() {
        throw new IllegalArgumentException(
                "the network of task '%s' is a model of any kind, and this takes a network of dense layers"
                        .formatted(task.name()));
    }
}
