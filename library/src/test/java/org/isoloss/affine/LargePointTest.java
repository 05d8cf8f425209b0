package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A million parameters and 500 output components: the Jacobian alone would take 4 GB. */
class LargePointTest {
    private static final long MOST_BYTES = 1L << 30;

    @Test
    @Tag("slow")
    void theDimensionIsFoundInLittleMemory() {
        var random = new SplittableRandom(1);
        DenseNetwork network = Networks.random(random, Activation.TANH, true, 800, 1000, 200, 10);
        double[] inputs = Networks.gaussian(random, 50, 800).entries();
        System.arraycopy(
                inputs, 0, inputs, 49 * 800, 800); // the last input is the first: ten components say nothing new
        List<MemoryPoolMXBean> heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .toList();
        System.gc();
        long before = heap.stream().mapToLong(pool -> pool.getUsage().getUsed()).sum();
        heap.forEach(MemoryPoolMXBean::resetPeakUsage);
        ModelTarget target = ModelTarget.of(Moving.all(network.model(50)), Map.of("input", inputs));
        PointSymmetries point = PointSymmetries.dimensionOf(target, new SplittableRandom(2));
        long peak =
                heap.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();

        assertThat(target.parameterCount()).isEqualTo(1_003_210);
        assertThat(target.outputCount()).isEqualTo(500);
        assertThat(point.nullity(1e-8)).isEqualTo(1_003_210 - 490);
        assertThat(point.gap()).isGreaterThan(1e4);
        assertThat(peak - before).isBetween(8L * 1_003_210, MOST_BYTES);
    }
}
