package org.isoloss.report;

import org.isoloss.evaluation.Criterion;

/** What each requirement of a fit says, for one who has not read the paper. */
final class RequirementWords {
    private RequirementWords() {}

    /** Returns a sentence without its subject, which is the name of the criterion. */
    static String of(Criterion criterion) {
        return switch (criterion) {
            case OUTPUT ->
                "how much the protected outputs change, divided by $s_F$, the root-mean-square norm of the outputs.";
            case COMPOSITION ->
                "two transformations one after the other, compared with the single one that is their product; relative to how far the weights moved.";
            case INVERSE ->
                "a transformation and then its inverse: how far the weights end from where they began, relative to how far they moved.";
            case TRANSPORT ->
                "the direction in which the weights move, carried along by a transformation, compared with the direction found at its end; relative to that direction's norm.";
            case SUBDIVISION ->
                "one step compared with four steps of a quarter of its length; relative to how far the one step moves.";
            case MOTION ->
                "how far the moving weights go, in percent of their norm: an action that moves nothing preserves everything. The limit is 0.05 $s_\\theta$, the root-mean-square size of one of them.";
            case MOVING_CHANGE ->
                "how much the moving unit by itself changes the outputs, divided by $s_F$: what the other units have to make up for.";
            case CANCELLATION ->
                "what is left of that change once the other units have made up for it, over the two changes together.";
        };
    }
}
