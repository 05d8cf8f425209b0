package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The network of a certificate that is written out gate by gate, read strictly. */
final class CertifiedCircuit {
    private static final int MOST_GATES = 200_000;
    private static final int MOST_INPUTS = 1_000_000;

    private static final Set<String> FUNCTIONS =
            Set.of("relu", "tanh", "sigmoid", "softplus", "exp", "log", "erf", "reciprocal", "root");

    /** A step: what it does, and the one or two numbers that say to what. */
    record Gate(String kind, int first, int second, Fraction constant) {}

    final List<String> parameterNames = new ArrayList<>();
    final List<Gate> gates = new ArrayList<>();
    final List<Integer> outputs = new ArrayList<>();
    final int inputs;

    CertifiedCircuit(CertificateNode network) {
        network.requireKeys(Set.of("parameters", "inputs", "gates", "outputs"), Set.of());
        network.get("parameters").items().forEach(this::readTensor);
        inputs = network.get("inputs").wholeNumber(0, MOST_INPUTS);
        List<CertificateNode> steps = network.get("gates").items();
        if (steps.size() > MOST_GATES) {
            throw new IllegalArgumentException(
                    "gates of network are %d, expected at most %d".formatted(steps.size(), MOST_GATES));
        }
        steps.forEach(step -> gates.add(gate(step)));
        network.get("outputs").items().forEach(output -> outputs.add(output.wholeNumber(0, gates.size() - 1)));
    }

    private void readTensor(CertificateNode tensor) {
        List<CertificateNode> parts = tensor.items(2);
        String name = parts.get(0).text();
        long count = 1;
        List<Integer> sizes = new ArrayList<>();
        for (CertificateNode size : parts.get(1).items()) {
            sizes.add(size.wholeNumber(1, CertificateContent.MOST_PARAMETERS));
            count *= sizes.getLast();
            if (parameterNames.size() + count > CertificateContent.MOST_PARAMETERS) {
                throw tensor.expected(
                        "a network of at most %d parameters".formatted(CertificateContent.MOST_PARAMETERS));
            }
        }
        for (int place = 0; place < count; place++) {
            StringBuilder indices = new StringBuilder();
            int rest = place;
            for (int axis = sizes.size() - 1; axis >= 0; axis--) {
                indices.insert(0, (axis == 0 ? "" : ",") + (rest % sizes.get(axis) + 1));
                rest /= sizes.get(axis);
            }
            parameterNames.add("%s[%s]".formatted(name, indices));
        }
        if (Set.copyOf(parameterNames).size() != parameterNames.size()) {
            throw tensor.expected("a name of its own");
        }
    }

    private Gate gate(CertificateNode step) {
        List<CertificateNode> parts = step.items();
        if (parts.isEmpty()) {
            throw step.expected("a kind and what it is of");
        }
        String kind = parts.getFirst().text();
        step.items(kind.equals("+") || kind.equals("*") ? 3 : 2);
        int before = gates.size() - 1;
        return switch (kind) {
            case "parameter" ->
                new Gate(kind, parts.get(1).wholeNumber(0, parameterNames.size() - 1), 0, Fraction.ZERO);
            case "input" -> new Gate(kind, parts.get(1).wholeNumber(0, inputs - 1), 0, Fraction.ZERO);
            case "constant" -> new Gate(kind, 0, 0, parts.get(1).fraction());
            case "+", "*" ->
                new Gate(kind, parts.get(1).wholeNumber(0, before), parts.get(2).wholeNumber(0, before), Fraction.ZERO);
            default -> {
                if (!FUNCTIONS.contains(kind)) {
                    throw parts.getFirst().expected("parameter, input, constant, +, * or a function that is known");
                }
                yield new Gate(kind, parts.get(1).wholeNumber(0, before), 0, Fraction.ZERO);
            }
        };
    }

    static boolean isFunction(String kind) {
        return FUNCTIONS.contains(kind);
    }

    /** Whether there are functions that are not linear on pieces, so that series are needed. */
    boolean isSmooth() {
        return gates.stream()
                .anyMatch(gate -> isFunction(gate.kind()) && !gate.kind().equals("relu"));
    }

    boolean has(String function) {
        return gates.stream().anyMatch(gate -> gate.kind().equals(function));
    }
}
