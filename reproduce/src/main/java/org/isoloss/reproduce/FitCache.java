package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.isoloss.action.GroupAction;
import org.isoloss.action.TrainedAction;
import org.isoloss.discovery.Fit;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.discovery.SimultaneousFits;
import org.isoloss.discovery.Streams;
import org.isoloss.discovery.Training;
import org.isoloss.discovery.Validation;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.EvaluationGrid;
import org.isoloss.evaluation.ToleranceScore;
import org.isoloss.sweep.TaskFit;
import org.isoloss.task.Recipes;
import org.isoloss.task.RunBase;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;

/**
 * Fits and their evaluations, each made once and kept as a run directory: what several tables need is computed for the
 * first of them, and a study that was interrupted goes on.
 */
public final class FitCache {
    private static final String EVALUATION = "evaluation.json";

    private final Path root;
    private final Map<Task, Setting> settings = new ConcurrentHashMap<>();
    private final Set<FitRequest> diverged = ConcurrentHashMap.newKeySet();

    /**
     * Opens a folder of fits.
     *
     * @param root made with the first fit
     */
    public FitCache(Path root) {
        this.root = root;
    }

    /** Work on one request, which reports the steps that it does. */
    @FunctionalInterface
    private interface Work {
        void on(FitRequest request, Fit.Progress progress) throws IOException;
    }

    /**
     * Trains and evaluates what is not there yet. A fit that diverges is remembered, not refused.
     *
     * @param what the requests are for, for the progress
     * @param requests in any order, some perhaps twice
     * @param threads fits at the same time, at least 1
     * @param progress told of the steps
     * @throws IOException when a folder cannot be read or written
     * @throws InterruptedException when the thread is interrupted while it waits
     */
    public void complete(String what, List<FitRequest> requests, int threads, StudyProgress progress)
            throws IOException, InterruptedException {
        List<FitRequest> missing = new ArrayList<>();
        for (FitRequest request : requests.stream().distinct().toList()) {
            if (readEvaluation(request).isEmpty()) {
                missing.add(request);
            }
        }
        together(what, missing, Integer.MAX_VALUE, threads, progress, (request, steps) -> {
            if (train(request, Integer.MAX_VALUE, steps).isUsable()) {
                evaluate(request).writeTo(request.folder(root).resolve(EVALUATION));
            } else {
                diverged.add(request);
            }
        });
    }

    /**
     * Trains up to a step, without an evaluation; what is trained further already is left alone.
     *
     * @param what the requests are for, for the progress
     * @param requests in any order
     * @param lastStep at least 1
     * @param threads fits at the same time, at least 1
     * @param progress told of the steps
     * @throws IOException when a folder cannot be read or written
     * @throws InterruptedException when the thread is interrupted while it waits
     */
    void advance(String what, List<FitRequest> requests, int lastStep, int threads, StudyProgress progress)
            throws IOException, InterruptedException {
        together(what, requests, lastStep, threads, progress, (request, steps) -> {
            if (!train(request, lastStep, steps).isUsable()) {
                diverged.add(request);
            }
        });
    }

    private void together(
            String what, List<FitRequest> requests, int lastStep, int threads, StudyProgress progress, Work work)
            throws IOException, InterruptedException {
        if (requests.isEmpty()) {
            return;
        }
        long left = 0;
        for (FitRequest request : requests) {
            left += Math.max(0, Math.min(recipe(request).steps(), lastStep) - stepsDone(request));
        }
        progress.begin(what, left);
        List<SimultaneousFits.Work<FitRequest>> fits = new ArrayList<>();
        for (FitRequest request : requests) {
            int[] seen = {stepsDone(request)};
            fits.add(() -> {
                work.on(request, (step, steps, loss) -> {
                    progress.advance(step - seen[0]);
                    seen[0] = step;
                });
                return request;
            });
        }
        SimultaneousFits.run(threads, fits);
    }

    private int stepsDone(FitRequest request) throws IOException {
        Path folder = request.folder(root);
        return RunDirectory.isRun(folder)
                ? RunDirectory.create(folder, request.text(), request.seed())
                        .state()
                        .map(state -> state.step())
                        .orElse(0)
                : 0;
    }

