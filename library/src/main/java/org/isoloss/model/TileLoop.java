package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Computes a {@link TiledGroup}: what a tile needs is copied to the memory of a worker, computed there, and what others need is
 * copied out. Tiles go to the workers that are free; what is computed in which order depends on the shapes alone.
 */
final class TileLoop {
    private final List<Value> outputs;
    private final Set<Value> inputs = new LinkedHashSet<>();
    private final int[] loops;
    private final int[] tile;
    private final Body full;
    private final @Nullable Body rest;

    TileLoop(TiledGroup group, List<Value> outputs) {
        this.outputs = outputs;
        this.loops = group.loops();
        this.tile = group.tile();
        group.members()
                .forEach(member -> member.arguments().stream()
                        .filter(argument -> !group.contains(argument))
                        .forEach(inputs::add));
        full = new Body(group, tile);
        int[] last = tile.clone();
        Arrays.setAll(last, loop -> loops[loop] % tile[loop] == 0 ? tile[loop] : loops[loop] % tile[loop]);
        rest = Arrays.equals(last, tile) ? null : new Body(group, last);
    }

    /** What is read from outside. */
    Set<Value> inputs() {
        return inputs;
    }

    /** What others read. */
    List<Value> outputs() {
        return outputs;
    }

    /** Numbers that a worker needs room for. */
    int size() {
        return Math.max(full.schedule.size(), rest == null ? 0 : rest.schedule.size());
    }

    /** A part of a value outside, and the value of a tile that it is copied from or to. */
    @SuppressWarnings("ArrayRecordComponent") // compared with no other
    private record Part(Value whole, Value inner, int[] loops) {
        boolean isWhole() {
            return Arrays.stream(loops).allMatch(loop -> loop < 0);
        }
    }

    /** The graph of one tile. */
    private final class Body {
        private final ModelBuilder builder = Model.builder();
        private final Map<List<Object>, Part> read = new LinkedHashMap<>();
        private final List<Part> written = new ArrayList<>();
        private final Schedule schedule;

        Body(TiledGroup group, int[] sizes) {
            Map<Value, Value> inner = new HashMap<>();
            for (Value member : group.members()) {
                Value[] arguments = new Value[member.arguments().size()];
                for (int i = 0; i < arguments.length; i++) {
                    Value argument = member.argument(i);
                    Value known = inner.get(argument);
                    arguments[i] = known == null ? outer(argument, group.loopsOf(member, i), sizes) : known;
                }
                int[] own = group.loopsOf(member);
                Dimensions shape = TiledGroup.part(member.shape(), own, sizes);
                Value made = builder.add(AxisTracks.cut(member.operation(), arguments[0].shape(), shape), arguments);
                inner.put(member, made);
                if (outputs.contains(member)) {
                    written.add(new Part(member, made, own));
                }
            }
            List<Value> results = written.stream().map(Part::inner).toList();
            Set<Value> outside = new LinkedHashSet<>();
            read.values().stream().filter(Part::isWhole).map(Part::inner).forEach(outside::add);
            schedule = new Schedule(List.of(Execution.order(results, Set.of())), results, Set.of(), outside, false);
        }

        private Value outer(Value argument, int[] own, int[] sizes) {
            List<Object> key = List.of(argument, Arrays.stream(own).boxed().toList());
            return read.computeIfAbsent(key, _ -> {
                        Dimensions shape = TiledGroup.part(argument.shape(), own, sizes);
                        Value input = builder.input("part%d".formatted(read.size()), shape.toArray());
                        return new Part(argument, input, own);
                    })
                    .inner();
        }
    }

    /** Copies a part in or out. */
    interface Transfer {
        void run(int offset);
    }

    /** A tile in the memory of a worker. */
    private static final class Bound {
        private final Runnable[] kernels;
        private final List<Transfer> loads = new ArrayList<>();
        private final List<Transfer> stores = new ArrayList<>();
        private final List<int[]> strides = new ArrayList<>();
        private final int[] loaded;

        Bound(Body body, Memory memory, Memory worker, int loops) {
            for (Part part : body.read.values()) {
                if (part.isWhole()) {
                    worker.alias(part.inner(), memory, part.whole());
                }
            }
            kernels = body.schedule.bind(worker, new ArrayList<>()).toArray(Runnable[]::new);
            for (Part part : body.read.values()) {
                if (!part.isWhole()) {
                    loads.add(worker.load(part.inner(), memory, part.whole()));
                    strides.add(along(part, loops));
                }
            }
            for (Part part : body.written) {
                stores.add(worker.store(part.inner(), memory, part.whole()));
                strides.add(along(part, loops));
            }
            loaded = new int[loads.size()];
        }

        /** How far a value outside moves with each loop. */
        private static int[] along(Part part, int loops) {
            int[] own = part.whole().shape().strides();
            int[] strides = new int[loops];
            for (int axis = 0; axis < own.length; axis++) {
                if (part.loops()[axis] >= 0) {
                    strides[part.loops()[axis]] = own[axis];
                }
            }
            return strides;
        }

        void forget() {
            Arrays.fill(loaded, -1);
        }

        /** What lies there from the tile before is not copied again. */
        void run(int[] begin) {
            for (int i = 0; i < loaded.length; i++) {
                int offset = offset(strides.get(i), begin);
                if (offset != loaded[i]) {
                    loads.get(i).run(offset);
                    loaded[i] = offset;
                }
            }
            for (Runnable kernel : kernels) {
                kernel.run();
            }
            for (int i = 0; i < stores.size(); i++) {
                stores.get(i).run(offset(strides.get(loaded.length + i), begin));
            }
        }

        private static int offset(int[] strides, int[] begin) {
            int offset = 0;
            for (int loop = 0; loop < begin.length; loop++) {
                offset += strides[loop] * begin[loop];
            }
            return offset;
        }
    }

    /** Prepares it for as many threads as there are workers. */
    Runnable bind(Memory memory, List<Memory> workers) {
        int[] counts = new int[loops.length];
        Arrays.setAll(counts, loop -> (loops[loop] + tile[loop] - 1) / tile[loop]);
        int tiles = Arrays.stream(counts).reduce(1, (a, b) -> a * b);
        List<Bound[]> bound = workers.stream()
                .limit(tiles)
                .map(worker -> bound(memory, worker))
                .toList();
        return () -> {
            AtomicInteger next = new AtomicInteger();
            IntStream.range(0, bound.size()).parallel().forEach(worker -> work(bound.get(worker), counts, tiles, next));
        };
    }

    private Bound[] bound(Memory memory, Memory worker) {
        Bound whole = new Bound(full, memory, worker, loops.length);
        return new Bound[] {whole, rest == null ? whole : new Bound(rest, memory, worker, loops.length)};
    }

    private void work(Bound[] bodies, int[] counts, int tiles, AtomicInteger next) {
        int[] begin = new int[counts.length];
        Bound before = null;
        for (int index = next.getAndIncrement(); index < tiles; index = next.getAndIncrement()) {
            boolean whole = true;
            int left = index;
            for (int loop = counts.length - 1; loop >= 0; loop--) {
                begin[loop] = left % counts[loop] * tile[loop];
                left /= counts[loop];
                whole &= begin[loop] + tile[loop] <= loops[loop];
            }
            Bound body = bodies[whole ? 0 : 1];
            if (body != before) {
                body.forget();
                before = body;
            }
            body.run(begin);
        }
    }
}
