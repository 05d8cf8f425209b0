package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.model.FreeShift.Entries;
import org.isoloss.model.FreeShift.Read;
import org.isoloss.model.FreeShift.Written;
import org.isoloss.model.ParameterUse.Kind;
import org.jspecify.annotations.Nullable;

/** Finds what may be added to parameters without an output's seeing it, from the graph alone. */
final class FreeShiftSearch {
    private final Model model;
    private final List<ParameterUse> uses;
    private final UnseenEntries unseen;
    private final Map<String, Integer> counts = new HashMap<>();
    private final Set<List<Object>> written = new HashSet<>(); // tensors and axes
    private final List<FreeShift> found = new ArrayList<>();

    FreeShiftSearch(Model model) {
        this.model = model;
        this.uses = ParameterUse.of(model);
        this.unseen = new UnseenEntries(new WeightedGraph(model));
        for (ParameterUse use : uses) {
            use.tensors().forEach(tensor -> counts.merge(tensor, 1, Integer::sum));
        }
        for (ParameterUse use : uses.reversed()) { // so that what comes later is known already
            addWritten(use);
        }
        uses.forEach(this::addEntries);
        model.parameters().forEach(this::addUnread);
        uses.forEach(this::addRead);
        uses.forEach(this::addBalanced);
        addOpposed();
        List<FreeShift.Opposed> known = found.stream()
                .filter(FreeShift.Opposed.class::isInstance)
                .map(FreeShift.Opposed.class::cast)
                .toList();
        found.addAll(MeetingBiases.of(model, counts, known));
    }

    List<ParameterUse> uses() {
        return uses;
    }

    List<FreeShift> found() {
        return found;
    }

    boolean isUsedOnce(String tensor) {
        return counts.getOrDefault(tensor, 0) == 1;
    }

    private static boolean all(boolean[] entries) {
        for (boolean entry : entries) {
            if (!entry) {
                return false;
            }
        }
        return true;
    }

    /** The axis of a weight that an axis of what it makes comes from. */
    private static int weightAxis(ParameterUse use, int axis) {
        return switch (use.result().operation()) {
            case Contraction contraction -> {
                boolean isLeft = use.result().argument(0) == use.weight();
                yield (isLeft ? contraction.left() : contraction.right())
                        .indexOf(contraction.result().charAt(axis));
            }
            case Sum _ ->
                axis - use.result().shape().rank() + use.weight().shape().rank();
            case Lookup lookup -> {
                int rank = use.result().argument(1).shape().rank();
                yield axis < lookup.axis() ? axis : axis - rank + 1;
            }
            default -> -1;
        };
    }

    private void addWritten(ParameterUse use) {
        if (use.kind() == Kind.SCALE || use.kind() == Kind.OTHER) {
            return;
        }
        for (int axis : use.channelsOfResult()) {
            int own = weightAxis(use, axis);
            StoredAxis place =
                    own < 0 || use.result().shape().size(axis) == 1 ? null : StoredAxis.of(use.weight(), own);
            if (place != null
                    && place.offset() == 0
                    && isUsedOnce(place.tensor())
                    && all(unseen.of(use.result(), axis))
                    && written.add(List.of(place.tensor(), place.axis()))) {
                Dimensions shape = model.parameter(place.tensor()).shape();
                int lines = shape.count() / shape.size(place.axis());
                int read = use.weight().shape().count() / shape.size(place.axis());
                found.addFirst(new Written(place.tensor(), place.axis(), lines, lines - read));
            }
        }
    }

    static boolean isWhole(Value weight) {
        StoredView view = StoredView.of(weight);
        return view != null
                && view.parameter().shape().count() == weight.shape().count();
    }

    /** Entries of a bias that are the same for all positions, which no output sees. */
    private void addEntries(ParameterUse use) {
        StoredView view = use.kind() == Kind.SHIFT ? StoredView.of(use.weight()) : null;
        if (view == null || !isUsedOnce(view.name())) {
            return;
        }
        Value result = use.result();
        Set<Integer> channels = use.channelsOfResult();
        boolean[] free = new boolean[use.weight().shape().count()];
        for (int axis = 0; axis < result.shape().rank(); axis++) {
            if (!channels.contains(axis) && result.shape().size(axis) > 1) {
                boolean[] own = new boolean[free.length];
                Arrays.fill(own, true);
                boolean[] entries = unseen.of(result, axis);
                int[] places = use.weightPlaces();
                for (int i = 0; i < places.length; i++) {
                    own[places[i]] &= entries[i];
                }
                for (int i = 0; i < free.length; i++) {
                    free[i] |= own[i];
                }
            }
        }
        int[] stored = stored(view);
        List<Integer> places = IntStream.range(0, free.length)
                .filter(i -> free[i])
                .mapToObj(i -> stored[i])
                .toList();
        if (!places.isEmpty()) {
            found.add(new Entries(view.name(), places, true));
        }
    }

