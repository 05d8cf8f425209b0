package org.isoloss.model;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The channels of an axis, or how an axis is made up of smaller ones: one within the other (a product), or side by side. Nodes that are
 * found to be the same are joined, with their parts; each knows whether it was joined as itself or as its dual.
 */
final class AxisNode {
    /** What a change of basis A of the channels must keep. */
    enum Limit {
        /** Nothing but the identity. */
        PINNED,
        /** One entry a row: orders, scales and signs. */
        MONOMIAL,
        /** No change of order. */
        ORDERED,
        /** Sums of squares. */
        ORTHOGONAL,
        /** A 1 = 1. */
        ONES,
        /** A' 1 = 1. */
        ONES_DUAL
    }

    /** How a node is made up. */
    enum Kind {
        /** It is not. */
        LEAF,
        /** The first part changes slowest. */
        PRODUCT,
        /** One part after the other. */
        JOIN
    }

    private final int size;
    private Kind kind = Kind.LEAF;
    private List<Ref> parts = List.of();
    private @Nullable Ref joined;
    private final Set<Limit> limits = EnumSet.noneOf(Limit.class);

    AxisNode(int size) {
        this.size = size;
    }

    /**
     * A node as it stands at an axis.
     *
     * @param node any
     * @param dual whether the axis changes by the inverse, transposed
     */
    record Ref(AxisNode node, boolean dual) {
        Ref flipped() {
            return new Ref(node, !dual);
        }

        int size() {
            return node.size;
        }

        /** The node that it was joined with last. */
        Ref found() {
            AxisNode at = node;
            boolean turned = dual;
            while (at.joined != null) {
                turned ^= at.joined.dual;
                at = at.joined.node;
            }
            return new Ref(at, turned);
        }

        Kind kind() {
            return found().node.kind;
        }

        /** The parts as they stand at the axis. */
        List<Ref> parts() {
            Ref own = found();
            return own.node.parts.stream()
                    .map(part -> new Ref(part.node, part.dual ^ own.dual))
                    .toList();
        }

        void limit(Limit limit) {
            Ref own = found();
            own.node.limits.add(own.dual ? dualOf(limit) : limit);
        }

        /** The leaves, from the first to the last. */
        List<Ref> leaves() {
            if (kind() == Kind.LEAF) {
                return List.of(found());
            }
            List<Ref> leaves = new ArrayList<>();
            parts().forEach(part -> leaves.addAll(part.leaves()));
            return leaves;
        }

        /** The factors, none of which is a product or has one channel. */
        List<Ref> factors() {
            if (size() == 1) {
                return List.of();
            }
            if (kind() != Kind.PRODUCT) {
                return List.of(this);
            }
            List<Ref> factors = new ArrayList<>();
            parts().forEach(part -> factors.addAll(part.factors()));
            return factors;
        }
    }

    private static Limit dualOf(Limit limit) {
        return switch (limit) {
            case ONES -> Limit.ONES_DUAL;
            case ONES_DUAL -> Limit.ONES;
            default -> limit;
        };
    }

    static Ref fresh(int size) {
        return new Ref(new AxisNode(size), false);
    }

    static Ref pinned(int size) {
        Ref ref = fresh(size);
        ref.limit(Limit.PINNED);
        return ref;
    }

    /** One axis of several, the first changing slowest. */
    static Ref product(List<Ref> factors) {
        if (factors.size() == 1) {
            return factors.getFirst();
        }
        int size = factors.stream().mapToInt(Ref::size).reduce(1, Math::multiplyExact);
        Ref ref = fresh(size);
        if (!factors.isEmpty()) {
            ref.node.kind = Kind.PRODUCT;
            ref.node.parts = List.copyOf(factors);
        }
        return ref;
    }

    /** One axis of several side by side. */
    static Ref join(List<Ref> parts) {
        if (parts.size() == 1) {
            return parts.getFirst();
        }
        Ref ref = fresh(parts.stream().mapToInt(Ref::size).sum());
        ref.node.kind = Kind.JOIN;
        ref.node.parts = List.copyOf(parts);
        return ref;
    }

    Set<Limit> limits() {
        return limits;
    }

    int size() {
        return size;
    }

