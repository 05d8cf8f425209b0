package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.List;

/** Columns of one or several tensors of equal height, in any order, as the columns of one. */
final class ColumnChoice extends Operation {
    private final List<Part> parts;

    /** What one tensor contributes: columns {@code from} of it, all different, are columns {@code to} of the output. */
    static final class Part {
        private final Tensor source;
        private final int[] from;
        private final int[] to;

        Part(Tensor source, int[] from, int[] to) {
            this.source = source;
            this.from = from;
            this.to = to;
        }
    }

    ColumnChoice(Tensor output, List<Part> parts) {
        super(output, parts.stream().map(part -> part.source).toList());
        this.parts = List.copyOf(parts);
    }

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        List<Part> differentiable = new ArrayList<>();
        for (Part part : parts) {
            if (part.source.differentiable()) {
                plan.accumulate(part.source);
                differentiable.add(part);
            }
        }
        return new Bound(arithmetic, differentiable);
    }

    private final class Bound implements Kernel {
        private final Arithmetic arithmetic;
        private final List<Part> differentiable;

        Bound(Arithmetic arithmetic, List<Part> differentiable) {
            this.arithmetic = arithmetic;
            this.differentiable = differentiable;
        }

        @Override
        public void forward() {
            for (int i = 0; i < parts.size(); i++) {
                Part part = parts.get(i);
                arithmetic.copyColumns(part.source, part.from, output(), part.to);
            }
        }

        @Override
        public void backward() {
            for (int i = 0; i < differentiable.size(); i++) {
                Part part = differentiable.get(i);
                arithmetic.addColumnsGradient(output(), part.to, part.source, part.from);
            }
        }
    }
}
