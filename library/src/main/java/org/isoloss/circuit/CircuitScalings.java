package org.isoloss.circuit;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.isoloss.circuit.Circuit.Application;
import org.isoloss.circuit.Circuit.Constant;
import org.isoloss.circuit.Circuit.Gate;
import org.isoloss.circuit.Circuit.Input;
import org.isoloss.circuit.Circuit.Parameter;
import org.isoloss.circuit.Circuit.Product;
import org.isoloss.circuit.Circuit.Sum;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.exact.Subspace;

/**
 * The ways in which parameters and inputs may be scaled so that every output is scaled: by {@code s^w} with whole weights w
 * for every positive s, and by signs. Each gate has a weight that is linear in those of the variables; the terms of a sum
 * must have the same, what a smooth function is applied to must have none. All solutions of these equations are found.
 *
 * @param weights for each scaling the weight of every parameter, then of every input
 * @param signs for each change of signs the parameters and inputs that change it
 */
public record CircuitScalings(List<int[]> weights, List<BitSet> signs) {
    /** Keeps its own lists. */
    public CircuitScalings {
        weights = List.copyOf(weights);
        signs = List.copyOf(signs);
    }

    /**
     * Finds them.
     *
     * @param circuit any
     * @return a basis of all scalings and one of all changes of signs
     */
    public static CircuitScalings of(Circuit circuit) {
        int variables = circuit.parameterCount() + circuit.inputs();
        return new CircuitScalings(weights(circuit, variables), signs(circuit, variables));
    }

    private static List<int[]> weights(Circuit circuit, int variables) {
        Set<SortedMap<Integer, Integer>> equations = new LinkedHashSet<>();
        List<SortedMap<Integer, Integer>> forms = new ArrayList<>();
        for (Gate gate : circuit.gates()) {
            forms.add(
                    switch (gate) {
                        case Parameter(int index) -> unit(index);
                        case Input(int index) -> unit(circuit.parameterCount() + index);
                        case Constant _ -> new TreeMap<>();
                        case Product(int left, int right) -> plus(forms.get(left), 1, forms.get(right));
                        case Sum(int left, int right) -> {
                            equations.add(plus(forms.get(left), -1, forms.get(right)));
                            yield shorter(forms.get(left), forms.get(right));
                        }
                        case Application(CircuitFunction function, int argument) ->
                            switch (function) {
                                case RELU -> forms.get(argument);
                                case RECIPROCAL -> plus(new TreeMap<>(), -1, forms.get(argument));
                                default -> {
                                    equations.add(forms.get(argument));
                                    yield new TreeMap<>();
                                }
                            };
                    });
        }
        List<RationalVector> rows = new ArrayList<>();
        for (SortedMap<Integer, Integer> equation : equations) {
            SortedMap<Integer, Rational<BigInteger>> entries = new TreeMap<>();
            equation.forEach((variable, factor) -> entries.put(variable, Rationals.of(factor)));
            rows.add(RationalVector.of(variables, entries));
        }
        return Subspace.nullSpace(variables, rows).basis().stream()
                .map(CircuitScalings::whole)
                .toList();
    }

    private static SortedMap<Integer, Integer> unit(int variable) {
        return new TreeMap<>(Map.of(variable, 1));
    }

    private static SortedMap<Integer, Integer> plus(
            SortedMap<Integer, Integer> left, int factor, SortedMap<Integer, Integer> right) {
        SortedMap<Integer, Integer> sum = new TreeMap<>(left);
        right.forEach((variable, weight) -> sum.merge(variable, Math.multiplyExact(factor, weight), Math::addExact));
        sum.values().removeIf(weight -> weight == 0);
        return sum;
    }

    private static SortedMap<Integer, Integer> shorter(
            SortedMap<Integer, Integer> left, SortedMap<Integer, Integer> right) {
        return left.size() <= right.size() ? left : right;
    }

    private static int[] whole(RationalVector vector) {
        BigInteger common = BigInteger.ONE;
        for (int k = 0; k < vector.count(); k++) {
            BigInteger denominator = vector.value(k).denominator();
            common = common.multiply(denominator).divide(common.gcd(denominator));
        }
        int[] weights = new int[vector.size()];
        for (int k = 0; k < vector.count(); k++) {
            weights[vector.index(k)] =
                    vector.value(k).multiply(common).numerator().intValueExact();
        }
        return weights;
    }

    private static List<BitSet> signs(Circuit circuit, int variables) {
        List<BitSet> pivots = new ArrayList<>();
        List<BitSet> forms = new ArrayList<>();
        for (Gate gate : circuit.gates()) {
            BitSet form = new BitSet();
            switch (gate) {
                case Parameter(int index) -> form.set(index);
                case Input(int index) -> form.set(circuit.parameterCount() + index);
                case Constant _ -> {}
                case Product(int left, int right) -> {
                    form.or(forms.get(left));
                    form.xor(forms.get(right));
                }
                case Sum(int left, int right) -> {
                    form.or(forms.get(left));
                    form.xor(forms.get(right));
                    require(form, pivots);
                    form = forms.get(
                            forms.get(left).cardinality() <= forms.get(right).cardinality() ? left : right);
                }
                case Application(CircuitFunction function, int argument) -> {
                    if (function.isOdd()) {
                        form = forms.get(argument);
                    } else {
                        require((BitSet) forms.get(argument).clone(), pivots);
                    }
                }
            }
            forms.add(form);
        }
        return nullSpace(pivots, variables);
    }

    /** Adds an equation modulo 2 to others, each of which is led by a variable of its own. */
    private static void require(BitSet equation, List<BitSet> pivots) {
        for (BitSet pivot : pivots) {
            if (equation.get(pivot.nextSetBit(0))) {
                equation.xor(pivot);
            }
        }
        if (!equation.isEmpty()) {
            int lead = equation.nextSetBit(0);
            for (BitSet pivot : pivots) {
                if (pivot.get(lead)) {
                    pivot.xor(equation);
                }
            }
            pivots.add(equation);
        }
    }

    private static List<BitSet> nullSpace(List<BitSet> pivots, int variables) {
        BitSet led = new BitSet();
        pivots.forEach(pivot -> led.set(pivot.nextSetBit(0)));
        List<BitSet> basis = new ArrayList<>();
        for (int free = led.nextClearBit(0); free < variables; free = led.nextClearBit(free + 1)) {
            BitSet solution = new BitSet();
            solution.set(free);
            for (BitSet pivot : pivots) {
                solution.set(pivot.nextSetBit(0), pivot.get(free));
            }
            basis.add(solution);
        }
        return basis;
    }
}
