package org.isoloss.bench;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.isoloss.network.Activation;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** SiLU with both derivatives in float32, on the pre-activations of 160 rows of 256 units. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"})
@State(Scope.Thread)
public class ActivationBenchmark {
    private static final int COUNT = 160 * 256;

    private final float[] z = new float[COUNT];
    private final float[] value = new float[COUNT];
    private final float[] first = new float[COUNT];
    private final float[] second = new float[COUNT];

    /** Draws the pre-activations. */
    public ActivationBenchmark() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < COUNT; i++) {
            z[i] = (float) random.nextGaussian();
        }
    }

    @Benchmark
    public float[] silu() {
        System.arraycopy(z, 0, value, 0, COUNT);
        Activation.SILU.evaluate(value, first, second, 0, COUNT);
        return second;
    }
}
