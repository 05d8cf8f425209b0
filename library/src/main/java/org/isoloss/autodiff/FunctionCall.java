package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A {@link JetFunction} of every parameter vector of a jet, with the tangents that belong to it. */
final class FunctionCall extends Operation {
    private final Jet parameters;
    private final JetFunction function;

    FunctionCall(Tensor output, Jet parameters, JetFunction function) {
        super(output, List.of(parameters.stacked()));
        this.parameters = parameters;
        this.function = function;
    }

    /** A vector and its tangents: their rows, and what computes with so many of them. */
    private record Call(int[] rows, JetFunction.Evaluator evaluator, double[] in, double[] out) {}

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        boolean backward = plan.forBackward() && parameters.stacked().differentiable();
        if (backward) {
            plan.accumulate(parameters.stacked());
        }
        Map<Integer, List<Integer>> groups = new LinkedHashMap<>();
        for (int row = 0; row < parameters.stacked().rows(); row++) {
            if (parameters.valueRow(row) < 0) {
                groups.computeIfAbsent(row, _ -> new ArrayList<>()).addFirst(row);
            } else {
                groups.computeIfAbsent(parameters.valueRow(row), _ -> new ArrayList<>())
                        .add(row);
            }
        }
        List<Call> calls = new ArrayList<>();
        for (List<Integer> rows : groups.values()) {
            calls.add(new Call(
                    rows.stream().mapToInt(Integer::intValue).toArray(),
                    function.evaluator(arithmetic.precision(), rows.size() - 1),
                    new double[rows.size() * function.inputCount()],
                    new double[rows.size() * function.outputCount()]));
        }
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
