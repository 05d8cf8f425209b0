package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.isoloss.model.Moving;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;

/**
 * One representative of all models that an element of a symmetry group leads to: scales and shifts of units as short as they can
 * be, bases by singular values, units in order of their norms, the largest number that makes a unit positive.
 *
 * @param element that leads to it
 * @param near choices that rounding may make otherwise, with their gaps, and scales that have no least norm
 * @param staying families for which nothing is chosen; models that differ by them have other representatives
 */
public record Canonical(SymmetryElement element, List<String> near, List<SymmetryFamily> staying) {
    private static final int MOST_ROUNDS = 200;
    private static final double STILL = 1e-12;
    /** What rounding does to parameters that change places. */
    private static final double UNITARY = 1e-8;

    /** Collects the maps. */
    private static final class Choice {
        private final GroupSearch found;
        private final int[] ranks;
        private final List<String> near = new ArrayList<>();
        private final List<BasisBalance> bases = new ArrayList<>();
        private final Set<SymmetryFamily> staying = new LinkedHashSet<>();
        private Map<Value, Affine> total = Map.of();

        Choice(GroupSearch found) {
            this.found = found;
            this.ranks = ranks(found);
        }

        Choice representative() {
            scale(true);
            order();
            sign();
            return this;
        }

        Choice balance() {
            scale(false);
            return this;
        }

        private <T extends GroupFactor> Map<T, SymmetryFamily> factors(Class<T> kind) {
            Map<T, SymmetryFamily> some = new LinkedHashMap<>();
            for (int i = 0; i < found.factors().size(); i++) {
                if (kind.isInstance(found.factors().get(i))) {
                    some.put(kind.cast(found.factors().get(i)), found.families().get(i));
                }
            }
            return some;
        }

        private WeightChannels channels(Set<Value> values) {
            return new WeightChannels(values, found.points(), found.action(), total, parameters());
        }

        private double[] parameters() {
            return found.action().moved(total);
        }

        /** Bases, then scales and shifts, in turn until none moves; or scales alone. */
        private void scale(boolean withBases) {
            List<LinkAlgebra.Block> units = new ArrayList<>();
            List<LinkAlgebra.Block> shifted = new ArrayList<>();
            factors(GroupFactor.Continuous.class).forEach((factor, family) -> {
                if (factor.blocks().stream().allMatch(UnitScales::isDiagonal)) {
                    units.addAll(factor.blocks());
                } else if (!withBases) {
                    staying.add(family);
                } else if (add(
                        factor.blocks().stream()
                                .map(block -> Optional.ofNullable(BasisBalance.of(block)))
                                .toList(),
                        family)) {
                    shifted.addAll(factor.blocks());
                }
            });
            factors(GroupFactor.Classical.class).forEach((factor, family) -> {
                if (!withBases) {
                    staying.add(family);
                } else {
                    add(
                            factor.blocks().stream()
                                    .map(block -> Optional.ofNullable(BasisBalance.of(block)))
                                    .toList(),
                            family);
                }
            });
            double[] before = parameters();
            double change = 1;
            for (int round = 0; round < MOST_ROUNDS && change > STILL; round++) {
                bases.forEach(basis -> turn(Objects.requireNonNull(basis.balanced(found, total))));
                int unbounded = 0;
                if (!units.isEmpty() || !shifted.isEmpty()) {
                    var scales = new UnitScales(units, shifted, found.points(), found.action(), total);
                    total = Affine.then(total, scales.elements());
                    unbounded = scales.unbounded();
                }
                if (unbounded > 0 && round == 0) {
                    near.add(
                            "%d scales have nothing on one side but zeros or shifted numbers, so no least norm: they stay"
                                    .formatted(unbounded));
                }
                double[] after = parameters();
                change = bases.isEmpty() ? 0 : change(before, after);
                before = after;
            }
            if (change > STILL) {
                near.add("bases and scales still move by %.1e of the largest number".formatted(change));
            }
            bases.stream()
                    .mapToDouble(basis ->
                            Objects.requireNonNull(basis.balanced(found, total)).gap())
                    .filter(gap -> gap < UnitOrder.NEAR)
                    .forEach(gap ->
                            near.add("singular values of a basis differ by %.1e of the larger alone".formatted(gap)));
        }

        /** Keeps the bases of a family, or names it where one of them cannot be balanced. */
        private boolean add(List<Optional<BasisBalance>> blocks, SymmetryFamily family) {
            for (Optional<BasisBalance> block : blocks) {
                BasisBalance.Balanced balanced =
                        block.isEmpty() ? null : block.get().balanced(found, Map.of());
                if (balanced == null
                        || !(found.outputs().of(found.action().moved(balanced.maps())) <= Symmetries.EXACT)) {
                    staying.add(family);
                    return false;
                }
            }
            blocks.forEach(block -> block.ifPresent(bases::add));
            return true;
        }

