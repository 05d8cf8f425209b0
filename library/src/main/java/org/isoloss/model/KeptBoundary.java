package org.isoloss.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;

/** A model whose moving parameters have other numbers while entries of some values keep theirs. */
final class KeptBoundary {
    private final Moving moving;
    private final Execution stored;
    private final Execution moved;
    private final List<Value> outputs;
    private final List<Value> outputsAfter;
    private final Map<Value, Value> kept = new LinkedHashMap<>();

    KeptBoundary(Moving moving, Boundary boundary, SplittableRandom random) {
        this.moving = moving;
        this.outputs = List.copyOf(moving.model().outputs().values());
        ModelBuilder builder = moving.model().extended();
        double[] point = moving.origin();
        double scale = Math.max(moving.scale(), Double.MIN_NORMAL);
        for (int i = 0; i < point.length; i++) {
            point[i] += scale * random.nextGaussian();
        }
        Map<Value, Value> replaced = new HashMap<>();
        moving.tensors(point).forEach((name, numbers) -> {
            Value parameter = moving.model().parameter(name);
            replaced.put(parameter, builder.constant(parameter.shape(), () -> numbers));
        });
        for (Boundary.Part part : boundary.parts()) {
            Value value = part.value();
            double[] mask = new double[value.shape().count()];
            part.entries().forEach(entry -> mask[entry] = 1);
            Value before = builder.input("kept " + kept.size(), value.shape().toArray());
            Value again = builder.replacing(List.of(value), replaced).getFirst();
            replaced.put(value, builder.select(builder.constant(value.shape(), () -> mask), before, again));
            kept.put(value, before);
        }
        this.outputsAfter = builder.replacing(outputs, replaced);
        List<Value> wanted = new ArrayList<>(outputs);
        wanted.addAll(kept.keySet());
        this.stored = Execution.of(Precision.FLOAT64, wanted);
        this.moved = Execution.of(Precision.FLOAT64, outputsAfter);
    }

    /** The largest change of an output, over the largest output. */
    double change(List<Map<String, double[]>> batches) {
        double change = 0;
        double largest = Double.MIN_NORMAL;
        for (Map<String, double[]> inputs : batches) {
            moving.model().setInputs(stored, inputs);
            stored.run();
            moving.model().setInputs(moved, inputs);
            kept.forEach((value, before) -> {
                if (moved.reads(before)) {
                    moved.set(before, stored.get(value));
                }
            });
            moved.run();
            for (int i = 0; i < outputs.size(); i++) {
                double[] one = stored.get(outputs.get(i));
                double[] other = moved.get(outputsAfter.get(i));
                for (int j = 0; j < one.length; j++) {
                    change = Math.max(change, Math.abs(other[j] - one[j]));
                    largest = Math.max(largest, Math.abs(one[j]));
                }
            }
        }
        return change / largest;
    }
}
