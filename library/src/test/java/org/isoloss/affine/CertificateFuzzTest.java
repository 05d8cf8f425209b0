package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import cc.redberry.rings.Rational;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.exact.Subspace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Certificates that are changed at random: each is refused in one line, or judged; and one that is called valid says
 * nothing that a recovery of its network, made anew, does not say.
 */
class CertificateFuzzTest {
    private static final int CHANGES = 500;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Recovered once for each network that a changed certificate speaks of. */
    private static final Map<Architecture, RecoveredAlgebra> RECOVERED = new HashMap<>();

    private static final List<Object> VALUES = new ArrayList<>();

    static {
        VALUES.addAll(List.of(0, 1, 2, 3, 4, -1, 2.9, 1e300, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE));
        VALUES.addAll(
                List.of(2_147_483_629L, BigInteger.TEN.pow(40), true, false, "", "1", "2", "-1", "0", "1/2", "1/0"));
        VALUES.addAll(
                List.of("1/2147483629", "2147483629", "1/2147483647", "9".repeat(10_000), "2/" + "9".repeat(999)));
        VALUES.addAll(List.of("identity", "relu", "leaky_relu", "z^", "z^1", "z^2", "z^3", "z^10", "prelu", "tanh"));
        VALUES.addAll(
                List.of("softplus", "gelu", "silu", "known-families", "polynomial-identity", "gl(3)", "a\nb\u001b"));
        VALUES.addAll(
                List.of("hidden-unit rescalings", "hidden-basis changes", "hidden translations", "W1[1,1]", "b1[1]"));
        VALUES.addAll(List.of(List.of(), Map.of(), List.of(1, 2), Map.of("bound", 0, "seed", 1, "points", 8)));
    }

    static Stream<Architecture> networks() {
        return Stream.of(
                Architecture.linear(2, 2, 2),
                Architecture.of(HiddenActivation.IDENTITY, true, 1, 2, 1),
                Architecture.relu(2, 2, 1),
                Architecture.of(HiddenActivation.LEAKY_RELU, true, 1, 2, 1),
                Architecture.of(HiddenActivation.named("z^3"), false, 1, 2, 1),
                Architecture.of(HiddenActivation.named("silu"), true, 1, 2, 1),
                network("tanh", "identity"),
                network("softplus", "gelu"),
                network("relu", "tanh"));
    }

    private static Architecture network(String first, String second) {
        return new Architecture(
                List.of(1, 1, 1, 1),
                List.of(HiddenActivation.named(first), HiddenActivation.named(second)),
                List.of(true, false, true));
    }

    @ParameterizedTest
    @MethodSource("networks")
    void changedValuesAreJudgedOrRefused(Architecture architecture) {
        var random = new SplittableRandom(7);
        String certificate = recovered(architecture).certificate();
        int valid = 0;
        int judged = 0;
        for (int i = 0; i < CHANGES; i++) {
            JsonNode root = JSON.readTree(certificate);
            for (int change = 0; change <= random.nextInt(2); change++) {
                change(root, random);
            }
            Verdict verdict = judge(root.toString());
            valid += verdict == Verdict.VALID ? 1 : 0;
            judged += verdict == Verdict.NOT_VALID ? 1 : 0;
        }
        // seeds may be anything, an order of brackets too
        assertThat(valid).isBetween(1, CHANGES / 3);
        assertThat(judged).isPositive();
    }

    @ParameterizedTest
    @MethodSource("networks")
    void changedTextsAreJudgedOrRefused(Architecture architecture) {
        var random = new SplittableRandom(8);
        String certificate =
                JSON.readTree(recovered(architecture).certificate()).toString();
        for (int i = 0; i < CHANGES; i++) {
            int from = random.nextInt(certificate.length());
            int to = from + 1 + random.nextInt(Math.min(40, certificate.length() - from));
            String cut = certificate.substring(from, to);
            judge(
                    switch (random.nextInt(4)) {
                        case 0 -> certificate.substring(0, from) + certificate.substring(to);
                        case 1 -> certificate.substring(0, to) + cut + certificate.substring(to);
                        case 2 -> certificate.substring(0, from);
                        default ->
                            certificate.substring(0, from)
                                    + "0123456789-\"[]{},:.e/".charAt(random.nextInt(21))
                                    + certificate.substring(from + 1);
                    });
        }
    }

    @Test
    void deepAndLongTextsAreRefused() {
        for (String text : List.of(
                "[".repeat(100_000), "{\"a\":".repeat(100_000), "\"" + "x".repeat(1_000_000), "1".repeat(5_000))) {
            assertThat(judge(text)).isEqualTo(Verdict.REFUSED);
        }
    }

    private enum Verdict {
        VALID,
        NOT_VALID,
        REFUSED
    }

