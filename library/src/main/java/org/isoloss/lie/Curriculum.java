package org.isoloss.lie;

import java.util.ArrayList;
import java.util.List;

/**
 * The word distributions of a training run, from short words to long ones (appendix
 * {@code app:discovery-objectives} of the paper). Each stage keeps one distribution from its
 * first step to the next stage's.
 */
public final class Curriculum {
    /**
     * One stage.
     *
     * @param firstStep from 0
     * @param words the distribution while the stage lasts
     */
    public record Stage(int firstStep, WordDistribution words) {}

    private final List<Stage> stages;

    private Curriculum(List<Stage> stages) {
        this.stages = List.copyOf(stages);
    }

    /**
     * Keeps one distribution for the whole run.
     *
     * @param words the distribution
     * @return one stage
     */
    public static Curriculum constant(WordDistribution words) {
        return new Curriculum(List.of(new Stage(0, words)));
    }

    /**
     * Grows the radius linearly from {@code firstRadius} to the final one and the most factors from the fewest to the
     * final most, in equal stages over the first part of the run; the last stage begins when that part ends.
     *
     * @param last the distribution after the ramp
     * @param firstRadius radius of the first stage, in (0, radius of {@code last}]
     * @param stages number of stages, at least 2
     * @param steps steps of the run, at least 1
     * @param fraction share of the steps that the ramp takes, in (0, 1]
     * @return the stages; of those that would begin at the same step the latest only
     */
    public static Curriculum ramp(WordDistribution last, double firstRadius, int stages, int steps, double fraction) {
        if (!(firstRadius > 0) || firstRadius > last.radius()) {
            throw new IllegalArgumentException("Curriculum: first radius is %s, expected above 0 and at most %s"
                    .formatted(firstRadius, last.radius()));
        }
        if (stages < 2 || steps < 1 || !(fraction > 0) || fraction > 1) {
            throw new IllegalArgumentException(
                    "Curriculum: %d stages over the fraction %s of %d steps; expected at least 2 stages, 1 step and a fraction in (0, 1]"
                            .formatted(stages, fraction, steps));
        }
        List<Stage> ramp = new ArrayList<>();
        for (int i = 0; i < stages; i++) {
            double progress = (double) i / (stages - 1);
            int firstStep = (int) Math.floor(progress * fraction * steps);
            double radius = i == stages - 1 ? last.radius() : firstRadius + progress * (last.radius() - firstRadius);
            int most = (int) Math.round(last.fewestFactors() + progress * (last.mostFactors() - last.fewestFactors()));
            if (!ramp.isEmpty() && ramp.getLast().firstStep() == firstStep) {
                ramp.removeLast();
            }
            ramp.add(new Stage(firstStep, new WordDistribution(radius, last.fewestFactors(), most)));
        }
        return new Curriculum(ramp);
    }

    /** {@return all stages in order, an unmodifiable list, the first from step 0} */
    public List<Stage> stages() {
        return stages;
    }

    /**
     * Finds the stage of a step. Nothing is allocated.
     *
     * @param step from 0
     * @return index into {@link #stages}
     */
    public int stageAt(int step) {
        int stage = 0;
        while (stage + 1 < stages.size() && stages.get(stage + 1).firstStep() <= step) {
            stage++;
        }
        return stage;
    }
}
