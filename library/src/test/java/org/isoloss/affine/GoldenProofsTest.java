package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.exact.ModularRank;
import org.isoloss.exact.Rationals;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What proofs rest on, against results that were made elsewhere or kept. */
class GoldenProofsTest {
    private static final JsonMapper JSON = JsonMapper.shared();

    private static String text(String name) throws IOException {
        try (InputStream file = GoldenProofsTest.class.getResourceAsStream(name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The residue of a fraction. */
    private static long residue(String fraction, long prime) {
        Rational<BigInteger> value = Rationals.parse(fraction);
        BigInteger modulus = BigInteger.valueOf(prime);
        return value.numerator()
                .multiply(value.denominator().modInverse(modulus))
                .mod(modulus)
                .longValueExact();
    }

    /** A polynomial in the transcendental number, which stands as its own residue. */
    private static long value(String polynomial, long number, long prime) {
        long value = 0;
        for (String coefficient : List.of(polynomial.split(" ", -1)).reversed()) {
            value = (value * number + residue(coefficient, prime)) % prime;
        }
        return value;
    }

    @Test
    void taylorCoefficientsAreThoseOfSymPy() throws IOException {
        List<String> lines = text("taylor.csv").lines().skip(1).toList();
        assertThat(lines).hasSize(6 * 13);
        for (String line : lines) {
            String[] cells = line.split(",", -1);
            Activation activation = Activation.named(cells[0]);
            int power = Integer.parseInt(cells[1]);
            long[] here = ModularSeries.taylor(activation, 12);
            long[] there = TaylorSeries.of(cells[0], 13);
            long number = activation == Activation.SOFTPLUS ? here[0] : 2 * gelu(12)[2] % ModularRank.PRIME;
            long other = activation == Activation.SOFTPLUS
                    ? there[0]
                    : 2 * TaylorSeries.of("gelu", 13)[2] % PrimeElimination.PRIME;
            assertThat(here[power]).as(line).isEqualTo(value(cells[2], number, ModularRank.PRIME));
            assertThat(there[power]).as(line).isEqualTo(value(cells[2], other, PrimeElimination.PRIME));
        }
    }

    private static long[] gelu(int order) {
        return ModularSeries.taylor(Activation.GELU, order);
    }

    static List<JsonNode> jacobians() throws IOException {
        List<JsonNode> networks = new ArrayList<>();
        JSON.readTree(text("jacobians.json")).forEach(networks::add);
        return networks;
    }

    /** The Jacobian of a network in both code paths, the maker's and the verifier's. */
    @ParameterizedTest
    @MethodSource("jacobians")
    void jacobiansAreThoseOfFractions(JsonNode network) {
        assertThat(differences(network, numbers(network.get("theta")))).isEmpty();
        int[] theta = numbers(network.get("theta"));
        theta[0]++;
        assertThat(differences(network, theta)).isNotEmpty();
    }

    private static List<String> differences(JsonNode network, int[] theta) {
        int[] input = numbers(network.get("input"));
        int length = network.get("length").asInt();
        ExactRows made =
                new ExactNetwork(architecture(network)).rows(theta, input).orElseThrow();
        ForwardPoint verified = ForwardPoint.at(content(network), theta, input).orElseThrow();
        JsonNode jacobian = network.get("jacobian");
        assertThat(made.count()).isEqualTo(jacobian.size() * length).isEqualTo(verified.rows());
        List<String> differences = new ArrayList<>();
        for (int row = 0; row < made.count(); row++) {
            for (int a = 0; a < theta.length; a++) {
                String expected =
                        jacobian.get(row / length).get(a).get(row % length).asString();
                if (made.coefficient(row, a, theta.length) != residue(expected, ModularRank.PRIME)) {
                    differences.add("row %d, parameter %d".formatted(row, a));
                }
                if (verified.coefficient(row, a, theta.length) != residue(expected, PrimeElimination.PRIME)) {
                    differences.add("row %d, parameter %d of the verifier".formatted(row, a));
                }
            }
        }
        return differences;
    }

    private static int[] numbers(JsonNode array) {
        return array.valueStream().mapToInt(JsonNode::asInt).toArray();
    }

    private static Architecture architecture(JsonNode network) {
        return new Architecture(
                network.get("widths").valueStream().map(JsonNode::asInt).toList(),
                network.get("activations")
                        .valueStream()
                        .map(name -> HiddenActivation.named(name.asString()))
                        .toList(),
                network.get("biases").valueStream().map(JsonNode::asBoolean).toList());
    }

    /** A certificate of nothing but the network. */
    private static CertificateContent content(JsonNode network) {
        return CertificateContent.read(
                """
                {"format": "isoloss-certificate", "version": 1, "seeds": [], "name": "0", "dimension": 0, "center": 0,
                 "derived": 0, "preservation": "known-families", "fields": [], "brackets": [],
                 "network": {"widths": %s, "activations": %s, "biases": %s}}
                """.formatted(network.get("widths"), network.get("activations"), network.get("biases")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "linear-biases-2-2-2",
                "relu-2-3-1",
                "leaky-relu-biases-1-2-1",
                "cube-2-2-2",
                "relu-linear-2-2-2-1",
                "tanh-linear-biases-1-1-2-1",
                "silu-square-1-2-1-1",
                "gelu-2-2-1"
            })
    void certificatesAreMadeAgainByteForByte(String name) throws IOException {
        String kept = text("certificates/" + name + ".json");
        Architecture architecture = architecture(JSON.readTree(kept).get("network"));
        RecoveredAlgebra algebra = AffineFields.of(architecture)
                .solver(ConstraintSolver.GRADED)
                .seeds(101)
                .recover()
                .orThrow();
        assertThat(algebra.certificate()).isEqualTo(kept);
        assertThat(CertificateVerifier.verify(kept).complete()).isTrue();
        IntStream.range(0, kept.length())
                .filter(at -> kept.startsWith("\"coefficient\" : \"1\"", at))
                .limit(3)
                .forEach(at -> assertThat(changed(kept, at + "\"coefficient\" : \"".length()))
                        .as("%s, character %d", name, at)
                        .isFalse());
    }

    /** Whether a certificate holds with another digit. */
    private static boolean changed(String certificate, int at) {
        String other = certificate.substring(0, at) + "2" + certificate.substring(at + 1);
        return CertificateVerifier.verify(other).valid();
    }
}
