package org.isoloss.transformer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.LayerNames;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.GatedRows;
import org.isoloss.network.MovingRows;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.SiteBlock;
import org.isoloss.transformer.MovedWeights.Part;
import org.jspecify.annotations.Nullable;

/**
 * A compensation site in the feed-forward block of a transformer's layer, for a prefix whose tokens are all protected, the
 * first one among them: what it leaves unprotected reaches later tokens through attention (appendix
 * {@code app:experimental-pythia-details} of the paper).
 */
public final class FeedForwardSite {
    private final int layer;
    private final List<Integer> tokens;
    private final Projections projections;
    private final CompensationSite site;

    private FeedForwardSite(int layer, List<Integer> tokens, Projections projections, CompensationSite site) {
        this.layer = layer;
        this.tokens = List.copyOf(tokens);
        this.projections = projections;
        this.site = site;
    }

    /**
     * Runs the transformer on the prefix and chooses the units of a layer.
     *
     * @param transformer in float64
     * @param tokens ids of the protected prefix, from its first token on
     * @param layer from 0
     * @param movingUnits how the moving units are chosen
     * @param rows which incoming weights move where the block is gated; both rows where left out, and refused where there is no gate
     * @return the site
     * @throws IOException when weights cannot be read
     * @throws IllegalArgumentException when there is no such site, and why
     */
    public static FeedForwardSite choose(
            Transformer transformer,
            List<Integer> tokens,
            int layer,
            MovingUnits movingUnits,
            @Nullable MovingRows rows)
            throws IOException {
        TokenBatch batch =
                TokenBatch.of(tokens.stream().mapToInt(Integer::intValue).toArray());
        Matrix inputs = transformer.run(batch, layer).feedForwardInput(layer);
        return of(transformer.feedForward(layer), inputs, tokens, layer, movingUnits, rows);
    }

    /** Chooses the units of a block on what enters it, one token a row. */
    static FeedForwardSite of(
            FeedForwardBlock block,
            Matrix inputs,
            List<Integer> tokens,
            int layer,
            MovingUnits movingUnits,
            @Nullable MovingRows rows) {
        requireDifferent(inputs, tokens, layer);
        Projections projections = Projections.of(block, rows);
        return new FeedForwardSite(
                layer, tokens, projections, CompensationSite.choose(projections.block(), inputs, movingUnits));
    }

    /** Where a block's input depends on the token alone, a repeated token repeats it, and no unit tells the two apart. */
    private static void requireDifferent(Matrix inputs, List<Integer> tokens, int layer) {
        for (int i = 0; i < tokens.size(); i++) {
            for (int j = 0; j < i; j++) {
                double distance =
                        inputs.rows(i, i + 1).minus(inputs.rows(j, j + 1)).frobeniusNorm();
                if (tokens.get(i).equals(tokens.get(j))
                        && distance <= 1e-9 * inputs.rows(i, i + 1).frobeniusNorm()) {
                    throw new IllegalArgumentException(
                            "layer %d: token %d stands at positions %d and %d, and what enters this block depends on the token alone, so no unit tells the two apart; choose a later layer or a prefix without repeated tokens"
                                    .formatted(layer, tokens.get(i), j, i));
                }
            }
        }
    }

    /** {@return the layer, from 0} */
    public int layer() {
        return layer;
    }

    /** {@return the protected prefix, ids, from the first token on} */
    public List<Integer> tokens() {
        return tokens;
    }

    /** {@return the site in the block, moving and compensating units with their conditioning} */
    public CompensationSite site() {
        return site;
    }

    /**
     * Returns the rows and columns of the transformer's parameters that weights of the site stand for.
     *
     * @param plain U_B and the moving rows as {@link org.isoloss.network.SiteCoordinates#toPlain} gives them; not modified
     * @return each moving unit's incoming weights and bias, then each compensating unit's outgoing weights
     */
    public List<MovedWeights> moved(double[] plain) {
        int[] moving = site.moving();
        int[] compensators = site.compensators();
        int outputs = projections.block().outputWidth();
        Matrix incoming = projections.block().incoming(moving);
        int outgoing = outputs * compensators.length;
        if (plain.length != outgoing + incoming.entries().length) {
            throw new IllegalArgumentException("FeedForwardSite: %d weights given, expected %d"
                    .formatted(plain.length, outgoing + incoming.entries().length));
        }
        List<MovedWeights> moved = new ArrayList<>();
        for (int row = 0; row < incoming.rows(); row++) {
            LayerNames names = projections.incoming().get(row / moving.length);
            int begin = outgoing + row * incoming.columns();
            double[] weights = Arrays.copyOfRange(plain, begin, begin + incoming.columns());
            int unit = moving[row % moving.length];
            String bias = names.bias();
            int width = bias == null ? weights.length : weights.length - 1;
            moved.add(new MovedWeights(
                    names.weight(), names.transposed() ? Part.COLUMN : Part.ROW, unit, Arrays.copyOf(weights, width)));
            if (bias != null) {
                moved.add(new MovedWeights(bias, Part.ENTRY, unit, weights[width]));
            }
        }
        LayerNames readout = projections.readout();
        Matrix columns = Matrix.over(outputs, compensators.length, Arrays.copyOf(plain, outgoing));
        for (int i = 0; i < compensators.length; i++) {
            moved.add(new MovedWeights(
                    readout.weight(),
                    readout.transposed() ? Part.ROW : Part.COLUMN,
                    compensators[i],
                    columns.column(i)));
        }
        return moved;
    }

