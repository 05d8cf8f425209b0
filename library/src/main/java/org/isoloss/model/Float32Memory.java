package org.isoloss.model;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import org.isoloss.autodiff.Pointwise;
import org.jspecify.annotations.Nullable;

/** {@link Memory} in float32. The build derives {@code Float64Memory} from this file. */
@SuppressWarnings("cast") // casts that float32 needs say nothing in the float64 copy
final class Float32Memory extends Memory {
    private static final int CHUNK = 1024;

    private final IdentityHashMap<Value, Slot> slots = new IdentityHashMap<>();
    private final IdentityHashMap<Value, Numbers> stored = new IdentityHashMap<>();
    private final float[] numbers = new float[CHUNK];
    private final float[] first = new float[CHUNK];
    private final float[] second = new float[CHUNK];
    private float[] pool = {};

    /** Where the numbers of a value begin. */
    static final class Slot {
        final float[] array;
        final int offset;

        Slot(float[] array, int offset) {
            this.array = array;
            this.offset = offset;
        }
    }

    @Override
    void allocate(int size) {
        pool = new float[size];
    }

    @Override
    void place(Value value, int offset) {
        slots.put(value, new Slot(pool, offset));
    }

    @Override
    void place(Value value, Numbers own) {
        if (own.isReadInParts() && value.shape().count() >= StoredTable.LEAST) {
            stored.put(value, own);
        } else {
            hold(value, own);
        }
    }

    private void hold(Value value, Numbers own) {
        float[] array = own.asFloat32();
        if (array.length != value.shape().count()) {
            throw new IllegalStateException("%s holds %d numbers, expected %d for its shape %s"
                    .formatted(value, array.length, value.shape().count(), value.shape()));
        }
        slots.put(value, new Slot(array, 0));
    }

    @Override
    void alias(Value value, Value other) {
        slots.put(value, slot(other));
    }

    @Override
    Memory another() {
        return new Float32Memory();
    }

    @Override
    void alias(Value value, Memory other, Value outer) {
        slots.put(value, ((Float32Memory) other).slot(outer));
    }

    @Override
    TileLoop.Transfer load(Value part, Memory other, Value whole) {
        return Float32Maps.load(slot(part), ((Float32Memory) other).slot(whole), loops(part, whole));
    }

    @Override
    TileLoop.Transfer store(Value part, Memory other, Value whole) {
        return Float32Maps.store(slot(part), ((Float32Memory) other).slot(whole), loops(part, whole));
    }

    private static StridedLoops loops(Value part, Value whole) {
        return new StridedLoops(
                part.shape(), part.shape().strides(), whole.shape().strides());
    }

    /** Where a value lies; what is not used by products or lookups alone is read from its file now. */
    private Slot slot(Value value) {
        Numbers own = slots.containsKey(value) ? null : stored.get(value);
        if (own != null) {
            hold(value, own);
        }
        Slot slot = slots.get(value);
        if (slot == null) {
            throw new IllegalStateException(value + " has no place");
        }
        return slot;
    }

    @Override
    void set(Value value, double[] from, int begin) {
        Slot slot = slot(value);
        int count = value.shape().count();
        for (int i = 0; i < count; i++) {
            slot.array[slot.offset + i] = (float) from[begin + i];
        }
    }

    @Override
    void copyTo(Value value, double[] to, int begin) {
        Slot slot = slot(value);
        int count = value.shape().count();
        for (int i = 0; i < count; i++) {
            to[begin + i] = slot.array[slot.offset + i];
        }
    }

    @Override
    Runnable sum(Value to, List<Value> from, double[] factors) {
        Slot out = slot(to);
        Slot[] in = from.stream().map(this::slot).toArray(Slot[]::new);
        int[][] strides = new int[in.length + 1][];
        for (int i = 0; i < in.length; i++) {
            strides[i] = from.get(i).shape().stridesIn(to.shape());
        }
        strides[in.length] = to.shape().strides();
        var loops = new StridedLoops(to.shape(), strides);
        return () -> {
            for (int round = 0; round < loops.outer(); round++) {
                int at = out.offset + loops.offsets(in.length)[round];
                for (int begin = 0; begin < loops.inner(); begin += CHUNK) {
                    int count = Math.min(CHUNK, loops.inner() - begin);
                    for (int i = 0; i < in.length; i++) {
                        int source = in[i].offset + loops.offsets(i)[round] + begin * loops.stride(i);
                        addScaled(
                                out.array,
                                at + begin,
                                in[i].array,
                                source,
                                loops.stride(i),
                                (float) factors[i],
                                count,
                                i > 0);
                    }
                }
            }
        };
    }