    /** Where the entries of a view lie in its parameter. */
    static int[] stored(StoredView view) {
        int[] places = Elements.places(
                new Dimensions(view.sizes()),
                view.strides().stream().mapToInt(Integer::intValue).toArray());
        return Arrays.stream(places).map(place -> place + view.offset()).toArray();
    }

    /** Entries of a parameter of which slices alone are read, or rows that are the same for all inputs. */
    private void addUnread(String name, Value parameter) {
        List<Value> readers = unseen.readers(parameter);
        boolean[] isRead = new boolean[parameter.shape().count()];
        boolean isReached = counts.containsKey(name);
        for (Value reader : readers) {
            if (reader.operation() instanceof Rearrangement rearrangement) {
                for (int place : rearrangement.map().table()) {
                    if (place >= 0) {
                        isRead[place] = true;
                    }
                }
            } else if (reader.operation() instanceof Lookup lookup
                    && reader.argument(0) == parameter
                    && lookup.axis() == 0
                    && isFixed(reader.argument(1))) {
                int row = isRead.length / parameter.shape().size(0);
                for (double index : computed(reader.argument(1))) {
                    Arrays.fill(isRead, ((int) index) * row, ((int) index + 1) * row, true);
                }
            } else {
                return;
            }
        }
        List<Integer> places = IntStream.range(0, isRead.length)
                .filter(i -> !isRead[i])
                .boxed()
                .toList();
        if (isReached && !places.isEmpty()) {
            found.add(new Entries(name, places, false));
        }
    }

    private boolean isFixed(Value value) {
        return Execution.order(List.of(value), Set.of()).stream()
                .allMatch(own -> !(own.operation() instanceof Leaf leaf) || leaf.kind() == Leaf.Kind.CONSTANT);
    }

    private static double[] computed(Value value) {
        Execution execution = Execution.of(Precision.FLOAT64, List.of(value));
        execution.run();
        return execution.get(value);
    }

    /** A weight that reads a centred value, scaled and shifted or not. */
    private void addRead(ParameterUse use) {
        if (use.kind() != Kind.CONTRACTION) {
            return;
        }
        Value data = use.data().getFirst();
        var contraction = (Contraction) use.result().operation();
        String ofData = use.result().argument(0) == data ? contraction.left() : contraction.right();
        String ofWeight = use.result().argument(0) == data ? contraction.right() : contraction.left();
        for (int axis : use.channelsOf(data)) {
            char label = ofData.charAt(axis);
            Centred centred = contraction.result().indexOf(label) >= 0 ? null : centred(data, axis);
            StoredAxis place = StoredAxis.of(use.weight(), ofWeight.indexOf(label));
            if (centred == null || place == null || place.offset() != 0 || !isUsedOnce(place.tensor())) {
                continue;
            }
            String bias = centred.added == null ? null : bias(use, ofWeight.indexOf(label));
            if ((centred.added == null || bias != null) && isWhole(use.weight())) {
                Dimensions shape = model.parameter(place.tensor()).shape();
                long both = IntStream.range(0, shape.rank())
                        .filter(other -> other != place.axis() && written.contains(List.of(place.tensor(), other)))
                        .mapToLong(other -> shape.count() / shape.size(place.axis()) / shape.size(other))
                        .sum();
                found.add(new Read(
                        place.tensor(),
                        place.axis(),
                        shape.count() / shape.size(place.axis()),
                        centred.factors,
                        centred.added,
                        bias,
                        (int) both));
            }
        }
    }

    /** A value whose sum along an axis is zero before weights multiply and shift it. */
    record Centred(@Nullable Value factors, @Nullable Value added) {}

