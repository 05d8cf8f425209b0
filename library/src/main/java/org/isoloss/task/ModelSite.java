package org.isoloss.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Execution;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
import org.isoloss.model.UnitBlock;
import org.isoloss.model.UnitBlock.Projection;
import org.isoloss.model.Value;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.GatedBlock;
import org.isoloss.network.GatedRows;
import org.isoloss.network.MovingRows;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.SiteBlock;
import org.isoloss.network.TwoLayerBlock;
import org.jspecify.annotations.Nullable;

/**
 * A compensation site in a block of hidden units of a model, with the tensors that its weights lie in. Every place of the
 * protected inputs is an input of the block: each token of a prefix, the first one among them, since what is left unprotected
 * reaches later tokens through attention (appendix {@code app:experimental-pythia-details} of the paper).
 */
public final class ModelSite {
    /** What hidden units are, for messages. */
    static final String UNITS =
            "function of one variable, or gate, between two products with parameters that nothing else reads";

    private final Model model;
    private final int layer;
    private final CompensationSite site;
    private final List<Projection> incoming;
    private final Projection outgoing;

    private ModelSite(Model model, int layer, CompensationSite site, List<Projection> incoming, Projection outgoing) {
        this.model = model;
        this.layer = layer;
        this.site = site;
        this.incoming = List.copyOf(incoming);
        this.outgoing = outgoing;
    }

    /**
     * Computes what enters a block and chooses its units.
     *
     * @param batch the protected inputs with the model
     * @param layer which block, from 0 in the order of computation
     * @param movingUnits how the moving units are chosen
     * @param rows which incoming weights move where the block is gated; both rows where left out, and refused where there is no gate
     * @return the site
     * @throws IllegalArgumentException when there is no such site, and why
     */
    public static ModelSite choose(ModelBatch batch, int layer, MovingUnits movingUnits, @Nullable MovingRows rows) {
        UnitBlock block = blocks(batch.model(), List.of(layer)).getFirst();
        Matrix inputs = entering(batch.model(), batch.batches(), List.of(block)).getFirst();
        return choose(batch, block, units(batch.model(), block), inputs, layer, movingUnits, rows);
    }

    /**
     * Takes units that were chosen for many batches.
     *
     * @param batch the protected inputs with the model
     * @param layer which block
     * @param site its units on what the batch brings to the block
     * @param rows which incoming weights move, as in {@link #choose}
     */
    static ModelSite of(ModelBatch batch, int layer, CompensationSite site, @Nullable MovingRows rows) {
        UnitBlock block = blocks(batch.model(), List.of(layer)).getFirst();
        return new ModelSite(
                batch.model(),
                layer,
                site,
                rows == MovingRows.GATE ? block.incoming().subList(0, 1) : block.incoming(),
                block.outgoing());
    }

    static ModelSite choose(
            ModelBatch batch,
            UnitBlock block,
            SiteBlock all,
            Matrix inputs,
            int layer,
            MovingUnits movingUnits,
            @Nullable MovingRows rows) {
        requireDifferent(batch.tokens(), inputs, layer);
        SiteBlock units = moving(all, rows);
        return new ModelSite(
                batch.model(),
                layer,
                CompensationSite.choose(units, inputs, movingUnits),
                rows == MovingRows.GATE ? block.incoming().subList(0, 1) : block.incoming(),
                block.outgoing());
    }

    /** The blocks of a model by their numbers. */
    static List<UnitBlock> blocks(Model model, List<Integer> layers) {
        List<UnitBlock> all = UnitBlock.of(model);
        if (all.isEmpty()) {
            throw new IllegalArgumentException("the model has no hidden units that can compensate: no " + UNITS);
        }
        for (int layer : layers) {
            if (layer < 0 || layer >= all.size()) {
                throw new IllegalArgumentException(
                        "layer %d asked for, but the model has %d, counted from 0".formatted(layer, all.size()));
            }
        }
        return layers.stream().map(all::get).toList();
    }

