package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.isoloss.cli.StoredWeights.weights;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code isoloss symmetries} and {@code transform} of a model of 1.8 million parameters, which follow from its graph. */
class LargeModelSymmetriesTest {
    private static final String NEOX =
            Path.of("..", "examples", "neox-wikitext-1.8m").toString();

    @TempDir
    Path folder;

    private String out(String name) {
        return folder.resolve(name).toString();
    }

    private static JsonNode json(String... words) {
        List<String> line = new ArrayList<>(List.of(words));
        line.addAll(List.of("--format", "json"));
        return Run.json(Run.of(line.toArray(String[]::new)));
    }

    @Test
    void everyFamilyIsInTheJsonAndAddsUpToTheRank() {
        JsonNode json = json("symmetries", NEOX);
        assertThat(json.get("parameters").asInt()).isEqualTo(1_848_576);
        assertThat(json.get("nullity").isNull()).isTrue();
        assertThat(json.get("unexplained").isNull()).isTrue();
        assertThat(json.get("refuted").size()).isZero();
        int sum = 0;
        int rotations = 0;
        List<String> heads = new ArrayList<>();
        for (JsonNode family : json.get("families")) {
            for (String key : List.of("name", "layer", "group", "rank", "adds", "tensors", "verified", "conserved")) {
                assertThat(family.has(key)).as(key).isTrue();
            }
            assertThat(family.get("verified").asDouble()).isBetween(0.0, 1e-10);
            sum += family.get("adds").asInt();
            rotations += family.get("name").asString().equals("rotations") ? 1 : 0;
            if (family.get("name").asString().equals("basis")) {
                heads.add(family.get("layer").asString() + " "
                        + family.get("group").asString());
            }
        }
        assertThat(json.get("rank").asInt()).isEqualTo(sum);
        assertThat(rotations).isOne();
        assertThat(heads).hasSize(8).first().asString().isEqualTo("gpt_neox.layers.0.attention GL(32)^4");
        // value-output, query-key with 4 of 16 pairs turned, two norms, in each of 8 layers; the rotations of what is
        // centred
        int planted = 8 * (4 * 32 * 32 + 4 * (2 * 4 + 24 * 24) + 2 * 128) + 128 + 127 * 126 / 2;
        assertThat(sum).isGreaterThan(planted);
    }

    @Test
    void repeatedLayersAreOneLineAndFilesAreWritten() throws IOException {
        Run run = Run.of("symmetries", NEOX, "--out", folder.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .contains("O(127)", "GL(32)^4, 8 times", "gpt_neox.layers.0..7.attention", "S_512, 8 times")
                .doesNotContain("layers.3.")
                .contains(
                        "added up from the families; the nullity of the Jacobian of so many parameters is not computed");
        assertThat(run.out().lines().count()).isLessThan(25);
        assertThat(folder.resolve("symmetry-dimensions.svg")).content().contains("role=\"img\"", "rank 79945");
        for (String file : List.of("symmetries.csv", "symmetry-network.svg", "symmetry-network.csv")) {
            assertThat(folder.resolve(file)).as(file).content().contains("O(127)");
        }
        assertThat(folder.resolve("provenance.json")).content().contains("model.safetensors");
    }

    /**
     * Other weights everywhere, the same function, and back. The file holds float16, of which both copies round by 2^-11 at most; an
     * element stretches by 2 at most in each of two factors, and back.
     */
    @Test
    void elementIsAppliedKeptAndTakenBack() throws IOException {
        JsonNode there = json("transform", NEOX, "--random", "3", "--out", out("moved"));
        assertThat(there.get("outputs_before_rounding").asDouble()).isLessThan(1e-12);
        assertThat(there.get("outputs_as_written").asDouble()).isBetween(1e-6, 0.02);
        assertThat(there.get("weights_changed").asLong()).isGreaterThan(1_840_000);
        String element = there.get("element").asString();
        JsonNode back = json("transform", out("moved"), "--element", element, "--inverse", "--out", out("back"));
        assertThat(back.get("outputs_before_rounding").asDouble()).isLessThan(1e-12);
        Map<String, double[]> own = weights(Path.of(NEOX));
        Map<String, double[]> moved = weights(folder.resolve("moved"));
        Map<String, double[]> taken = weights(folder.resolve("back"));
        assertThat(taken.keySet()).isEqualTo(own.keySet());
        own.forEach((name, numbers) -> {
            double size = Arrays.stream(numbers).map(Math::abs).max().orElse(0);
            assertThat(taken.get(name)).as(name).containsExactly(numbers, within(size / 128));
            assertThat(farthest(Objects.requireNonNull(moved.get(name)), numbers))
                    .as(name)
                    .isGreaterThan(size / 16);
        });
        // the same element once more, not its inverse, leads elsewhere
        json("transform", out("moved"), "--element", element, "--out", out("twice"));
        String head = "embed_out.weight";
        assertThat(farthest(
                        Objects.requireNonNull(weights(folder.resolve("twice")).get(head)),
                        Objects.requireNonNull(own.get(head))))
                .isGreaterThan(0.1);

        Path broken = folder.resolve("broken.npz");
        NpzWriter writer = new NpzWriter();
        String rotation;
        try (Npz npz = Npz.open(Path.of(element))) {
            rotation = npz.names().stream()
                    .filter(name -> name.endsWith("/matrices"))
                    .findFirst()
                    .orElseThrow();
            double[] numbers = npz.tensor(rotation).toDoubles();
            numbers[1] += 0.01;
            writer.add(rotation, Shape.of(128, 128), numbers);
        }
        writer.saveTo(broken);
        Run run = Run.of("transform", NEOX, "--element", broken.toString(), "--out", out("none"));
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err())
                .hasLineCount(1)
                .contains("broken.npz: the array '" + rotation
                        + "' of the element has rows 0 to 127, a matrix which is not" + " orthogonal");
        assertThat(Files.exists(folder.resolve("none"))).isFalse();
    }

    private static double farthest(double[] one, double[] other) {
        double largest = 0;
        for (int i = 0; i < one.length; i++) {
            largest = Math.max(largest, Math.abs(one[i] - other[i]));
        }
        return largest;
    }

    @Test
    void chosenFamilyAloneMoves() throws IOException {
        json("transform", NEOX, "--random", "5", "--family", "permutations", "--out", out("moved"));
        Map<String, double[]> moved = weights(folder.resolve("moved"));
        weights(Path.of(NEOX)).forEach((name, numbers) -> {
            double[] sorted = numbers.clone();
            double[] other = Objects.requireNonNull(moved.get(name)).clone();
            boolean isOfUnits = name.contains("query_key_value")
                    || name.contains("dense_h_to_4h")
                    || name.endsWith("dense_4h_to_h.weight")
                    || name.endsWith("attention.dense.weight");
            assertThat(Arrays.equals(sorted, other)).as(name).isEqualTo(!isOfUnits);
            Arrays.sort(sorted);
            Arrays.sort(other);
            assertThat(other).as(name).isEqualTo(sorted);
        });
        Run none = Run.of("transform", NEOX, "--random", "5", "--family", "nope", "--out", out("none"));
        assertThat(none.code()).isEqualTo(ExitCode.FAILED);
        assertThat(none.err()).hasLineCount(1).contains("has no family 'nope'; it has rotations at");
    }
}