    /**
     * Returns the whole parameters that weights of the site stand for: all else in them is as it was.
     *
     * @param plain as in {@link #moved}; not modified
     * @return by transformers' names, in the shape that is stored, a vector as one row; as {@link Transformer#with} takes
     *     them
     */
    public Map<String, Matrix> parameters(double[] plain) {
        Map<String, Matrix> parameters = new LinkedHashMap<>();
        for (MovedWeights part : moved(plain)) {
            part.writeTo(parameters.computeIfAbsent(part.parameter(), projections::parameter));
        }
        return parameters;
    }

    /**
     * Rounds weights of the site as storing them does.
     *
     * @param plain as in {@link #moved}; not modified
     * @param types the type of each parameter, by its name
     * @return the nearest numbers of those types, in the same order
     * @throws IllegalArgumentException when a weight is not finite, or beyond the range of its type
     */
    public double[] nearest(double[] plain, Function<String, ElementType> types) {
        double[] nearest = plain.clone();
        int outgoing = projections.block().outputWidth() * site.compensators().length;
        ElementType readout = types.apply(projections.readout().weight());
        for (int i = 0; i < outgoing; i++) {
            nearest[i] = readout.nearest(plain[i]);
        }
        int moving = site.moving().length;
        int width = (plain.length - outgoing) / (projections.incoming().size() * moving);
        for (int i = outgoing; i < plain.length; i++) {
            int row = (i - outgoing) / width;
            LayerNames names = projections.incoming().get(row / moving);
            String bias = names.bias();
            boolean isLast = (i - outgoing) % width == width - 1;
            nearest[i] =
                    types.apply(bias != null && isLast ? bias : names.weight()).nearest(plain[i]);
        }
        for (int i = 0; i < plain.length; i++) {
            if (!Double.isFinite(nearest[i])) {
                throw new IllegalArgumentException(
                        "layer %d: a weight of the edit is %s, which its type cannot hold; use a smaller coefficient"
                                .formatted(layer, plain[i]));
            }
        }
        return nearest;
    }

    /** The block as the site sees it, with the names of what moves. */
    private record Projections(SiteBlock block, List<LayerNames> incoming, LayerNames readout) {
        static Projections of(FeedForwardBlock block, @Nullable MovingRows rows) {
            return switch (block) {
                case FeedForwardBlock.TwoLayer plain -> {
                    if (rows != null) {
                        throw new IllegalArgumentException(
                                "site: the feed-forward blocks of this model have no gate, so 'rows' must be left out");
                    }
                    yield new Projections(plain.block(), List.of(plain.first()), plain.second());
                }
                case FeedForwardBlock.Gated gated -> {
                    MovingRows moving = rows == null ? MovingRows.GATE_AND_UP : rows;
                    yield new Projections(
                            new GatedRows(gated.block(), moving),
                            moving == MovingRows.GATE ? List.of(gated.gate()) : List.of(gated.gate(), gated.up()),
                            gated.down());
                }
            };
        }

        /** A parameter as it is stored; a new matrix. */
        Matrix parameter(String name) {
            int[] all = IntStream.range(0, block.units()).toArray();
            if (name.equals(readout.weight())) {
                Matrix outgoing = block.outgoing(all);
                return readout.transposed() ? outgoing.transpose() : outgoing;
            }
            Matrix rows = block.incoming(all);
            for (int i = 0; i < incoming.size(); i++) {
                LayerNames names = incoming.get(i);
                Matrix mine = rows.rows(i * all.length, (i + 1) * all.length);
                int width = names.bias() == null ? mine.columns() : mine.columns() - 1;
                if (name.equals(names.bias())) {
                    return Matrix.of(1, all.length, mine.column(width));
                }
                if (name.equals(names.weight())) {
                    Matrix weight = mine.transpose().rows(0, width);
                    return names.transposed() ? weight.copy() : weight.transpose();
                }
            }
            throw new IllegalArgumentException("FeedForwardSite: %s is no parameter of this site".formatted(name));
        }
    }
}