    @Nullable
    Centred centred(Value data, int axis) {
        Value at = data;
        Value added = null;
        Value factors = null;
        if (at.operation() instanceof Sum sum && sum.factors().equals(List.of(1.0, 1.0))) {
            int shift = unseen.isVarying(at.argument(1)) ? 0 : 1;
            if (unseen.isVarying(at.argument(1 - shift)) == unseen.isVarying(at.argument(shift))
                    || !isAlong(at, axis, at.argument(shift))) {
                return null;
            }
            added = at.argument(shift);
            at = at.argument(1 - shift);
        }
        if (at.operation() instanceof Product) {
            for (int side = 0; side < 2 && factors == null; side++) {
                Value own = at.argument(side);
                if (!unseen.isVarying(own) && isAlong(at, axis, own) && WeightedGraph.hasFactors(own)) {
                    factors = own;
                    at = at.argument(1 - side);
                }
            }
        }
        while (at.operation() instanceof Product || at.operation() instanceof Sum) {
            if (at.operation() instanceof Sum sum) {
                Value mean = at.arguments().size() == 2 && !sum.factors().isEmpty()
                        ? unseen.mean(at, at.argument(0), axis)
                        : null;
                boolean isCentring =
                        mean != null && mean.operation() instanceof Reduction reduction && !reduction.largest();
                return isCentring ? new Centred(factors, added) : null;
            }
            Value left = at.argument(0);
            Value right = at.argument(1);
            boolean isLeft =
                    right.shape().size(right.shape().rank() - at.shape().rank() + axis) == 1;
            boolean isRight = left.shape().size(left.shape().rank() - at.shape().rank() + axis) == 1;
            if (isLeft == isRight || !(isLeft ? left : right).shape().equals(at.shape())) {
                return null;
            }
            at = isLeft ? left : right;
        }
        return null;
    }

    /** Whether a tensor extends along one axis of a value alone. */
    private static boolean isAlong(Value value, int axis, Value tensor) {
        int own = axis - value.shape().rank() + tensor.shape().rank();
        return own >= 0
                && tensor.shape().size(own) == value.shape().size(axis)
                && tensor.shape().count() == tensor.shape().size(own);
    }

    /** The bias that is added to a product, one number for each row of its weight, and nowhere else; null where there is none. */
    @Nullable
    String bias(ParameterUse product, int readAxis) {
        List<Value> after = unseen.readers(product.result());
        if (after.size() != 1
                || product.weight().shape().rank() != 2
                || model.outputs().containsValue(product.result())) {
            return null;
        }
        int rows = product.weight().shape().size(1 - readAxis);
        return uses.stream()
                .filter(use -> use.kind() == Kind.SHIFT
                        && use.result() == after.getFirst()
                        && use.weight().shape().count() == rows
                        && use.factor(use.weight()) == 1
                        && use.factor(product.result()) == 1
                        && isWhole(use.weight()))
                .map(use -> ((Leaf) Objects.requireNonNull(StoredView.of(use.weight()))
                                .parameter()
                                .operation())
                        .label())
                .filter(this::isUsedOnce)
                .findFirst()
                .orElse(null);
    }

    private void addBalanced(ParameterUse use) {
        found.addAll(new BalancedShift(model, uses, unseen, this).from(use, name -> {
            int last = model.parameter(name).shape().rank() - 1;
            return written.contains(List.of(name, last));
        }));
    }

    /** Two parts of parameters of which only the sum is used. */
    private void addOpposed() {
        Set<Value> seen = new HashSet<>();
        for (ParameterUse use : uses) {
            for (Value value : Execution.order(List.of(use.weight()), Set.of())) {
                if (value.operation() instanceof Sum sum && value.arguments().size() > 1 && seen.add(value)) {
                    for (int i = 1; i < sum.factors().size(); i++) {
                        StoredView one = alone(value, value.argument(i - 1));
                        StoredView other = alone(value, value.argument(i));
                        if (one != null && other != null) {
                            found.add(new FreeShift.Opposed(
                                    one.name(),
                                    listed(stored(one)),
                                    other.name(),
                                    listed(stored(other)),
                                    sum.factors().get(i - 1) / sum.factors().get(i)));
                        }
                    }
                }
            }
        }
    }

    private static List<Integer> listed(int[] numbers) {
        return Arrays.stream(numbers).boxed().toList();
    }

    /** A part of a parameter that nothing but a sum of its shape reads. */
    private @Nullable StoredView alone(Value sum, Value argument) {
        StoredView view = StoredView.of(argument);
        boolean isAlone = view != null
                && argument.shape().count() == sum.shape().count()
                && view.steps().stream()
                        .skip(1)
                        .allMatch(step -> unseen.readers(step).size() == 1)
                && (view.steps().size() > 1 || unseen.readers(argument).size() == 1);
        return view != null && isAlone && isApart(view) ? view : null;
    }

    /** Whether no other part of the parameter that is read has entries in common with a view. */
    private boolean isApart(StoredView view) {
        Set<Integer> own = new HashSet<>(listed(stored(view)));
        Value first = view.steps().size() > 1 ? view.steps().get(1) : view.parameter();
        return unseen.readers(view.parameter()).stream()
                .filter(reader -> reader != first && view.steps().size() > 1)
                .allMatch(reader -> reader.operation() instanceof Rearrangement arranged
                        && Arrays.stream(arranged.map().table()).noneMatch(own::contains));
    }
}
