package org.isoloss.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * In which order values are computed, one by one or a tile of several at a time, and where each lies while it is needed. What is
 * only used inside a tile has no room of its own.
 */
final class Schedule {
    private final Set<Value> given;
    private final Set<Value> outside;
    private final Set<Value> readable;
    private final WindowFusion fusion;
    private final List<Step> steps = new ArrayList<>();
    private final Map<Value, Integer> offsets = new HashMap<>();
    private final Rooms rooms = new Rooms();

    /** One value, or several of which the last is {@code value}. */
    private record Step(Value value, @Nullable TileLoop tiles) {
        Collection<Value> made() {
            return tiles == null ? List.of(value) : tiles.outputs();
        }

        Collection<Value> read() {
            return tiles == null ? value.arguments() : tiles.inputs();
        }
    }

    /**
     * Plans a computation.
     *
     * @param parts all that has to be there, in an order that computes it; nothing of one part is computed within another
     * @param results what is wanted
     * @param given set before each run
     * @param outside those of the inputs that lie elsewhere
     * @param tiled whether several values may be computed a tile at a time
     */
    Schedule(List<List<Value>> parts, List<Value> results, Set<Value> given, Set<Value> outside, boolean tiled) {
        this.given = given;
        this.outside = outside;
        readable = new HashSet<>(results);
        readable.addAll(given);
        List<Value> order = parts.stream().flatMap(List::stream).toList();
        order.stream().filter(Schedule::isInput).forEach(readable::add);
        fusion = new WindowFusion(order, readable);
        Map<Value, List<Value>> users = new HashMap<>();
        for (Value value : order) {
            value.arguments()
                    .forEach(argument -> users.computeIfAbsent(argument, _ -> new ArrayList<>())
                            .add(value));
        }
        for (List<Value> part : parts) {
            if (tiled) {
                group(part, users);
            } else {
                part.forEach(value -> steps.add(new Step(value, null)));
            }
        }
        place(results);
    }

    private static boolean isInput(Value value) {
        return value.operation() instanceof Leaf leaf && !leaf.hasNumbers();
    }

    private boolean isComputed(Value value) {
        return !(value.operation() instanceof Leaf) && !given.contains(value);
    }

    private boolean isAlias(Value value) {
        return value.operation() instanceof Reshape && !given.contains(value);
    }

    /** Joins neighbours into groups; a group is computed when somebody else needs it, or at the end. */
    private void group(List<Value> part, Map<Value, List<Value>> users) {
        Set<TiledGroup> open = new LinkedHashSet<>();
        for (Value value : part) {
            List<TiledGroup> read = open.stream()
                    .filter(group -> value.arguments().stream().anyMatch(group::contains))
                    .toList();
            boolean alone = !isComputed(value) || fusion.touches(value);
            AxisTracks tracks = alone ? null : AxisTracks.of(value);
            TiledGroup joined = tracks == null
                    ? null
                    : read.reversed().stream()
                            .filter(group -> group.join(value, tracks))
                            .findFirst()
                            .orElse(null);
            for (TiledGroup group : read) {
                if (group != joined) {
                    close(group, users);
                    open.remove(group);
                }
            }
            if (joined == null && tracks != null && !isAlias(value)) {
                open.add(new TiledGroup(value, tracks));
            } else if (joined == null) {
                steps.add(new Step(value, null));
            }
        }
        open.forEach(group -> close(group, users));
    }

    private void close(TiledGroup group, Map<Value, List<Value>> users) {
        if (!group.isLarge()) {
            group.members().forEach(member -> steps.add(new Step(member, null)));
            return;
        }
        List<Value> outputs = group.members().stream()
                .filter(member -> readable.contains(member)
                        || users.getOrDefault(member, List.of()).stream().anyMatch(user -> !group.contains(user)))
                .toList();
        steps.add(new Step(group.members().getLast(), new TileLoop(group, outputs)));
    }

