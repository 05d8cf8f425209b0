package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    private static final Map<Architecture, String> CERTIFICATES = new HashMap<>();

    static Stream<Architecture> networks() {
        return Stream.of(
                Architecture.linear(2, 2, 2),
                Architecture.linear(2, 2, 2, 2),
                Architecture.of(HiddenActivation.IDENTITY, true, 2, 2, 2),
                Architecture.relu(2, 3, 3, 1),
                Architecture.of(HiddenActivation.LEAKY_RELU, true, 2, 2, 1),
                Architecture.of(HiddenActivation.named("z^3"), true, 2, 2, 2),
                Architecture.of(HiddenActivation.named("z^9"), false, 4, 1, 1), // too many monomials to be expanded
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
                .containsExactly("independence", "closure", "structure", "preservation", "name", "completeness");
        assertThat(report.valid()).isTrue();
        assertThat(report.complete()).isTrue();
    }

    /** Each defect is seen by the check that watches it; completeness is not computed beside one. */
    @Test
    void plantedDefectsAreSeen() {
        assertThat(failing(
                        Architecture.linear(2, 2, 2), root -> entry(root, 0, 0).set(2, "2")))
                .contains("closure", "preservation");
        assertThat(failing(Architecture.relu(2, 2, 1), root -> entry(root, 0, 0).set(2, "-1")))
                .containsExactly("preservation", "completeness");
        assertThat(failing(Architecture.linear(2, 2, 2), root -> root.put("center", 2)))
                .containsExactly("structure", "completeness");
        assertThat(failing(Architecture.linear(2, 2, 2), root -> root.put("derived", 4)))
                .containsExactly("structure", "completeness");
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
                .containsExactly("preservation", "completeness");
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
                "` `; the certificate is empty, expected a JSON object",
                "[]; the certificate is [], expected a JSON object",
                "2.9; the certificate is 2.9, expected a JSON object",
                "{} {}; not JSON: Trailing token",
                "{\"format\": 1, \"format\": 1}; not JSON: Duplicate Object property \"format\"",
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
        assertRefused(root -> root.remove("seeds"), "the certificate has no \"seeds\"");
        assertRefused(root -> root.put("format", "other"), "format is \"other\", expected \"isoloss-certificate\"");
        assertRefused(root -> root.put("version", 3), "version is 3, expected a whole number from 1 to 2");
        assertRefused(root -> root.put("dimension", "4"), "dimension is \"4\", expected a whole number from 0 to");
        assertRefused(root -> root.put("center", 1.0), "center is 1.0, expected a whole number");
        assertRefused(root -> root.put("derived", -1), "derived is -1, expected a whole number");
        assertRefused(root -> root.putNull("name"), "name is null, expected text");
        assertRefused(root -> root.putArray("seeds").add(1.5), "item 1 of seeds is 1.5, expected a whole number");
        assertRefused(root -> root.put("fields", "none"), "fields is \"none\", expected an array");
        assertRefused(
                root -> entry(root, 0, 0).set(2, "1/0"),
                "item 3 of item 1 of entries of item 1 of fields is \"1/0\", expected a fraction such as \"-3/4\"");
        assertRefused(root -> entry(root, 0, 0).set(2, 1), "is 1, expected text");
        assertRefused(root -> entry(root, 0, 0).set(0, "W9[1,1]"), "expected the names of parameters of the network");
        assertRefused(root -> entry(root, 0, 0).add(1), "expected an array of 3");
        assertRefused(
                root -> array(root.get("fields").get(0), "entries").add(entry(root, 0, 0)),
                "expected each pair of parameters once in a field");
        assertRefused(
                root -> object(array(root, "brackets").get(0)).put("right", 9),
                "right of item 1 of brackets is 9, expected a whole number from 1 to 4");
        assertRefused(
                root -> object(array(root, "brackets").get(0)).put("right", 1),
                "expected a left field before the right");
        assertRefused(
                root -> array(root, "brackets").add(array(root, "brackets").get(0)), "expected each bracket once");
        assertRefused(
                root -> array(array(root, "brackets").get(0), "value")
                        .add(array(array(root, "brackets").get(0), "value").get(0)),
                "expected each field once in a bracket");
        assertRefused(
                root -> object(root, "upper_bound").put("bound", -1),
                "bound of upper_bound is -1, expected a whole number from 0 to");
        assertRefused(
                root -> object(root, "upper_bound").put("points", Integer.MAX_VALUE),
                "points of upper_bound is 2147483647, expected at most 96, 4 for each unknown and 64");
    }

    /** Nothing but the network's own numbers is a width, and nothing but a known activation has a proof. */
    @Test
    void theNetworkIsReadStrictly() {
        Object[][] widths = {
            {2.9, "item 2 of widths of network is 2.9, expected a whole number from 1 to 4000"},
            {"2", "item 2 of widths of network is \"2\", expected a whole number"},
            {true, "item 2 of widths of network is true, expected a whole number"},
            {null, "item 2 of widths of network is null, expected a whole number"},
            {0, "item 2 of widths of network is 0, expected a whole number"},
            {-2, "item 2 of widths of network is -2, expected a whole number"},
            {100_000, "item 2 of widths of network is 100000, expected a whole number"},
            {4_000, "widths of network is [2,4000,2], expected a network of at most 4000 parameters"},
        };
        for (Object[] width : widths) {
            assertRefused(
                    root -> array(object(root, "network"), "widths").set(1, JSON.valueToTree(width[0])),
                    String.valueOf(width[1]));
        }
        assertRefused(
                root -> array(object(root, "network"), "widths").add(2),
                "activations of network is [\"identity\"], expected an array of 2");
        assertRefused(
                root -> array(object(root, "network"), "biases").set(0, "false"),
                "item 1 of biases of network is \"false\", expected true or false");
        for (String name : List.of("z^", "z^1", "z^10", "x^2", "prelu", "swish", "ReLU", "linear", "sine", "")) {
            assertRefused(
                    root -> array(object(root, "network"), "activations").set(0, name),
                    "item 1 of activations of network is \"%s\", expected identity, relu, leaky_relu, z^2 to z^9, tanh"
                            .formatted(name));
        }
    }

    /** What could not be verified is not recovered. */
    @Test
    void theLimitsAreThoseOfRecovery() {
        assertThatThrownBy(() -> AffineFields.of(Architecture.relu(2, 1001, 2))
                        .unlimited()
                        .recover())
                .hasMessageContaining("relu (2, 1001, 2), 4004 parameters")
                .hasMessageContaining("4000 parameters are the most that a certificate is verified for");
    }

    /** A rational of 10,000 digits, a name that moves the cursor, a key of a page: a message stays one short line. */
    @Test
    void foreignTextsAreCutAndQuoted() {
        String digits = "7".repeat(10_000);
        assertRefused(
                root -> entry(root, 0, 0).set(2, digits),
                "is \"" + "7".repeat(59)
                        + "… (10002 characters), expected a fraction such as \"-3/4\", of at most 1000 digits");
        assertRefused(root -> root.put("x".repeat(500), 1), "unknown key \"" + "x".repeat(60) + "… (500 characters)\"");
        assertRefused(root -> root.put("a\n\u001b[2Jb", 1), "unknown key \"a [2Jb\"");
        CertificateReport report = verify(Architecture.linear(2, 2, 2), root -> root.put("name", "so(3)\n" + digits));
        assertThat(report.valid()).isFalse();
        assertThat(report.checks().get(4).detail())
                .hasSizeLessThan(200)
                .startsWith("the fields span the known families of this network: gl(2), claimed \"so(3) 777");
    }

    /** log 2 and the root of 2/pi, or kinks beside a transcendental function: what is only sampled is not proved by claiming it. */
    @Test
    void completenessIsNotClaimedWhereThereIsNoProof() {
        String none = "no bound can be proved for this network: ";
        for (List<String> pair : List.of(
                List.of("softplus", "gelu"),
                List.of("gelu_tanh", "softplus"),
                List.of("relu", "tanh"),
                List.of("silu", "leaky_relu"))) {
            Architecture network = new Architecture(
                    List.of(1, 1, 1, 1),
                    pair.stream().map(HiddenActivation::named).toList(),
                    List.of(false, false, false));
            CertificateReport honest = verify(network, _ -> {});
            assertThat(honest.valid()).isTrue();
            assertThat(honest.complete()).isFalse();
            CertificateReport forged = verify(
                    network,
                    root -> root.putObject("upper_bound")
                            .put("bound", root.get("dimension").asInt())
                            .put("seed", 1)
                            .put("points", 40));
            assertThat(forged.valid()).isFalse();
            assertThat(forged.complete()).isFalse();
            assertThat(forged.checks().getLast().claim()).isEqualTo("completeness");
            assertThat(forged.checks().getLast().detail())
                    .startsWith(none)
                    .contains(pair.contains("softplus") ? "algebraically independent" : "occur together");
        }
        // one transcendental number may be replaced by any residue
        assertThat(verify(
                                new Architecture(
                                        List.of(1, 1, 1, 1),
                                        List.of(HiddenActivation.named("gelu"), HiddenActivation.named("gelu_tanh")),
                                        List.of(false, false, false)),
                                _ -> {})
                        .complete())
                .isTrue();
    }

    /** A name is what follows from the network, or is not there. */
    @Test
    void aForgedNameIsFoundAndNeverRepeated() {
        CertificateReport report = verify(Architecture.linear(2, 2, 2), root -> root.put("name", "e(8)"));
        assertThat(report.valid()).isFalse();
        assertThat(report.name()).contains("gl(2)");
        CertificateReport partial = verify(Architecture.relu(2, 2, 1), root -> {
            array(root, "fields").remove(1);
            root.put("dimension", 1).put("center", 1).put("name", "e(8)");
            root.remove("upper_bound");
        });
        assertThat(partial.valid()).as("a smaller algebra is one too").isTrue();
        assertThat(partial.complete()).isFalse();
        assertThat(partial.name()).isEmpty();
        assertThat(partial.toString()).doesNotContain("e(8)");
    }

    /** What a field is said to be is checked also where its preservation is proved otherwise. */
    @Test
    void aForgedCombinationIsSeen() {
        assertThat(failing(
                        Architecture.linear(2, 2, 2),
                        root -> object(array(root.get("fields").get(0), "combination")
                                        .get(0))
                                .put("coefficient", "2")))
                .containsExactly("name", "completeness");
    }

    /** A denominator equal to the prime of the verifier, or of the writer, is a number like others. */
    @Test
    void thePrimeIsAnOrdinaryDenominator() {
        for (String prime : List.of("2147483629", "2147483647")) {
            CertificateReport report = verify(Architecture.relu(1, 1, 1), root -> {
                for (JsonNode entry : root.get("fields").get(0).get("entries")) {
                    ((ArrayNode) entry).set(2, entry.get(2).asString() + "/" + prime);
                }
                object(root.get("fields").get(0).get("combination").get(0)).put("coefficient", "1/" + prime);
            });
            assertThat(report.valid()).isTrue();
            assertThat(report.complete()).isTrue();
        }
    }

    /** Polynomials and exact points that would take a lifetime are refused before the first term. */
    @Test
    void whatWouldNotEndIsRefusedBeforehand() {
        assertThatThrownBy(() -> verify(Architecture.linear(2, 2, 2), root -> {
                    ArrayNode widths = object(root, "network").putArray("widths");
                    ArrayNode activations = object(root, "network").putArray("activations");
                    ArrayNode biases = object(root, "network").putArray("biases");
                    for (int layer = 0; layer < 8; layer++) {
                        widths.add(4);
                        activations.add("z^9");
                        biases.add(true);
                    }
                    widths.add(2);
                    activations.remove(0);
                    root.putArray("fields");
                    root.putArray("brackets");
                    root.put("dimension", 0)
                            .put("center", 0)
                            .put("derived", 0)
                            .put("preservation", "polynomial-identity");
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("the outputs of this network are polynomials of up to .* monomials, too many.*");
        assertThat(verify(Architecture.relu(1, 1, 1), root -> {
                            ArrayNode widths = object(root, "network").putArray("widths");
                            ArrayNode activations = object(root, "network").putArray("activations");
                            ArrayNode biases = object(root, "network").putArray("biases");
                            for (int layer = 0; layer < 12; layer++) {
                                widths.add(1);
                                activations.add(layer == 10 ? "relu" : "z^9");
                                biases.add(false);
                            }
                            widths.add(1);
                            activations.remove(0);
                            root.putArray("fields");
                            root.put("dimension", 0).put("center", 0);
                        })
                        .checks()
                        .getLast()
                        .detail())
                .contains("polynomials of a degree above 1000000");
    }

    private static void assertRefused(Consumer<ObjectNode> change, String message) {
        ObjectNode root = (ObjectNode) JSON.readTree(certificate(Architecture.linear(2, 2, 2)));
        change.accept(root);
        assertThatThrownBy(() -> CertificateVerifier.verify(root.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    private static CertificateReport verify(Architecture architecture, Consumer<ObjectNode> change) {
        ObjectNode root = (ObjectNode) JSON.readTree(certificate(architecture));
        change.accept(root);
        return CertificateVerifier.verify(root.toString());
    }

    private static List<String> failing(Architecture architecture, Consumer<ObjectNode> change) {
        CertificateReport report = verify(architecture, change);
        assertThat(report.valid()).isFalse();
        return report.checks().stream()
                .filter(check -> !check.holds())
                .map(CertificateReport.Check::claim)
                .toList();
    }

    private static ArrayNode entry(ObjectNode root, int field, int entry) {
        return (ArrayNode) root.get("fields").get(field).get("entries").get(entry);
    }

    private static ArrayNode array(JsonNode node, String key) {
        return (ArrayNode) node.get(key);
    }

    private static ObjectNode object(ObjectNode node, String key) {
        return (ObjectNode) node.get(key);
    }

    private static ObjectNode object(JsonNode node) {
        return (ObjectNode) node;
    }

    private static String certificate(Architecture architecture) {
        return CERTIFICATES.computeIfAbsent(
                architecture,
                network -> AffineFields.of(network)
                        .sampling(new Sampling(64, 4, 1, 1))
                        .solver(ConstraintSolver.GRADED)
                        .seeds(101)
                        .recover()
                        .orThrow()
                        .certificate());
    }
}