    private static Verdict judge(String text) {
        CertificateReport report;
        try {
            report = CertificateVerifier.verify(text);
        } catch (IllegalArgumentException e) {
            assertThat(e).isExactlyInstanceOf(IllegalArgumentException.class);
            assertThat(e.getMessage()).as(text).hasSizeLessThan(500).doesNotContainPattern("\\p{Cntrl}");
            return Verdict.REFUSED;
        }
        assertThat(report.checks())
                .allSatisfy(
                        check -> assertThat(check.detail()).hasSizeLessThan(500).doesNotContainPattern("\\p{Cntrl}"));
        if (!report.valid()) {
            assertThat(report.complete()).isFalse();
            return Verdict.NOT_VALID;
        }
        if (report.dimension() == 0 && !report.complete()) {
            return Verdict.VALID; // that says nothing
        }
        JsonNode root = JSON.readTree(text);
        RecoveredAlgebra truth = recovered(architecture(root.get("network")));
        if (report.complete()) {
            assertThat(truth.complete()).as(text).isTrue();
            assertThat(report.dimension()).as(text).isEqualTo(truth.dimension());
        }
        report.name().ifPresent(name -> assertThat(name).as(text).isEqualTo(truth.name()));
        for (JsonNode field : root.get("fields")) {
            assertThat(span(truth).contains(flat(field, truth))).as(text).isTrue();
        }
        return Verdict.VALID;
    }

    private static Subspace span(RecoveredAlgebra algebra) {
        return Subspace.span(
                algebra.fields().isEmpty()
                        ? 1
                        : algebra.fields().getFirst().flatten().size(),
                algebra.fields().stream().map(AffineField::flatten).toList());
    }

    /** Reads a field of a certificate by the parameters of the network that was recovered. */
    private static RationalVector flat(JsonNode field, RecoveredAlgebra truth) {
        List<String> names = parameters(truth);
        NavigableMap<Integer, Rational<cc.redberry.rings.bigint.BigInteger>> entries = new TreeMap<>();
        for (JsonNode entry : field.get("entries")) {
            String by = entry.get(1).asString();
            int column = by.equals("1") ? names.size() : names.indexOf(by);
            entries.put(
                    names.indexOf(entry.get(0).asString()) * (names.size() + 1) + column,
                    Rationals.parse(entry.get(2).asString()));
        }
        return RationalVector.of(names.size() * (names.size() + 1), entries);
    }

    private static List<String> parameters(RecoveredAlgebra truth) {
        return RECOVERED.entrySet().stream()
                .filter(entry -> entry.getValue() == truth)
                .flatMap(entry -> entry.getKey().parameters().stream())
                .map(Parameter::name)
                .toList();
    }

    private static Architecture architecture(JsonNode network) {
        List<Integer> widths = new ArrayList<>();
        network.get("widths").forEach(width -> widths.add(width.asInt()));
        List<HiddenActivation> activations = new ArrayList<>();
        network.get("activations").forEach(name -> activations.add(HiddenActivation.named(name.asString())));
        List<Boolean> biases = new ArrayList<>();
        network.get("biases").forEach(bias -> biases.add(bias.asBoolean()));
        return new Architecture(widths, activations, biases);
    }

    private static RecoveredAlgebra recovered(Architecture architecture) {
        return RECOVERED.computeIfAbsent(
                architecture,
                network -> AffineFields.of(network)
                        .sampling(new Sampling(64, 4, 1, 1))
                        .solver(ConstraintSolver.GRADED)
                        .seeds(101)
                        .recover()
                        .orThrow());
    }

    /** Deletes, repeats, exchanges, copies or replaces one value somewhere in the tree. */
    private static void change(JsonNode root, SplittableRandom random) {
        List<JsonNode> parents = new ArrayList<>();
        collect(root, parents);
        JsonNode parent = parents.get(random.nextInt(parents.size()));
        JsonNode anywhere = parents.get(random.nextInt(parents.size()));
        int action = random.nextInt(6);
        JsonNode value =
                action == 0 ? anywhere.deepCopy() : JSON.valueToTree(VALUES.get(random.nextInt(VALUES.size())));
        if (parent instanceof ArrayNode array) {
            int index = random.nextInt(array.size());
            int other = random.nextInt(array.size());
            switch (action) {
                case 1 -> array.remove(index);
                case 2 -> array.add(array.get(index).deepCopy());
                case 3 -> {
                    JsonNode held = array.get(index);
                    array.set(index, array.get(other));
                    array.set(other, held);
                }
                default -> array.set(index, value);
            }
        } else if (parent instanceof ObjectNode object) {
            List<String> keys = List.copyOf(object.propertyNames());
            String key = keys.get(random.nextInt(keys.size()));
            String other = keys.get(random.nextInt(keys.size()));
            switch (action) {
                case 1 -> object.remove(key);
                case 2 -> object.set(key + "2", object.get(key).deepCopy());
                case 3 -> {
                    JsonNode held = object.get(key);
                    object.set(key, object.get(other));
                    object.set(other, held);
                }
                default -> object.set(key, value);
            }
        }
    }

    /** Everything that holds something. */
    private static void collect(JsonNode node, List<JsonNode> parents) {
        if (node.size() > 0) {
            parents.add(node);
        }
        node.forEach(child -> collect(child, parents));
    }
}
