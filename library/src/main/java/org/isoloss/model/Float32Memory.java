package org.isoloss.model;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.PreparedGemm;
import org.jspecify.annotations.Nullable;

/** {@link Memory} in float32. The build derives {@code Float64Memory} from this file. */
@SuppressWarnings("cast") // casts that float32 needs say nothing in the float64 copy
final class Float32Memory extends Memory {
    private static final int CHUNK = 1024;
    private static final int FEW = 512;

    private final IdentityHashMap<Value, Slot> slots = new IdentityHashMap<>();
    private final IdentityHashMap<Value, Numbers> stored = new IdentityHashMap<>();
    private final float[] numbers = new float[CHUNK];
    private final float[] first = new float[CHUNK];
    private final float[] second = new float[CHUNK];
    private float[] pool = {};

    /** Where the numbers of a value begin. */
    private static final class Slot {
        private final float[] array;
        private final int offset;

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

    /** Where a value lies; what is not used by products or lookups alone is read from its file now. */
    private Slot slot(Value value) {
        Numbers own = slots.containsKey(value) ? null : stored.get(value);
        if (own != null) {
            hold(value, own);
        }
        return Objects.requireNonNull(slots.get(value), () -> value + " has no place");
    }

    @Override
    void set(Value value, double[] from, int begin) {
        Slot slot = slot(value);
        for (int i = 0; i < value.shape().count(); i++) {
            slot.array[slot.offset + i] = (float) from[begin + i];
        }
    }

