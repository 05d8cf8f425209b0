package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;

/** A part of a model without parameters, with the values that meet in it. */
final class Part {
    /** As many maps of one block as a linear system is solved for. */
    private static final int MOST_MAPS = 5000;

    private final Model model;
    private final ValueCut cut;
    private final List<Value> free = new ArrayList<>();
    private final List<Value> ends = new ArrayList<>();
    private final List<Value> outputs = new ArrayList<>();
    private final PartBlocks blocks;
    private final List<Value> moved;

    /**
     * Finds what goes in and comes out.
     *
     * @param model that the part belongs to
     * @param cut where it is cut
     * @param link the values that meet in the part
     */
    Part(Model model, ValueCut cut, Set<Value> link) {
        this.model = model;
        this.cut = cut;
        for (Value value : link) {
            (cut.results().contains(value) ? free : ends).add(value);
        }
        for (Value output : model.outputs().values()) {
            if (cut.meets(output).stream().anyMatch(free::contains)) {
                outputs.add(output);
            }
        }
        this.blocks = new PartBlocks(model, cut, free, ends, outputs);
        this.moved = free.stream().filter(value -> !blocks.isPinned(value)).toList();
    }

    /** Whether all its blocks together have too many maps to be searched by linear systems. */
    boolean isTooWide() {
        return blocks.maps() > MOST_MAPS;
    }

    ValueCut cut() {
        return cut;
    }

    /** What goes in: results of uses of parameters. */
    List<Value> free() {
        return free;
    }

    /** What goes in and may move. */
    List<Value> moved() {
        return moved;
    }

    /** What comes out and is read by parameters. */
    List<Value> ends() {
        return ends;
    }

    /** What comes out of the model. */
    List<Value> outputs() {
        return outputs;
    }

    PartBlocks blocks() {
        return blocks;
    }

    /** What comes out, as an output of {@link #withMaps}: the ends, then the outputs. */
    static String nameOfEnd(int index) {
        return "end %04d".formatted(index);
    }

    /** What goes in, as an input of {@link #withMaps}. */
    static String nameOfFree(int index) {
        return "value " + index;
    }

    /** An input of the model, as one of {@link #withMaps}. */
    static String nameOfInput(String input) {
        return "input " + input;
    }

    /**
     * Makes the part a model of its own.
     *
     * @param points how values are moved
     * @return its inputs are what goes in and the inputs of the model, its parameters the maps of what may move, zero where it
     *     stays, its outputs what comes out, and for each map
     *     the sum of its entries
     */
    Model withMaps(Map<Value, GaugePoint> points) {
        ModelBuilder builder = model.extended();
        Map<Value, Value> replaced = new HashMap<>();
        List<Value> maps = new ArrayList<>();
        model.inputs()
                .forEach((name, input) -> replaced.put(
                        input, builder.input(nameOfInput(name), input.shape().toArray())));
        for (int i = 0; i < free.size(); i++) {
            Value value = free.get(i);
            Value given = builder.input(nameOfFree(i), value.shape().toArray());
            if (!moved.contains(value)) {
                replaced.put(value, given);
                continue;
            }
            int n = cut.width(value);
            Value map = builder.parameter("map %04d".formatted(i), Dimensions.of(n, n + 1), zeros(n * (n + 1)));
            maps.add(map);
            replaced.put(value, moved(builder, given, map, Objects.requireNonNull(points.get(value))));
        }
        List<Value> wanted = new ArrayList<>(ends);
        wanted.addAll(outputs);
        List<Value> built = builder.replacing(wanted, replaced);
        for (int i = 0; i < built.size(); i++) {
            builder.output(nameOfEnd(i), built.get(i));
        }
        // so that no map is out of sight
        maps.forEach(map -> builder.output(map.where(), builder.sumOver(map, List.of(0, 1))));
        return builder.build();
    }

    private static Numbers zeros(int count) {
        double[] zeros = new double[count];
        return () -> zeros;
    }

    private static Value moved(ModelBuilder builder, Value given, Value map, GaugePoint point) {
        int[] order = point.order();
        int n = point.width();
        Value rows = builder.reshape(builder.transpose(given, order), Dimensions.of(point.carried(), n));
        Value matrix = builder.slice(map, 1, 0, n);
        Value shift = builder.reshape(builder.slice(map, 1, n, 1), Dimensions.of(n));
        Value added = builder.plus(builder.contract("ij,kj->ik", rows, matrix), shift);
        int[] sizes = Arrays.stream(order).map(given.shape()::size).toArray();
        int[] inverse = new int[order.length];
        for (int i = 0; i < order.length; i++) {
            inverse[order[i]] = i;
        }
        return builder.plus(given, builder.transpose(builder.reshape(added, Dimensions.of(sizes)), inverse));
    }

    /**
     * Draws inputs of {@link #withMaps}: what the model computes, with as much noise as it is large.
     *
     * @param points what goes in, on samples
     * @param samples inputs of the model
     * @param count how many draws
     * @param seed of the noise
     */
    List<Map<String, double[]>> drawn(
            Map<Value, GaugePoint> points, List<Map<String, double[]>> samples, int count, long seed) {
        var random = new SplittableRandom(seed);
        List<Map<String, double[]>> draws = new ArrayList<>();
        for (int draw = 0; draw < count; draw++) {
            Map<String, double[]> inputs = new LinkedHashMap<>();
            samples.get(draw % samples.size()).forEach((name, given) -> inputs.put(nameOfInput(name), given));
            for (int i = 0; i < free.size(); i++) {
                double[] own = Objects.requireNonNull(points.get(free.get(i))).sample(draw % samples.size());
                double rms = Math.sqrt(Arrays.stream(own).map(x -> x * x).sum() / own.length);
                double noise = rms == 0 ? 1 : rms;
                inputs.put(
                        nameOfFree(i),
                        Arrays.stream(own)
                                .map(x -> x + noise * random.nextGaussian())
                                .toArray());
            }
            draws.add(inputs);
        }
        return draws;
    }
}
