package org.isoloss.basis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.DoubleConsumer;
import org.isoloss.basis.ClassFit.Products;
import org.isoloss.basis.ClassFit.Ratios;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.FreeShift;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * Finds the element that brings the weights of one model nearest to those of another, one class of channels after the other, from the
 * inputs on: first by the weights whose other axes are known already, then by all, until nothing comes nearer.
 */
final class BasisAlignment {
    private static final int SOME = 1 << 20;
    /** Dependent channels tell indices apart only where they are so much fewer than the vectors along them. */
    private static final double WIDE = 0.9;
    /** As many channels, such as heads, are assigned before what they stand beside is known. */
    private static final int FEW = 256;
    /** So often second moments are applied to vectors that are known. */
    private static final int STEPS = 6;

    private final PartlyChanged ours;
    private final Map<Value, double[]> goals = new HashMap<>(); // of small weights
    private final WeightsOfModel theirs;
    private final Map<Value, Value> partners = new HashMap<>();
    private final Map<String, List<Free>> free = new HashMap<>();
    private final Set<String> shifted = new HashSet<>();

    /**
     * What shifts may add to a tensor along an axis: anything times a vector.
     *
     * @param axis of the tensor
     * @param factors over which the vector has 1; null where it is ones
     */
    private record Free(int axis, @Nullable Value factors) {}

    private static Map<String, List<Free>> freed(FreeShift shift) {
        return switch (shift) {
            case FreeShift.Written written -> Map.of(written.tensor(), List.of(new Free(written.axis(), null)));
            case FreeShift.Read read -> Map.of(read.tensor(), List.of(new Free(read.axis(), read.factors())));
            case FreeShift.Balanced balanced -> {
                Map<String, List<Free>> all = new HashMap<>();
                balanced.turned()
                        .forEach((tensor, turned) ->
                                all.put(tensor, List.of(new Free(turned.axis(), turned.factors()))));
                if (balanced.places().isEmpty()) {
                    all.put(balanced.tensor(), List.of(new Free(0, null)));
                }
                balanced.absorbed().keySet().forEach(tensor -> all.putIfAbsent(tensor, List.of(new Free(0, null))));
                yield all;
            }
            case FreeShift.Entries _, FreeShift.Opposed _ -> Map.of();
        };
    }

    /** Takes out of a weight what shifts may add to it. */
    private void project(Value weight, double[] numbers) {
        if (weight.shape().rank() < 2) {
            return; // biases are not looked at
        }
        for (Free one : free.getOrDefault(ours.parameter(weight), List.of())) {
            int stride = weight.shape().strides()[one.axis];
            int size = weight.shape().size(one.axis);
            double[] vector = new double[size];
            Arrays.fill(vector, 1);
            if (one.factors != null) {
                double[] by = goal(one.factors); // to which ours were scaled
                Arrays.setAll(vector, i -> 1 / by[i]);
            }
            double square = Arrays.stream(vector).map(x -> x * x).sum();
            for (int line = 0; line < numbers.length / size; line++) {
                int begin = line / stride * stride * size + line % stride;
                double product = 0;
                for (int i = 0; i < size; i++) {
                    product += vector[i] * numbers[begin + i * stride] / square;
                }
                for (int i = 0; i < size; i++) {
                    numbers[begin + i * stride] -= product * vector[i];
                }
            }
        }
    }