    /** Computes what enters blocks, one place a row. */
    static List<Matrix> entering(Model model, List<Map<String, double[]>> batches, List<UnitBlock> blocks) {
        List<Value> wanted = blocks.stream().map(UnitBlock::entering).toList();
        Execution execution = Execution.of(Precision.FLOAT64, wanted);
        List<List<Matrix>> parts = new ArrayList<>();
        blocks.forEach(_ -> parts.add(new ArrayList<>()));
        for (Map<String, double[]> inputs : batches) {
            model.setInputs(execution, inputs);
            execution.run();
            for (int i = 0; i < blocks.size(); i++) {
                parts.get(i).add(blocks.get(i).inputs(execution.get(wanted.get(i))));
            }
        }
        return parts.stream().map(ModelSite::joined).toList();
    }

    private static Matrix joined(List<Matrix> parts) {
        int count = parts.stream().mapToInt(Matrix::rows).sum();
        Matrix all = Matrix.zeros(count, parts.getFirst().columns());
        int at = 0;
        for (Matrix part : parts) {
            System.arraycopy(part.entries(), 0, all.entries(), at, part.entries().length);
            at += part.entries().length;
        }
        return all;
    }

    /** Where a block's input depends on the token alone, a repeated token repeats it, and no unit tells the two apart. */
    private static void requireDifferent(List<Integer> tokens, Matrix inputs, int layer) {
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

    static SiteBlock moving(SiteBlock units, @Nullable MovingRows rows) {
        return switch (units) {
            case GatedRows gated when rows != null -> new GatedRows(gated.block(), rows);
            case TwoLayerBlock _
            when rows != null ->
                throw new IllegalArgumentException(
                        "site: the feed-forward blocks of this model have no gate, so 'rows' must be left out");
            default -> units;
        };
    }

    /** The weights of a block in float64. */
    static SiteBlock units(Model model, UnitBlock block) {
        DenseLayer first = layer(model, block.incoming().getFirst());
        Matrix outgoing =
                block.outgoing().weights(model.numbers(block.outgoing().weight()));
        DenseLayer last = DenseLayer.of(outgoing.transpose());
        return block.incoming().size() == 1
                ? TwoLayerBlock.of(block.activation(), first, last)
                : new GatedRows(
                        GatedBlock.of(
                                block.activation(),
                                first,
                                layer(model, block.incoming().getLast()),
                                last),
                        MovingRows.GATE_AND_UP);
    }

    private static DenseLayer layer(Model model, Projection projection) {
        Matrix weight = projection.weights(model.numbers(projection.weight()));
        String name = projection.bias();
        if (name == null) {
            return DenseLayer.of(weight);
        }
        double[] numbers = model.numbers(name);
        double[] bias = new double[projection.units()];
        Arrays.setAll(bias, unit -> numbers[projection.biasPlace(unit)]);
        return DenseLayer.of(weight, bias);
    }

    /** {@return which block of the model, from 0} */
    public int layer() {
        return layer;
    }

    /** {@return the site in the block, moving and compensating units with their conditioning} */
    public CompensationSite site() {
        return site;
    }

    /** {@return the tensors that hold weights of the site} */
    public Set<String> tensors() {
        Set<String> names = new TreeSet<>(Set.of(outgoing.weight()));
        for (Projection projection : incoming) {
            names.add(projection.weight());
            if (projection.bias() != null) {
                names.add(projection.bias());
            }
        }
        return names;
    }

    /** Told where a weight of the site lies. */
    @FunctionalInterface
    private interface Place {
        void take(int coordinate, String tensor, int index);
    }

    /** Tells of each of U_B, row by row, and then of each moving row, its bias last. */
    private void forEach(Place place) {
        int next = 0;
        for (int output = 0; output < outgoing.width(); output++) {
            for (int unit : site.compensators()) {
                place.take(next++, outgoing.weight(), outgoing.place(unit, output));
            }
        }
        for (Projection projection : incoming) {
            String bias = projection.bias();
            for (int unit : site.moving()) {
                for (int i = 0; i < projection.width(); i++) {
                    place.take(next++, projection.weight(), projection.place(unit, i));
                }
                if (bias != null) {
                    place.take(next++, bias, projection.biasPlace(unit));
                }
            }
        }
    }

    /**
     * Returns the whole tensors that weights of the site stand for: all else in them is as it was.
     *
     * @param plain U_B and the moving rows as {@link org.isoloss.network.SiteCoordinates#toPlain} gives them; not modified
     * @return by name, row-major
     */
    public Map<String, double[]> tensors(double[] plain) {
        requireCount(plain);
        Map<String, double[]> tensors = new LinkedHashMap<>();
        forEach((coordinate, tensor, index) ->
                tensors.computeIfAbsent(tensor, name -> model.numbers(name).clone())[index] = plain[coordinate]);
        return tensors;
    }

    /**
     * Rounds weights of the site as storing them does.
     *
     * @param plain as in {@link #tensors}; not modified
     * @param types the type of each tensor, by its name
     * @return the nearest numbers of those types, in the same order
     * @throws IllegalArgumentException when a weight is not finite, or beyond the range of its type
     */
    public double[] nearest(double[] plain, Function<String, ElementType> types) {
        requireCount(plain);
        double[] nearest = new double[plain.length];
        forEach((coordinate, tensor, index) -> {
            nearest[coordinate] = types.apply(tensor).nearest(plain[coordinate]);
            if (!Double.isFinite(nearest[coordinate])) {
                throw new IllegalArgumentException(
                        "layer %d: a weight of the edit is %s, which its type cannot hold; use a smaller coefficient"
                                .formatted(layer, plain[coordinate]));
            }
        });
        return nearest;
    }

    private void requireCount(double[] plain) {
        int[] count = new int[1];
        forEach((_, _, _) -> count[0]++);
        if (plain.length != count[0]) {
            throw new IllegalArgumentException(
                    "ModelSite: %d weights given, expected %d".formatted(plain.length, count[0]));
        }
    }

    /** Told of the part of a tensor that a unit's weights are: an axis, and which entry of it. */
    @FunctionalInterface
    private interface Part<T> {
        T of(String tensor, int axis, int entry);
    }

    private <T> List<T> parts(Part<T> part) {
        List<T> parts = new ArrayList<>();
        for (Projection projection : incoming) {
            String bias = projection.bias();
            for (int unit : site.moving()) {
                parts.add(part(projection.weight(), projection.step(), projection.place(unit, 0), part));
                if (bias != null) {
                    parts.add(part(bias, projection.biasStep(), projection.biasPlace(unit), part));
                }
            }
        }
        for (int unit : site.compensators()) {
            parts.add(part(outgoing.weight(), outgoing.step(), outgoing.place(unit, 0), part));
        }
        return parts;
    }

    private <T> T part(String tensor, int step, int place, Part<T> part) {
        Dimensions shape = model.parameter(tensor).shape();
        int[] strides = shape.strides();
        int axis = 0;
        while (axis < strides.length - 1 && strides[axis] > step) {
            axis++;
        }
        return part.of(tensor, axis, place / strides[axis] % shape.size(axis));
    }

    /**
     * Says where the weights lie.
     *
     * @return in words, each moving unit's incoming weights and bias and then each compensating unit's outgoing weights, such as
     *     {@code 0.weight row 5}
     */
    public List<String> places() {
        return parts((tensor, axis, entry) -> {
            int rank = model.parameter(tensor).shape().rank();
            String kind = rank == 1 ? "entry" : rank > 2 ? "axis %d at".formatted(axis) : axis == 0 ? "row" : "column";
            return "%s %s %d".formatted(tensor, kind, entry);
        });
    }

    /** {@return the same weights as parts of tensors, as {@link Moving#of} reads them: such as {@code 0.weight[5]}} */
    List<String> movingParts() {
        return parts((tensor, axis, entry) -> "%s[%s%d]".formatted(tensor, ":, ".repeat(axis), entry));
    }
}
