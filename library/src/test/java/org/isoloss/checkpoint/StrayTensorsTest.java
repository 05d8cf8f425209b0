package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No tensor of a file is passed over in silence. */
class StrayTensorsTest {
    @TempDir
    Path folder;

    /** A tensor to be written. */
    private record Part(Shape shape, boolean whole) {}

    private static Part floats(long... sizes) {
        return new Part(Shape.of(sizes), false);
    }

    private Path save(Map<String, Part> parts, boolean npz) throws IOException {
        Path file = folder.resolve(npz ? "x.npz" : "x.safetensors");
        var safetensors = new SafetensorsWriter();
        var arrays = new NpzWriter();
        for (var entry : parts.entrySet()) {
            String name = entry.getKey();
            Shape shape = entry.getValue().shape();
            int count = (int) shape.count();
            if (entry.getValue().whole()) {
                safetensors.add(name, shape, new long[count]);
                arrays.add(name, shape, new long[count]);
            } else {
                safetensors.add(name, shape, new float[count]);
                arrays.add(name, shape, new float[count]);
            }
        }
        if (npz) {
            arrays.saveTo(file);
        } else {
            safetensors.saveTo(file);
        }
        return file;
    }

    /** Widths 4, 3, 2 with a place for a norm between, as ("0.weight", "3.weight"). */
    private static SequencedMap<String, Part> sequential() {
        var parts = new LinkedHashMap<String, Part>();
        parts.put("0.weight", floats(3, 4));
        parts.put("0.bias", floats(3));
        parts.put("3.weight", floats(2, 3));
        parts.put("3.bias", floats(2));
        return parts;
    }

    private String refusal(Map<String, Part> parts, List<String> layers) throws IOException {
        Path file = save(parts, false);
        try {
            DenseLayers read = layers.isEmpty()
                    ? SequentialCheckpoint.read(file)
                    : SequentialCheckpoint.readNamed(file, layers, LeftAside.NONE);
            throw new AssertionError("read " + read.widths());
        } catch (CheckpointFormatException e) {
            return String.valueOf(e.getMessage()).substring(file.toString().length() + 2);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.weight | 3 | looks like the scale of a normalisation between '0.weight' and '3.weight'; isoloss computes linear",
                "4.gamma | 2 | looks like the scale of a normalisation after '3.weight'; isoloss computes linear layers",
                "1.running_var | 3 | holds running statistics of a batch normalisation between '0.weight' and '3.weight'; isoloss",
                "2.weight | 1 | looks like the slope of a PReLU between '0.weight' and '3.weight'; isoloss computes one activation",
                "1.beta | 3 | has no weight beside it, and no layer lacks a bias of this length; what is no part",
                "0.weight_g | 3 | is part of a reparametrised weight; make it plain before it is saved: torch.nn.utils.param",
                "0.weight_mask | 3 | is part of a pruned weight; make it plain before it is saved: torch.nn.utils.prune.remove",
                "0.lora_A | 3 | is part of a low-rank adapter; merge the adapter before it is saved",
                "critic | 7 | is neither a weight nor a bias of the layers; what is no part of the function is left aside with"
            })
    void whatItLooksLikeIsSaid(String name, long length, String looks) throws IOException {
        var parts = sequential();
        parts.put(name, floats(length));
        String start = "a tensor is not used: '%s' of shape (%d) %s".formatted(name, length, looks);
        assertThat(refusal(parts, List.of())).startsWith(start);
        assertThat(refusal(parts, List.of("0.weight", "3.weight")))
                .startsWith(start)
                .endsWith("is left aside with --ignore " + name + " (in a task network.ignore)");
    }

    @Test
    void aBatchNormalisationIsNamedAsAWhole() throws IOException {
        var parts = sequential();
        for (String name : List.of("1.weight", "1.bias", "1.running_mean", "1.running_var")) {
            parts.put(name, floats(3));
        }
        parts.put("1.num_batches_tracked", new Part(Shape.of(), true));
        assertThat(refusal(parts, List.of()))
                .isEqualTo("5 tensors are not used: '1.num_batches_tracked' of shape () counts the batches of a batch"
                        + " normalisation between '0.weight' and '3.weight'; '1.weight' of shape (3) looks like the scale"
                        + " of a normalisation between '0.weight' and '3.weight'; '1.bias' of shape (3) looks like the"
                        + " shift of a normalisation between '0.weight' and '3.weight', and 2 more; isoloss computes"
                        + " linear layers with one activation between them, and nothing else; a batch normalisation in"
                        + " eval mode can be folded into the layer before it; what is no part of the function is left"
                        + " aside with --ignore 1.num_batches_tracked,1.weight,1.bias,... (in a task network.ignore)");
    }

