package org.isoloss.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.isoloss.model.Dimensions;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;

/** Products of matrices and of tensors by labelled axes. */
final class ContractionOperators {
    static final Map<String, Rule> RULES = Map.of(
            "Gemm", Rule.same(ContractionOperators::gemm),
            "MatMul", Rule.same(call -> product(call.builder(), call.value(0), call.value(1))),
            "Einsum", Rule.same(call -> Einsum.of(call, call.text("equation", ""))));

    private ContractionOperators() {}

    private static Value gemm(Call call) {
        ModelBuilder builder = call.builder();
        double alpha = call.number("alpha", 1);
        double beta = call.number("beta", 1);
        boolean left = call.flag("transA", false);
        boolean right = call.flag("transB", false);
        boolean broadcast = call.flag("broadcast", false);
        Value a = call.value(0);
        Value b = call.value(1);
        Value bias = call.optional(2);
        if (bias != null && call.opset() < 7 && !broadcast && bias.shape().rank() < 2) {
            throw call.refused("the third argument of shape %s is not to be stretched", bias.shape());
        }
        int outputs = b.shape().size(right ? 0 : 1);
        boolean linear = !left && right && alpha == 1 && (bias == null || beta == 1);
        if (linear && (bias == null || bias.shape().equals(Dimensions.of(outputs)))) {
            return call.layers().linear(a, b, bias);
        }
        Value product = builder.contract((left ? "ki" : "ik") + (right ? ",jk" : ",kj") + "->ij", a, b);
        Value scaled = alpha == 1 ? product : builder.scaled(alpha, product);
        return bias == null || beta == 0
                ? scaled
                : builder.stretched(builder.sum(List.of(1.0, beta), List.of(scaled, bias)), product.shape());
    }

    /** The product of matrices, or of batches of them, by numpy's rules. */
    static Value product(ModelBuilder builder, Value left, Value right) {
        int leftBatch = Math.max(0, left.shape().rank() - 2);
        int rightBatch = Math.max(0, right.shape().rank() - 2);
        int batch = Math.max(leftBatch, rightBatch);
        StringBuilder leftLabels = new StringBuilder();
        StringBuilder rightLabels = new StringBuilder();
        StringBuilder result = new StringBuilder();
        List<Integer> leftSizes = new ArrayList<>();
        List<Integer> rightSizes = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        for (int axis = 0; axis < batch; axis++) {
            char label = (char) ('a' + axis);
            int a = size(left, axis - batch + leftBatch);
            int b = size(right, axis - batch + rightBatch);
            if (a != b && a != 1 && b != 1) {
                throw new IllegalArgumentException(
                        "shapes %s and %s do not combine".formatted(left.shape(), right.shape()));
            }
            if (a > 1) {
                leftLabels.append(label);
                leftSizes.add(a);
            }
            if (b > 1) {
                rightLabels.append(label);
                rightSizes.add(b);
            }
            if (Math.max(a, b) > 1) {
                result.append(label);
            }
            sizes.add(Math.max(a, b));
        }
        if (left.shape().rank() > 1) {
            leftLabels.append('x');
            result.append('x');
            leftSizes.add(left.shape().size(leftBatch));
            sizes.add(leftSizes.getLast());
        }
        leftLabels.append('y');
        leftSizes.add(left.shape().size(left.shape().rank() - 1));
        rightLabels.append('y');
        rightSizes.add(right.shape().size(rightBatch));
        if (right.shape().rank() > 1) {
            rightLabels.append('z');
            result.append('z');
            rightSizes.add(right.shape().size(rightBatch + 1));
            sizes.add(rightSizes.getLast());
        }
        Value product = builder.contract(
                "%s,%s->%s".formatted(leftLabels, rightLabels, result),
                builder.reshape(left, new Dimensions(leftSizes)),
                builder.reshape(right, new Dimensions(rightSizes)));
        return builder.reshape(product, new Dimensions(sizes));
    }

    private static int size(Value value, int axis) {
        return axis < 0 ? 1 : value.shape().size(axis);
    }
}
