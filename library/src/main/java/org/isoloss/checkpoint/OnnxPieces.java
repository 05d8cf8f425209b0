package org.isoloss.checkpoint;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The pieces that encoders are made of, found at the value that each gives, with everything that it is made of. */
final class OnnxPieces {
    private static final double DEFAULT_EPSILON = 1e-5f; // of the operation LayerNormalization
    private static final double SAME = 1e-6; // relative; two float32 factors round by 1.2e-7
    private static final int MOST_FACTORS = 8;
    private static final long FLOAT32 = 1;
    private static final long FLOAT64 = 11;

    private final OnnxFile file;
    private final OnnxGraph graph;
    private final OnnxProbe probe;

    OnnxPieces(OnnxFile file, OnnxGraph graph, OnnxProbe probe) {
        this.file = file;
        this.graph = graph;
        this.probe = probe;
    }

    /** {@code scale * (input - mean) / sqrt(variance + epsilon) + bias}; scale and bias are initialisers. */
    record Norm(String input, String scale, String bias, double epsilon) {}

    /**
     * {@code input * weight + bias}.
     *
     * @param inOut whether the weight is stored as (in, out)
     */
    record Linear(String input, String weight, boolean inOut, String bias) {}

    /** A product: numbers multiplied together, and the values beside them. */
    record Product(double number, List<String> factors) {}

    /**
     * A value that is another in another order.
     *
     * @param source the other
     * @param number what it is multiplied with
     * @param steps from the source on
     */
    record Moved(String source, double number, List<OnnxNode> steps) {}

    static boolean isNear(double value, double expected) {
        return Math.abs(value - expected) <= SAME * Math.abs(expected);
    }

    /** Returns the value that this one repeats, row by row: through copies, wider types, and shapes with the same last axis. */
    String plain(String value) {
        String at = value;
        while (true) {
            Optional<OnnxNode> node = graph.producer(at);
            if (node.isEmpty() || !repeats(node.get())) {
                return at;
            }
            at = node.get().input(0);
        }
    }

    private boolean repeats(OnnxNode node) {
        return switch (node.operation()) {
            case "Identity" -> true;
            case "Dropout" -> // not in training mode
                node.input(2).isEmpty()
                        || probe.number(node.input(2))
                                .filter(training -> training == 0)
                                .isPresent();
            case "Cast" -> {
                long to = node.attribute("to").map(OnnxNode.Attribute::whole).orElse(0L);
                yield to == FLOAT32 || to == FLOAT64;
            }
            case "Reshape" -> {
                Optional<OnnxArray> before = probe.value(node.input(0));
                Optional<OnnxArray> after = probe.value(node.output());
                yield before.isPresent()
                        && after.isPresent()
                        && before.get().rank() > 0
                        && after.get().rank() > 0
                        && before.get().size(-1) == after.get().size(-1);
            }
            default -> false;
        };
    }

    boolean isSame(String one, String other) {
        return plain(one).equals(plain(other));
    }

    /** Returns the operation behind a value, past what only repeats it. */
    Optional<OnnxNode> behind(String value, String operation) {
        return graph.producer(plain(value), operation);
    }

    /** Returns the initialiser that a value is, perhaps under another name. */
    Optional<String> initialiser(String value) {
        String at = plain(value);
        return graph.isInitialiser(at) ? Optional.of(at) : Optional.empty();
    }

    Optional<Norm> norm(String value) {
        Optional<OnnxNode> whole = behind(value, "LayerNormalization");
        if (whole.isPresent()) {
            OnnxNode node = whole.get();
            long axis = node.attribute("axis").map(OnnxNode.Attribute::whole).orElse(-1L);
            int rank = probe.value(node.input(0)).map(OnnxArray::rank).orElse(0);
            if (axis != -1 && axis != rank - 1) {
                return Optional.empty();
            }
            double epsilon = node.attribute("epsilon")
                    .map(given -> (double) given.number())
                    .orElse(DEFAULT_EPSILON);
            return initialiser(node.input(1))
                    .flatMap(scale ->
                            initialiser(node.input(2)).map(bias -> new Norm(node.input(0), scale, bias, epsilon)));
        }
        return behind(value, "Add").flatMap(this::takenApart);
    }

