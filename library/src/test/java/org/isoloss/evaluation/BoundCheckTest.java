package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.evaluation.BoundCheck.Compared;
import org.isoloss.network.Calibration;
import org.junit.jupiter.api.Test;

class BoundCheckTest {
    private static final Calibration SCALES = new Calibration(0.5, 2);

    private static BoundCheck check(BoundCase base, GroupAction action) {
        var tested = new JudgedAction(action, base.target(), base.points(), SCALES);
        return BoundCheck.of(tested, base.target()::jacobian, List.of(0.2, 0.5), 12, new SplittableRandom(1));
    }

    @Test
    void aBrokenActionIsWithinItsBounds() {
        BoundCase base = BoundCase.untrained();
        BoundCheck check = check(base, base.action());

        assertThat(check.exceeded()).isZero();
        for (Compared compared : List.of(check.composition(), check.inverse(), check.output())) {
            assertThat(compared.measured()).hasSize(24).allMatch(error -> error > 1e-6);
            assertThat(compared.at(1, 12).measured())
                    .isEqualTo(compared.measured().subList(12, 24));
            for (int i = 0; i < 24; i++) {
                assertThat(compared.uniform().get(i))
                        .isGreaterThan(compared.bound().get(i) * 0.99);
            }
        }
        BoundCheck.Curve curve = check.curve();
        assertThat(curve.times()).hasSize(BoundCheck.TIMES).endsWith(0.5);
        for (Compared along : List.of(curve.composition(), curve.output())) {
            assertThat(along.exceeded()).isZero();
            assertThat(along.bound()).as("bounds grow along the curve").isSorted();
        }
        assertThat(check.constants().identity()).isZero();
        assertThat(check.constants().transport()).isPositive();
        assertThat(check.constants().loss()).isPositive();
    }

    @Test
    void forAnExactActionEverythingVanishes() {
        BoundCase base = BoundCase.compensation(false);
        BoundCheck check = check(base, base.action());

        assertThat(check.exceeded()).isZero();
        assertThat(check.constants().transport()).isLessThan(1e-13);
        assertThat(check.composition().uniform()).allMatch(bound -> bound < 1e-11);
        assertThat(check.output().bound()).allMatch(bound -> bound < 1e-11);
    }

    /** Lengths go with the parameter scale, outputs with theirs. */
    @Test
    void unitsCancel() {
        BoundCase base = BoundCase.untrained();
        var unit = new JudgedAction(base.action(), base.target(), base.points(), new Calibration(1, 1));
        BoundCheck plain = BoundCheck.of(unit, base.target()::jacobian, List.of(0.2, 0.5), 12, new SplittableRandom(1));
        BoundCheck scaled = check(base, base.action());

        assertThat(scaled.composition().bound().getFirst())
                .isEqualTo(plain.composition().bound().getFirst() / 0.5);
        assertThat(scaled.output().bound().getFirst())
                .isEqualTo(plain.output().bound().getFirst() / 2);
        assertThat(scaled.constants().outputDerivative())
                .isEqualTo(plain.constants().outputDerivative() * 0.5 / 2);
        double ratio =
                scaled.output().uniform().getFirst() / plain.output().uniform().getFirst();
        assertThat(Math.abs(ratio - 0.5)).isLessThan(1e-12);
    }

    @Test
    void anErrorAboveItsBoundIsCounted() {
        var compared = new Compared(
                List.of(1.0, 1.0, 1.0, Double.NaN, 1.0),
                List.of(1.0, 0.9, 2.0, 2.0, 2.0),
                List.of(1.0, 1.0, 0.9, 2.0, 2.0),
                List.of(1.0, 1.0, 1.0, 2.0, 0.5));
        assertThat(compared.exceeded()).isEqualTo(4);
    }

    @Test
    void listsOfDifferentLengthsAreRefused() {
        List<Double> one = List.of(1.0);
        assertThatThrownBy(() -> new Compared(one, one, List.of(), one))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("BoundCheck: 1 measured errors, 1 bounds, 0 sharp and 1 uniform ones; expected one number");
        var compared = new Compared(one, one, one, one);
        var constants = new UniformBounds(0, 0, 0, 0, 0);
        var curve = new BoundCheck.Curve(one, 0.1, compared, compared);
        assertThatThrownBy(() -> new BoundCheck(2, List.of(0.1), constants, compared, compared, compared, curve))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("BoundCheck: 1 measured errors, expected 2 samples at 1 radii");
        assertThatThrownBy(() -> new BoundCheck.Curve(List.of(), 0.1, compared, compared))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("BoundCheck.Curve: 1 and 1 measured errors, expected 0, one a time");
    }
}
