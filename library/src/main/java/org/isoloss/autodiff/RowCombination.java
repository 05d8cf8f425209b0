package org.isoloss.autodiff;

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

        Bound(Arithmetic arithmetic) {
            this.arithmetic = arithmetic;
        }

        @Override
        public void forward() {
            int columns = output.columns();
            int rows = output.rows();
            for (int row = 0; row < rows; row++) {
                int at = output.offset() + row * columns;
                boolean filled = false;
                for (Term term : summands) {
                    if (term.rows[row] < 0) {
                        continue;
                    }
                    int from = term.source.offset() + term.rows[row] * columns;
                    if (filled) {
                        arithmetic.addScaledValue(term.factor, from, at, columns);
                    } else if (term.factor == 1) {
                        arithmetic.copyValue(from, at, columns);
                    } else {
                        arithmetic.clearValue(at, columns);
                        arithmetic.addScaledValue(term.factor, from, at, columns);
                    }
                    filled = true;
                }
                if (!filled) {
                    arithmetic.clearValue(at, columns);
                }
            }
        }

        @Override
        public void backward() {
            int columns = output.columns();
            for (Term term : summands) {
                if (!term.source.differentiable()) {
                    continue;
                }
                int begin = term.source.offset();
                for (int row = 0; row < term.rows.length; row++) {
                    if (term.rows[row] >= 0) {
                        arithmetic.addScaledGradient(
                                term.factor,
                                output.offset() + row * columns,
                                begin + term.rows[row] * columns,
                                columns);
                    }
                }
            }
        }
    }
}
