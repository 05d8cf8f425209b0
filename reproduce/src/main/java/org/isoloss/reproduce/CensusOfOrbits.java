package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Clamp;
import org.isoloss.model.Model;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.report.Column;
import org.isoloss.reproduce.StudyCells.Cell;
import org.isoloss.reproduce.StudyCells.Work;
import org.isoloss.symmetry.CensusPoint;
import org.isoloss.symmetry.Symmetries;
import org.isoloss.task.DenseTraining;

/** What a batch adds when it is closed under a group, against what counting orbits predicts, and against a batch of the same size that is not. */
final class CensusOfOrbits {
    private static final List<Integer> ORBITS = List.of(1, 2, 4, 8);
    private static final int BATCH = 8;
    private static final int LEARNT = 160;
    private static final int STEPS = 2000;
    private static final double RATE = 1e-2;

    /** How many dimensions a closed batch sees: orbits, and the most that any batch sees. */
    private interface Prediction {
        int seen(int orbits, int most);
    }

    /** Draws or trains. */
    private interface Weights {
        IntFunction<Model> of(long seed);
    }

    /**
     * A network and a group that acts on its inputs.
     *
     * @param size of a generic orbit
     * @param period of the inputs that are drawn, where they are fixed by translations; their number of places otherwise
     * @param weights the network of a seed, for batches of any size
     */
    private record Case(
            CensusNetwork network,
            String name,
            String group,
            List<Matrix> elements,
            int size,
            int period,
            Prediction prediction,
            Weights weights) {
        Case(CensusNetwork network, String group, List<Matrix> elements, Prediction prediction) {
            this(
                    network,
                    network.name(),
                    group,
                    elements,
                    elements.size(),
                    network.inputs(),
                    prediction,
                    seed -> batch -> network.model(batch, seed));
        }

        Case withPeriod(int other, Prediction counted) {
            return new Case(
                    network, name, "%s, period %d".formatted(group, other), elements, other, other, counted, weights);
        }

        Case trained(boolean augmented) {
            return new Case(
                    network,
                    name + (augmented ? ", trained on turned inputs" : ", trained"),
                    group,
                    elements,
                    size,
                    period,
                    prediction,
                    seed -> trained(augmented, seed)::model);
        }

        /** A network that learnt what is invariant under the group: on a batch that is closed under it, or on as many inputs of which none is the image of another. */
        private DenseNetwork trained(boolean augmented, long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            int[] widths = {network.inputs(), network.features(), network.outputs()};
            DenseNetwork start = CensusNetwork.untrained(Activation.TANH, random.split(), widths);
            DenseNetwork teacher = CensusNetwork.untrained(Activation.TANH, random.split(), widths);
            Matrix inputs = augmented ? closed(drawn(LEARNT / size, random.split())) : drawn(LEARNT, random.split());
            Matrix wanted = Matrix.zeros(inputs.rows(), network.outputs());
            for (Matrix element : elements) {
                wanted = wanted.plus(teacher.outputs(teacher.parameters(), inputs.times(element.transpose()))
                        .scaled(1.0 / elements.size()));
            }
            DenseTraining training = new DenseTraining(start, inputs, wanted);
            training.runTo(STEPS, RATE);
            return training.network();
        }

        /** Inputs in general position among those of the period. */
        Matrix drawn(int count, SplittableRandom random) {
            Matrix some = Matrix.gaussian(count, period, random);
            Matrix inputs = Matrix.zeros(count, network.inputs());
            for (int row = 0; row < count; row++) {
                for (int place = 0; place < network.inputs(); place++) {
                    inputs.set(row, place, some.get(row, place % period));
                }
            }
            return inputs;
        }

        /** All images of the inputs, each once. */
        Matrix closed(Matrix representatives) {
            List<Matrix> images = elements.subList(0, size).stream()
                    .map(element -> representatives.times(element.transpose()))
                    .toList();
            Matrix all = Matrix.zeros(size * representatives.rows(), representatives.columns());
            for (int i = 0; i < size; i++) {
                double[] image = images.get(i).entries();
                System.arraycopy(image, 0, all.entries(), i * image.length, image.length);
            }
            return all;
        }
    }

