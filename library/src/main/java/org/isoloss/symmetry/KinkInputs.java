package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Differentiation;
import org.isoloss.model.Execution;
import org.isoloss.model.Kink;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;

/**
 * Inputs that bring units which bend, such as ReLUs, to the side on which few other inputs bring them: a unit that no input makes
 * active looks as if its weights did not matter. They are drawn wider and wider, and where that does not help, climbed to.
 */
final class KinkInputs {
    /** So many rows on each side tell all weights of a small unit apart. */
    private static final int WANTED = 24;

    private static final int BATCHES = 32;
    private static final double[] SCALES = {1, 1, 2, 4, 8, 16, 32, 64};
    private static final int MOST = 96;
    private static final int CLIMBED = 40;
    private static final int MOST_CLIMBS = 512;
    private static final int ABOUT = 12;
    private static final double STEP = 0.5;
    private static final double NOISE = 0.3;

    private final Model model;
    private final List<Kink> kinks;
    private final List<Value> arguments;
    private final List<int[]> units = new ArrayList<>();
    private final List<int[][]> counts = new ArrayList<>();
    private final SplittableRandom random;
    private final List<Map<String, double[]>> found = new ArrayList<>();
    private int climbs;

    private KinkInputs(Model model, ValueCut cut, long seed) {
        this.model = model;
        this.kinks = Kink.of(model);
        this.arguments = kinks.stream().map(Kink::argument).toList();
        this.random = new SplittableRandom(seed);
        for (Value argument : arguments) {
            int[] own = units(argument, cut);
            units.add(own);
            counts.add(new int[2][1 + Arrays.stream(own).max().orElse(0)]);
        }
    }

    /** For each entry of a value the number of its unit: its channel, or itself where it has none. */
    private static int[] units(Value value, ValueCut cut) {
        int[] units = new int[value.shape().count()];
        Set<Integer> channels = cut.channels().getOrDefault(value, Set.of());
        int[] strides = value.shape().strides();
        for (int at = 0; at < units.length; at++) {
            units[at] = channels.isEmpty() ? at : 0;
            for (int axis : channels) {
                int size = value.shape().size(axis);
                units[at] = units[at] * size + at / strides[axis] % size;
            }
        }
        return units;
    }

    /**
     * Looks for inputs.
     *
     * @param model whose inputs have static shapes
     * @param cut its values with channels
     * @param samples inputs that there are
     * @param seed of the draws
     * @return more inputs; none where the model does not bend, or all units are on both sides often enough
     */
    static List<Map<String, double[]>> of(Model model, ValueCut cut, List<Map<String, double[]>> samples, long seed) {
        KinkInputs search = new KinkInputs(model, cut, seed);
        if (!search.kinks.isEmpty()) {
            search.take(samples, false);
            search.draw();
            search.climb(samples);
        }
        return search.found;
    }

    private boolean isDone() {
        return found.size() >= MOST
                || counts.stream()
                        .flatMap(Arrays::stream)
                        .allMatch(side -> Arrays.stream(side).allMatch(count -> count >= WANTED));
    }

    /** Counts on which side units are; where only some are wanted, keeps those that bring one to a side where it seldom is. */
    private void take(List<Map<String, double[]>> inputs, boolean choosing) {
        List<double[]> numbers = model.computed(arguments, inputs);
        for (int batch = 0; batch < inputs.size() && !(choosing && isDone()); batch++) {
            boolean isWanted = !choosing;
            for (int i = 0; i < arguments.size() && !isWanted; i++) {
                int size = units.get(i).length;
                for (int at = 0; at < size && !isWanted; at++) {
                    int side = side(i, numbers.get(i)[batch * size + at]);
                    isWanted = side >= 0 && counts.get(i)[side][units.get(i)[at]] < WANTED;
                }
            }
            if (isWanted) {
                for (int i = 0; i < arguments.size(); i++) {
                    int size = units.get(i).length;
                    for (int at = 0; at < size; at++) {
                        int side = side(i, numbers.get(i)[batch * size + at]);
                        if (side >= 0) {
                            counts.get(i)[side][units.get(i)[at]]++;
                        }
                    }
                }
                if (choosing) {
                    found.add(inputs.get(batch));
                }
            }
        }
    }

    /** Where the slope is 1, or elsewhere; none of them where there is no number. */
    private int side(int kink, double argument) {
        return Double.isFinite(argument) ? kinks.get(kink).function().slope(argument) == 1 ? 1 : 0 : -1;
    }

    private void draw() {
        for (double scale : SCALES) {
            if (isDone()) {
                return;
            }
            List<Map<String, double[]>> drawn = RandomInputs.of(model, BATCHES, random.nextLong());
            take(drawn.stream().map(batch -> scaled(batch, scale, 0)).toList(), true);
        }
    }

