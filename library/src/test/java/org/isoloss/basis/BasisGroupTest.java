package org.isoloss.basis;

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
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.isoloss.basis.Subgroup.Change;
import org.isoloss.basis.Subgroup.Kind;
import org.isoloss.basis.Subgroup.Shift;
import org.isoloss.checkpoint.Tying;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Clamp;
import org.isoloss.model.FreeShift;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.source.HuggingFaceFolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class BasisGroupTest {
    private static final Path FOLDERS = Path.of("src", "test", "resources", "org", "isoloss", "source");

    static Stream<Path> families() throws IOException {
        try (Stream<Path> files = Files.list(FOLDERS)) {
            return files.filter(path -> Files.exists(path.resolve("config.json"))).sorted().toList().stream();
        }
    }

    private static BasisGroup group(Path folder) throws IOException {
        try (HuggingFaceFolder opened = HuggingFaceFolder.open(folder, Tying.UNTIED)) {
            Model model = opened.model(1, 6);
            SequencedMap<String, double[]> numbers = new LinkedHashMap<>(); // which a closed file no longer gives
            model.parameters().keySet().forEach(name -> numbers.put(name, model.numbers(name)));
            return new BasisGroup(model.with(numbers));
        }
    }

    private static BasisGroup group(String family) throws IOException {
        return group(FOLDERS.resolve(family));
    }

    private static double[] numbers(Model model, String tensor) {
        return model.numbers(tensor);
    }

    /** Tells whether all weights are the same, relative to the largest of each tensor. */
    private static void requireSame(Model one, Model other, double tolerance) {
        one.parameters().keySet().forEach(name -> {
            double[] expected = numbers(other, name);
            double size =
                    Math.max(1, Arrays.stream(expected).map(Math::abs).max().orElse(0));
            assertThat(numbers(one, name)).as(name).containsExactly(expected, within(tolerance * size));
        });
    }

    /**
     * Of every family, with heads that change places, grouped keys, rotary positions and shifts: the arrays give the same element, its
     * inverse takes the weights back from a group that is found of the moved weights, and the inverse of the inverse is the element.
     */
    @ParameterizedTest
    @MethodSource("families")
    void elementsGoToArraysAndBack(Path folder) throws IOException {
        BasisGroup group = group(folder);
        BasisElement element = group.drawn(group.parts(), 4);
        SequencedMap<String, Numbers> changed = group.tensors(element);
        assertThat(element.arrays())
                .isNotEmpty()
                .allSatisfy((name, _) -> assertThat(name).matches(".*/(matrices|orders|scales|signs|shift)"));
        SequencedMap<String, Numbers> again = group.tensors(group.element(element.arrays()));
        assertThat(List.copyOf(again.keySet())).isEqualTo(List.copyOf(changed.keySet()));
        Model moved = group.model().reading(changed);
        requireSame(group.model().reading(again), moved, 0);

        BasisGroup there = new BasisGroup(moved);
        BasisElement back = there.element(element.inverse().arrays());
        requireSame(moved.reading(there.tensors(back)), group.model(), 1e-9);
        assertThat(back.arrays().keySet()).allSatisfy(name -> assertThat(name).startsWith("inverse "));

        requireSame(group.model().reading(group.tensors(element.inverse().inverse())), moved, 1e-9);
        double farthest = changed.keySet().stream()
                .mapToDouble(name -> distance(numbers(moved, name), numbers(group.model(), name)))
                .max()
                .orElse(0);
        assertThat(farthest).isGreaterThan(0.01);
    }

    private static double distance(double[] one, double[] other) {
        double largest = 0;
        for (int i = 0; i < one.length; i++) {
            largest = Math.max(largest, Math.abs(one[i] - other[i]));
        }
        return largest;
    }

    /** What the test above is about is there. */
    @Test
    void headsAndGroupsAreNumberedByOthers() throws IOException {
        List<Subgroup> parts = group("llama").parts();
        assertThat(parts)
                .anySatisfy(part -> assertThat(part).isInstanceOfSatisfying(Change.class, change -> {
                    assertThat(change.channels().blocks()).isNotEmpty();
                    assertThat(change.channels().count()).isGreaterThan(1);
                }))
                .anySatisfy(part -> assertThat(part)
                        .isInstanceOfSatisfying(
                                Change.class,
                                change -> assertThat(change.kind()).isEqualTo(Kind.ORDERS)));
        assertThat(group("gpt2").parts())
                .hasAtLeastOneElementOfType(Shift.class)
                .anySatisfy(part -> assertThat(part)
                        .isInstanceOfSatisfying(
                                Change.class,
                                change -> assertThat(change.channels().fixesOnes())
                                        .isTrue()));
    }

    /** An inverse of other arrays, or applied to other weights, does not give the weights back. */
    @Test
    void inverseOfAnotherElementIsNone() throws IOException {
        BasisGroup group = group("llama");
        Model moved = group.model().reading(group.tensors(group.drawn(group.parts(), 4)));
        BasisGroup there = new BasisGroup(moved);
        Model back = moved.reading(there.tensors(
                there.element(group.drawn(group.parts(), 5).inverse().arrays())));
        String name = group.model().parameters().firstEntry().getKey();
        assertThat(distance(numbers(back, name), numbers(group.model(), name))).isGreaterThan(0.01);
    }

    /** A part of an element and a part of an inverse make neither. */
    @Test
    void halfAnInverseIsRefused() throws IOException {
        BasisGroup group = group("llama");
        BasisElement element = group.drawn(group.parts(), 4);
        SequencedMap<String, Matrix> arrays = new LinkedHashMap<>(element.arrays());
        arrays.pollLastEntry();
        var last = element.inverse().arrays().lastEntry();
        arrays.put(last.getKey(), last.getValue());
        assertThatThrownBy(() -> group.element(arrays))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the array '" + last.getKey())
                .hasMessageContaining("expected all names or none to begin with 'inverse'");
    }

    /** What a group does near the identity, a row for each of its directions, as long as 1: central differences of the weights. */
    private static Matrix fields(BasisGroup group, Subgroup part) {
        List<double[]> rows =
                part instanceof Change change ? SmallElements.of(group, change) : SmallElements.of(group, part);
        Matrix all = Matrix.zeros(rows.size(), rows.isEmpty() ? 0 : rows.getFirst().length);
        for (int i = 0; i < rows.size(); i++) {
            System.arraycopy(rows.get(i), 0, all.entries(), i * all.columns(), all.columns());
        }
        return all;
    }

    /** Another route to the rank: small elements, one after the other, span as many dimensions as are stated. */
    @ParameterizedTest
    @CsvSource({
        "bert",
        "gemma",
        "gemma2",
        "gemma3_text",
        "gpt2",
        "gpt_neo",
        "gptj",
        "llama",
        "llama-headless",
        "mistral",
        "olmo2",
        "opt",
        "opt-after",
        "qwen2",
        "qwen3",
        "roberta",
        "smollm3",
        "distilbert"
    })
    void ranksAreDimensionsOfWhatSmallElementsDo(String family) throws IOException {
        BasisGroup group = group(family);
        int sum = 0;
        Matrix all = Matrix.zeros(0, 0);
        for (Subgroup part : group.parts()) {
            if (part.dimension() > 0) {
                Matrix own = fields(group, part);
                assertThat(SmallElements.rank(own)).as(part.toString()).isEqualTo(group.rank(part));
                sum += group.rank(part) - part.shared();
                all = all.rows() == 0 ? own : below(all, own);
            }
        }
        assertThat(SmallElements.rank(all)).as("together").isEqualTo(sum);
    }

    private static Matrix below(Matrix upper, Matrix lower) {
        double[] entries = Arrays.copyOf(upper.entries(), upper.entries().length + lower.entries().length);
        System.arraycopy(lower.entries(), 0, entries, upper.entries().length, lower.entries().length);
        return Matrix.over(upper.rows() + lower.rows(), upper.columns(), entries);
    }

    private static BasisGroup group(Network net, org.isoloss.model.Value output) {
        net.builder.output("y", output);
        return new BasisGroup(net.builder.build());
    }

    private static final class Bottleneck {
        final Network net = new Network();

        /** From three inputs to three outputs through some channels, without biases. */
        BasisGroup through(int channels) {
            var input = net.builder.input("x", 4, 3);
            var inner = net.layers.linear(input, net.parameter("first", channels, 3), null);
            return group(net, net.layers.linear(inner, net.parameter("second", 3, channels), null));
        }
    }

    /** GL(5) on channels that come from three and go to three: 25 less the 2 x 2 that no weight sees. */
    @Test
    void channelsWiderThanTheModelHaveSmallerOrbits() {
        BasisGroup group = new Bottleneck().through(5);
        assertThat(group.parts()).singleElement().satisfies(part -> {
            assertThat(part.dimension()).isEqualTo(25);
            assertThat(group.rank(part)).isEqualTo(21);
            assertThat(SmallElements.rank(fields(group, part))).isEqualTo(21);
        });
        BasisGroup narrow = new Bottleneck().through(2);
        assertThat(narrow.rank(narrow.parts().getFirst())).isEqualTo(4);
    }

    /** A unit whose weights are all zero is scaled to what it is; a rotation of what is not there changes nothing. */
    @Test
    void whatIsZeroHasNoRank() {
        Network net = new Network();
        BasisGroup relu = group(net, net.hidden(net.builder.input("x", 4, 3), Clamp.RELU));
        Subgroup scales = relu.parts().stream()
                .filter(part -> part instanceof Change change && change.kind() == Kind.SCALES)
                .findFirst()
                .orElseThrow();
        assertThat(relu.rank(scales)).isEqualTo(4);
        SequencedMap<String, double[]> dead = new LinkedHashMap<>();
        Map.of("first.weight", 3, "first.bias", 1).forEach((name, width) -> {
            double[] numbers = relu.model().numbers(name).clone();
            Arrays.fill(numbers, width, 2 * width, 0);
            dead.put(name, numbers);
        });
        double[] second = relu.model().numbers("second.weight").clone();
        second[1] = 0;
        second[5] = 0;
        dead.put("second.weight", second);
        BasisGroup three = new BasisGroup(relu.model().with(dead));
        Subgroup fewer = three.parts().get(relu.parts().indexOf(scales));
        assertThat(three.rank(fewer)).isEqualTo(3);
        assertThat(SmallElements.rank(fields(three, fewer))).isEqualTo(3);
    }

    private static void refused(BasisGroup group, SequencedMap<String, Matrix> arrays, String message) {
        assertThatThrownBy(() -> group.element(arrays))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    /** The arrays of an element, one of which something has happened to. */
    private static void refused(BasisGroup group, String kind, Consumer<Matrix> broken, String message) {
        SequencedMap<String, Matrix> arrays = group.drawn(group.parts(), 2).arrays();
        String name = arrays.keySet().stream()
                .filter(own -> own.endsWith(kind))
                .findFirst()
                .orElseThrow();
        group.element(arrays);
        broken.accept(arrays.get(name));
        assertThatThrownBy(() -> group.element(arrays))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the array '" + name + "' of the element")
                .hasMessageContaining(message)
                .hasMessageNotContaining("\n");
    }

    @Test
    void brokenArraysAreRefused() throws IOException {
        BasisGroup llama = group("llama");
        BasisGroup gpt2 = group("gpt2");
        refused(llama, "/orders", orders -> orders.set(0, 0, orders.get(0, 1)), "names a channel twice in row 0");
        refused(llama, "/orders", orders -> orders.set(0, 0, -1), "is none of the channels 0 to");
        refused(llama, "/orders", orders -> orders.set(0, 0, 0.5), "is none of the channels 0 to");
        refused(llama, "/signs", signs -> signs.set(0, 0, 2), "has an entry 2.0, which is not 0 or 1");
        refused(llama, "/scales", scales -> scales.set(0, 0, Double.NaN), "which is not finite");
        refused(llama, "/matrices", matrices -> matrices.set(1, 0, Double.POSITIVE_INFINITY), "which is not finite");
        refused(gpt2, "/shift", shift -> shift.set(0, 0, Double.NaN), "which is not finite");
    }

    private static SequencedMap<String, Matrix> one(String name, Matrix array) {
        return new LinkedHashMap<>(Map.of(name, array));
    }

    @Test
    void arraysOfAnotherModelAreRefused() throws IOException {
        BasisGroup llama = group("llama");
        refused(
                llama,
                one("000 none/matrices", Matrix.identity(8)),
                "the element moves '000 none/matrices', and the model has");
        refused(llama, one("nothing", Matrix.identity(8)), "the element moves 'nothing', and the model has");
        BasisGroup gpt2 = group("gpt2");
        gpt2.drawn(gpt2.parts(), 2).arrays().forEach((name, array) -> {
            Matrix longer = Matrix.zeros(array.rows() + 1, array.columns());
            refused(gpt2, one(name, longer), "has shape (%d, %d), expected".formatted(longer.rows(), longer.columns()));
        });
        Network net = new Network();
        BasisGroup none = group(net, net.builder.input("x", 2, 2));
        refused(none, one("x/matrices", Matrix.identity(2)), "and the model has nothing that moves");
        assertThat(none.parts()).isEmpty();
        assertThat(none.tensors(none.drawn(none.parts(), 1))).isEmpty();
    }

    /** Each kind of shift names what it changes, and no more. */
    @ParameterizedTest
    @MethodSource("families")
    void shiftsNameTheTensorsThatTheyChange(Path folder) throws IOException {
        BasisGroup group = group(folder);
        for (Subgroup part : group.parts()) {
            if (part instanceof Shift(FreeShift shift)) {
                SequencedMap<String, Numbers> changed = group.tensors(group.drawn(List.of(part), 3));
                assertThat(group.tensors(part))
                        .as(shift.tensor())
                        .containsExactlyInAnyOrderElementsOf(changed.keySet());
            }
        }
    }
}