    private Optional<Norm> takenApart(OnnxNode add) {
        for (int side = 0; side < 2; side++) {
            Optional<String> bias = initialiser(add.input(side));
            Optional<OnnxNode> scaled = behind(add.input(1 - side), "Mul");
            for (int other = 0; other < 2 && bias.isPresent() && scaled.isPresent(); other++) {
                Optional<String> scale = initialiser(scaled.get().input(other));
                Optional<OnnxNode> unit = behind(scaled.get().input(1 - other), "Div");
                if (scale.isPresent() && unit.isPresent()) {
                    return unit(unit.get(), scale.get(), bias.get());
                }
            }
        }
        return Optional.empty();
    }

    /** Reads {@code (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon)}. */
    private Optional<Norm> unit(OnnxNode quotient, String scale, String bias) {
        Optional<String> input = centred(quotient.input(0));
        Optional<OnnxNode> sum = behind(quotient.input(1), "Sqrt").flatMap(root -> behind(root.input(0), "Add"));
        if (input.isEmpty() || sum.isEmpty()) {
            return Optional.empty();
        }
        for (int side = 0; side < 2; side++) {
            Optional<Double> epsilon = probe.number(sum.get().input(side));
            Optional<String> square = mean(sum.get().input(1 - side));
            if (epsilon.isPresent() && square.isPresent()) {
                return power(square.get(), 2)
                        .flatMap(this::centred)
                        .filter(squared -> isSame(squared, input.get()))
                        .map(_ -> new Norm(input.get(), scale, bias, epsilon.get()));
            }
        }
        return Optional.empty();
    }

    /** Returns x of a value that is {@code x - mean(x)}. */
    private Optional<String> centred(String value) {
        return behind(value, "Sub")
                .filter(difference -> mean(difference.input(1))
                        .filter(of -> isSame(of, difference.input(0)))
                        .isPresent())
                .map(difference -> difference.input(0));
    }

    /** Returns x of a value that is the mean of x along its last axis. */
    private Optional<String> mean(String value) {
        return behind(value, "ReduceMean")
                .filter(node -> {
                    int[] axes = node.attribute("axes")
                            .map(given -> given.wholes().stream()
                                    .mapToInt(Long::intValue)
                                    .toArray())
                            .or(() -> probe.value(node.input(1))
                                    .filter(OnnxArray::isKnown)
                                    .map(OnnxArray::wholes))
                            .orElse(new int[0]);
                    int rank = probe.value(node.input(0)).map(OnnxArray::rank).orElse(0);
                    boolean kept = node.attribute("keepdims")
                            .map(given -> given.whole() == 1)
                            .orElse(true);
                    return kept && axes.length == 1 && (axes[0] == -1 || axes[0] == rank - 1);
                })
                .map(node -> node.input(0));
    }

    /** Returns x of a value that is x to a power. */
    Optional<String> power(String value, int exponent) {
        Optional<OnnxNode> power = behind(value, "Pow");
        if (power.isPresent()) {
            return probe.number(power.get().input(1))
                    .filter(given -> given == exponent)
                    .map(_ -> power.get().input(0));
        }
        Product product = product(value);
        return product.number() == 1
                        && product.factors().size() == exponent
                        && product.factors().stream().distinct().count() == 1
                ? Optional.of(product.factors().getFirst())
                : Optional.empty();
    }

    /** Returns a layer; empty when the value is none. One whose numbers are changed by attributes is refused by name. */
    Optional<Linear> linear(String value) {
        Optional<OnnxNode> gemm = behind(value, "Gemm");
        if (gemm.isPresent()) {
            OnnxNode node = gemm.get();
            requirePlain(node);
            boolean inOut =
                    node.attribute("transB").map(given -> given.whole() == 0).orElse(true);
            return initialiser(node.input(1))
                    .flatMap(weight ->
                            initialiser(node.input(2)).map(bias -> new Linear(node.input(0), weight, inOut, bias)));
        }
        Optional<OnnxNode> add = behind(value, "Add");
        for (int side = 0; side < 2 && add.isPresent(); side++) {
            Optional<String> bias = initialiser(add.get().input(side));
            Optional<OnnxNode> product = behind(add.get().input(1 - side), "MatMul");
            if (bias.isPresent() && product.isPresent()) {
                String input = product.get().input(0);
                String factor = plain(product.get().input(1));
                Optional<String> turned =
                        graph.producer(factor, "Transpose").flatMap(node -> initialiser(node.input(0)));
                return turned.or(() -> initialiser(factor))
                        .map(weight -> new Linear(input, weight, turned.isEmpty(), bias.get()));
            }
        }
        return Optional.empty();
    }

