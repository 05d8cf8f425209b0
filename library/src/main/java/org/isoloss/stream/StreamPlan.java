package org.isoloss.stream;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import org.isoloss.model.ChannelSpace;
import org.isoloss.model.ChannelSpace.Read;
import org.isoloss.model.ChannelSpace.Scale;
import org.isoloss.model.ChannelSpace.Use;
import org.isoloss.model.Leaf;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.isoloss.stream.ChannelMap.Factors;
import org.isoloss.stream.ChannelMap.Shift;
import org.isoloss.stream.ChannelMap.Turn;

/**
 * Chooses what happens to the residual streams of a model and to the norms that read them. Only the graph, and the numbers of the norms,
 * are looked at: a plan costs nothing, whatever the size of the model.
 */
public final class StreamPlan {
    private final Model model;
    private final SequencedMap<String, ChannelSpace> spaces = new LinkedHashMap<>();
    private final Map<String, List<Value>> uses;
    private final SequencedMap<String, ChannelMap> maps = new LinkedHashMap<>();
    private final List<String> staying = new ArrayList<>();
    private int folded;
    private int turned;

    /** How streams are turned. */
    public enum Kind {
        /** By a Hadamard matrix with random signs. */
        HADAMARD,
        /** By a rotation from the uniform distribution. */
        RANDOM
    }

    /**
     * Finds the streams.
     *
     * @param model any
     */
    public StreamPlan(Model model) {
        this.model = model;
        for (ChannelSpace space : ChannelSpace.of(model)) {
            spaces.put("%03d %s".formatted(spaces.size(), space.name().replaceAll("[^A-Za-z0-9 ._:-]", "_")), space);
        }
        this.uses = TensorUses.of(model);
    }

    /**
     * Folds the factors of norms, and their shifts where every reader has a bias, into the products that read them; the factors are 1
     * and the shifts 0 afterwards. A norm that is read otherwise stays as it is, which {@link #staying} says.
     *
     * @return this
     * @throws IllegalArgumentException when none can be folded, with the first reason
     */
    public StreamPlan foldNorms() {
        spaces.forEach((name, space) -> {
            for (Scale scale : space.scaledFrom()) {
                if (scale.isOfNorm()) {
                    String obstacle = obstacle(space, scale);
                    if (obstacle.isEmpty()) {
                        folded++;
                        maps.put(name, folded(space, scale));
                    } else {
                        staying.add("the factors '%s' of a norm: %s"
                                .formatted(scale.use().tensor(), obstacle));
                    }
                }
            }
        });
        if (folded == 0) {
            throw new IllegalArgumentException(
                    "no norm is folded: " + (staying.isEmpty() ? "none has factors" : staying.getFirst()));
        }
        return this;
    }

    private int count(String tensor) {
        return uses.getOrDefault(tensor, List.of()).size();
    }

    private double[] numbers(String tensor) {
        return ((Leaf) model.parameter(tensor).operation()).numbers().asFloat64();
    }

    private double[] factors(Scale scale) {
        return Arrays.stream(numbers(scale.use().tensor()))
                .map(factor -> factor + scale.offset())
                .toArray();
    }

    private String obstacle(ChannelSpace space, Scale scale) {
        Optional<String> shared = space.read().stream()
                .map(read -> read.use().tensor())
                .filter(tensor -> count(tensor)
                        > space.read().stream()
                                .filter(read -> read.use().tensor().equals(tensor))
                                .count())
                .findFirst();
        if (space.obstacle().isPresent()) {
            return space.obstacle().get();
        } else if (!space.isLinear()
                || !space.scaledTo().isEmpty()
                || space.scaledFrom().size() > 1) {
            return "what they make is not read by products with weights alone";
        } else if (!space.made().stream().allMatch(Use::isShift)) {
            return "what they make is added to other channels";
        } else if (space.read().isEmpty()) {
            return "nothing reads what they make";
        } else if (shared.isPresent()) {
            return "'%s', which reads what they make, is used elsewhere too; --untie gives a tied head a tensor of its own"
                    .formatted(shared.get());
        } else if (Arrays.stream(factors(scale)).anyMatch(factor -> factor == 0)) {
            return "one of them is 0";
        }
        return "";
    }