    /** Writes or adds a multiple of a stretch. */
    static void addScaled(float[] out, int at, float[] in, int from, int stride, float factor, int count, boolean add) {
        if (stride == 0) {
            float term = factor * in[from];
            for (int i = 0; i < count; i++) {
                out[at + i] = add ? out[at + i] + term : term;
            }
        } else if (stride != 1) {
            for (int i = 0; i < count; i++) {
                float term = factor * in[from + i * stride];
                out[at + i] = add ? out[at + i] + term : term;
            }
        } else if (!add) {
            for (int i = 0; i < count; i++) {
                out[at + i] = factor * in[from + i];
            }
        } else if (factor == 1) {
            for (int i = 0; i < count; i++) {
                out[at + i] += in[from + i];
            }
        } else {
            for (int i = 0; i < count; i++) {
                out[at + i] += factor * in[from + i];
            }
        }
    }

    @Override
    Runnable product(Value to, Value left, Value right) {
        Slot out = slot(to);
        Slot a = slot(left);
        Slot b = slot(right);
        var loops = new StridedLoops(
                to.shape(),
                left.shape().stridesIn(to.shape()),
                right.shape().stridesIn(to.shape()),
                to.shape().strides());
        int strideA = loops.stride(0);
        int strideB = loops.stride(1);
        return () -> {
            for (int round = 0; round < loops.outer(); round++) {
                int atA = a.offset + loops.offsets(0)[round];
                int atB = b.offset + loops.offsets(1)[round];
                int at = out.offset + loops.offsets(2)[round];
                if (strideA == 1 && strideB == 1) {
                    for (int i = 0; i < loops.inner(); i++) {
                        out.array[at + i] = a.array[atA + i] * b.array[atB + i];
                    }
                } else if (strideA == 1 && strideB == 0) {
                    float factor = b.array[atB];
                    for (int i = 0; i < loops.inner(); i++) {
                        out.array[at + i] = a.array[atA + i] * factor;
                    }
                } else {
                    for (int i = 0; i < loops.inner(); i++) {
                        out.array[at + i] = a.array[atA + i * strideA] * b.array[atB + i * strideB];
                    }
                }
            }
        };
    }

    @Override
    Runnable apply(Value to, Value from, Pointwise function) {
        Slot out = slot(to);
        Slot in = slot(from);
        int count = to.shape().count();
        return () -> {
            for (int begin = 0; begin < count; begin += CHUNK) {
                int length = Math.min(CHUNK, count - begin);
                System.arraycopy(in.array, in.offset + begin, numbers, 0, length);
                function.values(numbers, first, second, 0, length);
                System.arraycopy(numbers, 0, out.array, out.offset + begin, length);
            }
        };
    }

    @Override
    Runnable reduce(Value to, Value from, int[] strides, boolean largest) {
        var loops = new StridedLoops(from.shape(), from.shape().strides(), strides);
        return Float32Reductions.of(slot(to), to.shape().count(), slot(from), loops, largest);
    }

    @Override
    Runnable largestPlace(Value to, Value from, int[] strides) {
        return Float32Reductions.largestPlace(slot(to), slot(from), Elements.places(from.shape(), strides));
    }

    @Override
    Runnable concatenate(Value to, List<Value> from, int axis) {
        Slot out = slot(to);
        Slot[] in = from.stream().map(this::slot).toArray(Slot[]::new);
        int blocks = 1;
        for (int before = 0; before < axis; before++) {
            blocks *= to.shape().size(before);
        }
        int rounds = blocks;
        int[] lengths =
                from.stream().mapToInt(part -> part.shape().count() / rounds).toArray();
        return () -> {
            int at = out.offset;
            for (int round = 0; round < rounds; round++) {
                for (int part = 0; part < in.length; part++) {
                    System.arraycopy(
                            in[part].array, in[part].offset + round * lengths[part], out.array, at, lengths[part]);
                    at += lengths[part];
                }
            }
        };
    }

    @Override
    Runnable copy(Value to, Value from) {
        Slot out = slot(to);
        Slot in = slot(from);
        int count = to.shape().count();
        return () -> System.arraycopy(in.array, in.offset, out.array, out.offset, count);
    }

