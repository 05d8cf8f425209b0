package org.isoloss.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.isoloss.checkpoint.Tying;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ChannelSpace;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.isoloss.source.HuggingFaceFolder;
import org.isoloss.stream.StreamPlan.Kind;
import org.isoloss.symmetry.RandomInputs;
import org.isoloss.task.ModelTransform;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class StreamPlanTest {
    private static final double EXACT = 1e-12;
    private static final int WIDTH = 12;

    private static double change(Model model, Map<String, Numbers> tensors) {
        return ModelTransform.change(model, model.reading(tensors), RandomInputs.of(model, 3, 1));
    }

    private static double[] numbers(Map<String, Numbers> tensors, String name) {
        return Objects.requireNonNull(tensors.get(name)).asFloat64();
    }

    /** A residual stream with two norms, of which the second one's branch has biases. */
    private static final class Network {
        private final ModelBuilder builder = Model.builder();
        private final Layers layers = new Layers(builder);
        private final SplittableRandom random = new SplittableRandom(5);

        Value parameter(String name, int... sizes) {
            Dimensions shape = Dimensions.of(sizes);
            double[] numbers = new double[shape.count()];
            Arrays.setAll(numbers, _ -> random.nextGaussian());
            return builder.parameter(name, shape, Numbers.of(numbers));
        }

        Value stream() {
            Value input = builder.input("x", 5, 4);
            return layers.linear(input, parameter("in", WIDTH, 4), parameter("in bias", WIDTH));
        }

        Value branch(Value stream, Value normed, String name, boolean biased) {
            Value up = layers.linear(
                    normed, parameter(name + " up", 7, WIDTH), biased ? parameter(name + " up bias", 7) : null);
            Value hidden = builder.apply(org.isoloss.network.Activation.GELU, up);
            return builder.plus(stream, layers.linear(hidden, parameter(name + " down", WIDTH, 7), null));
        }

        Model model(Value stream) {
            Value last = layers.rmsNorm(stream, 1, parameter("last", WIDTH), 1e-5);
            builder.output("y", layers.linear(last, parameter("head", 3, WIDTH), null));
            return builder.build();
        }
    }

    private static Model layerNorms() {
        var net = new Network();
        Value stream = net.stream();
        Value normed =
                net.layers.layerNorm(stream, 1, net.parameter("scale", WIDTH), net.parameter("shift", WIDTH), 1e-5);
        return net.model(net.branch(stream, normed, "first", true));
    }

    private static Model rmsNorms() {
        var net = new Network();
        Value stream = net.stream();
        return net.model(
                net.branch(stream, net.layers.rmsNorm(stream, 1, net.parameter("scale", WIDTH), 1e-5), "first", false));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void foldedAndTurnedComputesTheSame(Kind kind) {
        for (Model model : List.of(layerNorms(), rmsNorms())) {
            StreamPlan plan = new StreamPlan(model).foldNorms().rotate(kind, 3);
            SequencedMap<String, Numbers> tensors = plan.tensors(plan.element());
            assertThat(plan.folded()).isEqualTo(2);
            assertThat(plan.turned()).isEqualTo(1);
            assertThat(change(model, tensors)).isLessThan(EXACT);
            double[] before = model.numbers("head");
            assertThat(numbers(tensors, "head")).isNotEqualTo(before);
            for (double factor : numbers(tensors, "scale")) {
                assertThat(factor).isCloseTo(1, within(1e-12));
            }
            Model moved = model.reading(tensors);
            SequencedMap<String, Numbers> back = new StreamPlan(moved)
                    .tensors(StreamElement.of(plan.element().arrays()).inverse());
            model.parameters()
                    .keySet()
                    .forEach(name -> assertThat(moved.reading(back).numbers(name))
                            .as(name)
                            .containsExactly(model.numbers(name), within(1e-12)));
        }
    }

    /** Each change alone is seen: one tensor left as it was, and the outputs move. */
    @Test
    void everyTensorOfTheElementIsNeeded() {
        Model model = layerNorms();
        StreamPlan plan = new StreamPlan(model).foldNorms().rotate(Kind.HADAMARD, 3);
        SequencedMap<String, Numbers> tensors = plan.tensors(plan.element());
        assertThat(tensors.keySet())
                .containsExactlyInAnyOrder(
                        "in", "in bias", "scale", "shift", "first up", "first up bias", "first down", "last", "head");
        for (String left : tensors.keySet()) {
            SequencedMap<String, Numbers> others = new LinkedHashMap<>(tensors);
            others.remove(left);
            assertThat(change(model, others)).as(left).isGreaterThan(1e-4);
        }
    }

    @Test
    void shiftIsFoldedWhereTheReaderHasABias() {
        Model model = layerNorms();
        StreamPlan plan = new StreamPlan(model).foldNorms();
        assertThat(numbers(plan.tensors(plan.element()), "shift")).containsOnly(0.0);
        assertThat(plan.staying()).isEmpty();
    }

    /** A layer norm takes the mean away, so a rotation keeps ones; an RMS norm does not ask for that. */
    @Test
    void meanKeepsOnes() {
        List<ChannelSpace> centred = ChannelSpace.of(layerNorms());
        List<ChannelSpace> square = ChannelSpace.of(rmsNorms());
        assertThat(centred.stream().filter(ChannelSpace::isResidual))
                .singleElement()
                .satisfies(space -> {
                    assertThat(space.fixesOnes()).isTrue();
                    assertThat(space.obstacle()).isEmpty();
                    assertThat(space.isLinear()).isFalse();
                });
        assertThat(square.stream().filter(ChannelSpace::isResidual))
                .singleElement()
                .satisfies(space -> assertThat(space.fixesOnes()).isFalse());
    }

    @Test
    void whatIsReadByAFunctionIsNotTurned() {
        var net = new Network();
        Value stream = net.stream();
        Value added = net.builder.plus(stream, net.builder.apply(org.isoloss.network.Activation.TANH, stream));
        Model model = net.model(added);
        assertThatThrownBy(() -> new StreamPlan(model).foldNorms().rotate(Kind.RANDOM, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is a function of each channel");
    }

    /** Factors that differ stay, and what they make turns between them and their inverses. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void streamsTurnWithoutFolding(Kind kind) {
        for (Model model : List.of(layerNorms(), rmsNorms())) {
            StreamPlan plan = new StreamPlan(model).rotate(kind, 3);
            SequencedMap<String, Numbers> tensors = plan.tensors(plan.element());
            assertThat(tensors).doesNotContainKeys("scale", "last").containsKeys("in", "first up", "head");
            assertThat(change(model, tensors)).isLessThan(EXACT);
        }
    }

    /** A norm whose output is added to the stream is not folded, and the stream not turned. */
    @Test
    void normAfterTheBranchStays() {
        var net = new Network();
        Value stream = net.stream();
        Value branch = net.layers.linear(
                net.builder.apply(
                        org.isoloss.network.Activation.TANH,
                        net.layers.linear(stream, net.parameter("up", 7, WIDTH), null)),
                net.parameter("down", WIDTH, 7),
                null);
        Model model =
                net.model(net.builder.plus(stream, net.layers.rmsNorm(branch, 1, net.parameter("after", WIDTH), 1e-5)));
        StreamPlan plan = new StreamPlan(model).foldNorms();
        assertThat(plan.folded()).isEqualTo(1);
        assertThat(plan.staying())
                .singleElement()
                .satisfies(line -> assertThat(line).contains("'after'"));
        assertThat(change(model, plan.tensors(plan.element()))).isLessThan(EXACT);
        assertThatThrownBy(() -> plan.rotate(Kind.RANDOM, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "the factors 'after' differ from channel to channel, and what they make is added to it");
    }

    @Test
    void aFactorOfZeroStays() {
        Model model = rmsNorms();
        double[] scale = model.numbers("scale").clone();
        scale[2] = 0;
        StreamPlan plan = new StreamPlan(model.with(Map.of("scale", scale))).foldNorms();
        assertThat(plan.staying())
                .singleElement()
                .satisfies(line -> assertThat(line).contains("one of them is 0"));
    }

    static Stream<Path> families() throws IOException {
        Path folder = Path.of("src", "test", "resources", "org", "isoloss", "source");
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(path -> Files.exists(path.resolve("config.json"))).sorted().toList().stream();
        }
    }

    /** Of every family: norms folded and streams turned as far as the graph allows, or a reason; the outputs stay. */
    @ParameterizedTest
    @MethodSource("families")
    void everyFamilyComputesTheSame(Path folder) throws IOException {
        try (HuggingFaceFolder opened = HuggingFaceFolder.open(folder, Tying.UNTIED)) {
            Model model = opened.model(1, 6);
            var plan = new StreamPlan(model);
            int done = 0;
            try {
                plan.foldNorms();
                done++;
                plan.rotate(Kind.RANDOM, 2);
                done++;
            } catch (IllegalArgumentException e) {
                assertThat(e)
                        .hasMessageMatching(
                                "(no norm is folded|no residual stream is turned|the stream at .* is not turned): .*");
            }
            if (done == 2) {
                assertThat(change(model, plan.tensors(plan.element())))
                        .as(plan.staying().toString())
                        .isLessThan(1e-11);
            }
            boolean isTurned = List.of(
                            "llama",
                            "mistral",
                            "qwen2",
                            "qwen3",
                            "smollm3",
                            "phi3",
                            "gemma",
                            "gpt2",
                            "gpt_neo",
                            "gpt_neox",
                            "gptj",
                            "opt",
                            "stablelm",
                            "starcoder2")
                    .contains(opened.family());
            if (isTurned && !folder.endsWith("opt-after") && !folder.toString().contains("headless")) {
                assertThat(done).as(folder.toString()).isEqualTo(2);
            }
        }
    }

    @Test
    void hadamardMatricesAreOrthogonalWithEqualEntries() {
        for (int n : List.of(1, 2, 4, 8, 12, 20, 24, 28, 36, 48, 60, 64, 384, 576, 768, 896, 960)) {
            Matrix matrix =
                    HadamardRotation.drawn(n, false, new SplittableRandom(n)).matrix();
            assertThat(matrix.times(matrix.transpose())
                            .minus(Matrix.identity(n))
                            .largestMagnitude())
                    .as("size %d", n)
                    .isLessThan(1e-12);
            for (double entry : matrix.entries()) {
                assertThat(Math.abs(entry)).isCloseTo(1 / Math.sqrt(n), within(1e-12));
            }
        }
        assertThatThrownBy(() -> HadamardRotation.drawn(6, false, new SplittableRandom(1)))
                .hasMessageContaining("no Hadamard matrix of size 6");
    }

    @Test
    void rotationsKeepOnesWhereAsked() {
        for (Rotation rotation : List.of(
                HadamardRotation.drawn(24, true, new SplittableRandom(1)),
                DenseRotation.drawn(24, true, new SplittableRandom(1)))) {
            Matrix matrix = rotation.matrix();
            assertThat(matrix.times(matrix.transpose())
                            .minus(Matrix.identity(24))
                            .largestMagnitude())
                    .isLessThan(1e-12);
            double[] ones = new double[24];
            Arrays.fill(ones, 1);
            rotation.turn(ones, 1, false);
            assertThat(ones).containsOnly(new double[] {1}, within(1e-12));
            double[] drawn = new SplittableRandom(2).doubles(48).toArray();
            double[] back = drawn.clone();
            rotation.turn(back, 2, false);
            assertThat(Matrix.over(2, 24, back)
                            .minus(Matrix.over(2, 24, drawn).times(matrix.transpose()))
                            .largestMagnitude())
                    .isLessThan(1e-12);
            rotation.turn(back, 2, true);
            assertThat(back).containsExactly(drawn, within(1e-12));
        }
    }
}
