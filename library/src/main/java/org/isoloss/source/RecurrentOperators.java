package org.isoloss.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Recurrence;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** Recurrent layers in one direction or both. */
final class RecurrentOperators {
    static final Map<String, Rule> RULES = Map.of(
            "RNN", call -> new Reading(call, List.of("Tanh"), 1).results(),
            "GRU", call -> new Reading(call, List.of("Sigmoid", "Tanh"), 3).results(),
            "LSTM", call -> new Reading(call, List.of("Sigmoid", "Tanh", "Tanh"), 4).results());

    private static final Set<String> TAKE_ALPHA =
            Set.of("LeakyRelu", "ThresholdedRelu", "HardSigmoid", "Elu", "Affine", "ScaledTanh");
    private static final Set<String> TAKE_BETA = Set.of("HardSigmoid", "Affine", "ScaledTanh");

    private RecurrentOperators() {}

    /** One node. */
    private static final class Reading {
        private final Call call;
        private final ModelBuilder builder;
        private final int gates;
        private final int hidden;
        private final int directions;
        private final boolean batchFirst;
        private final Value input;
        private final List<UnaryOperator<Value>> activations = new ArrayList<>();

        Reading(Call call, List<String> usual, int gates) {
            this.call = call;
            this.builder = call.builder();
            this.gates = gates;
            this.batchFirst = call.flag("layout", false);
            Value given = call.value(0);
            this.input = batchFirst ? builder.transpose(given, 1, 0, 2) : given;
            Dimensions weights = call.value(1).shape();
            this.directions = weights.size(0);
            this.hidden = (int) call.whole("hidden_size", weights.size(1) / gates);
            if (hidden * gates != weights.size(1)) {
                throw call.refused("weights of shape %s for a hidden size of %d", weights, hidden);
            }
            call.ignore("output_sequence");
            if (call.flag("input_forget", false)) {
                throw call.refused("its attribute input_forget is not read");
            }
            requireFullLengths();
            readActivations(usual);
        }

        private void requireFullLengths() {
            int length = input.shape().size(0);
            if (call.has(4) && !Arrays.stream(call.known(4)).allMatch(own -> own == length)) {
                throw call.refused("sequences shorter than the input (sequence_lens) are not read; cut the input");
            }
        }

        private void readActivations(List<String> usual) {
            List<String> names = new ArrayList<>(call.texts("activations"));
            while (names.size() < usual.size() * directions) {
                names.addAll(usual);
            }
            Iterator<Double> alphas = numbers("activation_alpha", names, TAKE_ALPHA);
            Iterator<Double> betas = numbers("activation_beta", names, TAKE_BETA);
            double clip = call.number("clip", 0);
            for (String name : names) {
                double alpha = TAKE_ALPHA.contains(name) && alphas.hasNext() ? alphas.next() : alpha(name);
                double beta = TAKE_BETA.contains(name) && betas.hasNext() ? betas.next() : beta(name);
                UnaryOperator<Value> activation = PointwiseOperators.activation(builder, name, alpha, beta);
                activations.add(
                        clip == 0 ? activation : x -> activation.apply(builder.apply(new Clamp(-clip, clip, 0), x)));
            }
        }

        private Iterator<Double> numbers(String attribute, List<String> names, Set<String> takers) {
            List<Float> given = call.numbers(attribute);
            long wanted = names.stream().filter(takers::contains).count();
            if (!given.isEmpty() && given.size() != wanted) {
                throw call.refused(
                        "%d numbers in %s for %d activations that take one", given.size(), attribute, wanted);
            }
            return given.stream().map(Float::doubleValue).iterator();
        }

        private static double alpha(String name) {
            return switch (name) {
                case "LeakyRelu" -> 0.01f;
                case "HardSigmoid" -> 0.2f;
                default -> 1;
            };
        }

        private static double beta(String name) {
            return switch (name) {
                case "HardSigmoid" -> 0.5;
                case "ScaledTanh" -> 1;
                default -> 0;
            };
        }

        List<TypedValue> results() {
            String direction = call.text("direction", "forward");
            if (directions != (direction.equals("bidirectional") ? 2 : 1)) {
                throw call.refused("weights for %d directions, but direction is %s", directions, direction);
            }
            List<Recurrence.States> both = new ArrayList<>();
            for (int i = 0; i < directions; i++) {
                both.add(states(i, direction.equals("reverse") || i == 1));
            }
            int axis = batchFirst ? 2 : 1;
            Value states = stacked(
                    both.stream()
                            .map(one -> batchFirst ? builder.transpose(one.states(), 1, 0, 2) : one.states())
                            .toList(),
                    axis);
            List<TypedValue> results = new ArrayList<>(List.of(
                    call.same(states),
                    call.same(stacked(both.stream().map(Recurrence.States::last).toList(), batchFirst ? 1 : 0))));
            List<Value> cells = new ArrayList<>();
            for (Recurrence.States one : both) {
                if (one.cell() != null) {
                    cells.add(one.cell());
                }
            }
            if (!cells.isEmpty()) {
                results.add(call.same(stacked(cells, batchFirst ? 1 : 0)));
            }
            return results;
        }

        private Value stacked(List<Value> values, int axis) {
            return builder.concatenate(
                    values.stream()
                            .map(value -> builder.restored(value, List.of(axis)))
                            .toList(),
                    axis);
        }

        private Recurrence.States states(int direction, boolean backwards) {
            Value bias = call.has(3) ? part(call.value(3), 0, direction) : null;
            var weights = new Recurrence.Weights(
                    part(call.value(1), 0, direction),
                    part(call.value(2), 0, direction),
                    bias == null ? null : builder.slice(bias, 0, 0, gates * hidden),
                    bias == null ? null : builder.slice(bias, 0, gates * hidden, gates * hidden));
            var recurrence = new Recurrence(builder);
            Value initial = initial(5, direction);
            int first = direction * activations.size() / directions;
            UnaryOperator<Value> main = activations.get(first);
            return switch (call.operator()) {
                case "RNN" -> recurrence.rnn(input, weights, initial, backwards, main);
                case "GRU" ->
                    recurrence.gru(
                            input,
                            weights,
                            initial,
                            backwards,
                            call.flag("linear_before_reset", false),
                            main,
                            activations.get(first + 1));
                default ->
                    recurrence.lstm(
                            input,
                            weights,
                            initial,
                            initial(6, direction),
                            peepholes(direction),
                            backwards,
                            main,
                            activations.get(first + 1),
                            activations.get(first + 2));
            };
        }

        private @Nullable Value peepholes(int direction) {
            return call.has(7) ? part(call.value(7), 0, direction) : null;
        }

        private Value part(Value value, int axis, int direction) {
            Value part = builder.slice(value, axis, direction, 1);
            return builder.reshape(part, part.shape().without(List.of(axis)));
        }

        private Value initial(int place, int direction) {
            return call.has(place)
                    ? part(call.value(place), batchFirst ? 1 : 0, direction)
                    : builder.stretched(
                            builder.constant(0), Dimensions.of(input.shape().size(1), hidden));
        }
    }
}
