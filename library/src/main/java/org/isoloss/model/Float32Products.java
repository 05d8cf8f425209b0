package org.isoloss.model;

import java.util.Arrays;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.PreparedGemm;
import org.isoloss.model.Float32Memory.Slot;
import org.jspecify.annotations.Nullable;

/** Products of {@link Float32Memory}. The build derives {@code Float64Products} from this file. */
final class Float32Products {
    /** Products of at most so many terms are looped over. */
    private static final int FEW = 512;

    private Float32Products() {}

    /** A product with columns that stay in their file. */
    static Runnable stored(Slot out, Slot rows, Dimensions shape, StoredTable table, ContractionPlan plan) {
        Packed a = packed(rows, shape, plan.packLeft());
        return () -> {
            a.pack.run();
            table.multiply(plan, a.slot.array, a.slot.offset, out.array, out.offset);
        };
    }

    /** A product of two tensors. */
    static Runnable of(
            Slot out, Slot rows, Dimensions shape, Slot columns, Dimensions columnShape, ContractionPlan plan) {
        Packed a = packed(rows, shape, plan.packLeft());
        Packed b = packed(columns, columnShape, plan.packRight());
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

    /** Products too small for a library, rounded as one rounds them: once a term. */
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
