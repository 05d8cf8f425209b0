package org.isoloss.source;

import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.model.Clamp;
import org.isoloss.model.Elementary;
import org.isoloss.model.ExponentialUnit;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Power;
import org.isoloss.model.Trigonometric;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;

/** Functions of one variable, entry by entry. */
final class PointwiseOperators {
    private static final double SELU_ALPHA = 1.6732631921768188;
    private static final double SELU_GAMMA = 1.0507010221481323;

    static final Map<String, Rule> RULES = Map.ofEntries(
            function("Relu", Clamp.RELU),
            function("Sigmoid", Activation.SIGMOID),
            function("Tanh", Activation.TANH),
            function("Softplus", Activation.SOFTPLUS),
            function("Exp", Elementary.EXP),
            function("Log", Elementary.LOG),
            function("Sin", Elementary.SIN),
            function("Cos", Elementary.COS),
            function("Erf", Elementary.ERF),
            function("Abs", Elementary.ABS),
            function("Floor", Elementary.FLOOR),
            function("Ceil", Elementary.CEIL),
            function("Round", Elementary.ROUND),
            function("Sign", Elementary.SIGN),
            function("Sqrt", Power.ROOT),
            function("Reciprocal", Power.RECIPROCAL),
            function("Tan", Trigonometric.TAN),
            function("Asin", Trigonometric.ASIN),
            function("Acos", Trigonometric.ACOS),
            function("Atan", Trigonometric.ATAN),
            function("Sinh", Trigonometric.SINH),
            function("Cosh", Trigonometric.COSH),
            function("Asinh", Trigonometric.ASINH),
            function("Acosh", Trigonometric.ACOSH),
            function("Atanh", Trigonometric.ATANH),
            rule("Neg", (call, x) -> call.builder().scaled(-1, x)),
            rule("LeakyRelu", (call, x) -> call.builder().apply(leaky(call.number("alpha", 0.01f)), x)),
            rule("Elu", (call, x) -> call.builder().apply(new ExponentialUnit(call.number("alpha", 1), 1, 1), x)),
            rule(
                    "Selu",
                    (call, x) -> call.builder()
                            .apply(
                                    new ExponentialUnit(
                                            call.number("alpha", SELU_ALPHA), 1, call.number("gamma", SELU_GAMMA)),
                                    x)),
            rule("Celu", (call, x) -> {
                double alpha = call.number("alpha", 1);
                return call.builder().apply(new ExponentialUnit(alpha, 1 / alpha, 1), x);
            }),
            rule(
                    "HardSigmoid",
                    (call, x) -> hardSigmoid(call.builder(), x, call.number("alpha", 0.2f), call.number("beta", 0.5))),
            rule("HardSwish", (call, x) -> call.builder().product(x, hardSigmoid(call.builder(), x, 1.0 / 6, 0.5))),
            rule(
                    "Mish",
                    (call, x) -> call.builder()
                            .product(
                                    x,
                                    call.builder()
                                            .apply(
                                                    Activation.TANH,
                                                    call.builder().apply(Activation.SOFTPLUS, x)))),
            rule("Softsign", (call, x) -> softsign(call.builder(), x)),
            rule("Gelu", (call, x) -> call.builder().apply(gelu(call.text("approximate", "none")), x)),
            rule("Swish", (call, x) -> {
                Value scaled = call.builder().scaled(call.number("alpha", 1), x);
                return call.builder().product(x, call.builder().apply(Activation.SIGMOID, scaled));
            }),
            rule("ThresholdedRelu", (call, x) -> thresholded(call.builder(), x, call.number("alpha", 1))),
            rule("Shrink", (call, x) -> shrink(call, x, call.number("lambd", 0.5), call.number("bias", 0))),
            Map.entry("PRelu", Rule.same(PointwiseOperators::parametricRelu)),
            Map.entry("Clip", Rule.same(PointwiseOperators::clip)));

    private PointwiseOperators() {}

    private static Map.Entry<String, Rule> function(String name, Pointwise function) {
        return rule(name, (call, x) -> call.builder().apply(function, x));
    }

    private static Map.Entry<String, Rule> rule(String name, BiFunction<Call, Value, Value> result) {
        return Map.entry(name, Rule.same(call -> {
            call.ignore("consumed_inputs");
            if (call.type().wraps()) {
                throw call.refused("arithmetic of %s is not read", call.type());
            }
            return result.apply(call, call.value(0));
        }));
    }