    /** Inputs that choose nothing, times a factor, with noise. */
    private Map<String, double[]> scaled(Map<String, double[]> batch, double factor, double noise) {
        Map<String, double[]> scaled = new LinkedHashMap<>();
        batch.forEach((name, numbers) -> scaled.put(
                name,
                isFree(name)
                        ? Arrays.stream(numbers)
                                .map(x -> factor * x + noise * random.nextGaussian())
                                .toArray()
                        : numbers));
        return scaled;
    }

    private Value input(String name) {
        return Objects.requireNonNull(model.inputs().get(name));
    }

    private boolean isFree(String name) {
        return !name.equals("attention_mask")
                && !name.equals("position_ids")
                && ParameterUse.choices(model, input(name)) == 0;
    }

    /** Follows the slope of each unit that is never on one side, from where it is nearest. */
    private void climb(List<Map<String, double[]>> samples) {
        List<String> free =
                model.inputs().keySet().stream().filter(this::isFree).toList();
        if (free.isEmpty()) {
            return;
        }
        for (int i = 0; i < arguments.size(); i++) {
            if (Arrays.stream(counts.get(i)).flatMapToInt(Arrays::stream).anyMatch(count -> count < WANTED)) {
                new Climb(i, free, samples).allUnits();
            }
        }
    }

    /** Ways up the slope of units that bend together. */
    private final class Climb {
        private final int kink;
        private final List<String> free;
        private final List<Map<String, double[]>> samples;
        private final double[] numbers;
        private final Value argument;
        private final Value upstream;
        private final List<Value> gradients;
        private final Execution execution;

        Climb(int kink, List<String> free, List<Map<String, double[]>> samples) {
            this.kink = kink;
            this.free = free;
            this.samples = samples;
            this.argument = arguments.get(kink);
            this.numbers = model.computed(List.of(argument), samples).getFirst();
            ModelBuilder builder = model.extended();
            this.upstream =
                    builder.input("gradient of the units", argument.shape().toArray());
            this.gradients = Differentiation.gradients(
                    builder,
                    List.of(argument),
                    List.of(upstream),
                    free.stream().map(KinkInputs.this::input).toList());
            List<Value> wanted = new ArrayList<>(gradients);
            wanted.add(argument);
            this.execution = Execution.of(Precision.FLOAT64, wanted);
        }

        void allUnits() {
            for (int side = 0; side < 2; side++) {
                for (int unit = 0; unit < counts.get(kink)[side].length; unit++) {
                    if (counts.get(kink)[side][unit] < WANTED && !isDone() && climbs++ < MOST_CLIMBS) {
                        take(about(side, unit), true);
                    }
                }
            }
        }

        /** Inputs on which all entries of a unit are on a side, as far as they can be brought there. */
        private List<Map<String, double[]>> about(int side, int unit) {
            int[] own = units.get(kink);
            double[] up = new double[own.length];
            double sign = side == 1 ? 1 : -1;
            Arrays.setAll(up, at -> own[at] == unit ? sign : 0);
            Map<String, double[]> at = nearest(unit, sign);
            double step = STEP;
            for (int climbed = 0; climbed < CLIMBED; climbed++) {
                model.setInputs(execution, at);
                if (execution.reads(upstream)) {
                    execution.set(upstream, up);
                }
                execution.run();
                double[] reached = new double[own.length];
                execution.copy(argument, reached, 0);
                if (IntStream.range(0, own.length).allMatch(i -> own[i] != unit || side(kink, reached[i]) == side)) {
                    break;
                }
                at = moved(at, step);
                step *= 1.1;
            }
            List<Map<String, double[]>> about = new ArrayList<>(List.of(at));
            for (int i = 0; i < ABOUT; i++) {
                about.add(scaled(at, 1, NOISE));
            }
            return about;
        }

        private Map<String, double[]> moved(Map<String, double[]> at, double step) {
            Map<String, double[]> next = new LinkedHashMap<>(at);
            for (int i = 0; i < free.size(); i++) {
                double[] gradient = new double[gradients.get(i).shape().count()];
                execution.copy(gradients.get(i), gradient, 0);
                double length = step
                        * Math.sqrt(gradient.length)
                        / Matrix.over(1, gradient.length, gradient).frobeniusNorm();
                if (Double.isFinite(length)) {
                    double[] moved = at.getOrDefault(free.get(i), gradient).clone();
                    Arrays.setAll(moved, j -> moved[j] + length * gradient[j]);
                    next.put(free.get(i), moved);
                }
            }
            return next;
        }

        /** The inputs on which a unit comes nearest to a side. */
        private Map<String, double[]> nearest(int unit, double sign) {
            int[] own = units.get(kink);
            int best = 0;
            double most = Double.NEGATIVE_INFINITY;
            for (int at = 0; at < numbers.length; at++) {
                if (own[at % own.length] == unit && sign * numbers[at] > most) {
                    most = sign * numbers[at];
                    best = at / own.length;
                }
            }
            return samples.get(best);
        }
    }
}
