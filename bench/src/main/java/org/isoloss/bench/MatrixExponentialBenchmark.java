package org.isoloss.bench;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.isoloss.linalg.MatrixExponential;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The matrix exponential and the adjoint of its derivative, of entries uniform in [-0.5, 0.5). */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"})
@State(Scope.Thread)
public class MatrixExponentialBenchmark {
    /** Rows of the matrix. */
    @Param({"2", "4"})
    public int size;

    private MatrixExponential exponential = MatrixExponential.forSize(0);
    private double[] matrix = {};
    private double[] cotangent = {};
    private double[] result = {};

    /** Draws the matrices. */
    @Setup
    public void draw() {
        SplittableRandom random = new SplittableRandom(1);
        exponential = MatrixExponential.forSize(size);
        matrix = random.doubles(size * size, -0.5, 0.5).toArray();
        cotangent = random.doubles(size * size, -0.5, 0.5).toArray();
        result = new double[size * size];
    }

    @Benchmark
    public double[] exponential() {
        exponential.exponential(matrix, 0, result, 0);
        return result;
    }

    @Benchmark
    public double[] adjoint() {
        exponential.adjoint(matrix, 0, cotangent, 0, result, 0);
        return result;
    }
}
