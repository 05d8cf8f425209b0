package org.isoloss.model;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/** The same function with sums of products added up from the other end, so that they are rounded in another way. */
final class Reordering {
    private final ModelBuilder builder;

    Reordering(ModelBuilder builder) {
        this.builder = builder;
    }

    SequencedMap<String, Value> of(SequencedMap<String, Value> outputs) {
        Map<Value, Value> built = new HashMap<>();
        for (Value value : Execution.order(List.copyOf(outputs.values()), Set.of())) {
            List<Value> arguments = value.arguments().stream()
                    .map(argument -> built.getOrDefault(argument, argument))
                    .toList();
            built.put(value, rebuilt(value, arguments));
        }
        SequencedMap<String, Value> results = new LinkedHashMap<>();
        outputs.forEach((name, output) -> results.put(name, built.getOrDefault(output, output)));
        return results;
    }

    private Value rebuilt(Value value, List<Value> arguments) {
        builder.at(value.origin());
        if (value.operation() instanceof Contraction contraction) {
            Optional<Character> summed = longest(contraction, arguments.getFirst());
            if (summed.isPresent()) {
                return builder.add(
                        contraction,
                        flipped(arguments.get(0), contraction.left().indexOf(summed.get())),
                        flipped(arguments.get(1), contraction.right().indexOf(summed.get())));
            }
        }
        return arguments.equals(value.arguments())
                ? value
                : builder.add(value.operation(), arguments.toArray(Value[]::new));
    }

    /** The label of the longest axis that is summed. */
    private static Optional<Character> longest(Contraction contraction, Value left) {
        return contraction
                .left()
                .chars()
                .mapToObj(label -> (char) label)
                .filter(label -> contraction.result().indexOf(label) < 0)
                .max(Comparator.comparingInt(
                        label -> left.shape().size(contraction.left().indexOf(label))));
    }

    private Value flipped(Value value, int axis) {
        Dimensions shape = value.shape();
        if (value.operation() instanceof Leaf leaf && leaf.hasNumbers()) {
            return builder.constant(shape, new Flipped(leaf.numbers(), shape, axis));
        }
        int[] begin = new int[shape.rank()];
        int[] step = new int[shape.rank()];
        Arrays.fill(step, 1);
        begin[axis] = shape.size(axis) - 1;
        step[axis] = -1;
        return builder.slice(value, begin, step, shape.toArray(), 0);
    }

    /** A tensor read backwards along one axis, in parts where the tensor is. */
    private record Flipped(Numbers own, Dimensions shape, int axis) implements Numbers {
        @Override
        public double[] asFloat64() {
            double[] whole = own.asFloat64();
            double[] all = new double[whole.length];
            new Flipped(() -> whole, shape, axis).read(0, all, 0, all.length);
            return all;
        }

        @Override
        public boolean isReadInParts() {
            return own.isReadInParts();
        }

        @Override
        public void read(int from, float[] target, int at, int count) {
            for (int done = 0; done < count; ) {
                int run = run(from + done, count - done);
                own.read(source(from + done, run), target, at + done, run);
                for (int i = at + done, j = i + run - 1; isLast() && i < j; i++, j--) {
                    float entry = target[i];
                    target[i] = target[j];
                    target[j] = entry;
                }
                done += run;
            }
        }

        @Override
        public void read(int from, double[] target, int at, int count) {
            for (int done = 0; done < count; ) {
                int run = run(from + done, count - done);
                own.read(source(from + done, run), target, at + done, run);
                for (int i = at + done, j = i + run - 1; isLast() && i < j; i++, j--) {
                    double entry = target[i];
                    target[i] = target[j];
                    target[j] = entry;
                }
                done += run;
            }
        }

        private boolean isLast() {
            return inner() == 1;
        }

        /** How many entries lie behind each other below the axis. */
        private int inner() {
            return shape.strides()[axis];
        }

        private int along(int place) {
            return place / inner() % shape.size(axis);
        }

        /** How many of the next entries are neighbours in the tensor too. */
        private int run(int place, int most) {
            return Math.min(most, isLast() ? shape.size(axis) - along(place) : inner() - place % inner());
        }

        /** Where such neighbours begin. */
        private int source(int place, int run) {
            int before = shape.size(axis) - 2 * along(place);
            return isLast() ? place + before - run : place + (before - 1) * inner();
        }
    }
}
