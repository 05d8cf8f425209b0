package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunBaseTest {
    private static final Path EXAMPLES = Path.of("..", "examples");

    @TempDir
    Path folder;

    private static Setting setting(String name) throws IOException {
        return Setting.of(TaskFile.read(EXAMPLES.resolve(name + ".yaml"), Map.of()), EXAMPLES);
    }

    private SafetensorsFile kept(Setting setting) throws IOException {
        RunBase.keep(setting, folder);
        return SafetensorsFile.open(folder.resolve("base.safetensors"));
    }

    private static double[] random(int count) {
        var random = new SplittableRandom(2);
        double[] numbers = new double[count];
        Arrays.setAll(numbers, i -> 0.1 * random.nextGaussian());
        return numbers;
    }

    /** The weights that coordinates stand for, by the formulas of docs/run-folder.md and the numbers of the file. */
    private static double[] moving(SafetensorsFile base, double[] theta) {
        if (base.metadata().getOrDefault("coordinates", "").equals("weights")) {
            return theta;
        }
        Matrix outgoingBasis = base.tensor("site.outgoing_basis").toMatrix();
        Matrix incomingBasis = base.tensor("site.incoming_basis").toMatrix();
        Matrix outgoing = base.tensor("site.outgoing_base").toMatrix();
        Matrix incoming = base.tensor("site.incoming_base").toMatrix();
        int split = outgoingBasis.columns() * outgoing.columns();
        Matrix w = Matrix.over(outgoingBasis.columns(), outgoing.columns(), Arrays.copyOf(theta, split));
        Matrix d =
                Matrix.over(incoming.rows(), incomingBasis.columns(), Arrays.copyOfRange(theta, split, theta.length));
        double[] first = outgoing.plus(outgoingBasis.times(w)).entries();
        double[] second = incoming.plus(d.times(incomingBasis.transpose())).entries();
        double[] plain = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, plain, first.length, second.length);
        return plain;
    }

    @ParameterizedTest
    @ValueSource(strings = {"linear", "sigmoid-k1", "local-host", "digits"})
    void theFileSaysWhatWeightsCoordinatesStandFor(String name) throws IOException {
        DenseSetting setting = setting(name).dense();
        try (SafetensorsFile base = kept(setting)) {
            assertThat(base.tensor("theta0").toDoubles()).containsExactly(setting.origin());
            assertThat(base.tensor("inputs").toMatrix().entries())
                    .containsExactly(setting.inputs().entries());
            double[] all = Arrays.stream(
                            base.metadata().getOrDefault("network", "").split(" ", -1))
                    .flatMapToDouble(tensor ->
                            Arrays.stream(base.tensor("network." + tensor).toDoubles()))
                    .toArray();
            assertThat(all).containsExactly(setting.network().parameters());

            double[] theta = setting.origin();
            double[] change = random(theta.length);
            Arrays.setAll(theta, i -> theta[i] + change[i]);
            double[] moved = moving(base, theta);
            long[] places = base.tensor("moving").toLongs();
            assertThat(places).hasSameSizeAs(moved);
            for (int i = 0; i < places.length; i++) {
                all[(int) places[i]] = moved[i];
            }
            assertThat(all).containsExactly(setting.networkAt(theta).parameters(), within(1e-14));
        }
    }

    @Test
    void ofATransformerTheSiteIsThere() throws IOException {
        ModelSetting setting = (ModelSetting) setting("neox-layer6-8");
        try (SafetensorsFile base = kept(setting)) {
            double[] theta = random(16);
            double[] plain = moving(base, theta);
            assertThat(plain).containsExactly(setting.site().orElseThrow().toPlain(theta), within(1e-14));
            assertThat(base.tensor("tokens").toLongs()).hasSize(8);
            String[] parts = base.metadata().getOrDefault("moving", "").split("; ", -1);
            assertThat(parts)
                    .containsExactlyElementsOf(setting.modelSite().orElseThrow().places())
                    .startsWith("gpt_neox.layers.6.mlp.dense_h_to_4h.weight row "
                            + base.tensor("site.moving_units").toLongs()[0]);
            assertThat(base.metadata()).containsEntry("activation", "gelu");
            assertThat(base.names()).noneMatch(name -> name.startsWith("network."));
        }
    }

    @Test
    void theSameTaskMakesTheSameBytes() throws IOException {
        RunBase.keep(setting("sigmoid-k2"), folder);
        byte[] first = Files.readAllBytes(folder.resolve("base.safetensors"));
        Files.delete(folder.resolve("base.safetensors"));
        RunBase.keep(setting("sigmoid-k2"), folder);
        assertThat(folder.resolve("base.safetensors")).hasBinaryContent(first);
        RunBase.keep(setting("sigmoid-k2"), folder);
        assertThat(folder.resolve("base.safetensors")).hasBinaryContent(first);
    }

    /** The checkpoint of a run is trained further while the run waits. */
    @Test
    void weightsThatChangedSinceAreRefused() throws IOException {
        Path checkpoint = folder.resolve("net.safetensors");
        Path run = Files.createDirectory(folder.resolve("run"));
        write(checkpoint, 1.0);
        RunBase.keep(stored(), run);
        RunBase.require(stored(), run);
        write(checkpoint, Math.nextUp(1.0));
        Setting changed = stored();
        assertThatThrownBy(() -> RunBase.require(changed, run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(
                        ".*base\\.safetensors: the weights in .*net\\.safetensors are not those that the run was made with: SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}; put the file back, or give another --out");
        assertThatThrownBy(() -> RunBase.keep(changed, run)).hasMessageContaining("the weights in");
        RunBase.require(changed, folder); // a folder of the first versions
    }

    private Setting stored() throws IOException {
        String text = """
                name: stored
                network: {checkpoint: net.safetensors, activation: tanh}
                data: {gaussian: 2}
                support: {all: true}
                points: {deviation: 0.1}
                """;
        return Setting.of(TaskFile.parse("task.yaml", text, Map.of()).resolved(folder), folder);
    }

    private static void write(Path file, double number) throws IOException {
        new SafetensorsWriter()
                .add("0.weight", Matrix.of(2, 1, number, 0.5))
                .add("2.weight", Matrix.of(1, 2, 0.7, -0.2))
                .saveTo(file);
    }
}
