package org.isoloss.task;

import java.util.OptionalDouble;
import org.isoloss.action.Initialization;
import org.isoloss.discovery.ActionArchitecture;
import org.isoloss.discovery.ActionArchitecture.Batched;
import org.isoloss.discovery.ActionArchitecture.Conjugated;
import org.isoloss.discovery.ActionArchitecture.Displacement;
import org.isoloss.discovery.GroupLaw;
import org.isoloss.discovery.LearningRate;
import org.isoloss.discovery.ObjectiveWeights;
import org.isoloss.discovery.OptimizerChoice;
import org.isoloss.discovery.OptimizerChoice.Soap;
import org.isoloss.discovery.OptimizerKind;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.RecipeNumber;
import org.isoloss.lie.WordDistribution;
import org.isoloss.task.Task.Select;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the default recipe; what is left out stays.
 *
 * @param base {@code default}, {@code paper-base} or {@code paper-strong}
 * @param steps optimiser steps
 * @param batch samples a step
 * @param peak peak of the cosine schedule
 * @param constant constant learning rate, in place of the schedule
 * @param radius largest total coefficient of a word
 * @param factors most factors of a word
 * @param invariance weight of the infinitesimal preservation term
 * @param preservation weight of the finite preservation term
 * @param transport weight of the transport term
 * @param composition weight of the composition term
 * @param scale weight of the term that holds the field magnitude
 * @param adaptive whether the weights of residuals are divided by their sizes
 * @param beta field magnitude in parameter scales
 * @param ramp share of the steps over which words grow
 * @param optimizer {@code adam}, where left out, or {@code soap}
 * @param block longest side of the blocks of a weight matrix for which SOAP keeps bases
 * @param clip largest norm of a gradient; a longer one is shortened to it
 * @param width units of each hidden layer of the action network
 * @param depth hidden layers of the action network
 * @param initialization {@code lecun}, where left out, {@code he}, {@code orthogonal} or {@code small_output}
 * @param select which weights are the result: {@code last}, where left out, or those that {@code validation} selects
 * @param stop when a fit ends before its last step; never where left out
 */