    /**
     * Prepares an alignment.
     *
     * @param ours the weights that are moved
     * @param classes that may change, in the order of computation
     * @param shifts what may be added to the weights, and is left out of sight
     * @param theirs the weights to which they are brought, of the same graph
     * @throws IllegalArgumentException when one is not there, with its name
     */
    BasisAlignment(WeightsOfModel ours, List<AxisClass> classes, Collection<FreeShift> shifts, WeightsOfModel theirs) {
        this.ours = new PartlyChanged(ours, classes);
        shifts.forEach(shift -> shifted.addAll(shift.tensors()));
        shifts.forEach(shift -> freed(shift)
                .forEach((tensor, free) -> free.forEach(one -> this.free
                        .computeIfAbsent(tensor, _ -> new ArrayList<>())
                        .add(one))));
        this.theirs = theirs;
        Map<String, Value> others = new HashMap<>();
        theirs.blocks().keySet().forEach(weight -> others.put(theirs.parameter(weight), weight));
        for (Value weight : this.ours.weights()) {
            Value partner = others.get(ours.parameter(weight));
            if (partner == null || !partner.shape().equals(weight.shape())) {
                throw new IllegalArgumentException(
                        "the two models compute otherwise with '%s': one uses it in the shape %s, the other %s"
                                .formatted(
                                        ours.parameter(weight),
                                        weight.shape(),
                                        partner == null ? "not so" : "in " + partner.shape()));
            }
            partners.put(weight, partner);
        }
    }

    /** Fits every class. */
    Map<AxisClass, ClassElement> found(int rounds, DoubleConsumer watcher) {
        ours.classes().stream()
                .filter(channels -> channels.kind() == AxisClass.Kind.SCALED)
                .forEach(this::fitScaled);
        List<AxisClass> order = ours.classes().stream()
                .filter(channels -> channels.kind() != AxisClass.Kind.SCALED)
                .toList();
        int done = 0;
        for (int round = 0; round < rounds; round++) {
            for (AxisClass channels : order) {
                fit(channels, round > 0);
                ours.know(channels);
                watcher.accept((double) ++done / (rounds * order.size()));
            }
        }
        return ours.found();
    }

    private double[] goal(Value weight) {
        Value partner = Objects.requireNonNull(partners.get(weight));
        return weight.shape().count() > SOME
                ? theirs.numbers(partner)
                : goals.computeIfAbsent(weight, _ -> theirs.numbers(partner));
    }

    private double[] projectedGoal(Value weight) {
        double[] numbers = goal(weight).clone();
        project(weight, numbers);
        return numbers;
    }

    /** The factors of a norm say what its scales are. */
    private void fitScaled(AxisClass channels) {
        Value weight = channels.factors();
        if (weight == null) {
            return;
        }
        double[] from = ours.factors(weight);
        double[] to = goal(weight);
        int n = channels.size();
        Matrix scales = Matrix.zeros(1, n);
        Matrix signs = Matrix.zeros(1, n);
        for (int i = 0; i < n; i++) {
            double ratio = to[i] / from[i];
            if (ratio == 0 || !Double.isFinite(ratio)) {
                return;
            }
            scales.set(0, i, Math.log(Math.abs(ratio)));
            signs.set(0, i, ratio < 0 ? 1 : 0);
        }
        ours.choose(channels, ClassElement.identity(channels).withScales(scales).withSigns(signs));
    }

    /** The factors along which a class changes, of blocks whose other factors are known, or are among some. */
    private Map<Block, Factor> uses(Value weight, AxisClass channels, Set<AxisClass> open) {
        boolean isSure =
                weight.shape().sizes().stream().filter(size -> size > 1).count() > 1
                        || !shifted.contains(ours.parameter(weight)); // shifts may make anything of a bias
        return ours.uses(weight, channels, (block, factor) -> isSure && ours.isKnownBeside(block, factor, open));
    }

    /** Our numbers of a weight with all that is found but for one class and some others. */
    private double[] without(Value weight, AxisClass channels, Set<AxisClass> open) {
        Set<AxisClass> some = new LinkedHashSet<>(open);
        some.add(channels);
        double[] numbers = ours.without(weight, some);
        project(weight, numbers);
        return numbers;
    }

    private void fit(AxisClass channels, boolean isAgain) {
        if (channels.kind() == AxisClass.Kind.MONOMIAL) {
            if (!channels.isOrdered() && !isAgain
                    || !channels.isOrdered() && ours.dependents(channels).isEmpty()) {
                fitOrder(channels);
            }
            if (channels.scales() + channels.signs() > 0) {
                fitFactors(channels);
            }
        } else {
            fitMatrices(channels);
        }
    }