        private void turn(BasisBalance.Balanced balanced) {
            total = Affine.then(total, balanced.maps());
        }

        private static double change(double[] before, double[] after) {
            double change = 0;
            double largest = 0;
            for (int i = 0; i < before.length; i++) {
                change = Math.max(change, Math.abs(after[i] - before[i]));
                largest = Math.max(largest, Math.abs(before[i]));
            }
            return change / largest;
        }

        private void order() {
            Map<Value, Affine> ordered = new LinkedHashMap<>();
            Map<GroupFactor.Permutations, SymmetryFamily> all = factors(GroupFactor.Permutations.class);
            Set<Value> values = new LinkedHashSet<>();
            all.keySet()
                    .forEach(factor -> values.addAll(factor.things().getFirst().keySet()));
            WeightChannels channels = channels(values);
            double[] parameters = parameters();
            all.forEach((factor, family) -> {
                if (!isOrthogonal(factor)) {
                    staying.add(family);
                    return;
                }
                var order = new UnitOrder(factor.things(), channels, parameters, ranks);
                factor.sources(order.order(), found.points())
                        .forEach((value, sources) -> ordered.compute(
                                value,
                                (_, map) -> (map == null ? Affine.identity(sources.length) : map).rows(sources)));
                if (order.gap() < UnitOrder.NEAR) {
                    near.add(
                            order.gap() == 0
                                    ? "%s at %s: some have equal weights, and their order stays"
                                            .formatted(family.group(), family.layer())
                                    : "%s at %s: norms that decide the order differ by %.1e of the larger alone"
                                            .formatted(family.group(), family.layer(), order.gap()));
                }
            });
            total = Affine.then(total, ordered);
        }

        /** Whether an order changes places of parameters alone, and no constant of the graph asks for other scales there. */
        private boolean isOrthogonal(GroupFactor.Permutations factor) {
            int n = factor.things().size();
            int[] order = new int[n];
            Arrays.setAll(order, i -> (i + 1) % n);
            Map<Value, Affine> next = new LinkedHashMap<>();
            factor.sources(order, found.points())
                    .forEach((value, sources) ->
                            next.put(value, Affine.identity(sources.length).rows(sources)));
            double[] before = sorted(parameters());
            double[] after = sorted(found.action().moved(Affine.then(total, next)));
            double largest = Math.max(Math.abs(before[0]), Math.abs(before[before.length - 1]));
            for (int i = 0; i < before.length; i++) {
                if (!(Math.abs(before[i] - after[i]) <= UNITARY * largest)) {
                    return false;
                }
            }
            return true;
        }

        private static double[] sorted(double[] numbers) {
            double[] sorted = numbers.clone();
            Arrays.sort(sorted);
            return sorted;
        }

        private void sign() {
            List<GroupFactor.Signs> all =
                    new ArrayList<>(factors(GroupFactor.Signs.class).keySet());
            bases.forEach(basis -> all.add(basis.signs()));
            Set<Value> values = new LinkedHashSet<>();
            all.forEach(factor -> values.addAll(factor.pattern().keySet()));
            var signs = new UnitSigns(channels(values), parameters(), ranks);
            total = Affine.then(total, signs.elements(all, found.points()));
            if (signs.gap() < UnitOrder.NEAR) {
                near.add("signs: the largest numbers of both signs differ by %.1e of the larger alone"
                        .formatted(signs.gap()));
            }
        }
    }

    /** For each parameter when its tensor is first used. */
    private static int[] ranks(GroupSearch found) {
        Map<String, Integer> first = new LinkedHashMap<>();
        Moving moving = found.moving();
        for (ParameterUse use : found.cut().uses()) {
            moving.reaching(List.of(use.weight()))
                    .places()
                    .keySet()
                    .forEach(name -> first.putIfAbsent(name, first.size()));
        }
        int[] ranks = new int[moving.count()];
        int from = 0;
        for (Map.Entry<String, int[]> tensor : moving.places().entrySet()) {
            int count = tensor.getValue().length;
            Arrays.fill(
                    ranks,
                    from,
                    from + count,
                    Objects.requireNonNull(first.getOrDefault(tensor.getKey(), first.size())));
            from += count;
        }
        return ranks;
    }

    /**
     * Chooses the representative.
     *
     * @param group of the model
     * @return the element that leads to it
     */
    public static Canonical of(SymmetryGroup group) {
        return chosen(group, new Choice(group.found()).representative());
    }

    /**
     * Balances scales alone: those that make the sum of squares of the weights least. Bases, orders and signs stay.
     *
     * @param group of the model
     * @return the element that leads there
     */
    public static Canonical balanced(SymmetryGroup group) {
        return chosen(group, new Choice(group.found()).balance());
    }

    private static Canonical chosen(SymmetryGroup group, Choice choice) {
        return new Canonical(group.named(choice.total), List.copyOf(choice.near), List.copyOf(choice.staying));
    }
}
