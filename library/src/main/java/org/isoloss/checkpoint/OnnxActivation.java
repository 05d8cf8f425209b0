package org.isoloss.checkpoint;

import java.util.List;
import java.util.Optional;
import org.isoloss.checkpoint.OnnxPieces.Linear;
import org.isoloss.checkpoint.OnnxPieces.Product;
import org.isoloss.network.Activation;

/** The activations of encoders, in the forms in which they are exported; each constant in them is looked at. */
final class OnnxActivation {
    private static final double CUBIC = 0.044715;

    private final OnnxPieces pieces;

    OnnxActivation(OnnxPieces pieces) {
        this.pieces = pieces;
    }

    /** Returns which one a value is, of the result of a layer; empty for none that is known. */
    Optional<Activation> of(String value, Linear layer) {
        Optional<OnnxNode> relu = pieces.behind(value, "Relu");
        if (relu.isPresent()) {
            return Optional.of(Activation.RELU).filter(_ -> isLayer(relu.get().input(0), layer));
        }
        Optional<OnnxNode> gelu = pieces.behind(value, "Gelu");
        if (gelu.isPresent()) {
            String form = gelu.get()
                    .attribute("approximate")
                    .map(OnnxNode.Attribute::text)
                    .orElse("none");
            return Optional.of(form.equals("tanh") ? Activation.GELU_TANH : Activation.GELU)
                    .filter(_ -> isLayer(gelu.get().input(0), layer));
        }
        Product product = pieces.product(value);
        if (!OnnxPieces.isNear(product.number(), 0.5) || product.factors().size() != 2) {
            return Optional.empty();
        }
        for (int side = 0; side < 2; side++) {
            String input = product.factors().get(side);
            Optional<String> step = pieces.plus(product.factors().get(1 - side), 1);
            if (isLayer(input, layer) && step.isPresent()) {
                Optional<OnnxNode> error = pieces.behind(step.get(), "Erf");
                if (error.isPresent() && isScaled(error.get().input(0), Math.sqrt(0.5), input)) {
                    return Optional.of(Activation.GELU);
                }
                Optional<OnnxNode> tanh = pieces.behind(step.get(), "Tanh");
                if (tanh.isPresent() && isCubic(tanh.get().input(0), input)) {
                    return Optional.of(Activation.GELU_TANH);
                }
            }
        }
        return Optional.empty();
    }

    private boolean isLayer(String value, Linear layer) {
        return pieces.linear(value).filter(layer::equals).isPresent();
    }

    private boolean isScaled(String value, double number, String input) {
        Product product = pieces.product(value);
        return OnnxPieces.isNear(product.number(), number) && isPower(product.factors(), input, 1);
    }

    /** Tells whether a value is {@code sqrt(2 / pi) * (x + 0.044715 x^3)}, also with x in front. */
    private boolean isCubic(String value, String input) {
        Product product = pieces.product(value);
        if (!OnnxPieces.isNear(product.number(), Math.sqrt(2 / Math.PI))) {
            return false;
        }
        if (product.factors().size() == 1) {
            return pieces.behind(product.factors().getFirst(), "Add")
                    .filter(add ->
                            isTerm(add.input(0), add.input(1), input) || isTerm(add.input(1), add.input(0), input))
                    .isPresent();
        }
        List<String> others = product.factors().stream()
                .filter(factor -> !pieces.isSame(factor, input))
                .toList();
        return product.factors().size() == 2
                && others.size() == 1
                && pieces.plus(others.getFirst(), 1)
                        .filter(square -> isPower(square, input, 2))
                        .isPresent();
    }

    private boolean isTerm(String first, String cubic, String input) {
        return pieces.isSame(first, input) && isPower(cubic, input, 3);
    }

    /** Tells whether a value is 0.044715 times a power of the input. */
    private boolean isPower(String value, String input, int exponent) {
        Product product = pieces.product(value);
        return OnnxPieces.isNear(product.number(), CUBIC) && isPower(product.factors(), input, exponent);
    }

    private boolean isPower(List<String> factors, String input, int exponent) {
        if (factors.size() == exponent) {
            return factors.stream().allMatch(factor -> pieces.isSame(factor, input));
        }
        return factors.size() == 1
                && pieces.power(factors.getFirst(), exponent)
                        .filter(of -> pieces.isSame(of, input))
                        .isPresent();
    }
}