    /** The classes that may be changed by any matrix while channels are assigned: those that these number, and bases not yet known. */
    private Set<AxisClass> open(AxisClass channels) {
        Set<AxisClass> open = ours.dependents(channels);
        if (channels.size() <= FEW) {
            ours.classes().stream()
                    .filter(other -> other != channels
                            && !ours.isKnown(other)
                            && (other.kind() == AxisClass.Kind.LINEAR || other.kind() == AxisClass.Kind.COMMUTING))
                    .forEach(open::add);
        }
        return open;
    }

    /** What a factor of a weight is multiplied by so that it changes as the class itself does. */
    private double @Nullable [] by(Factor factor) {
        AxisClass own = factor.channels();
        Value weight = own == null ? null : own.factors();
        if (own == null || own.kind() != AxisClass.Kind.SCALED || weight == null) {
            return null;
        }
        double[] by = goal(weight).clone(); // to which ours were scaled
        if (!factor.dual()) {
            Arrays.setAll(by, i -> 1 / by[i]);
        }
        return by;
    }

    private void fitMatrices(AxisClass channels) {
        int n = channels.size();
        boolean isCentred = channels.fixesOnes() || channels.fixesOnesDual();
        Products[][] products = new Products[channels.count()][2];
        for (Products[] own : products) {
            own[0] = new Products(n);
            own[1] = new Products(n);
        }
        for (Value weight : ours.weights()) {
            Map<Block, Factor> uses = uses(weight, channels, Set.of());
            if (uses.isEmpty()) {
                continue;
            }
            double[] from = without(weight, channels, Set.of());
            double[] to = projectedGoal(weight);
            uses.forEach((block, factor) -> {
                double[] by = by(factor);
                for (int index = 0; index < products.length; index++) {
                    var vectors = new FactorVectors(block, factor, channels.index(), index);
                    int some = Math.clamp(SOME / n, 1, vectors.count());
                    for (int first = 0; first < vectors.count(); first += some) {
                        int now = Math.min(some, vectors.count() - first);
                        products[index][PartlyChanged.isDual(factor) ? 1 : 0].add(
                                PartlyChanged.gathered(from, vectors, first, now, by, isCentred),
                                PartlyChanged.gathered(to, vectors, first, now, by, isCentred));
                    }
                }
            });
        }
        if (channels.kind() == AxisClass.Kind.ORTHOGONAL && channels.count() == 1) {
            extend(channels, products[0][0], products[0][1]);
        }
        var fit = new ClassFit(channels);
        Matrix matrices = Matrix.zeros(products.length * n, n);
        for (int index = 0; index < products.length; index++) {
            if (products[index][0].count() + products[index][1].count() == 0) {
                return;
            }
            System.arraycopy(
                    fit.matrix(products[index][0], products[index][1]).entries(),
                    0,
                    matrices.entries(),
                    index * n * n,
                    n * n);
        }
        ours.chooseAfterOrders(channels, ClassElement.identity(channels).withMatrices(matrices));
    }

    /**
     * Adds vectors where the weights that are known leave some channels undecided: what the second moments of weights with units in an
     * unknown order make of the vectors there are, which changes as these do.
     */
    private void extend(AxisClass channels, Products direct, Products dual) {
        int wanted = channels.size() - (channels.fixesOnes() || channels.fixesOnesDual() ? 1 : 0);
        Matrix from = direct.own().plus(dual.own()); // products of vectors, whose columns are vectors too
        Matrix to = direct.mixed().plus(dual.mixed());
        if (from.largestMagnitude() == 0 || ClassFit.rank(from) >= wanted) {
            return;
        }
        List<Matrix[]> moments = new ArrayList<>();
        for (Value weight : ours.weights()) {
            addMoments(weight, channels, moments);
        }
        // b a' for all vectors a that go to b: then b (C a)' = b a' C, and C b goes with C a
        for (int step = 0; step < STEPS && ClassFit.rank(from) < wanted; step++) {
            for (Matrix[] moment : moments) {
                Matrix own = moment[0].times(from).times(moment[0]);
                Matrix mixed = moment[1].times(to).times(moment[0]);
                double by = own.largestMagnitude() == 0 ? 0 : from.largestMagnitude() / own.largestMagnitude();
                from = from.plus(own.scaled(by));
                to = to.plus(mixed.scaled(by));
            }
        }
        direct.become(from, to);
        dual.become(Matrix.zeros(from.rows(), from.rows()), Matrix.zeros(from.rows(), from.rows()));
    }

