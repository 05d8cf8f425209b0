package org.isoloss.sweep;

import java.io.IOException;
import java.util.Optional;
import org.isoloss.action.BatchedAction;
import org.isoloss.action.GroupAction;
import org.isoloss.action.TrainedAction;
import org.isoloss.discovery.Fit;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.discovery.Training;
import org.isoloss.discovery.Validation;
import org.isoloss.evaluation.Evaluator;
import org.isoloss.evaluation.JudgedAction;
import org.isoloss.evaluation.ToleranceScore;
import org.isoloss.linalg.GemmKernel;
import org.isoloss.network.BatchView;
import org.isoloss.report.Provenance;
import org.isoloss.report.RunProvenance;
import org.isoloss.task.Recipes;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;

/** The fit of a task in a run folder: trained as the task asks for, with its provenance, and judged in all ways that its setting allows. */
public final class TaskFit {
    private TaskFit() {}

    /**
     * Prepares the training, with the selection of weights and the early end that the task asks for.
     *
     * @param setting of the task
     * @param run its folder, begun or not
     * @return the fit, ready to run
     */
    public static Fit of(Setting setting, RunDirectory run) {
        Task task = setting.task();
        Recipe recipe = Recipes.of(task);
        Training training = new Training(setting.problem(), task.trainedObjective(), recipe, run.seed());
        Validation validation = ToleranceScore.ofCheckpoints(setting.problem(), run.seed());
        Fit fit = Fit.of(training, recipe, run);
        if (task.selectsCheckpoints()) {
            fit = fit.selectedBy(Optional.of(validation));
        }
        if (task.stopMargin().isPresent()) {
            fit = fit.stoppedBy(validation, task.stopMargin().getAsDouble());
        }
        return fit;
    }

    /**
     * Writes {@code provenance.json} of the run. After a fit it also says where validation ended it.
     *
     * @param run its folder
     * @param task of the run, resolved
     * @return what was written
     * @throws IOException when it cannot be written, or a file of the task cannot be read
     */
    public static Provenance writeProvenance(RunDirectory run, Task task) throws IOException {
        String file = run.folder().resolve("task.yaml").toString();
        Provenance trained = RunProvenance.of(run, task, "discover", file, "--seed", Long.toString(run.seed()))
                .computedWith(GemmKernel.chosen().name());
        trained.write(run.folder().resolve("provenance.json"));
        return trained;
    }

    /**
     * Returns the action of a run; one for many batches is put at hand for the batch of the setting, which may be another than that
     * of its training.
     *
     * @param setting of the task of the run
     * @param run finished
     * @return the action
     * @throws IOException when it cannot be read
     */
    public static TrainedAction action(Setting setting, RunDirectory run) throws IOException {
        TrainedAction action = run.action();
        return action instanceof BatchedAction batched
                ? batched.on(BatchView.of(setting.site().orElseThrow()))
                : action;
    }

    /**
     * Prepares the judgement of an action in all ways that its setting allows: also on a fresh batch and against a known
     * action, where there is one.
     *
     * @param setting what the action was made for
     * @param action the action
     * @return an evaluator with the paper's grid and tolerances
     */
    public static Evaluator evaluator(Setting setting, GroupAction action) {
        Evaluator evaluator = Evaluator.of(JudgedAction.of(action, setting.problem()));
        if (setting.freshTarget().isPresent()) {
            evaluator = evaluator.fresh(setting.freshTarget().get());
        }
        if (setting.reference().isPresent()) {
            evaluator = evaluator.reference(setting.reference().get());
        }
        return evaluator;
    }
}
