package org.isoloss.model;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.model.AxisNode.Kind;
import org.isoloss.model.AxisNode.Limit;
import org.isoloss.model.AxisNode.Ref;
import org.isoloss.model.AxisProducts.Bond;
import org.isoloss.model.AxisProducts.Scaling;

/** A search in which products with weights bind channels as much as they must, and no more. */
final class BoundSearch {
    private final Map<AxisNode, List<int[]>> turned = new HashMap<>();
    private final AxisSearch search;

    BoundSearch(Model model, WeightedGraph graph) {
        this.search = searched(model, graph);
    }

    AxisSearch search() {
        return search;
    }

    /** Leaves whose channels rotary positions turn, with the channels that each rotation mixes. */
    Map<AxisNode, List<int[]>> turned() {
        return turned;
    }

    /** Searches until every weight that multiplies channels binds them as much as it must. */
    private AxisSearch searched(Model model, WeightedGraph graph) {
        Map<Value, Bond> bonds = new HashMap<>();
        while (true) {
            AxisSearch search = new AxisSearch(model, graph, bonds);
            Set<AxisNode> seen = new HashSet<>();
            search.bases().all().values().forEach(axes -> axes.forEach(axis -> pass(axis, seen)));
            turned.clear();
            search.turned().forEach((axis, blocks) -> turn(axis, blocks));
            boolean changed = false;
            for (Scaling scaling : search.scalings()) {
                Ref before = search.bases().axes(scaling.source()).get(scaling.sourceAxis());
                Ref after = search.bases().axes(scaling.product()).get(scaling.axis());
                boolean isApart = before.kind() == Kind.LEAF
                        && after.kind() == Kind.LEAF
                        && before.found().node() != after.found().node();
                boolean isFree = isApart
                        && after.found().node().limits().isEmpty()
                        && !turned.containsKey(after.found().node())
                        && WeightedGraph.hasFactors(scaling.factors());
                boolean isStill = isApart && before.found().node().limits().contains(Limit.PINNED);
                Bond bond = isFree ? Bond.FREE : isStill ? Bond.ORDERED : Bond.SAME;
                Bond kept = bonds.getOrDefault(scaling.product(), Bond.FREE);
                if (bond.compareTo(kept) > 0) {
                    bonds.put(scaling.product(), bond);
                    changed = true;
                }
            }
            if (!changed) {
                return search;
            }
        }
    }

    private void turn(Ref axis, List<int[]> blocks) {
        boolean isWhole = axis.kind() == Kind.LEAF && blocks.stream().allMatch(block -> block.length <= 2);
        List<int[]> before = isWhole ? turned.putIfAbsent(axis.found().node(), blocks) : null;
        if (!isWhole || (before != null && !isSame(before, blocks))) {
            axis.leaves().forEach(leaf -> leaf.limit(Limit.PINNED));
        }
    }

    private static boolean isSame(List<int[]> one, List<int[]> other) {
        return Arrays.deepEquals(one.toArray(), other.toArray());
    }

    /** What limits an axis limits its parts. */
    private static void pass(Ref axis, Set<AxisNode> seen) {
        AxisNode node = axis.found().node();
        if (seen.add(node)) {
            Set<Limit> limits = EnumSet.noneOf(Limit.class);
            limits.addAll(node.limits());
            for (Ref part : new Ref(node, false).parts()) {
                limits.forEach(part::limit);
                seen.remove(part.found().node()); // there is more to pass
                pass(part, seen);
            }
        }
    }
}