    private static final List<Matrix> SIGNS =
            List.of(Matrix.identity(6), Matrix.identity(6).scaled(-1));
    private static final List<Matrix> TURNS = IntStream.range(0, 4)
            .mapToObj(turns -> moving(16, place -> turned(place, turns)))
            .toList();
    private static final List<Matrix> ORDERS =
            List.of(order(0, 1, 2), order(1, 2, 0), order(2, 0, 1), order(1, 0, 2), order(0, 2, 1), order(2, 1, 0));
    private static final List<Matrix> TRANSLATIONS = IntStream.range(0, 6)
            .mapToObj(shift -> moving(6, place -> (place + shift) % 6))
            .toList();

    private CensusOfOrbits() {}

    private static List<Case> cases() {
        CensusNetwork odd = CensusNetwork.dense("tanh 6-6-3, no biases", Activation.TANH, false, 6, 6, 3);
        CensusNetwork gelu = CensusNetwork.dense("GELU 6-6-3, no biases", Activation.GELU, false, 6, 6, 3);
        CensusNetwork relu = CensusNetwork.dense("ReLU 6-6-3, no biases", Clamp.RELU, false, 6, 6, 3);
        CensusNetwork plain = CensusNetwork.dense("tanh 6-6-3", Activation.TANH, true, 6, 6, 3);
        CensusNetwork picture = CensusNetwork.dense("tanh 16-4-3", Activation.TANH, true, 16, 4, 3);
        CensusNetwork turned = CensusNetwork.averaged("tanh 16-4-3, mean over turns", TURNS, 4, 3);
        CensusNetwork set = CensusNetwork.dense("tanh 3-6-2", Activation.TANH, true, 3, 6, 2);
        CensusNetwork ordered = CensusNetwork.averaged("tanh 3-6-2, mean over orders", ORDERS, 6, 2);
        CensusNetwork round = CensusNetwork.circular("circular convolution", 6, 6);
        Case image = new Case(picture, "quarter turns", TURNS, (orbits, most) -> picture.seen(4 * orbits, most));
        Case circle = new Case(round, "translations", TRANSLATIONS, (orbits, most) -> Math.min(most, 6 * orbits));
        return List.of(
                new Case(odd, "signs", SIGNS, odd::seen),
                new Case(gelu, "signs", SIGNS, (orbits, most) -> withLinear(gelu, orbits, most)),
                new Case(relu, "signs", SIGNS, (orbits, most) -> withLinear(relu, orbits, most)),
                new Case(plain, "signs", SIGNS, (orbits, most) -> plain.seen(2 * orbits, most)),
                new Case(turned, "quarter turns", TURNS, turned::seen),
                image,
                image.trained(false),
                image.trained(true),
                new Case(ordered, "orders", ORDERS, ordered::seen),
                new Case(set, "orders", ORDERS, (orbits, most) -> set.seen(6 * orbits, most)),
                circle,
                circle.withPeriod(3, (orbits, most) -> Math.min(most, 3 * orbits)),
                new Case(plain, "translations", TRANSLATIONS, (orbits, most) -> plain.seen(6 * orbits, most)));
    }

    /** The even part counts orbits; the difference of x and -x is that of the linear network, which sees what the orbits span. */
    private static int withLinear(CensusNetwork network, int orbits, int most) {
        return Math.min(most, network.seen(orbits, most) + network.outputs() * Math.min(orbits, network.inputs()));
    }

    private static Matrix moving(int places, IntUnaryOperator to) {
        Matrix matrix = Matrix.zeros(places, places);
        for (int place = 0; place < places; place++) {
            matrix.set(to.applyAsInt(place), place, 1);
        }
        return matrix;
    }

    private static Matrix order(int first, int second, int third) {
        int[] to = {first, second, third};
        return moving(3, place -> to[place]);
    }

    /** A place of a square of 4 x 4 after quarter turns. */
    private static int turned(int place, int turns) {
        int turned = place;
        for (int turn = 0; turn < turns; turn++) {
            turned = turned % 4 * 4 + 3 - turned / 4;
        }
        return turned;
    }

