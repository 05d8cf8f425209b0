package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.discovery.RecordedObjective.Setting;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What training relies on: the digits of float32, steps that allocate nothing, and the same bits from the same seed. */
class ObjectiveReplayTest {
    @ParameterizedTest
    @EnumSource
    void float32KeepsFourDigitsOfEveryTerm(PreservedFunction preserved) {
        Setting setting = Setting.small(preserved, 2, RecordedObjective.HYBRID);
        RecordedObjective single = new RecordedObjective(setting, Precision.FLOAT32, 7);
        RecordedObjective doubled = new RecordedObjective(setting, Precision.FLOAT64, 7);
        for (RecordedObjective each : new RecordedObjective[] {single, doubled}) {
            each.program().forward();
            each.program().backward(each.objective().loss());
        }
        for (int term = 0; term < 6; term++) {
            double exact = value(doubled, term);
            assertThat(Math.abs(value(single, term) - exact))
                    .as(doubled.objective().terms().get(term).name())
                    .isLessThan(1e-4 * exact);
        }
        for (int tensor = 0; tensor < doubled.tensors().size(); tensor++) {
            Matrix exact = doubled.program().gradient(doubled.tensors().get(tensor));
            Matrix gradient = single.program().gradient(single.tensors().get(tensor));
            assertThat(gradient.minus(exact).largestMagnitude()).isLessThan(1e-4 * exact.largestMagnitude());
        }
    }

    private static double value(RecordedObjective recorded, int term) {
        return recorded.program().get(recorded.objective().terms().get(term).value(), 0);
    }

    /** Warm once 200 steps allocate next to nothing; a step that allocates never gets there. */
    @ParameterizedTest
    @EnumSource
    void aWarmStepAllocatesNothing(Precision precision) {
        Setting setting = new Setting(PreservedFunction.TANH_NETWORK, 2, 2, RecordedObjective.HYBRID, 4, 8, false);
        RecordedObjective recorded = new RecordedObjective(setting, precision, 11);
        double fewest = Double.POSITIVE_INFINITY;
        for (int window = 0; window < 100 && !(fewest < 100); window++) {
            fewest = Math.min(fewest, bytesPerStep(200, step -> recorded.train(step)));
        }
        assertThat(fewest).isLessThan(100);
    }

    @ParameterizedTest
    @EnumSource
    void aStepThatAllocatesIsSeen(Precision precision) {
        Setting setting = new Setting(PreservedFunction.TANH_NETWORK, 2, 2, RecordedObjective.HYBRID, 4, 8, false);
        RecordedObjective recorded = new RecordedObjective(setting, precision, 11);
        Program program = recorded.program();
        double bytes = bytesPerStep(200, step -> program.get(recorded.tensors().getFirst()));
        assertThat(bytes).isGreaterThan(100);
    }

    private interface Step {
        void run(int number);
    }

    private static double bytesPerStep(int steps, Step step) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 1; i <= steps; i++) {
            step.run(i);
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / (double) steps;
    }

    @ParameterizedTest
    @EnumSource
    void theSameSeedGivesTheSameBitsInAnyThread(Precision precision) {
        double[] alone = trained(precision, 13);
        assertThat(trained(precision, 13)).isEqualTo(alone);
        assertThat(trained(precision, 14)).isNotEqualTo(alone);
        var together = IntStream.range(0, 2)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> trained(precision, 13)))
                .toList();
        together.forEach(run -> assertThat(run.join()).isEqualTo(alone));
    }

    /** All numbers of a recording of its own after 50 steps. */
    private static double[] trained(Precision precision, long seed) {
        Setting setting = new Setting(PreservedFunction.SIGMOID_SITE, 2, 2, RecordedObjective.HYBRID, 8, 32, false);
        RecordedObjective recorded = new RecordedObjective(setting, precision, seed);
        for (int step = 1; step <= 50; step++) {
            recorded.train(step);
        }
        return recorded.tensors().stream()
                .flatMapToDouble(
                        tensor -> Arrays.stream(recorded.program().get(tensor).entries()))
                .toArray();
    }
}
