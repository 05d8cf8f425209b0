package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.isoloss.model.AxisNode.Kind;
import org.isoloss.model.AxisNode.Limit;
import org.isoloss.model.AxisNode.Ref;
import org.junit.jupiter.api.Test;

class AxisNodeTest {
    private static List<Integer> sizes(List<Ref> refs) {
        return refs.stream().map(Ref::size).toList();
    }

    private static boolean isSame(Ref one, Ref other) {
        return one.found().node() == other.found().node();
    }

    private static boolean isPinned(Ref ref) {
        return ref.leaves().stream().allMatch(leaf -> leaf.node().limits().contains(Limit.PINNED))
                || ref.found().node().limits().contains(Limit.PINNED);
    }

    @Test
    void leavesBecomeOne() {
        Ref one = AxisNode.fresh(4);
        Ref other = AxisNode.fresh(4);
        one.limit(Limit.ONES);
        AxisNode.unite(one, other);
        assertThat(isSame(one, other)).isTrue();
        assertThat(other.found().node().limits()).containsExactly(Limit.ONES);
        assertThat(isSame(one, AxisNode.fresh(4))).isFalse();
    }

    /** What is joined with a dual has its limits turned: A 1 = 1 of one is A' 1 = 1 of the other. */
    @Test
    void dualsTurnLimits() {
        Ref one = AxisNode.fresh(4);
        Ref other = AxisNode.fresh(4);
        AxisNode.unite(one, other.flipped());
        one.limit(Limit.ONES);
        Ref found = one.found();
        assertThat(found.node().limits()).containsExactly(found.dual() ? Limit.ONES_DUAL : Limit.ONES);
        assertThat(found.dual()).isNotEqualTo(other.found().dual());
    }

    /** A basis that is its own dual is orthogonal. */
    @Test
    void selfDualIsOrthogonal() {
        Ref one = AxisNode.fresh(4);
        Ref other = AxisNode.fresh(4);
        AxisNode.unite(one, other);
        AxisNode.unite(one, other);
        assertThat(one.found().node().limits()).isEmpty();
        AxisNode.unite(one, other.flipped());
        assertThat(one.found().node().limits()).containsExactly(Limit.ORTHOGONAL);
    }

    /** 12 as heads of 4 and as pairs of groups: 3 x 4 and 6 x 2 part into 3 x 2 x 2. */
    @Test
    void productsPartEachOther() {
        Ref left = AxisNode.product(List.of(AxisNode.fresh(3), AxisNode.fresh(4)));
        Ref right = AxisNode.product(List.of(AxisNode.fresh(6), AxisNode.fresh(2)));
        AxisNode.unite(left, right);
        assertThat(sizes(left.factors())).containsExactly(3, 2, 2);
        assertThat(sizes(right.factors())).containsExactly(3, 2, 2);
        for (int i = 0; i < 3; i++) {
            assertThat(isSame(left.factors().get(i), right.factors().get(i))).isTrue();
        }
        assertThat(isPinned(left)).isFalse();
    }

    @Test
    void productsThatDoNotFitStay() {
        Ref left = AxisNode.product(List.of(AxisNode.fresh(2), AxisNode.fresh(3)));
        Ref right = AxisNode.product(List.of(AxisNode.fresh(3), AxisNode.fresh(2)));
        AxisNode.unite(left, right);
        assertThat(isPinned(left)).isTrue();
        assertThat(isPinned(right)).isTrue();
    }

    /** A product and a join of the same size have no common parts. */
    @Test
    void productsAndJoinsStay() {
        Ref left = AxisNode.product(List.of(AxisNode.fresh(2), AxisNode.fresh(3)));
        Ref right = AxisNode.join(List.of(AxisNode.fresh(4), AxisNode.fresh(2)));
        AxisNode.unite(left, right);
        assertThat(isPinned(left)).isTrue();
        assertThat(isPinned(right)).isTrue();
    }

    /** 5 + 3 and 2 + 6 part into 2 + 3 + 3. */
    @Test
    void joinsPartEachOther() {
        Ref left = AxisNode.join(List.of(AxisNode.fresh(5), AxisNode.fresh(3)));
        Ref right = AxisNode.join(List.of(AxisNode.fresh(2), AxisNode.fresh(6)));
        AxisNode.unite(left, right);
        assertThat(sizes(left.leaves())).containsExactly(2, 3, 3);
        assertThat(left.leaves().stream().map(Ref::node).collect(Collectors.toList()))
                .isEqualTo(right.leaves().stream().map(Ref::node).toList());
    }

    @Test
    void factorsAreTakenUpToASize() {
        List<Ref> factors = new ArrayList<>(List.of(AxisNode.fresh(3), AxisNode.fresh(8)));
        List<Ref> taken = AxisNode.taken(factors, 6);
        assertThat(sizes(taken)).containsExactly(3, 2);
        assertThat(sizes(factors)).containsExactly(4);
        List<Ref> odd = new ArrayList<>(List.of(AxisNode.fresh(3), AxisNode.fresh(8)));
        Ref first = odd.getFirst();
        assertThat(AxisNode.taken(odd, 4)).isEmpty();
        assertThat(isPinned(first)).isTrue();
        assertThat(AxisNode.taken(new ArrayList<>(List.of(AxisNode.fresh(5))), 1))
                .isEmpty();
    }

    /** Thirds of query, key and value; then a part across two of them. */
    @Test
    void slicesAreParts() {
        Ref whole = AxisNode.fresh(12);
        Ref middle = AxisNode.sliced(whole, 4, 4);
        assertThat(whole.kind()).isEqualTo(Kind.JOIN);
        assertThat(sizes(whole.leaves())).containsExactly(4, 4, 4);
        assertThat(isSame(middle, whole.leaves().get(1))).isTrue();
        assertThat(AxisNode.sliced(whole, 0, 12)).isEqualTo(whole);
        Ref across = AxisNode.sliced(whole, 2, 4);
        assertThat(sizes(whole.leaves())).containsExactly(2, 2, 2, 2, 4);
        assertThat(sizes(across.leaves())).containsExactly(2, 2);
        assertThat(isSame(across.leaves().getFirst(), whole.leaves().get(1))).isTrue();
        assertThat(sizes(middle.leaves())).containsExactly(2, 2);
    }

    /** What is cut out of a product is not made up of its factors. */
    @Test
    void sliceOfAProductStays() {
        Ref whole = AxisNode.product(List.of(AxisNode.fresh(3), AxisNode.fresh(4)));
        Ref part = AxisNode.sliced(whole, 2, 5);
        assertThat(part.size()).isEqualTo(5);
        assertThat(isPinned(part)).isTrue();
        assertThat(whole.found().node().limits()).containsExactly(Limit.PINNED);
    }

    /** Joining leaf with structure gives the structure, dual parts and all. */
    @Test
    void leavesTakeOnStructure() {
        Ref leaf = AxisNode.fresh(6);
        Ref inner = AxisNode.fresh(2);
        Ref product = AxisNode.product(List.of(AxisNode.fresh(3), inner.flipped()));
        AxisNode.unite(leaf, product.flipped());
        assertThat(sizes(leaf.factors())).containsExactly(3, 2);
        assertThat(leaf.factors().get(1).found()).isEqualTo(inner.found());
        leaf.limit(Limit.PINNED);
        assertThat(isPinned(product)).isTrue();
    }
}
