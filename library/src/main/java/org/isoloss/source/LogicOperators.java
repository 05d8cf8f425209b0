package org.isoloss.source;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.isoloss.model.Elementary;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;

/** Comparisons, truth values, and changes of type. */
final class LogicOperators {
    static final Map<String, Rule> RULES = Map.ofEntries(
            truth("Equal", (builder, a, b) -> builder.equal(a, b)),
            truth("Less", (builder, a, b) -> builder.less(a, b)),
            truth("Greater", (builder, a, b) -> builder.less(b, a)),
            truth("LessOrEqual", (builder, a, b) -> builder.atMost(a, b)),
            truth("GreaterOrEqual", (builder, a, b) -> builder.atMost(b, a)),
            truth("And", (builder, a, b) -> builder.product(a, b)),
            truth("Or", (builder, a, b) -> builder.minus(builder.plus(a, b), builder.product(a, b))),
            truth("Xor", (builder, a, b) -> not(builder, builder.equal(a, b))),
            Map.entry("Not", Rule.same(call -> not(call.builder(), call.value(0)))),
            Map.entry(
                    "IsNaN",
                    Rule.one(call ->
                            call.truth(not(call.builder(), call.builder().equal(call.value(0), call.value(0)))))),
            Map.entry("IsInf", Rule.one(LogicOperators::isInfinite)),
            Map.entry(
                    "Where",
                    Rule.one(call -> TypedValue.of(
                            call.tensor(1).type(),
                            call.builder().select(call.value(0), call.value(1), call.value(2))))),
            Map.entry("Cast", Rule.one(call -> {
                call.ignore("saturate", "round_mode");
                return cast(call, TensorType.of(call.whole("to", 0)));
            })),
            Map.entry("CastLike", Rule.one(call -> {
                call.ignore("saturate", "round_mode");
                return cast(call, call.tensor(1).type());
            })),
            Map.entry("If", LogicOperators::branch));

    private LogicOperators() {}

    private interface Comparison {
        Value of(ModelBuilder builder, Value left, Value right);
    }

    private static Map.Entry<String, Rule> truth(String name, Comparison comparison) {
        return Map.entry(
                name,
                Rule.one(call ->
                        call.truth(comparison.of(call.builder(), call.value(0), ArithmeticOperators.second(call)))));
    }

    private static Value not(ModelBuilder builder, Value truth) {
        return builder.minus(builder.constant(1), truth);
    }

    private static TypedValue isInfinite(Call call) {
        ModelBuilder builder = call.builder();
        Value infinity = builder.constant(Double.POSITIVE_INFINITY);
        Value x = call.value(0);
        boolean positive = call.flag("detect_positive", true);
        boolean negative = call.flag("detect_negative", true);
        Value tested = positive && negative ? builder.apply(Elementary.ABS, x) : negative ? builder.scaled(-1, x) : x;
        Value found = builder.equal(tested, infinity);
        return call.truth(positive || negative ? found : builder.product(found, builder.constant(0)));
    }

    /** Between floats nothing changes: a model computes with real numbers. */
    private static TypedValue cast(Call call, TensorType to) {
        TypedValue from = call.tensor(0);
        if (from.isEmpty()) {
            return TypedValue.empty(to, from.sizes());
        }
        ModelBuilder builder = call.builder();
        Value x = from.value();
        if (to == TensorType.BOOL && from.type() != TensorType.BOOL) {
            return TypedValue.of(to, not(builder, builder.equal(x, builder.constant(0))));
        }
        if (to.isWhole() && from.type() != TensorType.BOOL && from.type() != to) {
            if (to.wraps() && !(call.isStored(0) && fits(call.known(0)))) {
                throw call.refused("a change from %s to %s is not read", from.type(), to);
            }
            if (from.type().isFloat()) {
                Value down = builder.apply(Elementary.FLOOR, x);
                Value up = builder.apply(Elementary.CEIL, x);
                x = builder.select(builder.less(x, builder.constant(0)), up, down);
            }
        }
        return TypedValue.of(to, x);
    }

    private static boolean fits(double[] numbers) {
        return Arrays.stream(numbers).allMatch(number -> number >= 0 && number < 128);
    }

    private static List<TypedValue> branch(Call call) {
        boolean holds = call.number(0) != 0;
        call.ignore("then_branch", "else_branch");
        return call.run(call.block(holds ? "then_branch" : "else_branch"));
    }
}
