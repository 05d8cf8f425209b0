package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.junit.jupiter.api.Test;

class SitePoolTest {
    private final TwoLayerBlock block = BatchViewTest.block(new SplittableRandom(1));
    private final Matrix inputs = Matrix.gaussian(40, 5, new SplittableRandom(2));

    private SitePool pool(Matrix rows, int size, boolean grouped) {
        return SitePool.choose(
                block, rows, size, grouped, true, new MovingUnits.MostSensitive(1), new SplittableRandom(3));
    }

    @Test
    void batchesAreDifferentRowsOfThePool() {
        SitePool pool = pool(inputs, 3, false);
        SplittableRandom random = new SplittableRandom(4);
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            Matrix batch = pool.batch(random);
            Set<String> rows = new HashSet<>();
            for (int row = 0; row < 3; row++) {
                rows.add(Arrays.toString(batch.row(row)));
            }
            assertThat(rows).hasSize(3);
            seen.addAll(rows);
            assertThat(pool.distance(batch)).hasValue(0);
        }
        assertThat(seen).hasSize(40);
    }

    @Test
    void groupedRowsStayTogether() {
        SitePool pool = pool(inputs, 4, true);
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 20; i++) {
            Matrix batch = pool.batch(random);
            int first = 0;
            while (!Arrays.equals(inputs.row(first), batch.row(0))) {
                first++;
            }
            assertThat(first % 4).isZero();
            assertThat(batch.entries()).isEqualTo(inputs.rows(first, first + 4).entries());
        }
    }

    /** The condition by another route: that of the site which the units make. */
    @Test
    void theConditionIsThatOfTheSite() {
        SitePool pool = pool(inputs, 3, false);
        Matrix batch = pool.batch(new SplittableRandom(5));
        SiteCoordinates site = pool.coordinates(batch);
        double[] values = Svd.valuesOf(site.site().features().matrix());

        assertThat(pool.condition(batch)).isCloseTo(values[0] / values[2], within(1e-9 * values[0] / values[2]));
        assertThat(pool.distance(Matrix.gaussian(3, 5, new SplittableRandom(6))).orElseThrow())
                .isGreaterThan(0.1);
    }

    @Test
    void aPoolThatIsTooSmallIsRefused() {
        assertThatThrownBy(() -> pool(inputs.rows(0, 2), 3, false))
                .hasMessage("pool: 2 inputs, expected at least 3, as many as the protected batch has; name more");
        assertThatThrownBy(() -> pool(inputs, 3, false).with(inputs.rows(0, 2)))
                .hasMessage("unseen: 2 inputs, expected at least 3, as many as the protected batch has; name more");
    }

    /** Inputs that all but agree: two units tell no two of them apart. */
    @Test
    void aPoolOnWhichTheSiteIsSingularIsRefused() {
        Matrix alike = inputs.copy();
        for (int i = 0; i < alike.entries().length; i++) {
            alike.entries()[i] = 1 + 1e-9 * alike.entries()[i];
        }

        assertThatThrownBy(() -> pool(alike, 2, false))
                .hasMessageStartingWith("pool: the site is refused on each of 16 batches drawn; the last one: "
                        + "CompensationSite: the compensating units cannot tell the 2 inputs apart: condition ");
        SitePool among = pool(inputs, 2, false).with(alike);
        assertThat(among.leftOut(new SplittableRandom(7), 20)).isEqualTo(20);
        assertThatThrownBy(() -> among.draw(new SplittableRandom(7)))
                .hasMessage(
                        "pool: the site is singular on 1000 batches in a row, condition of the compensating features above 1e+04; give a pool whose inputs differ more");
        assertThat(pool(inputs, 2, false).leftOut(new SplittableRandom(7), 20)).isZero();
    }

    @Test
    void aGatedBlockIsRefused() {
        SplittableRandom random = new SplittableRandom(1);
        GatedRows gated = new GatedRows(
                GatedBlock.of(
                        Activation.SILU,
                        DenseLayer.of(Matrix.gaussian(6, 5, random)),
                        DenseLayer.of(Matrix.gaussian(6, 5, random)),
                        DenseLayer.of(Matrix.gaussian(4, 6, random))),
                MovingRows.GATE);

        assertThatThrownBy(() -> SitePool.choose(
                        gated, inputs, 3, false, true, new MovingUnits.Given(List.of(1)), new SplittableRandom(3)))
                .hasMessageContaining("takes a block without a gate and one moving unit, got a gate and 1 moving");
    }
}