    @Test
    void biasesOfOtherNamesAreNamedByTheMessageAndThenRead() throws IOException {
        var parts = new LinkedHashMap<String, Part>();
        parts.put("W1", floats(2, 2));
        parts.put("W2", floats(2, 2));
        parts.put("b2", floats(2));
        parts.put("b1", floats(2));
        assertThat(refusal(parts, List.of("W1", "W2")))
                .isEqualTo(
                        "2 tensors are not used: 'b2' of shape (2) looks like the bias of 'W2'; 'b1' of shape (2) looks"
                                + " like the bias of 'W1'; name the biases too: --layers W1+b1,W2+b2 (in a task network.names);"
                                + " what is no part of the function is left aside with --ignore b2,b1 (in a task network.ignore)");
        DenseLayers read = SequentialCheckpoint.readNamed(save(parts, true), List.of("W1+b1", "W2+b2"), LeftAside.NONE);
        assertThat(read.values().keySet()).containsExactly("W1", "b1", "W2", "b2");
        assertThat(refusal(parts, List.of("W1+b3", "W2+b2"))).contains("'b3'");
    }

    /** A bias that a task denies by leaving out its name. */
    @Test
    void aBiasThatIsNotNamedIsMissed() throws IOException {
        Path file = save(sequential(), false);
        var names = List.of(new LayerNames("0.weight", null, false), new LayerNames("3.weight", "3.bias", false));
        assertThatThrownBy(() -> SequentialCheckpoint.read(file, names))
                .hasMessageStartingWith(
                        file + ": a tensor is not used: '0.bias' of shape (3) looks like the bias of '0.weight'; name");
    }

    @Test
    void aSecondNetworkIsLeftAsideOnlyWhenAsked() throws IOException {
        var parts = sequential();
        parts.put("critic.0.weight", floats(3, 4));
        parts.put("critic.0.bias", floats(3));
        assertThat(refusal(parts, List.of()))
                .startsWith("2 tensors are not used: 'critic.0.weight' of shape (3, 4) looks like the weight of another"
                        + " layer; 'critic.0.bias' of shape (3)");
        Path file = save(parts, false);
        DenseLayers read = SequentialCheckpoint.read(file, List.of(), new LeftAside(List.of("critic.*")));
        assertThat(read.leftAside()).containsExactly("critic.0.weight", "critic.0.bias");
        assertThat(read.widths()).containsExactly(4, 3, 2);
        DenseLayers critic = SequentialCheckpoint.readNamed(
                file, List.of("critic.0.weight"), new LeftAside(List.of("*"))); // what is named is not left aside
        assertThat(critic.widths()).containsExactly(4, 3);
        assertThat(critic.leftAside()).containsExactly("0.weight", "0.bias", "3.weight", "3.bias");
        assertThatThrownBy(() -> SequentialCheckpoint.readNamed(
                        file, List.of("critic.0.weight"), new LeftAside(List.of("*", "critic.0.weight"))))
                .hasMessage(file + ": tensor 'critic.0.weight' is named both for a layer and to be left aside");
        assertThatThrownBy(() -> SequentialCheckpoint.read(file, List.of(), new LeftAside(List.of("*"))))
                .hasMessage(file + ": holds no tensors that are not left aside, expected a dense network");
    }

    @ParameterizedTest
    @ValueSource(strings = {"module.", "_orig_mod.", "module._orig_mod."})
    void theNamesOfAWrapperAreTheFiles(String wrapper) throws IOException {
        var parts = new LinkedHashMap<String, Part>();
        sequential().forEach((name, part) -> parts.put(wrapper + name, part));
        Path file = save(parts, false);
        List<String> names =
                List.of(wrapper + "0.weight", wrapper + "0.bias", wrapper + "3.weight", wrapper + "3.bias");
        assertThat(SequentialCheckpoint.read(file).values().keySet()).containsExactlyElementsOf(names);
        assertThat(SequentialCheckpoint.readNamed(file, List.of("0.weight", "3.weight"), LeftAside.NONE)
                        .values()
                        .keySet())
                .containsExactlyElementsOf(names);
        parts.put("0.weight", floats(3, 4));
        Path both = save(parts, false);
        assertThatThrownBy(() -> SequentialCheckpoint.read(both)).hasMessageContaining(wrapper);
    }

