package org.isoloss.model;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Pointwise;

/** What some steps of a model make of one number: functions of one variable, sums, products and fixed numbers together. */
final class Composed implements Pointwise {
    private final Value variable;
    private final List<Value> steps;
    private final Map<Value, Integer> places = new HashMap<>();

    private Composed(Value variable, List<Value> steps) {
        this.variable = variable;
        this.steps = steps;
        for (int i = 0; i < steps.size(); i++) {
            places.put(steps.get(i), i);
        }
    }

    /** The function that makes a result, entry by entry, of a variable; what else it is made of are single numbers. */
    static Pointwise of(Value variable, Value result) {
        return result.operation() instanceof Application application && result.argument(0) == variable
                ? application.function()
                : new Composed(variable, Execution.order(List.of(result), Set.of(variable)));
    }

    /** Fills value and two derivatives of each step. */
    private void fill(double z, double[] value, double[] first, double[] second) {
        for (int i = 0; i < value.length; i++) {
            Value step = steps.get(i);
            value[i] = 0;
            first[i] = 0;
            second[i] = 0;
            if (step == variable) {
                value[i] = z;
                first[i] = 1;
                continue;
            }
            switch (step.operation()) {
                case Leaf leaf -> value[i] = leaf.numbers().asFloat64()[0];
                case Reshape _ -> value[i] = value[place(step, 0)];
                case Application application -> {
                    int at = place(step, 0);
                    double slope = application.function().first(value[at]);
                    value[i] = application.function().value(value[at]);
                    first[i] = slope * first[at];
                    second[i] = application.function().second(value[at]) * first[at] * first[at] + slope * second[at];
                }
                case Sum sum -> {
                    for (int term = 0; term < sum.factors().size(); term++) {
                        int at = place(step, term);
                        value[i] += sum.factors().get(term) * value[at];
                        first[i] += sum.factors().get(term) * first[at];
                        second[i] += sum.factors().get(term) * second[at];
                    }
                }
                case Product _ -> {
                    int left = place(step, 0);
                    int right = place(step, 1);
                    value[i] = value[left] * value[right];
                    first[i] = first[left] * value[right] + value[left] * first[right];
                    second[i] =
                            second[left] * value[right] + 2 * first[left] * first[right] + value[left] * second[right];
                }
                default -> throw new IllegalStateException(step.toString());
            }
        }
    }

    private int place(Value step, int argument) {
        return Objects.requireNonNull(places.get(step.argument(argument)));
    }

    private double at(double z, int order) {
        double[][] jet = new double[3][steps.size()];
        fill(z, jet[0], jet[1], jet[2]);
        return jet[order][steps.size() - 1];
    }

    @Override
    public double value(double z) {
        return at(z, 0);
    }

    @Override
    public double first(double z) {
        return at(z, 1);
    }

    @Override
    public double second(double z) {
        return at(z, 2);
    }

    @Override
    public void evaluate(double[] numbers, double[] first, double[] second, int from, int to) {
        double[][] jet = new double[3][steps.size()];
        for (int i = from; i < to; i++) {
            fill(numbers[i], jet[0], jet[1], jet[2]);
            numbers[i] = jet[0][steps.size() - 1];
            first[i] = jet[1][steps.size() - 1];
            second[i] = jet[2][steps.size() - 1];
        }
    }

    @Override
    public void evaluate(float[] numbers, float[] first, float[] second, int from, int to) {
        double[][] jet = new double[3][steps.size()];
        for (int i = from; i < to; i++) {
            fill(numbers[i], jet[0], jet[1], jet[2]);
            numbers[i] = (float) jet[0][steps.size() - 1];
            first[i] = (float) jet[1][steps.size() - 1];
            second[i] = (float) jet[2][steps.size() - 1];
        }
    }

    @Override
    public boolean hasKink() {
        return steps.stream()
                .anyMatch(step -> step.operation() instanceof Application application
                        && application.function().hasKink());
    }

    private String text(Value step) {
        return step == variable
                ? "z"
                : switch (step.operation()) {
                    case Leaf leaf -> Double.toString(leaf.numbers().asFloat64()[0]);
                    case Reshape _ -> text(step.argument(0));
                    case Application application -> "%s(%s)".formatted(application.name(), text(step.argument(0)));
                    case Sum sum ->
                        IntStream.range(0, sum.factors().size())
                                .mapToObj(i -> (sum.factors().get(i) == 1
                                                ? ""
                                                : sum.factors().get(i) + " ")
                                        + text(step.argument(i)))
                                .collect(Collectors.joining(" + ", "(", ")"));
                    case Product _ -> "%s * %s".formatted(text(step.argument(0)), text(step.argument(1)));
                    default -> throw new IllegalStateException(step.toString());
                };
    }

    @Override
    public String toString() {
        return text(steps.getLast());
    }
}