    private void requirePlain(OnnxNode gemm) {
        for (String factor : List.of("alpha", "beta")) {
            float number =
                    gemm.attribute(factor).map(OnnxNode.Attribute::number).orElse(1f);
            if (number != 1) {
                throw wrong("%s has %s %s, which is not computed here, expected 1".formatted(gemm, factor, number));
            }
        }
        if (gemm.attribute("transA").map(given -> given.whole() != 0).orElse(false)) {
            throw wrong("%s has transA 1, which is not computed here, expected 0".formatted(gemm));
        }
    }

    /** Takes a product of any number of factors apart; quotients by numbers too. */
    Product product(String value) {
        double number = 1;
        List<String> factors = new ArrayList<>();
        Deque<String> open = new ArrayDeque<>(List.of(value));
        while (!open.isEmpty()) {
            String at = plain(open.pop());
            Optional<Double> constant = probe.number(at);
            Optional<OnnxNode> node = graph.producer(at);
            if (constant.isPresent()) {
                number *= constant.get();
            } else if (node.isPresent() && node.get().is("Mul") && factors.size() + open.size() < MOST_FACTORS) {
                node.get().inputs().reversed().forEach(open::push);
            } else if (node.isPresent()
                    && node.get().is("Div")
                    && probe.number(node.get().input(1)).isPresent()) {
                number /= probe.number(node.get().input(1)).orElseThrow();
                open.push(node.get().input(0));
            } else {
                factors.add(at);
            }
        }
        return new Product(number, factors);
    }

    /** Returns the other operand of a sum with a number. */
    Optional<String> plus(String value, double number) {
        Optional<OnnxNode> add = behind(value, "Add");
        for (int side = 0; side < 2 && add.isPresent(); side++) {
            if (probe.number(add.get().input(side))
                    .filter(given -> isNear(given, number))
                    .isPresent()) {
                return Optional.of(add.get().input(1 - side));
            }
        }
        return Optional.empty();
    }

    /** Takes a sum of any number of values apart. */
    List<String> terms(String value) {
        List<String> terms = new ArrayList<>();
        Deque<String> open = new ArrayDeque<>(List.of(value));
        while (!open.isEmpty()) {
            String at = plain(open.pop());
            Optional<OnnxNode> add = graph.producer(at, "Add");
            if (add.isPresent() && terms.size() + open.size() < MOST_FACTORS) {
                add.get().inputs().forEach(open::push);
            } else {
                terms.add(at);
            }
        }
        return terms;
    }

    /** Follows a value back through what only orders its elements anew or multiplies them with a number. */
    Moved moved(String value) {
        Deque<OnnxNode> steps = new ArrayDeque<>();
        double number = 1;
        String at = value;
        while (true) {
            Optional<OnnxNode> made = graph.producer(at);
            if (made.isEmpty()) {
                break;
            }
            OnnxNode node = made.get();
            Optional<Double> right = probe.number(node.input(1));
            Optional<Double> left = probe.number(node.input(0));
            if (Set.of("Reshape", "Transpose", "Squeeze", "Unsqueeze").contains(node.operation())) {
                steps.push(node);
                at = node.input(0);
            } else if (node.is("Mul") && right.isPresent()) {
                number *= right.get();
                at = node.input(0);
            } else if (node.is("Mul") && left.isPresent()) {
                number *= left.get();
                at = node.input(1);
            } else if (node.is("Div") && right.isPresent()) {
                number /= right.get();
                at = node.input(0);
            } else if (repeats(node)) {
                at = node.input(0);
            } else {
                break;
            }
        }
        return new Moved(at, number, List.copyOf(steps));
    }

    CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file.path(), problem);
    }
}