    private ChannelMap folded(ChannelSpace space, Scale scale) {
        double[] inverse =
                Arrays.stream(factors(scale)).map(factor -> 1 / factor).toArray();
        Optional<Use> shift = StreamChange.shift(space)
                .filter(use -> space.read().stream()
                        .map(Read::bias)
                        .allMatch(bias -> bias.filter(name -> count(name) == 1).isPresent()))
                .filter(use -> numbers(use.tensor()).length == space.width());
        ChannelMap map = ChannelMap.IDENTITY;
        if (shift.isPresent()) {
            double[] added = numbers(shift.get().tensor()).clone();
            Arrays.setAll(added, i -> -added[i]);
            map = map.then(new Shift(added));
        } else if (space.made().stream().anyMatch(Use::isShift)) {
            staying.add("the shift of the norm with '%s': not all that read it have a bias"
                    .formatted(scale.use().tensor()));
        }
        return map.then(new Factors(inverse));
    }

    /**
     * Turns every residual stream, and what its norms make of it.
     *
     * @param kind of rotation
     * @param seed of the draws; each stream has a rotation of its own
     * @return this
     * @throws IllegalArgumentException when there is no stream, or it cannot be turned, with the reason
     */
    public StreamPlan rotate(Kind kind, long seed) {
        var random = new SplittableRandom(seed);
        List<String> obstacles = new ArrayList<>();
        spaces.forEach((name, space) -> {
            if (!space.isResidual()) {
                return;
            }
            if (space.obstacle().isPresent()) {
                obstacles.add("%s: %s".formatted(space.name(), space.obstacle().get()));
                return;
            }
            requireEqualFactors(space);
            Rotation rotation = switch (kind) {
                case HADAMARD -> HadamardRotation.drawn(space.width(), space.fixesOnes(), random.split());
                case RANDOM -> DenseRotation.drawn(space.width(), space.fixesOnes(), random.split());
            };
            Turn turn = new Turn(rotation, false);
            maps.put(name, maps.getOrDefault(name, ChannelMap.IDENTITY).then(turn));
            for (Scale scale : space.scaledTo()) {
                turnScaled(name, scale, turn);
            }
            turned++;
        });
        if (turned == 0) {
            throw new IllegalArgumentException(
                    "no residual stream is turned: " + (obstacles.isEmpty() ? "there is none" : obstacles.getFirst()));
        }
        obstacles.forEach(obstacle -> staying.add("a stream, not turned: " + obstacle));
        return this;
    }

    /** A stream that factors write into turns where they are all the same. */
    private void requireEqualFactors(ChannelSpace stream) {
        for (Scale scale : stream.scaledFrom()) {
            if (Arrays.stream(factors(scale)).distinct().count() > 1) {
                throw new IllegalArgumentException(
                        "the stream at %s is not turned: the factors '%s' differ from channel to channel, and what they make is added to it"
                                .formatted(stream.name(), scale.use().tensor()));
            }
        }
    }

    /** What factors f make of the stream goes through f Q f^-1, so that they stay; once they are folded, through Q. */
    private void turnScaled(String stream, Scale scale, Turn turn) {
        for (Map.Entry<String, ChannelSpace> entry : spaces.entrySet()) {
            ChannelSpace scaled = entry.getValue();
            if (scaled.scaledFrom().stream().anyMatch(own -> own.use().equals(scale.use()))) {
                String obstacle =
                        entry.getKey().equals(stream) ? "what they make is added to it" : obstacle(scaled, scale);
                if (!obstacle.isEmpty()) {
                    throw new IllegalArgumentException("the stream at %s is not turned: of the factors '%s' %s"
                            .formatted(scaled.name(), scale.use().tensor(), obstacle));
                }
                ChannelMap folded = maps.get(entry.getKey());
                var factors = new Factors(factors(scale));
                maps.put(
                        entry.getKey(),
                        folded == null
                                ? ChannelMap.IDENTITY
                                        .then(factors.inverse())
                                        .then(turn)
                                        .then(factors)
                                : folded.then(turn));
            }
        }
    }

    /** {@return the element that was chosen so far} */
    public StreamElement element() {
        return new StreamElement(maps);
    }

    /** {@return how many norms are folded} */
    public int folded() {
        return folded;
    }

    /** {@return how many streams are turned} */
    public int turned() {
        return turned;
    }

    /** {@return what stays as it is, with the reason, a line each} */
    public List<String> staying() {
        return List.copyOf(staying);
    }

    /**
     * Applies an element to the model.
     *
     * @param element of this plan, or one that was kept
     * @return the tensors that change, with what they become, made while it is read
     * @throws IllegalArgumentException when a tensor would have to change in two ways, a norm's factors stand in the way of a rotation,
     *     or the element is of another model
     */
    public SequencedMap<String, Numbers> tensors(StreamElement element) {
        return StreamChange.of(model, spaces, element);
    }
}