    static Made make(Path folder, Protocol protocol, Work work) throws IOException, InterruptedException {
        List<Case> cases = cases();
        List<Cell> cells = new ArrayList<>();
        for (Case one : cases) {
            for (long seed : protocol.seeds()) {
                cells.add(Cell.of("orbits %s %s".formatted(one.name(), one.group()), seed, () -> rows(one, seed)));
            }
        }
        return Made.of(table(protocol, cases, StudyCells.rows("symmetry of the data", folder, cells, work)));
    }

    private static List<Map<String, Object>> rows(Case one, long seed) {
        CensusNetwork network = one.network();
        IntFunction<Model> model = one.weights().of(seed);
        Symmetries symmetries = Symmetries.of(model.apply(BATCH), List.of(), seed);
        int most = symmetries.parameters() - symmetries.nullity();
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int orbits : ORBITS) {
            SplittableRandom random = new SplittableRandom(seed);
            int count = one.size() * orbits;
            Matrix closed = one.closed(one.drawn(orbits, random.split()));
            Matrix other = Matrix.gaussian(count, network.inputs(), random.split());
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("network", one.name());
            row.put("group", one.group());
            row.put("orbits", orbits);
            row.put("inputs", count);
            row.put("parameters", symmetries.parameters());
            row.put("symmetries", symmetries.rank());
            row.put("predicted", most - one.prediction().seen(orbits, most));
            CensusPoint of = CensusRow.point(symmetries, model.apply(count), closed);
            CensusPoint beside = CensusRow.point(symmetries, model.apply(count), other);
            of.ofBatch().ifPresent(batch -> row.put("batch", batch));
            beside.ofBatch().ifPresent(batch -> row.put("other", batch));
            row.put("gap", Math.min(of.data().gap(), beside.data().gap()));
            rows.add(row);
        }
        return rows;
    }

    private static ComparedTable table(Protocol protocol, List<Case> cases, List<Map<String, Object>> rows) {
        ComparedTable table = ComparedTable.of(
                "census-orbits",
                "What a batch that is closed under a group adds, predicted and measured, beside a batch of the same size that is not closed",
                protocol,
                List.of(
                        Column.text("network", "Network"),
                        Column.text("group", "Group"),
                        Column.count("orbits", "Orbits"),
                        Column.count("inputs", "Inputs")),
                List.of(),
                List.of(
                        Column.count("parameters", "Parameters"),
                        Column.count("predicted", "Predicted"),
                        Column.count("least", "Closed, least"),
                        Column.count("largest", "Closed, largest"),
                        Column.count("other_least", "Not closed, least"),
                        Column.count("other_largest", "Not closed, largest"),
                        Column.count("misses", "Seeds that differ"),
                        Column.count("undecided", "Undecided"),
                        Column.scientific("gap", "Least gap", 1)));
        for (Case one : cases) {
            for (int orbits : ORBITS) {
                List<Map<String, Object>> own = rows.stream()
                        .filter(row -> one.name().equals(row.get("network"))
                                && one.group().equals(row.get("group"))
                                && CensusRow.count(row, "orbits") == orbits)
                        .toList();
                List<Integer> closed = numbers(own, "batch");
                List<Integer> other = numbers(own, "other");
                Map<String, Object> first = own.getFirst();
                table = table.row(
                        List.of(one.name(), one.group(), orbits, first.get("inputs")),
                        List.of(),
                        null,
                        first.get("parameters"),
                        first.get("predicted"),
                        closed.stream().min(Integer::compare).orElse(null),
                        closed.stream().max(Integer::compare).orElse(null),
                        other.stream().min(Integer::compare).orElse(null),
                        other.stream().max(Integer::compare).orElse(null),
                        (int) own.stream()
                                .filter(row -> row.containsKey("batch")
                                        && CensusRow.count(row, "batch") != CensusRow.count(row, "predicted"))
                                .count(),
                        2 * own.size() - closed.size() - other.size(),
                        own.stream()
                                .mapToDouble(row -> CensusRow.number(row, "gap").doubleValue())
                                .min()
                                .orElseThrow());
            }
        }
        return table;
    }

    private static List<Integer> numbers(List<Map<String, Object>> rows, String key) {
        return rows.stream()
                .filter(row -> row.containsKey(key))
                .map(row -> CensusRow.count(row, key))
                .toList();
    }
}