    @Override
    void copyTo(Value value, double[] to, int begin) {
        Slot slot = slot(value);
        for (int i = 0; i < value.shape().count(); i++) {
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

    private static void addScaled(
            float[] out, int at, float[] in, int from, int stride, float factor, int count, boolean add) {
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
        Slot out = slot(to);
        Slot in = slot(from);
        var loops = new StridedLoops(from.shape(), from.shape().strides(), strides);
        int count = to.shape().count();
        return () -> {
            Arrays.fill(out.array, out.offset, out.offset + count, largest ? Float.NEGATIVE_INFINITY : 0);
            for (int round = 0; round < loops.outer(); round++) {
                int at = in.offset + loops.offsets(0)[round];
                int place = out.offset + loops.offsets(1)[round];
                if (loops.stride(1) == 0) {
                    out.array[place] = largest
                            ? Math.max(out.array[place], largestOf(in.array, at, loops.stride(0), loops.inner()))
                            : out.array[place] + sumOf(in.array, at, loops.stride(0), loops.inner());
                } else if (loops.stride(0) == 1 && loops.stride(1) == 1) {
                    reduceRow(in.array, at, out.array, place, loops.inner(), largest);
                } else if (largest) {
                    for (int i = 0; i < loops.inner(); i++) {
                        int where = place + i * loops.stride(1);
                        out.array[where] = Math.max(out.array[where], in.array[at + i * loops.stride(0)]);
                    }
                } else {
                    for (int i = 0; i < loops.inner(); i++) {
                        out.array[place + i * loops.stride(1)] += in.array[at + i * loops.stride(0)];
                    }
                }
            }
        };
    }

    private static void reduceRow(float[] in, int at, float[] out, int place, int count, boolean largest) {
        if (largest) {
            raiseRow(in, at, 1, out, place, count);
        } else {
            for (int i = 0; i < count; i++) {
                out[place + i] += in[at + i];
            }
        }
    }

    private static void raiseRow(float[] in, int at, int step, float[] out, int place, int count) {
        if (step == 1) {
            for (int i = 0; i < count; i++) {
                out[place + i] = Math.max(out[place + i], in[at + i]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                out[place + i] = Math.max(out[place + i], in[at + i * step]);
            }
        }
    }

    /** Four sums side by side, each in float64. */
    private static float sumOf(float[] in, int at, int stride, int count) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = 0;
        for (; i + 3 < count; i += 4) {
            int from = at + i * stride;
            a += in[from];
            b += in[from + stride];
            c += in[from + 2 * stride];
            d += in[from + 3 * stride];
        }
        for (; i < count; i++) {
            a += in[at + i * stride];
        }
        return (float) (a + b + (c + d));
    }

    private static float largestOf(float[] in, int at, int stride, int count) {
        float largest = in[at];
        for (int i = 1; i < count; i++) {
            largest = Math.max(largest, in[at + i * stride]);
        }
        return largest;
    }

    @Override
    Runnable largestPlace(Value to, Value from, int[] strides) {
        Slot out = slot(to);
        Slot in = slot(from);
        int[] places = Elements.places(from.shape(), strides);
        int[] best = new int[Arrays.stream(places).max().orElse(0) + 1];
        return () -> {
            Arrays.fill(best, -1);
            for (int i = 0; i < places.length; i++) {
                int before = best[places[i]];
                if (before < 0 || in.array[in.offset + i] > in.array[in.offset + before]) {
                    best[places[i]] = i;
                }
            }
            Arrays.fill(out.array, out.offset, out.offset + places.length, 0);
            for (int place : best) {
                out.array[out.offset + place] = 1;
            }
        };
    }

    @Override
    Runnable gather(Value to, Value from, IndexMap map, double fill) {
        Slot out = slot(to);
        Slot in = slot(from);
        var runs = new GatherRuns(map);
        float outside = (float) fill;
        return () -> {
            int at = out.offset;
            for (int run = 0; run < runs.count(); run++, at += runs.length()) {
                int begin = runs.begin(run);
                int end = runs.end(run);
                if (begin > 0) {
                    Arrays.fill(out.array, at, at + begin, outside);
                }
                if (end < runs.length()) {
                    Arrays.fill(out.array, at + end, at + runs.length(), outside);
                }
                int start = in.offset + runs.start(run);
                int step = runs.step();
                if (begin >= end) {
                    continue;
                }
                if (step == 1) {
                    System.arraycopy(in.array, start + begin, out.array, at + begin, end - begin);
                } else if (step == 0) {
                    Arrays.fill(out.array, at + begin, at + end, in.array[start]);
                } else {
                    for (int i = begin; i < end; i++) {
                        out.array[at + i] = in.array[start + i * step];
                    }
                }
            }
        };
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
        Slot out = slot(to);
        Slot in = slot(source);
        Slot factors = weights == null ? new Slot(new float[] {1}, 0) : slot(weights);
        if (weights != null && map.target().rank() == 6 && isDense(map, 2) && isDense(map, 3)) {
            return weighPlanes(out, in, factors, map);
        }
        var runs = new GatherRuns(map);
        int[] places = runs.places(map, strides);
        int[] weighed = runs.places(map, weightStrides);
        int count = to.shape().count();
        return () -> {
            Arrays.fill(out.array, out.offset, out.offset + count, largest ? Float.NEGATIVE_INFINITY : 0);
            for (int run = 0; run < places.length; run++) {
                int begin = runs.begin(run);
                int length = runs.end(run) - begin;
                int at = out.offset + places[run] + begin;
                int from = in.offset + runs.start(run) + begin * runs.step();
                if (largest) {
                    raiseRow(in.array, from, runs.step(), out.array, at, length);
                } else {
                    float factor = factors.array[factors.offset + weighed[run]];
                    addScaled(out.array, at, in.array, from, runs.step(), factor, length, true);
                }
            }
        };
    }

    /** Whether windows over an axis begin at every entry. */
    private static boolean isDense(IndexMap map, int axis) {
        return map.steps().get(axis).get(axis + 2) == 1;
    }

    /**
     * Sums of the entries of dense windows in each plane, weighed alike in all: over planes with their padding, so that each
     * weight meets one long run, from which the columns that windows begin in are then copied.
     */
    private static Runnable weighPlanes(Slot out, Slot in, Slot factors, IndexMap map) {
        int[] source = map.source().toArray();
        int[] target = map.target().toArray();
        int apart = map.steps().get(2).get(2);
        int beside = map.steps().get(3).get(3);
        int above = -map.base().get(2);
        int before = -map.base().get(3);
        int width = target[5] + (target[3] - 1) * beside;
        int height = target[4] + (target[2] - 1) * apart;
        int firstRow = Math.max(0, above);
        int lastRow = Math.min(height, above + source[2]);
        int firstColumn = Math.max(0, before);
        int columns = Math.max(0, Math.min(width, before + source[3]) - firstColumn);
        float[] plane = new float[height * width];
        float[] sums = new float[target[4] * width];
        int count = sums.length - (target[3] - 1) * beside;
        int taps = target[2] * target[3];
        return () -> {
            for (int channel = 0; channel < target[0] * target[1]; channel++) {
                int from = in.offset + channel * source[2] * source[3] + firstColumn - before;
                for (int row = firstRow; row < lastRow; row++) {
                    System.arraycopy(
                            in.array, from + (row - above) * source[3], plane, row * width + firstColumn, columns);
                }
                int weight = factors.offset + channel % target[1] * taps;
                Arrays.fill(sums, 0);
                for (int tap = 0; tap < taps; ) {
                    int shift = tap / target[3] * apart * width + tap % target[3] * beside;
                    if (target[3] == 3) {
                        addThree(sums, plane, shift, beside, factors.array, weight + tap, count);
                        tap += 3;
                    } else {
                        addScaled(sums, 0, plane, shift, 1, factors.array[weight + tap], count, true);
                        tap++;
                    }
                }
                int at = out.offset + channel * target[4] * target[5];
                for (int row = 0; row < target[4]; row++) {
                    System.arraycopy(sums, row * width, out.array, at + row * target[5], target[5]);
                }
            }
        };
    }

    /** Adds three taps that lie {@code step} apart, one after the other. */
    private static void addThree(float[] sums, float[] plane, int shift, int step, float[] weights, int at, int count) {
        float first = weights[at];
        float second = weights[at + 1];
        float third = weights[at + 2];
        for (int i = 0; i < count; i++) {
            sums[i] = sums[i]
                    + first * plane[shift + i]
                    + second * plane[shift + step + i]
                    + third * plane[shift + 2 * step + i];
        }
    }

    @Override
    Runnable scatter(Value to, Value from, IndexMap map) {
        Slot out = slot(to);
        Slot in = slot(from);
        var runs = new GatherRuns(map);
        int count = to.shape().count();
        return () -> {
            Arrays.fill(out.array, out.offset, out.offset + count, 0);
            int at = in.offset;
            for (int run = 0; run < runs.count(); run++, at += runs.length()) {
                int start = out.offset + runs.start(run);
                if (runs.step() == 1) {
                    for (int i = runs.begin(run); i < runs.end(run); i++) {
                        out.array[start + i] += in.array[at + i];
                    }
                } else {
                    for (int i = runs.begin(run); i < runs.end(run); i++) {
                        out.array[start + i * runs.step()] += in.array[at + i];
                    }
                }
            }
        };
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
        Numbers own = slots.containsKey(table) ? null : stored.get(table);
        if (own != null && axis == 0) {
            Slot out = slot(to);
            Slot chosen = slot(indices);
            var rows = new StoredTable(own, table.shape());
            int count = indices.shape().count();
            return () -> rows.gather(chosen.array, chosen.offset, count, out.array, out.offset);
        }
        return rows(slot(to), slot(table), slot(indices), table.shape(), indices, axis, false);
    }

    @Override
    Runnable accumulate(Value to, Value slices, Value indices, int axis) {
        Slot out = slot(to);
        int count = to.shape().count();
        Runnable rows = rows(slot(slices), out, slot(indices), to.shape(), indices, axis, true);
        return () -> {
            Arrays.fill(out.array, out.offset, out.offset + count, 0);
            rows.run();
        };
    }

    /** Copies rows of a table to slices, or adds the slices to the rows. */
    private static Runnable rows(
            Slot slices, Slot table, Slot chosen, Dimensions shape, Value indices, int axis, boolean add) {
        int inner = shape.strides()[axis];
        int size = shape.size(axis);
        int outer = shape.count() / (inner * size);
        int count = indices.shape().count();
        return () -> {
            int at = slices.offset;
            for (int block = 0; block < outer; block++) {
                for (int i = 0; i < count; i++, at += inner) {
                    int row = Lookup.row(chosen.array[chosen.offset + i], size);
                    int place = table.offset + (block * size + row) * inner;
                    if (add) {
                        for (int j = 0; j < inner; j++) {
                            table.array[place + j] += slices.array[at + j];
                        }
                    } else {
                        System.arraycopy(table.array, place, slices.array, at, inner);
                    }
                }
            }
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
                for (int i = 0; i < loops.inner(); i++) {
                    out.array[at + i] = holds.array[atMask + i * loops.stride(0)] != 0
                            ? a.array[atA + i * loops.stride(1)]
                            : b.array[atB + i * loops.stride(2)];
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
    Runnable contract(Value to, Value left, Value right, ContractionPlan plan) {
        Slot out = slot(to);
        Value rows = plan.swapped() ? right : left;
        Value columns = plan.swapped() ? left : right;
        Packed a = packed(slot(rows), rows.shape(), plan.packLeft());
        Numbers own = slots.containsKey(columns) ? null : stored.get(columns);
        if (own != null && StoredTable.fits(plan, columns.shape())) {
            var table = new StoredTable(own, columns.shape());
            return () -> {
                a.pack.run();
                table.multiply(plan, a.slot.array, a.slot.offset, out.array, out.offset);
            };
        }
        Packed b = packed(slot(columns), columns.shape(), plan.packRight());
        Runnable products = plan.m() * (long) plan.n() * plan.k() <= FEW || (plan.m() == 1 && plan.k() <= 32)
                ? loops(out, a.slot, b.slot, plan)
                : products(out, a.slot, b.slot, plan);
        return () -> {
            a.pack.run();
            b.pack.run();
            products.run();
        };
    }

    private record Packed(Slot slot, Runnable pack) {}

    private static Packed packed(Slot slot, Dimensions shape, int @Nullable [] order) {
        if (order == null) {
            return new Packed(slot, () -> {});
        }
        var runs = new GatherRuns(IndexMap.transposed(shape, order));
        float[] ordered = new float[shape.count()];
        return new Packed(new Slot(ordered, 0), () -> {
            int at = 0;
            for (int run = 0; run < runs.count(); run++) {
                int from = slot.offset + runs.start(run);
                for (int i = 0; i < runs.length(); i++) {
                    ordered[at++] = slot.array[from + i * runs.step()];
                }
            }
        });
    }

    private static Runnable products(Slot out, Slot a, Slot b, ContractionPlan plan) {
        StridedLoops loops = plan.loops();
        PreparedGemm[] products = new PreparedGemm[loops.outer() * loops.inner()];
        for (int round = 0; round < products.length; round++) {
            products[round] = Blas.gemm(
                    a.array,
                    a.offset + at(loops, 0, round),
                    plan.a().stride(),
                    plan.a().transposed(),
                    b.array,
                    b.offset + at(loops, 1, round),
                    plan.b().stride(),
                    plan.b().transposed(),
                    out.array,
                    out.offset + at(loops, 2, round),
                    plan.ldc(),
                    plan.m(),
                    plan.n(),
                    plan.k());
        }
        return () -> {
            for (int round = 0; round < products.length; round++) {
                products[round].run(1, round % plan.added() == 0 ? 0 : 1);
            }
        };
    }

    private static int at(StridedLoops loops, int tensor, int round) {
        return loops.offsets(tensor)[round / loops.inner()] + round % loops.inner() * loops.stride(tensor);
    }

    /** Products too small for a library. */
    private static Runnable loops(Slot out, Slot left, Slot right, ContractionPlan plan) {
        StridedLoops loops = plan.loops();
        int rowA = plan.a().transposed() ? 1 : plan.a().stride();
        int stepA = plan.a().transposed() ? plan.a().stride() : 1;
        int stepB = plan.b().transposed() ? 1 : plan.b().stride();
        int columnB = plan.b().transposed() ? plan.b().stride() : 1;
        int n = plan.n();
        int rounds = loops.outer() * loops.inner();
        float[] a = left.array;
        float[] b = right.array;
        float[] c = out.array;
        return () -> {
            for (int round = 0; round < rounds; round++) {
                int atA = left.offset + at(loops, 0, round);
                int atB = right.offset + at(loops, 1, round);
                int atC = out.offset + at(loops, 2, round);
                for (int i = 0; i < plan.m(); i++, atA += rowA, atC += plan.ldc()) {
                    if (round % plan.added() == 0) {
                        Arrays.fill(c, atC, atC + n, 0);
                    }
                    for (int k = 0; k < plan.k(); k++) {
                        float factor = a[atA + k * stepA];
                        int row = atB + k * stepB;
                        if (columnB == 1) {
                            for (int j = 0; j < n; j++) {
                                c[atC + j] = Math.fma(factor, b[row + j], c[atC + j]);
                            }
                        } else {
                            for (int j = 0; j < n; j++) {
                                c[atC + j] = Math.fma(factor, b[row + j * columnB], c[atC + j]);
                            }
                        }
                    }
                }
            }
        };
    }
}