    /** Second moments of vectors along channels of the units that a weight reads or writes, ours and theirs. */
    private void addMoments(Value weight, AxisClass channels, List<Matrix[]> moments) {
        Set<AxisClass> units = new LinkedHashSet<>();
        ours.classes().stream()
                .filter(other -> other.kind() == AxisClass.Kind.MONOMIAL
                        && ours.dependents(other).isEmpty()
                        && !ours.isKnown(other))
                .forEach(units::add);
        Map<Block, Factor> uses = uses(weight, channels, units);
        if (uses.isEmpty()) {
            return;
        }
        double[] from = without(weight, channels, units);
        double[] to = projectedGoal(weight);
        boolean isCentred = channels.fixesOnes() || channels.fixesOnesDual();
        uses.forEach((block, factor) -> {
            boolean isScaled = block.factors().stream()
                    .anyMatch(other ->
                            other.channels() instanceof AxisClass own && units.contains(own) && own.scales() > 0);
            boolean isOfUnits = block.factors().stream()
                    .anyMatch(other -> other.channels() instanceof AxisClass own && units.contains(own));
            if (isOfUnits) {
                var vectors = new FactorVectors(block, factor, channels.index(), 0);
                double[] by = by(factor);
                Matrix[] both = {
                    PartlyChanged.gathered(from, vectors, 0, vectors.count(), by, isCentred),
                    PartlyChanged.gathered(to, vectors, 0, vectors.count(), by, isCentred)
                };
                for (int side = 0; side < 2; side++) {
                    Matrix rows = isScaled ? normalized(both[side]) : both[side];
                    both[side] = Blas.gemm(rows, true, rows, false);
                }
                moments.add(both);
            }
        });
    }

    private static Matrix normalized(Matrix rows) {
        Matrix normalized = rows.copy();
        for (int i = 0; i < rows.rows(); i++) {
            double norm = Math.sqrt(Arrays.stream(rows.row(i)).map(x -> x * x).sum());
            for (int j = 0; j < rows.columns() && norm > 0; j++) {
                normalized.set(i, j, rows.get(i, j) / norm);
            }
        }
        return normalized;
    }

    /** Assigns channels, at each index: by what they are beside, up to any change of basis of what they number. */
    private void fitOrder(AxisClass channels) {
        int n = channels.size();
        Set<AxisClass> open = open(channels);
        Matrix orders = Matrix.zeros(channels.count(), n);
        Matrix[] gains = new Matrix[channels.count()];
        Arrays.setAll(gains, _ -> Matrix.zeros(n, n));
        boolean isSeen = false;
        for (Value weight : ours.weights()) {
            Map<Block, Factor> uses = uses(weight, channels, open);
            if (uses.isEmpty()) {
                continue;
            }
            double[] from = without(weight, channels, open);
            double[] to = projectedGoal(weight);
            for (Map.Entry<Block, Factor> use : uses.entrySet()) {
                for (int index = 0; index < gains.length; index++) {
                    Matrix gain = gain(channels, use.getKey(), use.getValue(), index, open, from, to);
                    if (gain != null) {
                        isSeen = true;
                        add(gains[index], gain);
                    }
                }
            }
        }
        if (!isSeen) {
            return;
        }
        for (int index = 0; index < gains.length; index++) {
            int[] order = ClassFit.order(gains[index]);
            for (int i = 0; i < n; i++) {
                orders.set(index, i, order[i]);
            }
        }
        ours.chooseAfterOrders(channels, ClassElement.identity(channels).withOrders(orders));
    }

    private static void add(Matrix sum, Matrix term) {
        for (int i = 0; i < sum.entries().length; i++) {
            sum.entries()[i] += term.entries()[i];
        }
    }

