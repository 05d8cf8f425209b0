package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The laws that every closed-form action obeys to rounding, for points and words of unit scale. */
abstract class GroupActionContract {
    /** Some tens of operations of relative error 1e-16, times condition numbers of a hundred. */
    private static final double ROUNDING = 1e-12;

    /** A central difference with step 6e-6 of a function whose third derivative is at most a thousand. */
    private static final double DIFFERENCE = 1e-7;

    /** An action with what it preserves and points of its domain, shape (n, p). */
    record Instance(GroupAction action, Target target, Matrix points) {}

    abstract Instance instance(SplittableRandom random);

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void theLawsHold(long seed) {
        var random = new SplittableRandom(seed);
        Instance instance = instance(random);
        var laws = new ActionLaws(instance.action, instance.points, random);
        assertThat(laws.identity()).isZero();
        assertThat(laws.composition()).isLessThan(ROUNDING);
        assertThat(laws.inverse()).isLessThan(ROUNDING);
        assertThat(laws.transport()).isLessThan(ROUNDING);
        assertThat(laws.preservation(instance.target)).isLessThan(ROUNDING);
        assertThat(laws.derivative()).isLessThan(DIFFERENCE);
        assertThat(laws.field()).isLessThan(DIFFERENCE);
        assertThat(laws.parameterDerivative()).isLessThan(DIFFERENCE);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void everyGeneratorMovesEveryPointInADirectionOfItsOwn(long seed) {
        var random = new SplittableRandom(seed);
        Instance instance = instance(random);
        var laws = new ActionLaws(instance.action, instance.points, random);
        assertThat(laws.leastMotion()).isGreaterThan(1e-3);
        assertThat(laws.leastFieldValue()).isGreaterThan(1e-3);
    }

    /** More elements than fit in one run of a recording, and no multiple of it. */
    @Test
    void severalElementsAtEachPointAreTreatedAsOneByOne() {
        var random = new SplittableRandom(6);
        Instance instance = instance(random);
        new SeveralElements(instance.action, instance.points, 17, random).requireOneByOne(ROUNDING);
    }

    @Test
    void argumentsAreNotModified() {
        Instance instance = instance(new SplittableRandom(4));
        int size = instance.action.generators().size();
        Matrix identity = Matrix.over(1, size * size, Matrix.identity(size).entries());
        Matrix direction =
                Matrix.over(1, size * size, instance.action.generators().get(0).entries());
        Matrix point = instance.points.rows(0, 1);
        Matrix before = point.copy();
        instance.action.apply(identity, point);
        instance.action.derivative(identity, direction, point);
        assertThat(point.entries()).isEqualTo(before.entries());
        assertThat(identity.entries()).isEqualTo(Matrix.identity(size).entries());
    }

    @Test
    void batchesThatDoNotFitAreRefused() {
        GroupAction action = instance(new SplittableRandom(5)).action;
        int size = action.generators().size();
        int count = action.parameterCount();
        String name = action.getClass().getSimpleName();
        assertThatThrownBy(() -> action.apply(Matrix.zeros(2, size * size + 1), Matrix.zeros(2, count)))
                .hasMessage("%s: group elements have %d entries, expected %d x %d = %d"
                        .formatted(name, size * size + 1, size, size, size * size));
        assertThatThrownBy(() -> action.apply(Matrix.zeros(2, size * size), Matrix.zeros(2, count + 1)))
                .hasMessage("%s: points have %d parameters, expected %d".formatted(name, count + 1, count));
        assertThatThrownBy(() -> action.apply(Matrix.zeros(3, size * size), Matrix.zeros(2, count)))
                .hasMessage("%s: 3 group elements for 2 points, expected one for each".formatted(name));
        assertThatThrownBy(() -> action.at(Matrix.zeros(2, count)).apply(Matrix.zeros(3, size * size)))
                .hasMessage("%s: 3 group elements for 2 points, expected the same number for each".formatted(name));
    }

    /** Points at normal distances of deviation 0.2 around one. */
    static Matrix around(double[] origin, int count, SplittableRandom random) {
        Matrix points = Matrix.zeros(count, origin.length);
        for (int row = 0; row < count; row++) {
            for (int i = 0; i < origin.length; i++) {
                points.set(row, i, origin[i] + 0.2 * random.nextGaussian());
            }
        }
        return points;
    }
}