    @Override
    Runnable lookup(Value to, Value table, Value indices, int axis) {
        float last = table.shape().size(axis);
        if (Math.ulp(last) > 1) {
            throw new IllegalArgumentException(
                    "%s looks up one of %d rows, more than float32 counts; compute in float64"
                            .formatted(to, (int) last));
        }
        Numbers own = slots.containsKey(table) ? null : stored.get(table);
        if (own != null && axis == 0) {
            Slot out = slot(to);
            Slot chosen = slot(indices);
            var rows = new StoredTable(own, table.shape());
            int count = indices.shape().count();
            return () -> rows.gather(chosen.array, chosen.offset, count, out.array, out.offset);
        }
        return Float32Maps.rows(slot(to), slot(table), slot(indices), table.shape(), indices, axis, false);
    }

    @Override
    Runnable accumulate(Value to, Value slices, Value indices, int axis) {
        Slot out = slot(to);
        int count = to.shape().count();
        Runnable rows = Float32Maps.rows(slot(slices), out, slot(indices), to.shape(), indices, axis, true);
        return () -> {
            Arrays.fill(out.array, out.offset, out.offset + count, 0);
            rows.run();
        };
    }

    @Override
    Runnable select(Value to, Value mask, Value chosen, Value other) {
        Slot out = slot(to);
        Slot holds = slot(mask);
        Slot a = slot(chosen);
        Slot b = slot(other);
        var loops = new StridedLoops(
                to.shape(),
                mask.shape().stridesIn(to.shape()),
                chosen.shape().stridesIn(to.shape()),
                other.shape().stridesIn(to.shape()),
                to.shape().strides());
        return () -> {
            for (int round = 0; round < loops.outer(); round++) {
                int atMask = holds.offset + loops.offsets(0)[round];
                int atA = a.offset + loops.offsets(1)[round];
                int atB = b.offset + loops.offsets(2)[round];
                int at = out.offset + loops.offsets(3)[round];
                if (loops.stride(0) == 1 && loops.stride(1) == 1 && loops.stride(2) == 0) {
                    float outside = b.array[atB];
                    for (int i = 0; i < loops.inner(); i++) {
                        out.array[at + i] = holds.array[atMask + i] != 0 ? a.array[atA + i] : outside;
                    }
                } else {
                    for (int i = 0; i < loops.inner(); i++) {
                        out.array[at + i] = holds.array[atMask + i * loops.stride(0)] != 0
                                ? a.array[atA + i * loops.stride(1)]
                                : b.array[atB + i * loops.stride(2)];
                    }
                }
            }
        };
    }

    @Override
    Runnable compare(Value to, Value left, Value right, Comparison.Kind kind) {
        Slot out = slot(to);
        Slot a = slot(left);
        Slot b = slot(right);
        var loops = new StridedLoops(
                to.shape(),
                left.shape().stridesIn(to.shape()),
                right.shape().stridesIn(to.shape()),
                to.shape().strides());
        return () -> {
            for (int round = 0; round < loops.outer(); round++) {
                int atA = a.offset + loops.offsets(0)[round];
                int atB = b.offset + loops.offsets(1)[round];
                int at = out.offset + loops.offsets(2)[round];
                for (int i = 0; i < loops.inner(); i++) {
                    boolean is = kind.holds(a.array[atA + i * loops.stride(0)], b.array[atB + i * loops.stride(1)]);
                    out.array[at + i] = is ? 1 : 0;
                }
            }
        };
    }

    @Override
    Runnable gather(Value to, Value from, IndexMap map, double fill) {
        return Float32Maps.gather(slot(to), slot(from), map, (float) fill);
    }

    @Override
    Runnable through(
            Value to,
            Value source,
            IndexMap map,
            int[] strides,
            boolean largest,
            @Nullable Value weights,
            int[] weightStrides) {
        int count = to.shape().count();
        Slot factors = weights == null ? null : slot(weights);
        return Float32Maps.through(slot(to), count, slot(source), map, strides, largest, factors, weightStrides);
    }

    @Override
    Runnable scatter(Value to, Value from, IndexMap map) {
        return Float32Maps.scatter(slot(to), to.shape().count(), slot(from), map);
    }

    @Override
    Runnable contract(Value to, Value left, Value right, ContractionPlan plan) {
        Value rows = plan.swapped() ? right : left;
        Value columns = plan.swapped() ? left : right;
        Slot a = slot(rows);
        Numbers own = slots.containsKey(columns) ? null : stored.get(columns);
        return own != null && StoredTable.fits(plan, columns.shape())
                ? Float32Products.stored(slot(to), a, rows.shape(), new StoredTable(own, columns.shape()), plan)
                : Float32Products.of(slot(to), a, rows.shape(), slot(columns), columns.shape(), plan);
    }
}