    /** How well each channel of ours, in columns, becomes each of theirs; null where nothing can be told. */
    private @Nullable Matrix gain(
            AxisClass channels,
            Block block,
            Factor factor,
            int index,
            Set<AxisClass> open,
            double[] from,
            double[] to) {
        List<Factor> relaxed = block.factors().stream()
                .filter(other -> other.channels() instanceof AxisClass own && open.contains(own))
                .toList();
        int inner = relaxed.stream().mapToInt(Factor::size).reduce(1, Math::multiplyExact);
        if (!relaxed.isEmpty()) {
            return relaxedGain(channels, block, factor, index, relaxed, inner, from, to);
        }
        double[] by = by(factor);
        var vectors = new FactorVectors(block, factor, channels.index(), index);
        int n = factor.size();
        Matrix products = Matrix.zeros(n, n);
        double[] ownLengths = new double[n];
        double[] lengths = new double[n];
        int some = Math.clamp(SOME / n, 1, vectors.count());
        for (int first = 0; first < vectors.count(); first += some) {
            int now = Math.min(some, vectors.count() - first);
            Matrix a = PartlyChanged.gathered(from, vectors, first, now, by, false);
            Matrix b = PartlyChanged.gathered(to, vectors, first, now, by, false);
            add(products, Blas.gemm(b, true, a, false));
            for (int i = 0; i < a.entries().length; i++) {
                ownLengths[i % n] += a.entries()[i] * a.entries()[i];
                lengths[i % n] += b.entries()[i] * b.entries()[i];
            }
        }
        boolean isScaled = channels.scales() > 0;
        double mean = Arrays.stream(lengths).average().orElse(0);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double product = products.get(i, j);
                double size = isScaled ? Math.sqrt(lengths[i] * ownLengths[j]) : mean;
                double own = size == 0 ? 0 : product / size;
                products.set(i, j, channels.signs() > 0 ? Math.abs(own) : own);
            }
        }
        return products;
    }

    /** By what is left when any matrix may change the channels that are numbered. */
    private static @Nullable Matrix relaxedGain(
            AxisClass channels,
            Block block,
            Factor factor,
            int index,
            List<Factor> relaxed,
            int inner,
            double[] from,
            double[] to) {
        int n = factor.size();
        int count = block.factors().stream().mapToInt(Factor::size).reduce(1, Math::multiplyExact) / n;
        for (AxisClass own : channels.index()) {
            count /= own.size();
        }
        if (inner >= WIDE * count / inner) {
            return null; // any matrix takes any to any
        }
        Matrix[] a = new Matrix[n];
        Matrix[] b = new Matrix[n];
        for (int i = 0; i < n; i++) {
            a[i] = slice(channels, block, factor, index, i, relaxed, inner, from);
            b[i] = slice(channels, block, factor, index, i, relaxed, inner, to);
        }
        Matrix gain = Matrix.zeros(n, n);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                Products products = new Products(inner);
                products.add(a[j], b[i]);
                gain.set(i, j, products.square() == 0 ? 0 : 1 - products.residual() / products.square());
            }
        }
        return gain;
    }

    /** One channel's part of a block: a row for each place, a column for each of the channels that are numbered. */
    private static Matrix slice(
            AxisClass channels,
            Block block,
            Factor factor,
            int index,
            int channel,
            List<Factor> relaxed,
            int inner,
            double[] numbers) {
        int[] places = BasisElement.places(channels.index(), index);
        int begin = block.begin() + channel * factor.stride();
        List<Factor> outer = new ArrayList<>();
        for (Factor other : block.factors()) {
            int place = other.channels() == null ? -1 : channels.index().indexOf(other.channels());
            if (place >= 0) {
                begin += places[place] * other.stride();
            } else if (other != factor && !relaxed.contains(other)) {
                outer.add(other);
            }
        }
        int count = outer.stream().mapToInt(Factor::size).reduce(1, Math::multiplyExact);
        Matrix rows = Matrix.zeros(count, inner);
        for (int row = 0; row < count; row++) {
            int at = begin + offset(outer, row);
            for (int column = 0; column < inner; column++) {
                rows.set(row, column, numbers[at + offset(relaxed, column)]);
            }
        }
        return rows;
    }

    private static int offset(List<Factor> factors, int number) {
        int left = number;
        int at = 0;
        for (int i = factors.size() - 1; i >= 0; i--) {
            at += left % factors.get(i).size() * factors.get(i).stride();
            left /= factors.get(i).size();
        }
        return at;
    }

    /** Scales and signs, the order being found. */
    private void fitFactors(AxisClass channels) {
        ClassElement order = ours.of(channels).orderAlone();
        int[] sources = ours.element().sources(channels);
        ours.choose(channels, order);
        Matrix scales = Matrix.zeros(channels.count() * channels.scales(), channels.scaled());
        Matrix signs = Matrix.zeros(channels.count() * channels.signs(), channels.scaled());
        List<List<Ratios>> ratios = new ArrayList<>();
        for (int index = 0; index < channels.count(); index++) {
            ratios.add(new ArrayList<>());
        }
        for (Value weight : ours.weights()) {
            Map<Block, Factor> uses = uses(weight, channels, Set.of());
            if (uses.isEmpty()) {
                continue;
            }
            double[] from = without(weight, channels, Set.of());
            double[] to = projectedGoal(weight);
            uses.forEach((block, factor) -> {
                if (factor.channels() == channels) {
                    for (int index = 0; index < ratios.size(); index++) {
                        ratios.get(index)
                                .add(ratios(channels, block, factor, index, order.order(sources[index]), from, to));
                    }
                }
            });
        }
        var fit = new ClassFit(channels);
        for (int index = 0; index < ratios.size(); index++) {
            copy(fit.scales(ratios.get(index)), scales, index);
            copy(fit.signs(ratios.get(index)), signs, index);
        }
        // they act before the order does, and were found after it
        for (int index = 0; index < ratios.size(); index++) {
            BasisMap back = order.order(sources[index]).inverse();
            unordered(scales, index * channels.scales(), channels.scales(), back, channels);
            unordered(signs, index * channels.signs(), channels.signs(), back, channels);
        }
        ClassElement all = ClassElement.identity(channels);
        all = channels.scales() > 0 ? all.withScales(scales) : all;
        ours.chooseAfterOrders(channels, channels.signs() > 0 ? all.withSigns(signs) : all);
        ours.choose(channels, ours.of(channels).and(order));
    }

    private static void copy(Matrix rows, Matrix into, int index) {
        System.arraycopy(rows.entries(), 0, into.entries(), index * rows.entries().length, rows.entries().length);
    }

    private static void unordered(Matrix rows, int first, int count, BasisMap back, AxisClass channels) {
        for (int row = first; row < first + count && channels.blocks().isEmpty(); row++) {
            double[] numbers = rows.row(row);
            back.apply(numbers, 1);
            for (int i = 0; i < numbers.length; i++) {
                rows.set(row, i, numbers[i]);
            }
        }
    }

    private Ratios ratios(
            AxisClass channels, Block block, Factor factor, int index, BasisMap order, double[] from, double[] to) {
        int n = factor.size();
        double[] own = new double[channels.scaled()];
        double[] mixed = new double[channels.scaled()];
        var vectors = new FactorVectors(block, factor, channels.index(), index);
        int some = Math.clamp(SOME / n, 1, vectors.count());
        for (int first = 0; first < vectors.count(); first += some) {
            int now = Math.min(some, vectors.count() - first);
            Matrix a = PartlyChanged.gathered(from, vectors, first, now, null, false);
            order.apply(a.entries(), now);
            Matrix b = PartlyChanged.gathered(to, vectors, first, now, null, false);
            for (int i = 0; i < a.entries().length; i++) {
                int at = ClassElement.block(channels, i % n);
                own[at] += a.entries()[i] * a.entries()[i];
                mixed[at] += a.entries()[i] * b.entries()[i];
            }
        }
        return new Ratios(factor.scales(), factor.signs(), own, mixed);
    }
}
