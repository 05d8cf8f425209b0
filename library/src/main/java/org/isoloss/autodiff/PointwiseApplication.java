package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.List;

/**
 * Applies a function to the rows that hold values, and its derivative to the rows that hold their tangents:
 * {@code y = f(z)}, {@code dy = f'(z) dz}. The backward pass needs {@code f''}, which the forward pass leaves behind, so
 * no function is evaluated twice. All of it works in place, on the memory of the output, which is that of the input too
 * where nothing else reads it.
 */
final class PointwiseApplication extends Operation {
    private final Pointwise function;
    private final Jet input;

    PointwiseApplication(Tensor output, Pointwise function, Jet input) {
        super(output, List.of(input.stacked()));
        this.function = function;
        this.input = input;
    }

    /** Consecutive entries that are treated alike; {@code value} is where the values of these tangents lie. */
    private record Run(int at, int value, int count) {}

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        boolean accumulate = input.stacked().differentiable() && plan.contribute(input.stacked());
        return new Bound(
                arithmetic,
                accumulate,
                plan.forBackward(),
                runs(false).toArray(Run[]::new),
                runs(true).toArray(Run[]::new));
    }

    /** Merges neighbouring rows of one kind, in entries relative to the start of the tensors. */
    private List<Run> runs(boolean tangents) {
        int columns = input.stacked().columns();
        List<Run> runs = new ArrayList<>();
        for (int row = 0; row < input.stacked().rows(); row++) {
            int value = input.valueRow(row);
            if (tangents != value >= 0) {
                continue;
            }
            int at = row * columns;
            int from = tangents ? value * columns : at;
            Run last = runs.isEmpty() ? new Run(-1, -1, 0) : runs.getLast();
            if (last.at + last.count == at && last.value + last.count == from) {
                runs.removeLast();
                runs.add(new Run(last.at, last.value, last.count + columns));
            } else {
                runs.add(new Run(at, from, columns));
            }
        }
        return runs;
    }

    private final class Bound implements Kernel {
        private final Arithmetic arithmetic;
        private final boolean accumulate;
        /** Whether somebody asks for derivatives. */
        private final boolean differentiates;

        private final Run[] values;
        private final Run[] tangents;
        private final int z = input.stacked().offset();
        private final int y = output().offset();
        private final int size = output().size();

        Bound(Arithmetic arithmetic, boolean accumulate, boolean backward, Run[] values, Run[] tangents) {
            this.arithmetic = arithmetic;
            this.accumulate = accumulate;
            this.differentiates = backward || tangents.length > 0;
            this.values = values;
            this.tangents = tangents;
        }

        @Override
        public void forward() {
            if (z != y) {
                arithmetic.copyValue(z, y, size);
            }
            for (Run run : values) {
                if (differentiates) {
                    arithmetic.pointwise(function, y + run.at, run.count);
                } else {
                    arithmetic.pointwiseValues(function, y + run.at, run.count);
                }
            }
            for (Run run : tangents) {
                arithmetic.pointwiseTangent(y + run.value, y + run.at, run.count);
            }
        }

        @Override
        public void backward() {
            for (Run run : values) {
                arithmetic.pointwiseBack(y + run.at, run.count);
            }
            for (Run run : tangents) {
                arithmetic.pointwiseTangentBack(y + run.value, y + run.at, run.count);
            }
            if (z != y) {
                arithmetic.passGradient(y, z, size, accumulate);
            }
        }
    }
}
