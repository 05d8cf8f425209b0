package org.isoloss.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Rerun;
import org.isoloss.model.UnitBlock;
import org.isoloss.model.Value;
import org.isoloss.network.SiteBlock;

/**
 * Hidden units of a network on what the protected inputs bring to them: their weights as one vector, unit by unit, what enters a
 * unit before what leaves it, and what the whole network computes with such weights.
 */
public final class ProtectedUnits {
    private final Model model;
    private final List<Integer> units;
    private final SiteBlock block;
    private final Matrix inputs;
    private final List<UnitWeight> weights;
    private final List<Rerun> reruns;

    private ProtectedUnits(
            Model model,
            List<Integer> units,
            SiteBlock block,
            Matrix inputs,
            List<UnitWeight> weights,
            List<Map<String, double[]>> batches) {
        this.model = model;
        this.units = units;
        this.block = block;
        this.inputs = inputs;
        this.weights = weights;
        List<Value> outputs = List.copyOf(model.outputs().values());
        Set<String> tensors = new LinkedHashSet<>();
        weights.forEach(weight -> tensors.add(weight.tensor()));
        this.reruns = batches.stream()
                .map(batch -> Rerun.of(model, Precision.FLOAT64, batch, outputs, tensors))
                .toList();
    }

    /**
     * Takes units of the network of a task.
     *
     * @param setting the network with the protected inputs
     * @param layer which of its layers of hidden units, from 0 in the order of computation
     * @param units of the layer, from 0; all of them where none is named
     * @return the units
     * @throws IllegalArgumentException when there are no such units
     */
    public static ProtectedUnits of(Setting setting, int layer, Collection<Integer> units) {
        return switch (setting) {
            case DenseSetting dense -> {
                Matrix rows = dense.inputs();
                Map<String, double[]> batch = Map.of("input", rows.entries());
                yield of(dense.network().model(rows.rows()), List.of(batch), layer, units);
            }
            case ModelSetting of -> of(of.batch().model(), of.batch().batches(), layer, units);
        };
    }

    private static ProtectedUnits of(
            Model model, List<Map<String, double[]>> batches, int layer, Collection<Integer> named) {
        UnitBlock block = ModelSite.blocks(model, List.of(layer)).getFirst();
        Collection<Integer> all = IntStream.range(0, block.units()).boxed().toList();
        Set<Integer> units = new LinkedHashSet<>(named.isEmpty() ? all : named);
        for (int unit : units) {
            if (!all.contains(unit)) {
                throw new IllegalArgumentException("unit %d does not exist: hidden layer %d has units 0 to %d"
                        .formatted(unit, layer, block.units() - 1));
            }
        }
        List<UnitWeight> weights = new ArrayList<>();
        for (int unit : units) {
            weights.addAll(UnitWeight.entering(block, unit));
            weights.addAll(UnitWeight.leaving(block, unit));
        }
        return new ProtectedUnits(
                model,
                List.copyOf(units),
                ModelSite.units(model, block)
                        .only(units.stream().mapToInt(Integer::intValue).toArray()),
                ModelSite.entering(model, batches, List.of(block)).getFirst(),
                weights,
                batches);
    }

    /** {@return which units of the layer they are, in order} */
    public List<Integer> units() {
        return units;
    }

    /** {@return the units with their weights} */
    public SiteBlock block() {
        return block;
    }

    /** {@return what the protected inputs bring to the units: one place a row} */
    public Matrix inputs() {
        return inputs;
    }

    /**
     * Computes all outputs of the network in float64.
     *
     * @param vector weights of the units; not modified
     * @return the numbers of every output of every batch
     */
    public double[] outputs(double[] vector) {
        Map<String, double[]> tensors = new LinkedHashMap<>();
        for (int i = 0; i < vector.length; i++) {
            UnitWeight weight = weights.get(i);
            double[] numbers = tensors.computeIfAbsent(
                    weight.tensor(), name -> model.numbers(name).clone());
            Objects.requireNonNull(numbers)[weight.index()] = vector[i];
        }
        return reruns.stream()
                .map(rerun -> rerun.results(tensors))
                .flatMap(List::stream)
                .flatMapToDouble(Arrays::stream)
                .toArray();
    }
}
