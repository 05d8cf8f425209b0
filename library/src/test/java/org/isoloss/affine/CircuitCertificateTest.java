package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.isoloss.circuit.Circuit;
import org.isoloss.circuit.SmallNetworks;
import org.isoloss.model.Model;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Certificates of networks that are written out, changed in one place each. */
class CircuitCertificateTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Map<String, String> CERTIFICATES = new HashMap<>();

    private static String certificate(String kind) {
        return CERTIFICATES.computeIfAbsent(kind, _ -> {
            Model model = kind.equals("lstm") ? SmallNetworks.lstm() : SmallNetworks.reluThenTanh();
            return AffineFields.of(Circuit.of(model))
                    .seeds(101)
                    .recover()
                    .orThrow()
                    .certificate();
        });
    }

    private static String changed(String kind, Consumer<ObjectNode> change) {
        ObjectNode root = (ObjectNode) JSON.readTree(certificate(kind));
        change.accept(root);
        return JSON.writeValueAsString(root);
    }

    private static List<String> failing(String kind, Consumer<ObjectNode> change) {
        CertificateReport report = CertificateVerifier.verify(changed(kind, change));
        assertThat(report.valid()).isFalse();
        return report.checks().stream()
                .filter(check -> !check.holds())
                .map(CertificateReport.Check::claim)
                .toList();
    }

    private static void assertRefused(String kind, Consumer<ObjectNode> change, String message) {
        assertThatThrownBy(() -> CertificateVerifier.verify(changed(kind, change)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("\n");
    }

    private static ObjectNode bound(ObjectNode root) {
        return (ObjectNode) root.get("upper_bound");
    }

    private static ArrayNode gates(ObjectNode root) {
        return (ArrayNode) root.get("network").get("gates");
    }

    /** Puts another function in place of one, everywhere. */
    private static void replace(ObjectNode root, String function, String other) {
        gates(root).forEach(gate -> {
            if (gate.get(0).asString().equals(function)) {
                ((ArrayNode) gate).set(0, other);
            }
        });
    }

    @Test
    void wrongFieldsAreSeen() {
        assertThat(failing("relu", root -> {
                    ArrayNode entries = (ArrayNode) root.get("fields").get(0).get("entries");
                    ((ArrayNode) entries.get(0)).set(2, "2");
                }))
                .contains("preservation", "completeness");
        assertThat(failing("lstm", root -> {
                    ArrayNode entries = (ArrayNode) root.get("fields").get(0).get("entries");
                    ((ArrayNode) entries.get(0)).set(2, "-1");
                }))
                .contains("preservation", "completeness");
    }

    /** What rescales ReLU units does not rescale sigmoids. */
    @Test
    void fieldsOfAnotherNetworkAreSeen() {
        assertThat(failing("relu", root -> replace(root, "relu", "sigmoid"))).contains("preservation");
        assertThat(failing("relu", root -> root.put("preservation", "known-families")))
                .contains("preservation");
    }

    /** A field left out is missed by the bound, and so is a bound from too few points. */
    @Test
    void boundsThatDoNotHoldAreSeen() {
        assertThat(failing("relu", root -> {
                    ((ArrayNode) root.get("fields")).remove(2);
                    root.put("dimension", 2).put("center", 2).put("name", "R^2");
                    bound(root).put("bound", 2);
                }))
                .containsExactly("completeness");
        assertThat(failing("relu", root -> bound(root).put("points", 1))).containsExactly("completeness");
    }

    /** A ReLU layer makes of the fields of a linear one fewer, so a claim without them all is wrong for the linear one. */
    @Test
    void aNetworkWithMoreFieldsIsSeen() {
        assertThat(failing("relu", root -> {
                    ArrayNode gates = gates(root);
                    for (int i = 0; i < gates.size(); i++) {
                        if (gates.get(i).get(0).asString().equals("relu")) {
                            int argument = gates.get(i).get(1).asInt();
                            gates.set(
                                    i,
                                    JSON.createArrayNode()
                                            .add("+")
                                            .add(argument)
                                            .add(argument));
                        }
                    }
                }))
                .containsExactly("completeness");
    }

    @Test
    void scalingsAreCheckedGateByGate() {
        assertRefused(
                "relu",
                root -> ((ArrayNode) bound(root).get("scalings"))
                        .addArray()
                        .addArray()
                        .add(0)
                        .add(1),
                "of upper_bound is none: the terms of gate");
        assertRefused(
                "relu",
                root -> ((ArrayNode) bound(root).get("signs")).addArray().add(0),
                "of upper_bound is none: ");
        assertRefused("lstm", root -> replace(root, "tanh", "sigmoid"), "of upper_bound is none: ");
    }

    /** Without what has no effect nothing may be fixed, and what is fixed must be what the directions move. */
    @Test
    void onlyWhatHasNoEffectMayBeFixed() {
        assertRefused(
                "relu",
                root -> ((ArrayNode) bound(root).get("fixed")).add("first.weight[1,1]"),
                "fixed of upper_bound names 1 parameters, expected one for each of 0 constant fields");
        assertRefused(
                "lstm",
                root -> ((ArrayNode) bound(root).get("fixed")).set(0, "hidden[1,1]"),
                "fixed of upper_bound names 8 parameters, expected one for each of 8 constant fields, which move them");
        assertRefused(
                "lstm",
                root -> ((ArrayNode) bound(root).get("fixed")).set(0, "bias[1,1]"),
                "item 1 of fixed of upper_bound is \"bias[1,1]\", expected the name of a parameter");
    }

    @Test
    void typesAreStrict() {
        assertRefused("relu", root -> network(root).put("inputs", 2.9), "inputs of network is 2.9, expected a whole");
        assertRefused(
                "relu", root -> gates(root).addArray().add("sin").add(0), "is \"sin\", expected parameter, input");
        assertRefused("relu", root -> gates(root).addArray().add("+").add(0), "expected an array of 3");
        assertRefused(
                "relu",
                root -> gates(root).addArray().add("*").add(0).add(gates(root).size()),
                "expected a whole number from 0 to");
        assertRefused("relu", root -> gates(root).addArray().add("constant").add(2.5), "is 2.5, expected text");
        assertRefused("relu", root -> network(root).put("widths", 1), "network has an unknown key \"widths\"");
        assertRefused("relu", root -> bound(root).remove("fixed"), "upper_bound has no \"fixed\"");
        assertRefused(
                "relu",
                root -> gates(root).addArray().add("constant").add("1".repeat(2_000)),
                "… (2002 characters), expected a fraction");
        assertRefused(
                "relu",
                root -> ((ArrayNode) network(root).get("parameters"))
                        .add(network(root).get("parameters").get(0).deepCopy()),
                "expected a name of its own");
    }

    private static ObjectNode network(ObjectNode root) {
        return (ObjectNode) root.get("network");
    }

    /** Repeated squaring has more digits than there is time for; the answer is a line, not a wait. */
    @Test
    void whatWouldNotEndIsRefused() {
        assertRefused(
                "relu",
                root -> {
                    ArrayNode gates = gates(root);
                    int sum = network(root).get("outputs").get(0).asInt();
                    for (int i = 0; i < 60; i++) {
                        gates.addArray().add("*").add(sum).add(sum);
                        sum = gates.size() - 1;
                    }
                    ((ArrayNode) network(root).get("outputs")).set(0, sum);
                },
                "too many terms to be checked by expansion");
    }

    /** Of an abelian algebra the verifier knows the name; any other it neither looks at nor prints. */
    @Test
    void aNameIsDerivedOrNotPrinted() {
        assertThat(CertificateVerifier.verify(certificate("lstm")).name()).contains("R^8");
        assertThat(failing("lstm", root -> root.put("name", "gl(8)"))).containsExactly("name", "completeness");
        String skip = AffineFields.of(Circuit.of(SmallNetworks.skip()))
                .seeds(101)
                .recover()
                .orThrow()
                .certificate();
        assertThat(skip).contains("gl(2)");
        assertThat(CertificateVerifier.verify(skip).name()).isEmpty();
    }

    /** Of softplus beside the error function nothing is bounded, whoever claims it. */
    @Test
    void noBoundIsClaimedWhereNoneCanBeProved() {
        assertThat(failing("lstm", root -> {
                    replace(root, "sigmoid", "erf");
                    replace(root, "tanh", "softplus");
                }))
                .containsExactly("completeness");
    }
}
