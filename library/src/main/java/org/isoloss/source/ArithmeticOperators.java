package org.isoloss.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.isoloss.model.Elementary;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Power;
import org.isoloss.model.Value;

/** Sums, products, quotients, powers and extremes of several tensors, stretched to a common shape. */
final class ArithmeticOperators {
    static final Map<String, Rule> RULES = Map.ofEntries(
            binary("Add", (call, a, b) -> call.builder().plus(a, b)),
            binary("Sub", (call, a, b) -> call.builder().minus(a, b)),
            binary("Mul", (call, a, b) -> call.builder().product(a, b)),
            binary("Div", ArithmeticOperators::quotient),
            binary("Pow", ArithmeticOperators::power),
            Map.entry("Mod", Rule.same(ArithmeticOperators::remainder)),
            Map.entry("Sum", Rule.same(call -> call.builder().sum(all(call, true)))),
            Map.entry(
                    "Mean",
                    Rule.same(call -> call.builder()
                            .scaled(1.0 / call.arguments(), call.builder().sum(all(call, true))))),
            Map.entry("Max", Rule.same(call -> folded(call, (a, b) -> larger(call.builder(), a, b)))),
            Map.entry("Min", Rule.same(call -> folded(call, (a, b) -> smaller(call.builder(), a, b)))));

    private ArithmeticOperators() {}

    private interface Binary {
        Value of(Call call, Value left, Value right);
    }

    private static Map.Entry<String, Rule> binary(String name, Binary rule) {
        return Map.entry(name, Rule.same(call -> {
            requireNoWrap(call);
            return rule.of(call, call.value(0), second(call));
        }));
    }

    private static void requireNoWrap(Call call) {
        if (call.type().wraps()) {
            throw call.refused("arithmetic of %s is not read", call.type());
        }
    }

    /** The second argument, moved to the axes where opset 6 wants it. */
    static Value second(Call call) {
        call.ignore("consumed_inputs");
        Value right = call.value(1);
        if (call.opset() < 7 && call.flag("broadcast", false)) {
            int rank = call.tensor(0).rank();
            int axis = call.hasAttribute("axis")
                    ? call.axis("axis", 0)
                    : rank - right.shape().rank();
            return axis < 0 ? right : Alignment.along(call.builder(), right, axis, rank);
        }
        if (call.opset() < 7) {
            call.ignore("axis");
        }
        return right;
    }

    private static List<Value> all(Call call, boolean arithmetic) {
        call.ignore("consumed_inputs");
        if (arithmetic) {
            requireNoWrap(call);
        }
        List<Value> values = new ArrayList<>();
        for (int i = 0; i < call.arguments(); i++) {
            values.add(call.value(i));
        }
        return values;
    }

    private static Value folded(Call call, BinaryOperator<Value> pair) {
        return all(call, false).stream().reduce(pair).orElseThrow();
    }

    static Value larger(ModelBuilder builder, Value left, Value right) {
        return builder.select(builder.less(left, right), right, left);
    }

    static Value smaller(ModelBuilder builder, Value left, Value right) {
        return builder.select(builder.less(/* left= */ right, /* right= */ left), right, left);
    }

    private static Value quotient(Call call, Value left, Value right) {
        return call.type().isFloat()
                ? call.builder().quotient(left, right)
                : wholeQuotient(call.builder(), left, right);
    }

    /** What remains of a division rounded towards the nearest, at most half of the divisor; exact for whole numbers. */
    private static Value nearestRemainder(ModelBuilder builder, Value left, Value right) {
        Value nearest = builder.apply(Elementary.ROUND, builder.quotient(left, right));
        Value endless = builder.equal(builder.apply(Elementary.ABS, right), builder.constant(Double.POSITIVE_INFINITY));
        return builder.select(endless, left, builder.minus(left, builder.product(nearest, right)));
    }

    /** The quotient of whole numbers, cut towards 0. */
    private static Value wholeQuotient(ModelBuilder builder, Value left, Value right) {
        Value nearest = builder.apply(Elementary.ROUND, builder.quotient(left, right));
        Value remainder = builder.minus(left, builder.product(nearest, right));
        Value beyond = builder.less(builder.product(remainder, left), builder.constant(0));
        Value sign = builder.apply(Elementary.SIGN, builder.product(left, right));
        return builder.minus(nearest, builder.product(beyond, sign));
    }

    private static Value remainder(Call call) {
        ModelBuilder builder = call.builder();
        Value left = call.value(0);
        Value right = call.value(1);
        boolean asLeft = call.flag("fmod", false);
        Value remainder = nearestRemainder(builder, left, right);
        Value reference = asLeft ? left : right;
        Value wrong = builder.less(builder.product(remainder, reference), builder.constant(0));
        Value size = builder.apply(Elementary.ABS, right);
        Value step = builder.product(size, builder.apply(Elementary.SIGN, reference));
        return builder.select(wrong, builder.plus(remainder, step), remainder);
    }

    private static Value power(Call call, Value base, Value exponent) {
        ModelBuilder builder = call.builder();
        Value result;
        if (call.isConstant(1) || (call.isStored(1) && exponent.shape().count() == 1)) {
            double[] exponents = call.known(1);
            if (Arrays.stream(exponents).distinct().count() == 1) {
                Value powers = builder.apply(new Power(exponents[0], 1), base);
                result = exponent.shape().count() == 1
                                && exponent.shape().rank() <= base.shape().rank()
                        ? powers
                        : builder.plus(powers, builder.scaled(0, exponent));
                return call.type().isFloat() ? result : builder.apply(Elementary.ROUND, result);
            }
        }
        result = anyPower(call, base, exponent);
        return call.type().isFloat() ? result : builder.apply(Elementary.ROUND, result);
    }

    /** Powers by logarithms; of negative numbers where the exponent is whole. */
    private static Value anyPower(Call call, Value base, Value exponent) {
        ModelBuilder builder = call.builder();
        Value zero = builder.constant(0);
        Value one = builder.constant(1);
        Value logarithm = builder.apply(Elementary.LOG, builder.apply(Elementary.ABS, base));
        Value size = builder.apply(Elementary.EXP, builder.product(exponent, logarithm));
        Value whole = builder.equal(exponent, builder.apply(Elementary.FLOOR, exponent));
        Value half = builder.scaled(0.5, exponent);
        Value even = builder.equal(half, builder.apply(Elementary.FLOOR, half));
        Value sign =
                builder.select(whole, builder.select(even, one, builder.constant(-1)), builder.constant(Double.NaN));
        Value signed = builder.select(builder.less(base, zero), builder.product(sign, size), size);
        return builder.select(builder.equal(exponent, zero), one, signed);
    }
}
