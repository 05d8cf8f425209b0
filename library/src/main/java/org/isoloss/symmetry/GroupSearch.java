package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;
import java.util.stream.Collectors;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;

/**
 * Finds the groups that act on the parts of a model: for each part the Lie groups of its blocks, as far as parameters take them up,
 * then the orders of equal blocks and signs. Each is verified on the outputs.
 */
final class GroupSearch {
    private final Moving moving;
    private final ValueCut cut;
    private final long seed;
    private final SequencedMap<Value, GaugePoint> points = new LinkedHashMap<>();
    private final GaugeAction action;
    private final List<Map<String, double[]>> samples;
    private final List<Map<String, double[]>> inputs;
    private final OutputChange outputs;
    private final ActingAlgebra fields;
    private final AbsorbedAlgebra absorbed;
    private final IdentityHashMap<Map<Value, int[]>, Completion> completions = new IdentityHashMap<>();
    private final List<GroupFactor> factors = new ArrayList<>();
    private final List<SymmetryFamily> families = new ArrayList<>();
    private final List<SymmetryFamily> refuted = new ArrayList<>();
    private int wideBlocks;

    /**
     * Where a block was found.
     *
     * @param search of its part
     * @param index of the block
     */
    private record Completion(BlockSearch search, int index) {}

    /**
     * Searches.
     *
     * @param model with static shapes
     * @param seed of all draws
     * @param watcher is told now and then what share of the work is done, 0 to 1
     */
    GroupSearch(Model model, long seed, DoubleConsumer watcher) {
        this.moving = Moving.all(model).reaching(model.outputs().values());
        this.cut = new ValueCut(model);
        this.seed = seed;
        List<Part> parts =
                cut.links().stream().map(link -> new Part(model, cut, link)).toList();
        this.samples = RandomInputs.of(model, Symmetries.few(cut, model), seed);
        readPoints();
        this.action = new GaugeAction(moving, cut, List.copyOf(points.values()), samples.getFirst());
        this.inputs = RandomInputs.of(model, Symmetries.draws(cut, model), seed);
        this.outputs = new OutputChange(moving, inputs);
        int numbers = model.outputs().values().stream()
                .mapToInt(output -> output.shape().count())
                .sum();
        this.fields = new ActingAlgebra(points, action);
        this.absorbed = new AbsorbedAlgebra(
                points, action, count -> new OutputChange(moving, RandomInputs.of(model, 1 + count / numbers, seed)));
        Map<Value, double[]> weights = weights(samples.getFirst());
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            if (!part.moved().isEmpty()) {
                var search = new BlockSearch(part, points, weights, samples, seed);
                for (int index = 0; index < part.blocks().blocks().size(); index++) {
                    completions.put(part.blocks().blocks().get(index), new Completion(search, index));
                }
                var classes = new BlockClasses(part, points, samples, seed);
                addContinuous(search.found(classes.equal()));
                addClassical(part, search, weights);
                addFinite(part, classes);
            }
            watcher.accept((i + 1.0) / parts.size());
        }
    }

    private void readPoints() {
        List<Value> values = List.copyOf(cut.channels().keySet());
        List<double[]> numbers = moving.model().computed(values, samples);
        for (int i = 0; i < values.size(); i++) {
            Value value = values.get(i);
            points.put(
                    value,
                    new GaugePoint(value, Objects.requireNonNull(cut.channels().get(value)), numbers.get(i)));
        }
    }

    private Map<Value, double[]> weights(Map<String, double[]> sample) {
        List<Value> used = cut.uses().stream()
                .filter(use -> use.kind() == ParameterUse.Kind.SCALE)
                .map(ParameterUse::weight)
                .distinct()
                .toList();
        List<double[]> numbers = moving.model().computed(used, List.of(sample));
        Map<Value, double[]> weights = new LinkedHashMap<>();
        for (int i = 0; i < used.size(); i++) {
            weights.put(used.get(i), numbers.get(i));
        }
        return weights;
    }

    /** Blocks of the same shape with as many dimensions are one factor. */
    private static List<List<LinkAlgebra.Block>> alike(List<LinkAlgebra.Block> blocks) {
        Map<List<Object>, List<LinkAlgebra.Block>> alike = new LinkedHashMap<>();
        for (LinkAlgebra.Block block : blocks) {
            List<Object> shape = new ArrayList<>(List.of(block.basis().size()));
            block.channels().forEach((value, channels) -> {
                shape.add(value);
                shape.add(channels.length);
            });
            if (!block.basis().isEmpty()) {
                alike.computeIfAbsent(shape, _ -> new ArrayList<>()).add(block);
            }
        }
        return List.copyOf(alike.values());
    }

    private void addContinuous(List<LinkAlgebra.Block> blocks) {
        for (List<LinkAlgebra.Block> some : alike(blocks)) {
            for (List<LinkAlgebra.Block> own : alike(fields.acting(some))) {
                if (!add(own)) {
                    alike(fields.acting(absorbed.of(own))).forEach(this::add);
                }
            }
        }
    }

    private boolean add(List<LinkAlgebra.Block> some) {
        GroupName one = name(some.getFirst());
        String group = some.size() == 1 ? one.group() : GroupName.power(bracketed(one.group()), some.size());
        return add(new GroupFactor.Continuous(some), one.kind(), group, "");
    }

    private void addClassical(Part part, BlockSearch search, Map<Value, double[]> weights) {
        Map<List<Object>, List<WideBlock.Found>> alike = new LinkedHashMap<>();
        for (int index = 0; index < part.blocks().blocks().size(); index++) {
            if (part.isWide(index)) {
                wideBlocks++;
                for (WideBlock.Found found :
                        new WideBlock(part, search, index, weights, points).found(new SplittableRandom(seed))) {
                    alike.computeIfAbsent(
                                    List.of(found.classical(), found.roles(), found.dimension()),
                                    _ -> new ArrayList<>())
                            .add(found);
                }
            }
        }
        alike.values().forEach(some -> {
            String one = some.getFirst().group();
            String group = some.size() == 1 ? one : GroupName.power(bracketed(one), some.size());
            add(new GroupFactor.Classical(some), some.getFirst().classical().kind(), group, "");
        });
    }

    private static String bracketed(String group) {
        return group.matches("[A-Z]+\\(\\d+\\)") ? group : "(" + group + ")";
    }

    /** By what the algebra does to one value, or to several, where each adds a factor of its own. */
    private static GroupName name(LinkAlgebra.Block block) {
        int dimension = block.basis().size();
        List<Value> values = new ArrayList<>(block.channels().keySet());
        Comparator<Value> larger = Comparator.comparingInt(value -> -rank(block, List.of(value)));
        values.sort(larger.thenComparingInt(
                value -> Objects.requireNonNull(block.channels().get(value)).length));
        List<Value> named = new ArrayList<>(List.of(values.getFirst()));
        int sum = rank(block, named);
        for (Value value : values) {
            List<Value> more = new ArrayList<>(named);
            more.add(value);
            int own = rank(block, List.of(value));
            if (sum < dimension && own > 0 && !named.contains(value) && rank(block, more) == sum + own) {
                named = more;
                sum += own;
            }
        }
        List<GroupName> names = named.stream()
                .map(value -> GroupName.of(
                        block.basis().stream()
                                .map(element -> Objects.requireNonNull(element.get(value)))
                                .toList(),
                        Matrix.identity(Objects.requireNonNull(block.channels().get(value)).length)))
                .toList();
        if (sum < dimension) {
            return new GroupName("changes of basis", "Lie group of dimension %d".formatted(dimension), false);
        }
        return names.size() == 1
                ? names.getFirst()
                : new GroupName(
                        "changes of basis",
                        names.stream().map(GroupName::group).collect(Collectors.joining(" x ")),
                        false);
    }

    /** How many dimensions of the algebra move some of the values. */
    private static int rank(LinkAlgebra.Block block, List<Value> values) {
        return GroupName.rank(block.basis().stream()
                .map(element -> values.stream()
                        .flatMapToDouble(value -> Arrays.stream(
                                Objects.requireNonNull(element.get(value)).entries()))
                        .toArray())
                .toList());
    }

    private void addFinite(Part part, BlockClasses classes) {
        List<SequencedMap<Value, int[]>> blocks = part.blocks().blocks();
        for (List<Integer> equal : classes.equal()) {
            add(
                    new GroupFactor.Permutations(equal.stream().map(blocks::get).toList()),
                    "permutations",
                    "S_" + equal.size(),
                    equal.size() + "!");
        }
        List<List<Map<Value, Integer>>> signs = classes.signs();
        Map<Map<Value, Integer>, List<Integer>> byPattern = new LinkedHashMap<>();
        for (int index = 0; index < signs.size(); index++) {
            for (Map<Value, Integer> pattern : signs.get(index)) {
                byPattern.computeIfAbsent(pattern, _ -> new ArrayList<>()).add(index);
            }
        }
        byPattern.forEach((pattern, own) -> add(
                new GroupFactor.Signs(pattern, own.stream().map(blocks::get).toList()),
                "signs",
                GroupName.power("Z_2", own.size()),
                "2^" + own.size()));
    }

    private boolean add(GroupFactor factor, String name, String group, String discrete) {
        double[] moved = action.moved(new ElementDraw(points, action, 1).of(List.of(factor), seed));
        double change = outputs.of(moved);
        double[] own = moving.origin();
        Arrays.setAll(moved, i -> moved[i] - own[i]);
        List<String> tensors = FamilyWords.tensors(moving, Matrix.over(moved.length, 1, moved));
        if (tensors.isEmpty()) {
            return true;
        }
        SymmetryFamily family = new SymmetryFamily(
                name,
                FamilyWords.layer(tensors),
                group,
                factor.dimension(),
                factor.dimension(),
                discrete,
                tensors,
                change,
                FamilyWords.conserved(name));
        boolean isExact = change <= Symmetries.EXACT;
        if (isExact) {
            factors.add(factor);
            families.add(family);
        } else {
            refuted.add(family);
        }
        return isExact;
    }

    Moving moving() {
        return moving;
    }

    /** The inputs on which factors are verified. */
    List<Map<String, double[]>> inputs() {
        return inputs;
    }

    /** Several times more inputs than a value has channels. */
    List<Map<String, double[]>> samples() {
        return samples;
    }

    /** The values that elements may move. */
    SequencedMap<Value, GaugePoint> points() {
        return points;
    }

    /** Finite maps of a block's channels of what goes into its part, with those of what comes out. */
    Map<Value, Affine> completed(Map<Value, int[]> block, Map<Value, Affine> given) {
        Completion completion = Objects.requireNonNull(completions.get(block));
        return completion.search().completedFar(completion.index(), given);
    }

    ValueCut cut() {
        return cut;
    }

    GaugeAction action() {
        return action;
    }

    OutputChange outputs() {
        return outputs;
    }

    /** Where the groups act. */
    SymmetryMap map() {
        List<Map.Entry<SymmetryFamily, Set<Value>>> acting = new ArrayList<>();
        for (int i = 0; i < factors.size(); i++) {
            acting.add(Map.entry(families.get(i), factors.get(i).values()));
        }
        return SymmetryMap.of(moving, cut, acting);
    }

    /** The groups that are verified. */
    List<GroupFactor> factors() {
        return factors;
    }

    /** Each of {@link #factors} in words. */
    List<SymmetryFamily> families() {
        return families;
    }

    /** What goes through a part and not through the parameters. */
    List<SymmetryFamily> refuted() {
        return refuted;
    }

    /** How many blocks are too wide for a linear system. */
    int wideBlocks() {
        return wideBlocks;
    }
}
