package org.isoloss.task;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import org.isoloss.action.ActionKind;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.MovingRows;
import org.jspecify.annotations.Nullable;

/**
 * A discovery task as a file states it. What is left out has the default that {@link TaskFile} documents; paths are
 * relative to the file.
 *
 * @param name of the setting, which every result repeats; letters, digits and hyphens
 * @param seed of the task itself: base network, data, choice of units; the paper's is 31415
 * @param network the network
 * @param data the protected inputs
 * @param fresh other inputs, on which frozen edits are measured; or nothing
 * @param pool inputs of which an action for many batches draws those that it is trained on; or nothing
 * @param unseen inputs of another pool, of which it is judged; or nothing
 * @param support the parameters that move, unless a site says so
 * @param site a compensation site, in place of a support
 * @param points where parameters are sampled
 * @param group the search class
 * @param action the architecture of what is learned
 * @param objective the variant of the objective
 * @param recipe changes of the default recipe of that architecture
 * @param seeds of the fits
 */
public record Task(
        String name,
        @Nullable Long seed,
        NetworkSource network,
        DataSource data,
        @Nullable DataSource fresh,
        @Nullable DataSource pool,
        @Nullable DataSource unseen,
        @Nullable SupportChoice support,
        @Nullable SiteChoice site,
        PointChoice points,
        @Nullable GroupChoice group,
        @Nullable ActionKind action,
        @Nullable ObjectiveKind objective,
        @Nullable RecipeChoice recipe,
        @Nullable List<Long> seeds) {
    /** The task seed where none is given, the paper's. */
    public static final long DEFAULT_SEED = 31_415;

    /** Refuses a task without its parts, or with two ways to say what moves. */
    public Task {
        Check.given("name", name);
        Check.that(name.matches("[A-Za-z0-9-]+"), "name must be letters, digits and hyphens, got '%s'", name);
        Check.given("network", network);
        Check.given("data", data);
        Check.given("points", points);
        Check.that((support == null) != (site == null), "exactly one of 'support' and 'site' must be given");
        Check.that(seeds == null || !seeds.isEmpty(), "seeds must name at least one seed");
        boolean lawful = hasLaw(action);
        String kind = action == null ? "" : action.label();
        Check.that(
                !lawful || recipe == null || recipe.initialization() == null,
                "recipe: 'initialization' goes with the action 'displacement'; a %s action has one of its own",
                kind);
        Check.that(
                !lawful || recipe == null || !recipe.weighsLaw(),
                "recipe: 'transport' and 'composition' go with the action 'displacement'; the law of a %s action holds by construction",
                kind);
        checkBatches(pool, unseen, site, group, action);
        if (network.transformer() == null) {
            Check.that(
                    network.model() != null || (data.tokens() == null && (fresh == null || fresh.tokens() == null)),
                    "data: 'tokens' goes with a 'transformer' or a 'model'");
            Check.that(
                    network.model() != null || site == null || site.rows == null,
                    "site: 'rows' goes with a 'transformer' or a 'model'");
            Check.that(
                    network.model() == null || support == null || support.unit == null,
                    "a 'model' takes a 'support' with 'tensors' or 'all', or a 'site': what moves");
            Check.that(
                    network.model() == null || !Boolean.TRUE.equals(points.nonsingular),
                    "points: 'nonsingular' goes with a network of dense layers, not with a 'model'");
            Check.that(
                    network.model() == null || (data.isGiven() && (fresh == null || fresh.isGiven())),
                    "a 'model' takes its inputs from a 'file', or 'tokens'");
        } else {
            Check.that(data.tokens() != null, "data: a 'transformer' takes 'tokens', the ids of the protected prefix");
            Check.that(
                    site != null && site.layer != null,
                    "a 'transformer' takes a 'site' with its 'layer', from 0: the feed-forward block that changes");
            Check.that(fresh == null, "'fresh' goes with a network of dense layers, not with a 'transformer'");
        }
    }

    /** Whether the group law holds by construction. */
    static boolean hasLaw(@Nullable ActionKind action) {
        return action == ActionKind.CONJUGATED || action == ActionKind.BATCHED;
    }

    private static void checkBatches(
            @Nullable DataSource pool,
            @Nullable DataSource unseen,
            @Nullable SiteChoice site,
            @Nullable GroupChoice group,
            @Nullable ActionKind action) {
        boolean batched = action == ActionKind.BATCHED;
        Check.that(
                batched || (pool == null && unseen == null), "'pool' and 'unseen' go with the action 'batched' alone");
        Check.that(!batched || pool != null, "action: 'batched' takes a 'pool', the inputs of which batches are drawn");
        Check.that(
                !batched || site != null,
                "action: 'batched' takes a 'site'; what it learns is what a site compensates");
        Check.that(
                !batched || group == null, "action: 'batched' has translations with one generator; leave 'group' out");
    }

    /**
     * Returns the task with other protected inputs.
     *
     * @param other of the same network
     * @return all else unchanged
     */
    public Task withData(DataSource other) {
        return new Task(
                name, seed, network, other, fresh, pool, unseen, support, site, points, group, action, objective,
                recipe, seeds);
    }

    /**
     * Returns the task with absolute paths, one objective and every number of its recipe: what a run folder keeps.
     *
     * @param folder to which the paths of this task are relative
     * @return a task that means the same wherever, and with whichever defaults, it is read
     */
    public Task resolved(Path folder) {
        Task located = located(folder);
        return new Task(
                name,
                seed == null ? DEFAULT_SEED : seed,
                located.network,
                located.data,
                located.fresh,
                located.pool,
                located.unseen,
                support,
                site,
                points,
                group,
                action == null ? ActionKind.DISPLACEMENT : action,
                objective == null ? ObjectiveKind.HYBRID : objective,
                RecipeChoice.stating(Recipes.of(this), selectsCheckpoints(), stopMargin()),
                null);
    }

    /**
     * Returns the task with absolute paths and all else as it states it, so that defaults still follow from what is changed.
     *
     * @param folder to which the paths of this task are relative
     * @return a task that means the same wherever it is read
     */
    public Task located(Path folder) {
        return new Task(
                name,
                seed,
                network.resolved(folder),
                data.resolved(folder),
                fresh == null ? null : fresh.resolved(folder),
                pool == null ? null : pool.resolved(folder),
                unseen == null ? null : unseen.resolved(folder),
                support,
                site,
                points,
                group,
                action,
                objective,
                recipe,
                seeds);
    }

    static String absolute(Path folder, String file) {
        return folder.resolve(file).toAbsolutePath().normalize().toString();
    }

    /** {@return the objective, hybrid where the task names none} */
    public ObjectiveKind trainedObjective() {
        return objective == null ? ObjectiveKind.HYBRID : objective;
    }

    /** {@return whether validation selects the weights of a fit: false where they are the last} */
    public boolean selectsCheckpoints() {
        return recipe != null && recipe.select() == Select.VALIDATION;
    }

    /** {@return the margin by which validation must meet every tolerance to end a fit early; empty where all steps are done} */
    public OptionalDouble stopMargin() {
        return recipe == null || recipe.stop() == null
                ? OptionalDouble.empty()
                : OptionalDouble.of(recipe.stop().orDefault());
    }

    /**
     * Returns the task with another objective.
     *
     * @param kind the variant
     * @return all else unchanged
     */
    public Task withObjective(ObjectiveKind kind) {
        return new Task(
                name, seed, network, data, fresh, pool, unseen, support, site, points, group, action, kind, recipe,
                seeds);
    }

    /**
     * Which parameters move.
     *
     * @param all every parameter
     * @param tensors whole tensors by name, such as {@code 0.weight}
     * @param unit all weights incident to one hidden unit, whose contribution is the target: layer and unit, from 0
     */
    public record SupportChoice(
            @Nullable Boolean all,
            @Nullable List<String> tensors,
            @Nullable List<Integer> unit) {
        /** Refuses a support that is given twice or not at all. */
        public SupportChoice {
            int ways = (Boolean.TRUE.equals(all) ? 1 : 0) + (tensors == null ? 0 : 1) + (unit == null ? 0 : 1);
            Check.that(ways == 1, "support: exactly one of 'all', 'tensors' and 'unit' must be given");
            Check.that(
                    unit == null || (unit.size() == 2 && unit.stream().allMatch(u -> u >= 0)),
                    "support: unit must be [hidden layer, unit], got %s",
                    unit);
        }
    }

    /**
     * A compensation site.
     *
     * @param layer hidden layer of the units, from 0; 0 where left out
     * @param compensators number of compensating units; must equal the number of inputs, or be left out
     * @param moving {@code sensitive} or {@code largest}; {@code sensitive} where left out
     * @param unit the moving unit itself, in place of {@code moving}
     * @param coordinates {@code reduced} or {@code plain}; {@code reduced} where left out
     * @param rows which incoming weights move in a gated block: {@code gate} or {@code gate_and_up}, which is taken where left
     *     out
     */
    public record SiteChoice(
            @Nullable Integer layer,
            @Nullable Integer compensators,
            @Nullable Moving moving,
            @Nullable Integer unit,
            @Nullable Coordinates coordinates,
            @Nullable MovingRows rows) {
        /** Refuses impossible numbers. */
        public SiteChoice {
            Check.that(layer == null || layer >= 0, "site: layer must be at least 0, got %s", layer);
            Check.that(
                    compensators == null || compensators >= 1,
                    "site: compensators must be at least 1, got %s",
                    compensators);
            Check.that(
                    unit == null || (unit >= 0 && moving == null),
                    "site: unit must be at least 0 and stand alone, without 'moving'");
        }
    }

    /** How the moving unit of a site is chosen. */
    public enum Moving {
        /** The unit whose output answers most to a change of its incoming weights. */
        SENSITIVE,
        /** The unit with the largest contribution. */
        LARGEST
    }

    /** Coordinates of a site. */
    public enum Coordinates {
        /** The weights U_B and v_c themselves. */
        PLAIN,
        /** The visible changes (D, W) of the paper's pretrained sites. */
        REDUCED
    }

    /**
     * Where parameters are sampled: normal around the network's own.
     *
     * @param deviation standard deviation of each coordinate, positive
     * @param unit whether the deviation is absolute, or in root-mean-square weights; absolute where left out
     * @param original share of samples that are the network's own parameters, in [0, 1); 0 where left out
     * @param nonsingular whether samples with a numerically singular square layer are drawn again; false where left out
     */
    public record PointChoice(
            double deviation,
            @Nullable Unit unit,
            @Nullable Double original,
            @Nullable Boolean nonsingular) {
        /** Refuses numbers out of range. */
        public PointChoice {
            Check.that(
                    deviation > 0 && deviation < Double.POSITIVE_INFINITY,
                    "points: deviation must be positive, got %s",
                    deviation);
            Check.that(
                    original == null || (original >= 0 && original < 1),
                    "points: original must be in [0, 1), got %s",
                    original);
        }

        /** The sampler around an origin, with the root mean square of the moving weights. */
        GaussianPoints around(double[] origin, double weightScale) {
            return new GaussianPoints(
                    origin,
                    unit == Unit.WEIGHTS ? deviation * weightScale : deviation,
                    original == null ? 0 : original);
        }
    }

    /** What a deviation is measured in. */
    public enum Unit {
        /** Coordinates as they are. */
        ABSOLUTE,
        /** The root mean square of the moving weights. */
        WEIGHTS
    }

    /**
     * The search class.
     *
     * @param size rows of the group matrices; 2 where left out
     * @param generators number of learned generators; 1 where left out
     * @param supplied fixed generators, each a list of rows, in place of learned ones
     */
    public record GroupChoice(
            @Nullable Integer size,
            @Nullable Integer generators,
            @Nullable List<List<List<Double>>> supplied) {
        /** Refuses a group that is given twice. */
        public GroupChoice {
            Check.that(
                    supplied == null || (size == null && generators == null),
                    "group: 'supplied' says size and number, so 'size' and 'generators' must be left out");
        }
    }

    /** Which weights of a fit are its result. */
    public enum Select {
        /** Those of the last step. */
        LAST,
        /** Those with the smallest error on a stream of their own, as in the paper. */
        VALIDATION
    }
}
