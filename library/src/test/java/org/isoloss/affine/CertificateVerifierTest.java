package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

class CertificateVerifierTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    static Stream<Architecture> networks() {
        return Stream.of(
                Architecture.linear(2, 2, 2),
                Architecture.linear(2, 2, 2, 2),
                Architecture.of(HiddenActivation.IDENTITY, true, 2, 2, 2),
                Architecture.relu(2, 3, 3, 1),
                Architecture.of(HiddenActivation.LEAKY_RELU, true, 2, 2, 1),
                Architecture.of(HiddenActivation.named("z^3"), true, 2, 2, 2),
                Architecture.of(HiddenActivation.named("silu"), true, 2, 2, 1),
                Architecture.of(HiddenActivation.named("gelu_tanh"), false, 2, 2, 1),
                Architecture.of(HiddenActivation.named("softplus"), false, 2, 2, 1),
                new Architecture(
                        List.of(2, 2, 2, 2),
                        List.of(HiddenActivation.named("tanh"), HiddenActivation.IDENTITY),
                        List.of(true, true, true)));
    }

    @ParameterizedTest
    @MethodSource("networks")
    void certificatesAreConfirmedByTheSecondPath(Architecture architecture) {
        CertificateReport report = CertificateVerifier.verify(certificate(architecture));
        assertThat(report.checks())
                .allSatisfy(check -> assertThat(check.holds())
                        .as(check.claim() + ": " + check.detail())
                        .isTrue());
        assertThat(report.checks().stream().map(CertificateReport.Check::claim))
                .containsExactly("independence", "closure", "structure", "preservation", "completeness");
        assertThat(report.valid()).isTrue();
        assertThat(report.complete()).isTrue();
    }

    /** Each defect is seen by the check that watches it. */
    @Test
    void plantedDefectsAreSeen() {
        assertThat(failing(
                        Architecture.linear(2, 2, 2), root -> entry(root, 0, 0).set(2, "2")))
                .contains("closure", "preservation");
        assertThat(failing(Architecture.relu(2, 2, 1), root -> entry(root, 0, 0).set(2, "-1")))
                .containsExactly("preservation");
        assertThat(failing(Architecture.linear(2, 2, 2), root -> root.put("center", 2)))
                .containsExactly("structure");
        assertThat(failing(Architecture.linear(2, 2, 2), root -> root.put("derived", 4)))
                .containsExactly("structure");
        assertThat(failing(Architecture.linear(2, 2, 2), root -> root.put("dimension", 5)))
                .contains("independence", "completeness");
        assertThat(failing(
                        Architecture.linear(2, 2, 2),
                        root -> array(root, "brackets").remove(0)))
                .contains("closure");
        assertThat(failing(
                        Architecture.linear(2, 2, 2),
                        root -> object(root, "upper_bound").put("bound", 3)))
                .containsExactly("completeness");
        assertThat(failing(
                        Architecture.linear(2, 2, 2),
                        root -> object(root, "upper_bound").put("points", 1)))
                .containsExactly("completeness");
        assertThat(failing(Architecture.linear(2, 2, 2), root -> root.put("preservation", "trust me")))
                .containsExactly("preservation");
    }

    /** Two equal fields are no basis; a field left out is missed by the bound. */
    @Test
    void dependentAndMissingFieldsAreSeen() {
        assertThat(failing(Architecture.relu(2, 2, 1), root -> {
                    array(root, "fields").add(array(root, "fields").get(0).deepCopy());
                    root.put("dimension", 3).put("center", 3);
                }))
                .contains("independence");
        assertThat(failing(Architecture.relu(2, 2, 1), root -> {
                    array(root, "fields").remove(1);
                    root.put("dimension", 1).put("center", 1);
                    object(root, "upper_bound").put("bound", 1);
                }))
                .containsExactly("completeness");
    }

    /** A claim about another network: fields of a linear network do not preserve tanh, nor may their kind be claimed. */
    @Test
    void fieldsOfAnotherNetworkAreSeen() {
        assertThat(failing(Architecture.linear(2, 2, 2), root -> {
                    array(object(root, "network"), "activations").set(0, "tanh");
                    root.remove("upper_bound");
                }))
                .containsExactly("preservation");
        assertThat(failing(Architecture.linear(2, 2, 2), root -> {
                    array(object(root, "network"), "activations").set(0, "relu");
                    root.put("preservation", "known-families");
                    root.remove("upper_bound");
                }))
                .containsExactly("preservation");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{; not JSON: ",
                "[]; the certificate has no \"",
                "{\"format\": 1}; the certificate has no \"",
            })
    void whatIsNoCertificateIsRefused(String json, String message) {
        assertThatThrownBy(() -> CertificateVerifier.verify(json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void everyKeyIsChecked() {
        assertRefused(root -> root.put("extra", 1), "the certificate has an unknown key \"extra\"");
        assertRefused(
                root -> root.put("format", "other"), "not a certificate of version 1, but \"other\" of version 1");
        assertRefused(
                root -> root.put("version", 2),
                "not a certificate of version 1, but \"isoloss-certificate\" of version 2");
        assertRefused(root -> root.put("dimension", "4"), "\"dimension\" is \"4\", expected a whole number");
        assertRefused(root -> entry(root, 0, 0).set(2, "1/0"), "\"1/0\" is no fraction");
        assertRefused(root -> entry(root, 0, 0).set(0, "W9[1,1]"), "names no parameter of the network");
        assertRefused(root -> entry(root, 0, 0).add(1), "has 4 parts, expected 3");
        assertRefused(root -> array(object(root, "network"), "widths").set(1, 100_000), "do not fit together");
        assertRefused(
                root -> array(object(root, "network"), "widths").set(1, 20_000), "network: more than 20000 parameters");
        assertRefused(
                root -> object(array(root, "brackets").get(0)).put("right", 9), "does not join two fields in order");
    }

    private static void assertRefused(Consumer<ObjectNode> change, String message) {
        ObjectNode root = (ObjectNode) JSON.readTree(certificate(Architecture.linear(2, 2, 2)));
        change.accept(root);
        assertThatThrownBy(() -> CertificateVerifier.verify(root.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    private static List<String> failing(Architecture architecture, Consumer<ObjectNode> change) {
        ObjectNode root = (ObjectNode) JSON.readTree(certificate(architecture));
        change.accept(root);
        CertificateReport report = CertificateVerifier.verify(root.toString());
        assertThat(report.valid()).isFalse();
        return report.checks().stream()
                .filter(check -> !check.holds())
                .map(CertificateReport.Check::claim)
                .toList();
    }

    private static ArrayNode entry(ObjectNode root, int field, int entry) {
        return (ArrayNode) root.get("fields").get(field).get("entries").get(entry);
    }

    private static ArrayNode array(ObjectNode node, String key) {
        return (ArrayNode) node.get(key);
    }

    private static ObjectNode object(ObjectNode node, String key) {
        return (ObjectNode) node.get(key);
    }

    private static ObjectNode object(JsonNode node) {
        return (ObjectNode) node;
    }

    private static String certificate(Architecture architecture) {
        return AffineFields.of(architecture)
                .sampling(new Sampling(64, 4, 1, 1))
                .solver(ConstraintSolver.GRADED)
                .seeds(101)
                .recover()
                .orThrow()
                .certificate();
    }
}
