package org.isoloss.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.GemmTile;
import org.isoloss.linalg.PreparedGemm;
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

/** A float32 product of stacked rows with the weights of a hidden layer, 256 x 256, whole and in the tiles of {@link GemmTile}. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"})
@State(Scope.Thread)
public class MatrixProductBenchmark {
    private static final int WIDTH = 256;

    /** Stacked rows: one batch, or five blocks of it. */
    @Param({"32", "160"})
    public int rows;

    private final float[] weight = new float[WIDTH * WIDTH];
    private float[] output = {};
    private PreparedGemm product =
            Blas.gemm(weight, 0, WIDTH, false, weight, 0, WIDTH, false, output, 0, WIDTH, 0, WIDTH, WIDTH);

    private final List<PreparedGemm> tiles = new ArrayList<>();

    /** Binds the product to its arrays. */
    @Setup
    public void bind() {
        float[] input = new float[rows * WIDTH];
        output = new float[rows * WIDTH];
        Arrays.fill(input, 0.5f);
        Arrays.fill(weight, 0.25f);
        product = Blas.gemm(input, 0, WIDTH, false, weight, 0, WIDTH, false, output, 0, WIDTH, rows, WIDTH, WIDTH);
        GemmTile tile = GemmTile.of(rows, WIDTH, WIDTH, false, false);
        for (int column = 0; column < WIDTH; column += tile.columns()) {
            for (int row = 0; row < rows; row += tile.rows()) {
                int height = Math.min(tile.rows(), rows - row);
                int width = Math.min(tile.columns(), WIDTH - column);
                tiles.add(Blas.gemm(
                        input,
                        row * WIDTH,
                        WIDTH,
                        false,
                        weight,
                        column,
                        WIDTH,
                        false,
                        output,
                        row * WIDTH + column,
                        WIDTH,
                        height,
                        width,
                        WIDTH));
            }
        }
    }

    @Benchmark
    public float[] sgemm() {
        product.run(1, 0);
        return output;
    }

    @Benchmark
    public float[] sgemmInTiles() {
        for (PreparedGemm tile : tiles) {
            tile.run(1, 0);
        }
        return output;
    }
}
