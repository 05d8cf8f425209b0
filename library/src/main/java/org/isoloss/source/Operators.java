package org.isoloss.source;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The operators that are read, by name. */
final class Operators {
    private static final Map<String, Rule> RULES = new HashMap<>();

    /** What to do about operators that are not read. */
    private static final Map<String, String> REMEDIES = Map.ofEntries(
            Map.entry("QuantizeLinear", "take the model from before it was quantised"),
            Map.entry("DequantizeLinear", "take the model from before it was quantised"),
            Map.entry("DynamicQuantizeLinear", "take the model from before it was quantised"),
            Map.entry("Loop", "export the model with fixed lengths, so that the loop is unrolled"),
            Map.entry("Scan", "export the model with fixed lengths, so that the loop is unrolled"),
            Map.entry("NonZero", "export the part of the model before it, or use Where"),
            Map.entry("TopK", "export the part of the model before it, or use ReduceMax"),
            Map.entry("Unique", "export the part of the model before it"),
            Map.entry("Scatter", "use ScatterElements"));

    static {
        List.of(
                        PointwiseOperators.RULES,
                        ArithmeticOperators.RULES,
                        LogicOperators.RULES,
                        ShapeOperators.RULES,
                        SelectionOperators.RULES,
                        ConstantOperators.RULES,
                        ReductionOperators.RULES,
                        ContractionOperators.RULES,
                        ConvolutionOperators.RULES,
                        PoolingOperators.RULES,
                        NormOperators.RULES,
                        ResizeOperators.RULES,
                        RecurrentOperators.RULES,
                        AttentionOperators.RULES)
                .forEach(RULES::putAll);
    }

    private Operators() {}

    /** Finds the rule of an operator, or refuses it with its name. */
    static Rule find(String domain, String operator) {
        Rule rule = domain.isEmpty() ? RULES.get(operator) : null;
        if (rule == null) {
            String name = domain.isEmpty() ? operator : domain + "." + operator;
            String remedy = domain.isEmpty()
                    ? REMEDIES.getOrDefault(operator, "export the model without it, or a part of the model")
                    : "export the model with ONNX's own operators";
            throw new IllegalArgumentException("the operator %s is not read; %s".formatted(name, remedy));
        }
        return rule;
    }
}
