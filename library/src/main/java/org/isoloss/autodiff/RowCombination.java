package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Row i of the output is the sum, over the terms, of {@code factor * source[rows[i]]}: gathers, concatenations, sums,
 * differences and broadcasts of rows in one operation.
 */
final class RowCombination extends Operation {
    /** One summand; a negative row number leaves the term out of that output row. */
    static final class Term {
        private final double factor;
        private final Tensor source;
        private final int[] rows;
        private final boolean live;

        /** The row numbers of a live term may change between replays. */
        Term(double factor, Tensor source, int[] rows, boolean live) {
            this.factor = factor;
            this.source = source;
            this.rows = rows;
            this.live = live;
        }

        Tensor source() {
            return source;
        }

        int rowCount() {
            return rows.length;
        }
    }

    private final List<Term> terms;

    RowCombination(Tensor output, List<Term> terms) {
        super(output, terms.stream().map(Term::source).toList());
        this.terms = List.copyOf(terms);
    }

    /** Output rows whose gradients go to source rows that follow one another, or all to one and the same. */
    private record Run(Term term, int row, int count, boolean same, boolean accumulate) {}

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        List<Run> fixed = new ArrayList<>();
        for (Term term : terms) {
            if (term.source.differentiable() && !term.live) {
                addRuns(term, plan, fixed);
            }
        }
        for (Term term : terms) {
            if (term.source.differentiable() && term.live) {
                plan.accumulate(term.source);
            }
        }
        return new Bound(arithmetic, fixed.toArray(Run[]::new));
    }

    private static void addRuns(Term term, GradientPlan plan, List<Run> runs) {
        for (int row = 0; row < term.rows.length; ) {
            int repeated = end(term, row, 0);
            boolean same = repeated > row + 1;
            int end = same ? repeated : end(term, row, 1);
            int source = term.rows[row];
            if (source >= 0) {
                boolean accumulate = plan.contribute(term.source.rows(source, source + (same ? 1 : end - row)));
                runs.add(new Run(term, row, end - row, same, accumulate));
            }
            row = end;
        }
    }

    /** One past the last row that goes on as this one does: rows whose sources are {@code stride} apart. */
    private static int end(Term term, int row, int stride) {
        int end = row + 1;
        int source = term.rows[row];
        while (end < term.rows.length
                && (source < 0 ? term.rows[end] < 0 : term.rows[end] == source + stride * (end - row))) {
            end++;
        }
        return end;
    }

    private final class Bound implements Kernel {
        private final Arithmetic arithmetic;
        private final Tensor output = output();
        private final Term[] summands = terms.toArray(Term[]::new);
        private final Run[] fixed;
        private final boolean[] filled = new boolean[output().rows()];

        Bound(Arithmetic arithmetic, Run[] fixed) {
            this.arithmetic = arithmetic;
            this.fixed = fixed;
        }

        @Override
        public void forward() {
            int columns = output.columns();
            int rows = output.rows();
            Arrays.fill(filled, false);
            for (Term term : summands) {
                for (int row = 0; row < rows; ) {
                    int end = endOfFilling(row, end(term, row, 1));
                    if (term.rows[row] >= 0) {
                        add(term, row, (end - row) * columns);
                        Arrays.fill(filled, row, end, true);
                    }
                    row = end;
                }
            }
            for (int row = 0; row < rows; row++) {
                if (!filled[row]) {
                    arithmetic.clearValue(output.offset() + row * columns, columns);
                }
            }
        }

        private int endOfFilling(int row, int end) {
            int same = row + 1;
            while (same < end && filled[same] == filled[row]) {
                same++;
            }
            return same;
        }

        private void add(Term term, int row, int count) {
            int at = output.offset() + row * output.columns();
            int from = term.source.offset() + term.rows[row] * output.columns();
            if (!filled[row] && term.factor == 1) {
                arithmetic.copyValue(from, at, count);
                return;
            }
            if (!filled[row]) {
                arithmetic.clearValue(at, count);
            }
            arithmetic.addScaledValue(term.factor, from, at, count);
        }

        @Override
        public void backward() {
            for (Run run : fixed) {
                pass(run.term, run.row, run.count, run.same, run.accumulate);
            }
            for (Term term : summands) {
                for (int row = 0; term.live && term.source.differentiable() && row < term.rows.length; ) {
                    int repeated = end(term, row, 0);
                    boolean same = repeated > row + 1;
                    int end = same ? repeated : end(term, row, 1);
                    if (term.rows[row] >= 0) {
                        pass(term, row, end - row, same, true);
                    }
                    row = end;
                }
            }
        }

        private void pass(Term term, int row, int count, boolean same, boolean accumulate) {
            int columns = output.columns();
            int from = output.offset() + row * columns;
            int to = term.source.offset() + term.rows[row] * columns;
            if (!accumulate && !same && term.factor == 1) {
                arithmetic.passGradient(from, to, count * columns, false);
                return;
            }
            if (!accumulate) {
                arithmetic.clearGradient(to, same ? columns : count * columns);
            }
            if (same) {
                arithmetic.addScaledRowsGradient(term.factor, from, count, columns, to);
            } else {
                arithmetic.addScaledGradient(term.factor, from, to, count * columns);
            }
        }
    }
}
