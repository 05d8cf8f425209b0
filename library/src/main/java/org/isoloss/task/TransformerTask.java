package org.isoloss.task;

import java.util.List;
import java.util.Map;
import org.isoloss.task.Task.PointChoice;
import org.isoloss.task.Task.SiteChoice;
import org.isoloss.task.Task.Unit;

/** The task at a feed-forward site, where nothing else is asked for. */
public final class TransformerTask {
    /** Sampled states of appendix {@code app:experimental-pythia-details}: the original itself, or a Gaussian around it. */
    private static final PointChoice POINTS = new PointChoice(0.2, Unit.WEIGHTS, 0.2, null);

    /**
     * The output first, then the law; all weights large against the optimiser's epsilon, because residuals are tiny, and
     * the field held so that it does not shrink to nothing under them.
     */
    private static final RecipeChoice RECIPE = TaskFile.parse("the recipe at sites", """
            optimizer: soap
            peak: 6e-3
            radius: 1.0
            invariance: 2000
            preservation: 2000
            transport: 600
            composition: 450
            scale: 30
            """, Map.of(), RecipeChoice.class);

    private TransformerTask() {}

    /**
     * Makes the task with the sampled states of the paper and the recipe of the examples at published models.
     *
     * @param name letters, digits and hyphens
     * @param model folder of the transformer
     * @param tokens ids of the protected prefix, from its first token on
     * @param site with its layer
     * @return the task, for the seeds of the paper
     */
    public static Task of(String name, String model, List<Integer> tokens, SiteChoice site) {
        return new Task(
                name,
                null,
                new NetworkSource(null, model, null, null, null, null, null, null, null),
                DataSource.text(tokens),
                null,
                null,
                null,
                null,
                site,
                POINTS,
                null,
                null,
                null,
                RECIPE,
                List.of(101L, 102L, 103L));
    }
}