    private static Recipe recipe(FitRequest request) {
        return Recipes.of(request.task());
    }

    private Fit.Outcome train(FitRequest request, int lastStep, Fit.Progress progress) throws IOException {
        Training training = training(request);
        RunDirectory run = create(request);
        RunBase.keep(setting(request), run.folder());
        return Fit.of(training, recipe(request), run)
                .selectedBy(validation(request))
                .runUntil(lastStep, progress);
    }

    private Training training(FitRequest request) throws IOException {
        return new Training(setting(request).problem(), request.objective(), recipe(request), request.seed());
    }

    private Optional<Validation> validation(FitRequest request) throws IOException {
        return request.task().selectsCheckpoints()
                ? Optional.of(ToleranceScore.ofCheckpoints(setting(request).problem(), request.seed()))
                : Optional.empty();
    }

    private RunDirectory create(FitRequest request) throws IOException {
        return RunDirectory.create(request.folder(root), request.text(), request.seed());
    }

    /**
     * Returns what a request is about.
     *
     * @param request any
     * @return the setting of its task, made once
     * @throws IOException when a file of the task cannot be read
     */
    Setting setting(FitRequest request) throws IOException {
        Task any = request.task().withObjective(ObjectiveKind.HYBRID); // which says nothing about the setting
        Setting known = settings.get(any);
        if (known == null) {
            synchronized (settings) {
                known = settings.get(any);
                if (known == null) {
                    known = Setting.of(any, Path.of(""));
                    settings.put(any, known);
                }
            }
        }
        return known;
    }

    /**
     * Returns a trained action.
     *
     * @param request of a finished fit
     * @return the action
     * @throws IOException when it cannot be read
     */
    GroupAction action(FitRequest request) throws IOException {
        return create(request).action();
    }

    /**
     * Returns an action as far as it is trained.
     *
     * @param request of a fit that was begun
     * @return the action that validation selected so far, or that of the last saved state
     * @throws IOException when it cannot be read
     */
    GroupAction actionSoFar(FitRequest request) throws IOException {
        RunDirectory run = create(request);
        if (run.isFinished()) {
            return run.action();
        }
        Optional<TrainedAction> selected = run.selected();
        if (selected.isPresent()) {
            return selected.get();
        }
        Training training = training(request);
        run.state().ifPresent(training::restore);
        return training.action();
    }

    boolean hasDiverged(FitRequest request) {
        return diverged.contains(request);
    }

    private Evaluation evaluate(FitRequest request) throws IOException {
        return TaskFit.evaluator(setting(request), action(request))
                .grid(EvaluationGrid.PAPER)
                .run(Streams.TEST.stream(request.seed()));
    }

    /**
     * Returns how exact a fit is.
     *
     * @param request that was completed
     * @return the evaluation, or nothing where the fit diverged
     * @throws IOException when it cannot be read
     */
    Optional<Evaluation> evaluation(FitRequest request) throws IOException {
        Optional<Evaluation> evaluation = readEvaluation(request);
        if (evaluation.isEmpty() && !diverged.contains(request)) {
            throw new IllegalArgumentException("%s is not evaluated yet".formatted(request.folder(root)));
        }
        return evaluation;
    }

    /** Writes what was measured of each fit, one file a fit, into a folder that can be kept without the weights. */
    void copyEvaluations(List<FitRequest> requests, Path folder) throws IOException {
        for (FitRequest request : requests.stream().distinct().toList()) {
            Optional<Evaluation> evaluation = evaluation(request);
            if (evaluation.isPresent()) {
                Files.createDirectories(folder);
                evaluation.get().writeTo(folder.resolve(request.label() + ".json"));
            }
        }
    }

    /** An evaluation that another command made, on fewer cells, does not count. */
    private Optional<Evaluation> readEvaluation(FitRequest request) throws IOException {
        Path file = request.folder(root).resolve(EVALUATION);
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        create(request); // refuses the run of another task
        Evaluation evaluation = Evaluation.read(file);
        int cells = EvaluationGrid.PAPER.radii().size()
                * EvaluationGrid.PAPER.factors().size();
        return evaluation.cells().size() == cells && evaluation.samples() == EvaluationGrid.PAPER.samples()
                ? Optional.of(evaluation)
                : Optional.empty();
    }
}
