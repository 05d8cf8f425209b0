package org.isoloss.autodiff;

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

        Term(double factor, Tensor source, int[] rows) {
            this.factor = factor;
            this.source = source;
            this.rows = rows;
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

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        for (Term term : terms) {
            if (term.source.differentiable()) {
                plan.accumulate(term.source);
            }
        }
        return new Bound(arithmetic);
    }

    private final class Bound implements Kernel {
        private final Arithmetic arithmetic;
        private final Tensor output = output();
        private final Term[] summands = terms.toArray(Term[]::new);
        private final boolean[] filled = new boolean[output().rows()];

        Bound(Arithmetic arithmetic) {
            this.arithmetic = arithmetic;
        }

        @Override
        public void forward() {
            int columns = output.columns();
            int rows = output.rows();
            Arrays.fill(filled, false);
            for (Term term : summands) {
                for (int row = 0; row < rows; ) {
                    int end = endOfRun(term, row, 1);
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

        /** One past the last row that goes on as this one does: rows whose sources are {@code stride} apart. */
        private int endOfRun(Term term, int row, int stride) {
            int end = row + 1;
            int source = term.rows[row];
            while (source >= 0
                    && end < term.rows.length
                    && term.rows[end] == source + stride * (end - row)
                    && filled[end] == filled[row]) {
                end++;
            }
            return end;
        }

        @Override
        public void backward() {
            int columns = output.columns();
            Arrays.fill(filled, false);
            for (Term term : summands) {
                for (int row = 0; term.source.differentiable() && row < term.rows.length; ) {
                    int from = output.offset() + row * columns;
                    int to = term.source.offset() + term.rows[row] * columns;
                    int end = endOfRun(term, row, 0);
                    if (end > row + 1) {
                        arithmetic.addScaledRowsGradient(term.factor, from, end - row, columns, to);
                    } else {
                        end = endOfRun(term, row, 1);
                        if (term.rows[row] >= 0) {
                            arithmetic.addScaledGradient(term.factor, from, to, (end - row) * columns);
                        }
                    }
                    row = end;
                }
            }
        }
    }
}