    /** Makes two nodes one, part by part. */
    static void unite(Ref left, Ref right) {
        Ref one = left.found();
        Ref other = right.found();
        if (one.node == other.node) {
            if (one.dual != other.dual) {
                one.limit(Limit.ORTHOGONAL); // A and its dual are the same
            }
            return;
        }
        if (one.node.kind == Kind.LEAF) {
            become(one, other);
        } else if (other.node.kind == Kind.LEAF) {
            become(other, one);
        } else if (one.node.kind == Kind.PRODUCT && other.node.kind == Kind.PRODUCT) {
            uniteFactors(one.factors(), other.factors());
            become(one, other);
        } else if (one.node.kind == Kind.JOIN && other.node.kind == Kind.JOIN) {
            List<Integer> ends = new ArrayList<>(ends(one));
            ends.addAll(ends(other));
            ends.sort(null);
            int begin = 0;
            for (int end : ends) {
                if (end > begin) {
                    unite(sliced(one, begin, end - begin), sliced(other, begin, end - begin));
                    begin = end;
                }
            }
            become(one, other);
        } else {
            one.limit(Limit.PINNED);
            other.limit(Limit.PINNED);
        }
    }

    private static List<Integer> ends(Ref join) {
        List<Integer> ends = new ArrayList<>();
        int end = 0;
        for (Ref part : join.parts()) {
            end += part.size();
            ends.add(end);
        }
        return ends;
    }

    private static void become(Ref one, Ref other) {
        Ref own = one.found();
        Ref target = other.found();
        if (own.node == target.node) {
            return;
        }
        own.node.limits.forEach(new Ref(target.node, own.dual ^ target.dual)::limit);
        own.node.joined = new Ref(target.node, own.dual ^ target.dual);
    }

    /** Makes two axes one that are the products of factors, and parts factors where they do not match. */
    static void uniteFactors(List<Ref> left, List<Ref> right) {
        List<Ref> these = new ArrayList<>(left);
        List<Ref> those = new ArrayList<>(right);
        while (!these.isEmpty() && !those.isEmpty()) {
            int here = these.getFirst().size();
            int there = those.getFirst().size();
            boolean parted = here < there ? part(those, here) : here == there || part(these, there);
            if (!parted) {
                these.forEach(ref -> ref.limit(Limit.PINNED));
                those.forEach(ref -> ref.limit(Limit.PINNED));
                return;
            }
            unite(these.removeFirst(), those.removeFirst());
        }
    }

    /** Parts the first of some factors into one of a size and another. */
    private static boolean part(List<Ref> factors, int first) {
        Ref whole = factors.getFirst();
        if (whole.size() % first != 0 || whole.kind() != Kind.LEAF) {
            return false;
        }
        Ref own = whole.found();
        own.node.kind = Kind.PRODUCT;
        own.node.parts = List.of(fresh(first), fresh(whole.size() / first));
        factors.removeFirst();
        factors.addAll(0, whole.factors());
        return true;
    }

    /**
     * Takes as many factors as make up a size, parting the last.
     *
     * @param factors of which those that are taken are removed
     * @param size their product
     * @return those that are taken; pinned where they cannot be parted so
     */
    static List<Ref> taken(List<Ref> factors, int size) {
        List<Ref> taken = new ArrayList<>();
        int left = size;
        while (left > 1) {
            Ref next = factors.getFirst();
            boolean fits = left % next.size() == 0 || (next.size() % left == 0 && part(factors, left));
            if (!fits) {
                factors.forEach(factor -> factor.limit(Limit.PINNED));
                return List.of();
            }
            left /= factors.getFirst().size();
            taken.add(factors.removeFirst());
        }
        return taken;
    }

    /** Some neighbouring channels; pinned where they cannot be told apart from the others. */
    static Ref sliced(Ref whole, int begin, int size) {
        if (begin == 0 && size == whole.size()) {
            return whole;
        }
        Ref own = whole.found();
        if (own.node.kind == Kind.PRODUCT) {
            own.limit(Limit.PINNED);
            return pinned(size);
        }
        if (own.node.kind == Kind.LEAF) {
            List<Ref> parts = new ArrayList<>();
            for (int length : new int[] {begin, size, whole.size() - begin - size}) {
                if (length > 0) {
                    parts.add(fresh(length));
                }
            }
            own.node.kind = Kind.JOIN;
            own.node.parts = parts;
        }
        List<Ref> inside = new ArrayList<>();
        List<Ref> all = new ArrayList<>();
        int at = 0;
        for (Ref part : own.node.parts) {
            int from = Math.max(begin, at);
            int to = Math.min(begin + size, at + part.size());
            if (from >= to || to - from == part.size()) {
                all.add(part);
                if (from < to) {
                    inside.add(part);
                }
            } else {
                inside.add(sliced(part, from - at, to - from));
                all.addAll(part.kind() == Kind.JOIN ? part.parts() : List.of(part));
            }
            at += part.size();
        }
        own.node.parts = all; // parts of parts side by side
        return join(inside.stream()
                .map(part -> new Ref(part.node, part.dual ^ own.dual))
                .toList());
    }
}
