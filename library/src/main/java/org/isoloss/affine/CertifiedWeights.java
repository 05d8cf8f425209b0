package org.isoloss.affine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.affine.CertifiedCircuit.Gate;
import org.jspecify.annotations.Nullable;

/**
 * Checks the scalings and changes of signs that a certificate names, gate by gate, and sorts the unknowns by how they act. Claims
 * of fewer only make larger blocks.
 */
final class CertifiedWeights {
    private final CertifiedCircuit circuit;
    private final Set<Integer> fixed;
    private final List<List<Long>> characters = new ArrayList<>();
    private final List<Boolean> signs = new ArrayList<>();

    CertifiedWeights(CertifiedCircuit circuit, Set<Integer> fixed) {
        this.circuit = circuit;
        this.fixed = fixed;
        for (int a = 0; a < circuit.parameterNames.size(); a++) {
            characters.add(new ArrayList<>());
        }
    }

    /**
     * Takes a scaling into account.
     *
     * @param weights of parameters, then inputs; others are 0
     * @param sign whether it is a change of signs, of weight 1 where it acts
     */
    void add(Map<Integer, Long> weights, boolean sign) {
        String refusal = refusal(weights, sign);
        if (!refusal.isEmpty()) {
            throw new IllegalArgumentException(
                    "scaling %d of upper_bound is none: %s".formatted(signs.size() + 1, refusal));
        }
        signs.add(sign);
        for (int a = 0; a < characters.size(); a++) {
            characters.get(a).add(weights.getOrDefault(a, 0L));
        }
    }

    private String refusal(Map<Integer, Long> given, boolean sign) {
        int parameters = circuit.parameterNames.size();
        @Nullable Long[] weights = new @Nullable Long[circuit.gates.size()]; // null for what is 0 throughout
        for (int i = 0; i < weights.length; i++) {
            Gate gate = circuit.gates.get(i);
            boolean leaf = List.of("parameter", "input", "constant").contains(gate.kind());
            Long first = leaf ? null : weights[gate.first()];
            Long second = leaf ? null : weights[gate.second()];
            switch (gate.kind()) {
                case "parameter" ->
                    weights[i] = fixed.contains(gate.first()) ? null : given.getOrDefault(gate.first(), 0L);
                case "input" -> weights[i] = given.getOrDefault(parameters + gate.first(), 0L);
                case "constant" -> weights[i] = gate.constant().isZero() ? null : Long.valueOf(0);
                case "*" -> weights[i] = first == null || second == null ? null : reduced(first + second, sign);
                case "+" -> {
                    if (first != null && second != null && !first.equals(second)) {
                        return "the terms of gate %d are scaled differently".formatted(i);
                    }
                    weights[i] = first == null ? second : first;
                }
                default -> {
                    boolean odd = List.of("tanh", "erf", "reciprocal").contains(gate.kind());
                    boolean passes = sign ? odd : List.of("relu", "reciprocal").contains(gate.kind());
                    boolean vanishes = List.of("tanh", "erf", "relu").contains(gate.kind());
                    if (first == null) {
                        weights[i] = vanishes ? null : Long.valueOf(0);
                    } else if (passes) {
                        weights[i] = gate.kind().equals("reciprocal") ? reduced(-first, sign) : first;
                    } else if (first != 0) {
                        return "gate %d applies %s to what is scaled".formatted(i, gate.kind());
                    } else {
                        weights[i] = 0L;
                    }
                }
            }
        }
        return "";
    }

    private static Long reduced(long weight, boolean sign) {
        return sign ? Math.floorMod(weight, 2L) : weight;
    }

    /** The unknowns {@code {a, b}} of parameters that are not fixed, in blocks that do not mix; b is p for the constant. */
    List<List<int[]>> blocks() {
        int parameters = circuit.parameterNames.size();
        Map<List<Long>, List<int[]>> blocks = new LinkedHashMap<>();
        Map<List<Long>, Map<List<Long>, List<int[]>>> known = new HashMap<>();
        for (int a = 0; a < parameters; a++) {
            if (fixed.contains(a)) {
                continue;
            }
            List<Long> moving = characters.get(a);
            Map<List<Long>, List<int[]>> row = known.computeIfAbsent(moving, _ -> new HashMap<>());
            for (int b = 0; b <= parameters; b++) {
                if (!fixed.contains(b)) {
                    List<Long> by =
                            b == parameters ? moving.stream().map(_ -> 0L).toList() : characters.get(b);
                    row.computeIfAbsent(
                                    by,
                                    other -> blocks.computeIfAbsent(difference(moving, other), _ -> new ArrayList<>()))
                            .add(new int[] {a, b});
                }
            }
        }
        return List.copyOf(blocks.values());
    }

    private List<Long> difference(List<Long> left, List<Long> right) {
        List<Long> difference = new ArrayList<>();
        for (int i = 0; i < left.size(); i++) {
            difference.add(reduced(left.get(i) - right.get(i), signs.get(i)));
        }
        return difference;
    }
}
