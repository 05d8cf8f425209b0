package org.isoloss.autodiff;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** A {@link JetFunction} of every parameter vector of a jet; vectors with as many tangents are computed together. */
final class FunctionCall extends Operation {
    private final Jet parameters;
    private final JetFunction function;

    FunctionCall(Tensor output, Jet parameters, JetFunction function) {
        super(output, List.of(parameters.stacked()));
        this.parameters = parameters;
        this.function = function;
    }

    /** Vectors and their tangents: the rows of all vectors, then of all first tangents, and what computes with so many. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Call(int[] rows, JetFunction.Evaluator evaluator, double[] in, double[] out) {}

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        boolean backward = plan.forBackward() && parameters.stacked().differentiable();
        if (backward) {
            plan.accumulate(parameters.stacked());
        }
        SequencedMap<Integer, List<Integer>> tangents = new LinkedHashMap<>(); // of each vector
        for (int row = 0; row < parameters.stacked().rows(); row++) {
            int vector = parameters.valueRow(row);
            List<Integer> known = tangents.computeIfAbsent(vector < 0 ? row : vector, _ -> new ArrayList<>());
            if (vector >= 0) {
                known.add(row);
            }
        }
        SequencedMap<Integer, List<Integer>> alike = new LinkedHashMap<>(); // vectors by their number of tangents
        tangents.forEach((vector, rows) ->
                alike.computeIfAbsent(rows.size(), _ -> new ArrayList<>()).add(vector));
        List<Call> calls = new ArrayList<>();
        alike.forEach((count, vectors) -> {
            List<Integer> rows = new ArrayList<>(vectors);
            for (int i = 0; i < count; i++) {
                for (int vector : vectors) {
                    rows.add(requireNonNull(tangents.get(vector)).get(i));
                }
            }
            calls.add(new Call(
                    rows.stream().mapToInt(Integer::intValue).toArray(),
                    function.evaluator(arithmetic.precision(), count, vectors.size()),
                    new double[rows.size() * function.inputCount()],
                    new double[rows.size() * function.outputCount()]));
        });
        return new Bound(arithmetic, calls.toArray(Call[]::new));
    }

    private final class Bound implements Kernel {
        private final Arithmetic numbers;
        private final Call[] calls;

        Bound(Arithmetic numbers, Call[] calls) {
            this.numbers = numbers;
            this.calls = calls;
        }

        @Override
        public void forward() {
            int p = function.inputCount();
            int m = function.outputCount();
            for (Call call : calls) {
                for (int i = 0; i < call.rows.length; i++) {
                    numbers.copyValues(parameters.stacked().offset() + call.rows[i] * p, call.in, i * p, p);
                }
                call.evaluator.evaluate(call.in, call.out);
                for (int i = 0; i < call.rows.length; i++) {
                    numbers.setValues(output().offset() + call.rows[i] * m, call.out, i * m, m);
                }
            }
        }

        @Override
        public void backward() {
            int p = function.inputCount();
            int m = function.outputCount();
            for (Call call : calls) {
                for (int i = 0; i < call.rows.length; i++) {
                    numbers.copyGradients(output().offset() + call.rows[i] * m, call.out, i * m, m);
                }
                call.evaluator.gradients(call.out, call.in);
                for (int i = 0; i < call.rows.length; i++) {
                    numbers.addGradients(parameters.stacked().offset() + call.rows[i] * p, call.in, i * p, p);
                }
            }
        }
    }
}
