package org.isoloss.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Model;
import org.isoloss.model.UnitBlock;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.CompensationSite.UnitEffect;
import org.isoloss.network.MovingRows;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.SiteBlock;
import org.isoloss.network.SiteCoordinates;
import org.jspecify.annotations.Nullable;

/**
 * What one block of hidden units offers on protected inputs: whether units can move and others compensate there,
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
     * Looks at blocks.
     *
     * @param batch the protected inputs with the model
     * @param layers which blocks, from 0; all where none is named
     * @param movingUnits how the moving unit is chosen
     * @param rows which incoming weights move where blocks are gated; both rows where left out
     * @return one survey a block
     */
    public static List<SiteSurvey> of(
            ModelBatch batch, List<Integer> layers, MovingUnits movingUnits, @Nullable MovingRows rows) {
        List<Integer> numbers = layers.isEmpty()
                ? IntStream.range(0, UnitBlock.of(batch.model()).size()).boxed().toList()
                : layers;
        List<UnitBlock> blocks = ModelSite.blocks(batch.model(), numbers);
        List<Matrix> entering = ModelSite.entering(batch.model(), batch.batches(), blocks);
        List<SiteSurvey> surveys = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            surveys.add(of(batch, blocks.get(i), entering.get(i), numbers.get(i), movingUnits, rows));
        }
        return surveys;
    }

    private static SiteSurvey of(
            ModelBatch batch,
            UnitBlock block,
            Matrix inputs,
            int layer,
            MovingUnits movingUnits,
            @Nullable MovingRows rows) {
        SiteBlock units = ModelSite.units(batch.model(), block);
        int[] all = IntStream.range(0, units.units()).toArray();
        Matrix features = units.features(units.augmented(inputs), all);
        Matrix left = left(batch.model(), block, units.outgoing(all).times(features));
        double share = square(Matrix.of(left.rows(), 1, left.column(0))) / square(left);
        int rank = rank(features);
        try {
            CompensationSite site = ModelSite.choose(batch, block, units, inputs, layer, movingUnits, rows)
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

    /** What leaves a block, one place a column. */
    private static Matrix left(Model model, UnitBlock block, Matrix sums) {
        String name = block.outgoing().bias();
        if (name != null) {
            double[] bias = model.numbers(name);
            for (int output = 0; output < sums.rows(); output++) {
                for (int place = 0; place < sums.columns(); place++) {
                    sums.set(
                            output,
                            place,
                            sums.get(output, place) + bias[block.outgoing().biasPlace(output)]);
                }
            }
        }
        return sums;
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

    private static int rank(Matrix features) {
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