    private void place(List<Value> results) {
        Map<Value, Integer> uses = lastUses(results);
        for (Step step : steps) { // what is set before the run is there from the beginning to the end
            Value value = step.value();
            if ((given.contains(value) || isInput(value)) && !outside.contains(value)) {
                offsets.put(value, rooms.take(value.shape().count(), Integer.MAX_VALUE, -1));
            }
        }
        for (int step = 0; step < steps.size(); step++) {
            for (Value value : steps.get(step).made()) {
                boolean aliased = steps.get(step).tiles() == null && isAlias(value);
                if (isComputed(value) && !aliased && !fusion.skips(value)) {
                    offsets.put(value, rooms.take(value.shape().count(), uses.getOrDefault(value, step), step));
                }
            }
        }
    }

    /** The last step that reads each value; results are read after the end. */
    private Map<Value, Integer> lastUses(List<Value> results) {
        Map<Value, Integer> uses = new HashMap<>();
        results.forEach(result -> uses.put(result, Integer.MAX_VALUE));
        for (int at = steps.size() - 1; at >= 0; at--) {
            Step step = steps.get(at);
            Value value = step.value();
            if (given.contains(value)) {
                continue;
            }
            boolean passed = step.tiles() == null && (isAlias(value) || fusion.skips(value));
            int until = passed ? uses.getOrDefault(value, at) : at;
            step.read().forEach(argument -> uses.merge(argument, until, Math::max));
        }
        return uses;
    }

    /** Numbers that results need at once. */
    int size() {
        return rooms.size();
    }

    /** What can be read or set. */
    Set<Value> readable() {
        return readable;
    }

    /** Puts everything into a memory that has room for it. */
    List<Runnable> bind(Memory memory, List<Value> computed) {
        List<Runnable> kernels = new ArrayList<>();
        List<Memory> workers = workers(memory);
        for (Step step : steps) {
            TileLoop tiles = step.tiles();
            if (tiles != null) {
                tiles.outputs().forEach(output -> memory.place(output, offset(output)));
                kernels.add(tiles.bind(memory, workers));
                computed.add(step.value());
            } else if (!fusion.skips(step.value())) {
                place(memory, step.value());
                if (isComputed(step.value()) && !isAlias(step.value())) {
                    Runnable fused = fusion.kernel(memory, step.value());
                    kernels.add(fused == null ? step.value().operation().kernel(memory, step.value()) : fused);
                    computed.add(step.value());
                }
            }
        }
        return kernels;
    }

    private List<Memory> workers(Memory memory) {
        int largest = steps.stream()
                .mapToInt(step -> step.tiles() == null ? 0 : step.tiles().size())
                .max()
                .orElse(0);
        List<Memory> workers = new ArrayList<>();
        for (int i = 0; largest > 0 && i < Runtime.getRuntime().availableProcessors(); i++) {
            Memory worker = memory.another();
            worker.allocate(largest);
            workers.add(worker);
        }
        return workers;
    }

    private int offset(Value value) {
        return offsets.getOrDefault(value, -1);
    }

    private void place(Memory memory, Value value) {
        if (offset(value) >= 0) {
            memory.place(value, offset(value));
        } else if (isAlias(value)) {
            memory.alias(value, value.argument(0));
        } else if (!outside.contains(value)) {
            memory.place(value, ((Leaf) value.operation()).numbers());
        }
        if (given.contains(value) && value.operation() instanceof Leaf leaf && leaf.hasNumbers()) {
            memory.set(value, leaf.numbers().asFloat64(), 0);
        }
    }

    /** Rooms of one long array, each taken from one step until another. */
    private static final class Rooms {
        private final List<int[]> taken = new ArrayList<>(); // begin, end, last step
        private int size;

        /** Takes the smallest gap that is wide enough. */
        int take(int count, int until, int step) {
            taken.removeIf(room -> room[2] < step);
            taken.sort(Comparator.comparingInt(room -> room[0]));
            int best = -1;
            int bestWidth = Integer.MAX_VALUE;
            int end = 0;
            for (int[] room : taken) {
                int width = room[0] - end;
                if (width >= count && width < bestWidth) {
                    best = end;
                    bestWidth = width;
                }
                end = Math.max(end, room[1]);
            }
            if (best < 0) {
                best = end;
            }
            if (best > Integer.MAX_VALUE - count - 16) {
                throw new IllegalArgumentException(
                        "the model needs room for more than 2^31 numbers at once; open it with a smaller batch");
            }
            taken.add(new int[] {best, best + count, until});
            size = Math.max(size, best + count);
            return best;
        }

        int size() {
            return size;
        }
    }
}
