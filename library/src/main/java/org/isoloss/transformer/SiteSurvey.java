package org.isoloss.transformer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.CompensationSite.UnitEffect;
import org.isoloss.network.GatedRows;
import org.isoloss.network.MovingRows;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.SiteBlock;
import org.isoloss.network.SiteCoordinates;
import org.jspecify.annotations.Nullable;

/**
 * What the feed-forward block of one layer offers on a protected prefix: whether units can move and others compensate there,
 * how well conditioned that is, and why not where it is not.
 *
 * @param layer from 0
 * @param rank of the protected features of all units, one token a column scaled to norm 1
 * @param firstTokenShare the first token's share of the squared norm of what leaves the block; 1 over the number of tokens
 *     where all are alike
 * @param choice the units, where there are enough that are independent enough
 * @param reason why no site is possible; empty where one is
 */
public record SiteSurvey(int layer, int rank, double firstTokenShare, Optional<Choice> choice, String reason) {
    /** Below this share of its contribution per root-mean-square weight, a unit moves without effect. */
    public static final double LEAST_EFFECT = 1e-3;

    private static final double DEPENDENT = 1e-10;

    /**
     * The units of a site.
     *
     * @param compensators in the order in which pivoting picks them
     * @param condition of their features Z_B
     * @param scaledCondition the same with each token's column scaled to norm 1: what bounds the error of compensation
     * @param moving the moving unit
     * @param contribution norm of what it adds to the output on the prefix
     * @param sensitivity least singular value of the derivative of the contribution by visible changes of the moving
     *     weights, over its norm
     * @param effect the sensitivity times the root mean square of the weights that move: what a step of that size does to
     *     the contribution, at least
     */
    public record Choice(
            List<Integer> compensators,
            double condition,
            double scaledCondition,
            int moving,
            double contribution,
            double sensitivity,
            double effect) {}

    /**
     * Looks at layers.
     *
     * @param transformer in float64
     * @param tokens ids of the prefix, from its first token on
     * @param layers from 0
     * @param movingUnits how the moving unit is chosen
     * @param rows which incoming weights move where blocks are gated; both rows where left out
     * @return one survey a layer
     * @throws IOException when weights cannot be read
     */
    public static List<SiteSurvey> of(
            Transformer transformer,
            List<Integer> tokens,
            List<Integer> layers,
            MovingUnits movingUnits,
            @Nullable MovingRows rows)
            throws IOException {
        int[] numbers = layers.stream().mapToInt(Integer::intValue).toArray();
        TokenBatch batch =
                TokenBatch.of(tokens.stream().mapToInt(Integer::intValue).toArray());
        ForwardPass pass = transformer.run(batch, numbers);
        List<SiteSurvey> surveys = new ArrayList<>();
        for (int layer : numbers) {
            surveys.add(of(
                    transformer.feedForward(layer),
                    pass.feedForwardInput(layer),
                    pass.feedForwardOutput(layer),
                    tokens,
                    layer,
                    movingUnits,
                    rows));
        }
        return surveys;
    }

    /** Looks at a block on what enters and leaves it, one token a row. */
    static SiteSurvey of(
            FeedForwardBlock block,
            Matrix inputs,
            Matrix outputs,
            List<Integer> tokens,
            int layer,
            MovingUnits movingUnits,
            @Nullable MovingRows rows) {
        double share = square(outputs.rows(0, 1)) / square(outputs);
        int rank = rank(block, inputs);
        try {
            CompensationSite site = FeedForwardSite.of(block, inputs, tokens, layer, movingUnits, rows)
                    .site();
            Choice choice = choice(site);
            String reason = choice.effect < LEAST_EFFECT ? "unit %d moves without effect".formatted(choice.moving) : "";
            return new SiteSurvey(layer, rank, share, Optional.of(choice), reason);
        } catch (IllegalArgumentException refusal) {
            String message = refusal.getMessage() == null ? "refused" : refusal.getMessage();
            return new SiteSurvey(
                    layer, rank, share, Optional.empty(), message.replaceFirst("^(CompensationSite|layer \\d+): ", ""));
        }
    }

    private static Choice choice(CompensationSite site) {
        int moving = site.moving()[0];
        UnitEffect effect = site.effects().stream()
                .filter(unit -> unit.unit() == moving)
                .findFirst()
                .orElseThrow();
        return new Choice(
                Arrays.stream(site.compensators()).boxed().toList(),
                site.features().condition(),
                site.features().scaledCondition(),
                moving,
                effect.contribution(),
                effect.sensitivity(),
                effect.sensitivity() * SiteCoordinates.plain(site).weightScale());
    }

    private static int rank(FeedForwardBlock block, Matrix inputs) {
        SiteBlock units = switch (block) {
            case FeedForwardBlock.TwoLayer plain -> plain.block();
            case FeedForwardBlock.Gated gated -> new GatedRows(gated.block(), MovingRows.GATE);
        };
        Matrix features = units.features(
                units.augmented(inputs), IntStream.range(0, units.units()).toArray());
        for (int token = 0; token < features.columns(); token++) {
            double norm = Matrix.of(1, features.rows(), features.column(token)).frobeniusNorm();
            for (int unit = 0; unit < features.rows() && norm > 0; unit++) {
                features.set(unit, token, features.get(unit, token) / norm);
            }
        }
        double[] singularValues = Svd.valuesOf(features);
        return (int) Arrays.stream(singularValues)
                .filter(value -> value > DEPENDENT * singularValues[0])
                .count();
    }

    private static double square(Matrix matrix) {
        return matrix.frobeniusNorm() * matrix.frobeniusNorm();
    }

    /** {@return whether a unit can move here with an effect that others compensate: whether there is no reason against it} */
    public boolean possible() {
        return reason.isEmpty();
    }
}