    @Test
    void filesThatAreMoreThanTheirTensorsAreRefused() throws IOException {
        Path onnx = Files.write(
                folder.resolve("x.onnx"),
                new OnnxBytes().weights("0.weight", new float[] {1, 2}, 1, 2).bytes());
        assertThatThrownBy(() -> SequentialCheckpoint.read(onnx))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageContaining("a dense network is read from one safetensors or npz file:");
        Path file = save(sequential(), false);
        Files.delete(onnx);
        assertThatThrownBy(() -> SequentialCheckpoint.read(folder))
                .hasMessage(folder + ": is a folder; a dense network is read from one safetensors or npz file, such as "
                        + file);
    }

    /** Hundreds of files, each a network that is read and one tensor more that is not. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneTensorMoreIsRefusedByName(boolean npz) throws IOException {
        for (long seed = 0; seed < 300; seed++) {
            var random = new SplittableRandom(seed);
            boolean named = random.nextBoolean();
            SequencedMap<String, Part> parts = new LinkedHashMap<>();
            List<String> layers = network(random, named, parts);
            String stray = stray(random, parts);
            Path whole = save(parts, npz);
            read(whole, layers, LeftAside.NONE);
            Part part = part(random);
            parts.put(stray, part);
            Path file = save(parts, npz);
            assertThatThrownBy(() -> read(file, layers, LeftAside.NONE))
                    .as("seed %d, %s of shape %s in %s", seed, stray, part.shape(), parts.keySet())
                    .isInstanceOf(CheckpointFormatException.class)
                    .hasMessageContaining("'" + stray + "'");
            assertThat(read(file, layers, new LeftAside(List.of(stray))).leftAside())
                    .containsExactly(stray);
        }
    }

    private static DenseLayers read(Path file, List<String> layers, LeftAside aside) throws IOException {
        return layers.isEmpty()
                ? SequentialCheckpoint.read(file, List.of(), aside)
                : SequentialCheckpoint.readNamed(file, layers, aside);
    }

    /** Adds one to four layers; returns their names where they are not those of a Sequential. */
    private static List<String> network(SplittableRandom random, boolean named, Map<String, Part> parts) {
        int count = random.nextInt(1, 5);
        int width = random.nextInt(1, 6);
        int position = 0;
        List<String> layers = new ArrayList<>();
        for (int layer = 0; layer < count; layer++) {
            int out = random.nextInt(1, 6);
            boolean bias = random.nextBoolean();
            String weight = named ? "W" + layer : position + ".weight";
            String beside = named ? "b" + layer : position + ".bias";
            parts.put(weight, floats(out, width));
            if (bias) {
                parts.put(beside, floats(out));
            }
            if (named) {
                layers.add(bias ? weight + "+" + beside : weight);
            }
            width = out;
            position += random.nextInt(1, 4);
        }
        return layers;
    }

    private static String stray(SplittableRandom random, Map<String, Part> parts) {
        String[] names = {
            "%d.gamma", "%d.running_mean", "%d.running_var", "%d.num_batches_tracked", "norm%d.weight", "norm%d.bias",
                    "c%d",
            "bias%d", "prelu%d.weight", "act.%d.alpha", "critic.%d.weight", "mask%d", "%d.weight_g", "fc%d/kernel:0",
            "step%d", "%d.scale", "x%d.lora_A.weight"
        };
        String name;
        do {
            name = names[random.nextInt(names.length)].formatted(random.nextInt(8));
        } while (parts.containsKey(name));
        return name;
    }

    private static Part part(SplittableRandom random) {
        long[] sizes = new long[random.nextInt(4)];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = random.nextInt(1, 6);
        }
        return new Part(Shape.of(sizes), random.nextInt(5) == 0);
    }
}