public record RecipeChoice(
        @Nullable String base,
        @Nullable Integer steps,
        @Nullable Integer batch,
        @Nullable Double peak,
        @Nullable Double constant,
        @Nullable Double radius,
        @Nullable Integer factors,
        @Nullable Double invariance,
        @Nullable Double preservation,
        @Nullable Double transport,
        @Nullable Double composition,
        @Nullable Double scale,
        @Nullable Boolean adaptive,
        @Nullable Double beta,
        @Nullable Double ramp,
        @Nullable OptimizerKind optimizer,
        @Nullable Integer block,
        @Nullable Double clip,
        @Nullable Integer width,
        @Nullable Integer depth,
        @Nullable Initialization initialization,
        @Nullable Select select,
        @Nullable StopChoice stop) {
    /** Refuses values that no recipe can have, and two schedules. */
    public RecipeChoice {
        Check.that(peak == null || constant == null, "recipe: 'peak' and 'constant' are two schedules, give one");
        RecipeNumber.STEPS.check(steps);
        RecipeNumber.BATCH.check(batch);
        RecipeNumber.PEAK.check(peak);
        RecipeNumber.CONSTANT.check(constant);
        RecipeNumber.RADIUS.check(radius);
        RecipeNumber.FACTORS.check(factors);
        RecipeNumber.INVARIANCE.check(invariance);
        RecipeNumber.PRESERVATION.check(preservation);
        RecipeNumber.TRANSPORT.check(transport);
        RecipeNumber.COMPOSITION.check(composition);
        RecipeNumber.SCALE.check(scale);
        RecipeNumber.BETA.check(beta);
        RecipeNumber.RAMP.check(ramp);
        RecipeNumber.BLOCK.check(block);
        RecipeNumber.CLIP.check(clip);
        RecipeNumber.WIDTH.check(width);
        RecipeNumber.DEPTH.check(depth);
    }

    /**
     * When a fit ends before its last step: when validation meets every tolerance with a margin.
     *
     * @param margin each error is at most its limit over it; 2 where left out
     */
    public record StopChoice(@Nullable Double margin) {
        /** The margin where none is given. */
        public static final double MARGIN = 2;

        /** Refuses a margin that no fit can be ended by. */
        public StopChoice {
            Check.that(
                    margin == null || (margin >= 1 && margin <= 1e6),
                    "recipe.stop.margin is %s, expected 1 to 1000000: the limits are divided by it",
                    margin);
        }

        double orDefault() {
            return margin == null ? MARGIN : margin;
        }
    }

    /** Whether a term that trains the group law has a weight. */
    boolean weighsLaw() {
        return or(transport, 0.0) > 0 || or(composition, 0.0) > 0;
    }

    /** The recipe with these changes. */
    Recipe appliedTo(Recipe base) {
        ObjectiveWeights weights = base.weights();
        WordDistribution words = base.words();
        return new Recipe(
                architecture(base.architecture()),
                or(steps, base.steps()),
                or(batch, base.batch()),
                rate(base.learningRate()),
                new ObjectiveWeights(
                        or(invariance, weights.invariance()),
                        or(preservation, weights.preservation()),
                        or(scale, weights.scale()),
                        weights.diversity(),
                        or(adaptive, weights.adaptive())),
                or(beta, base.beta()),
                WordDistribution.upTo(or(radius, words.radius()), or(factors, words.mostFactors())),
                or(ramp, base.ramp()),
                OptimizerChoice.of(
                        or(optimizer, base.optimizer().kind()),
                        or(block, base.optimizer() instanceof Soap soap ? soap.block() : OptimizerChoice.BLOCK)),
                or(clip, base.clip()));
    }

    private ActionArchitecture architecture(ActionArchitecture base) {
        int units = or(width, base.width());
        int layers = or(depth, base.depth());
        return switch (base) {
            case Displacement network -> {
                GroupLaw law = network.law();
                yield new Displacement(
                        units,
                        layers,
                        or(initialization, network.initialization()),
                        law.weighed(or(transport, law.transport()), or(composition, law.composition())));
            }
            case Conjugated _ -> new Conjugated(units, layers);
            case Batched _ -> new Batched(units, layers);
        };
    }

    private LearningRate rate(LearningRate base) {
        if (constant != null) {
            return new LearningRate.Constant(constant);
        }
        return peak == null ? base : new LearningRate.Cosine(peak, 200, 1e-3);
    }

    private static <T> T or(@Nullable T chosen, T base) {
        return chosen == null ? base : chosen;
    }

    /** Adam is stated where the default is another: for displacements that end early. */
    private static @Nullable OptimizerKind optimizer(boolean isSoap, boolean defaultsToSoap) {
        if (isSoap) {
            return OptimizerKind.SOAP;
        }
        return defaultsToSoap ? OptimizerKind.ADAM : null;
    }

    /**
     * The changes that make a recipe out of whatever default: every number of it, how its result is selected and when a fit
     * ends early.
     */
    static RecipeChoice stating(Recipe recipe, boolean selects, OptionalDouble margin) {
        ObjectiveWeights weights = recipe.weights();
        @Nullable
        Displacement network = recipe.architecture() instanceof Displacement displacement ? displacement : null;
        @Nullable Soap soap = recipe.optimizer() instanceof Soap blocks ? blocks : null;
        return new RecipeChoice(
                null,
                recipe.steps(),
                recipe.batch(),
                switch (recipe.learningRate()) {
                    case LearningRate.Cosine cosine -> cosine.peak();
                    case LearningRate.Cycles cycles -> cycles.cosine().peak();
                    case LearningRate.Constant _ -> null;
                },
                recipe.learningRate() instanceof LearningRate.Constant rate ? rate.rate() : null,
                recipe.words().radius(),
                recipe.words().mostFactors(),
                weights.invariance(),
                weights.preservation(),
                network == null ? 0 : network.law().transport(),
                network == null ? 0 : network.law().composition(),
                weights.scale(),
                weights.adaptive() ? true : null,
                recipe.beta(),
                recipe.ramp(),
                optimizer(soap != null, network != null && margin.isPresent()),
                soap == null || soap.block() == OptimizerChoice.BLOCK ? null : soap.block(),
                recipe.clip(),
                recipe.architecture().width(),
                recipe.architecture().depth(),
                network == null || network.initialization() == Initialization.LECUN ? null : network.initialization(),
                selects ? Select.VALIDATION : null,
                margin.isPresent() ? new StopChoice(margin.getAsDouble()) : null);
    }
}