    private static Clamp leaky(double slope) {
        return new Clamp(0, Double.POSITIVE_INFINITY, slope);
    }

    private static Activation gelu(String approximate) {
        return switch (approximate) {
            case "none" -> Activation.GELU;
            case "tanh" -> Activation.GELU_TANH;
            default ->
                throw new IllegalArgumentException("approximate is '%s', expected none or tanh".formatted(approximate));
        };
    }

    private static Value hardSigmoid(ModelBuilder builder, Value x, double alpha, double beta) {
        Value line = builder.plus(builder.scaled(alpha, x), builder.constant(beta));
        return builder.apply(new Clamp(0, 1, 0), line);
    }

    private static Value softsign(ModelBuilder builder, Value x) {
        return builder.quotient(x, builder.plus(builder.constant(1), builder.apply(Elementary.ABS, x)));
    }

    private static Value thresholded(ModelBuilder builder, Value x, double alpha) {
        return builder.select(builder.less(builder.constant(alpha), x), x, builder.constant(0));
    }

    private static Value shrink(Call call, Value x, double lambda, double bias) {
        ModelBuilder builder = call.builder();
        Value low = builder.plus(x, builder.constant(bias));
        Value high = builder.minus(x, builder.constant(bias));
        Value upper = builder.select(builder.less(builder.constant(lambda), x), high, builder.constant(0));
        return builder.select(builder.less(x, builder.constant(-lambda)), low, upper);
    }

    private static Value parametricRelu(Call call) {
        call.ignore("consumed_inputs");
        ModelBuilder builder = call.builder();
        Value x = call.value(0);
        Value slope = call.value(1);
        if (call.opset() < 7 && slope.shape().rank() == 1 && slope.shape().count() > 1) {
            slope = Alignment.along(builder, slope, 1, x.shape().rank());
        }
        Value negative = builder.apply(Clamp.RELU, builder.scaled(-1, x));
        return builder.minus(builder.apply(Clamp.RELU, x), builder.product(slope, negative));
    }

    private static Value clip(Call call) {
        call.ignore("consumed_inputs");
        ModelBuilder builder = call.builder();
        Value x = call.value(0);
        if (call.opset() < 11) {
            return clamped(
                    builder,
                    x,
                    call.number("min", Double.NEGATIVE_INFINITY),
                    call.number("max", Double.POSITIVE_INFINITY));
        }
        boolean fixed = (!call.has(1) || call.isStored(1)) && (!call.has(2) || call.isStored(2));
        if (fixed) {
            return clamped(
                    builder,
                    x,
                    call.has(1) ? call.number(1) : Double.NEGATIVE_INFINITY,
                    call.has(2) ? call.number(2) : Double.POSITIVE_INFINITY);
        }
        Value raised = call.has(1) ? ArithmeticOperators.larger(builder, x, call.value(1)) : x;
        return call.has(2) ? ArithmeticOperators.smaller(builder, raised, call.value(2)) : raised;
    }

    private static Value clamped(ModelBuilder builder, Value x, double low, double high) {
        if (low > high) {
            return builder.stretched(builder.constant(high), x.shape());
        }
        return builder.apply(new Clamp(low, high, 0), x);
    }

    /** An activation of recurrent layers by its name. */
    static UnaryOperator<Value> activation(ModelBuilder builder, String name, double alpha, double beta) {
        return switch (name) {
            case "Relu" -> x -> builder.apply(Clamp.RELU, x);
            case "Tanh" -> x -> builder.apply(Activation.TANH, x);
            case "Sigmoid" -> x -> builder.apply(Activation.SIGMOID, x);
            case "Softplus" -> x -> builder.apply(Activation.SOFTPLUS, x);
            case "Softsign" -> x -> softsign(builder, x);
            case "LeakyRelu" -> x -> builder.apply(leaky(alpha), x);
            case "Elu" -> x -> builder.apply(new ExponentialUnit(alpha, 1, 1), x);
            case "ThresholdedRelu" -> x -> thresholded(builder, x, alpha);
            case "HardSigmoid" -> x -> hardSigmoid(builder, x, alpha, beta);
            case "Affine" -> x -> builder.plus(builder.scaled(alpha, x), builder.constant(beta));
            case "ScaledTanh" -> x -> builder.scaled(alpha, builder.apply(Activation.TANH, builder.scaled(beta, x)));
            default -> throw new IllegalArgumentException("the activation %s is not read".formatted(name));
        };
    }
}
