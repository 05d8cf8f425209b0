package org.isoloss.reproduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.reproduce.StudyCells.Cell;
import org.isoloss.reproduce.StudyCells.Work;
import org.isoloss.symmetry.Symmetries;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CensusTest {
    @TempDir
    Path folder;

    /** A deep linear network: GL(2), and maps of rank 2 from what the inputs span. */
    @Test
    void plantedNetworkIsAsCounted() {
        CensusNetwork linear = CensusNetwork.dense("linear 6-2-4", Activation.IDENTITY, false, 6, 2, 4);
        for (Map<String, Object> row : CensusOfBatches.rows(linear, 5)) {
            int spanned = Math.min(6, CensusRow.count(row, "inputs"));
            int seen = spanned == 1 ? 4 : 2 * (spanned + 4) - 4;
            assertThat(row)
                    .containsEntry("symmetries", 4)
                    .containsEntry("unexplained", 0)
                    .containsEntry("dimension", 20 - seen);
        }
    }

    /** With more outputs than features k m is too much, from the seventh input on. */
    @Test
    void countingKnowsThatFeaturesAreFew() {
        CensusNetwork wide = CensusNetwork.dense("tanh 4-3-8", Activation.TANH, true, 4, 3, 8);
        assertThat(wide.seen(4, 47)).isEqualTo(32);
        assertThat(wide.seen(5, 47)).isEqualTo(35);
        assertThat(wide.seen(9, 47)).isEqualTo(47);
        for (Map<String, Object> row : CensusOfBatches.rows(wide, 5)) {
            assertThat(row.get("dimension")).as("%s", row).isEqualTo(row.get("counted"));
            if (CensusRow.count(row, "inputs") == 5) {
                assertThat(row.get("dimension")).isNotEqualTo(row.get("product"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void theMeanOverAGroupCannotTellAnOrbitApart(long seed) {
        Matrix turn = Matrix.zeros(3, 3);
        for (int i = 0; i < 3; i++) {
            turn.set((i + 1) % 3, i, 1);
        }
        List<Matrix> group = List.of(Matrix.identity(3), turn, turn.times(turn));
        CensusNetwork mean = CensusNetwork.averaged("mean", group, 4, 2);
        Matrix some = Matrix.gaussian(2, 3, new SplittableRandom(seed));
        Matrix closed = Matrix.zeros(6, 3);
        for (int i = 0; i < 3; i++) {
            System.arraycopy(some.times(group.get(i).transpose()).entries(), 0, closed.entries(), 6 * i, 6);
        }
        Symmetries symmetries = Symmetries.of(mean.model(8, seed), List.of(), seed);
        assertThat(CensusRow.point(symmetries, mean.model(6, seed), closed)
                        .data()
                        .rank())
                .hasValue(4);
        Matrix other = Matrix.gaussian(6, 3, new SplittableRandom(seed + 10));
        assertThat(CensusRow.point(symmetries, mean.model(6, seed), other)
                        .data()
                        .rank())
                .hasValue(12);
    }

    /** Of one unit two inputs of three are seen, another is asleep: 3 + 1 weights that read it, less 2, and 4 + 2 - 1; without the third it is always active. */
    @Test
    void unitsThatDoNotBendLeaveTheirWeightsFree() {
        DenseNetwork network = new DenseNetwork(
                Activation.RELU,
                List.of(
                        DenseLayer.of(Matrix.over(2, 3, new double[] {1, 0, 0, 0, 0, -1}), new double[2]),
                        DenseLayer.of(Matrix.over(2, 2, new double[] {1, 2, 3, 4}), new double[2])));
        Matrix inputs = Matrix.over(3, 3, new double[] {1, 2, 3, 2, 1, 1, -1, 1, 2});
        assertThat(CensusOfTraining.unbent(network, inputs)).isEqualTo(2 + 5);
        assertThat(CensusOfTraining.unbent(network, inputs.rows(0, 2))).isEqualTo(2 + 1 + 5);
    }

    @Test
    void checkpointsAreThirtyFromTheInitialWeightsToTheEnd() {
        List<Integer> steps = CensusOfTraining.checkpoints();
        assertThat(steps).hasSize(30).startsWith(0, 1, 2).endsWith(3000);
        for (int i = 1; i < steps.size(); i++) {
            assertThat(steps.get(i)).isGreaterThan(steps.get(i - 1));
        }
    }

    @Test
    void undecidedCheckpointsAreNoChange() {
        assertThat(CensusOfTraining.changes(List.of(
                        Map.of("dimension", 2), Map.of("loss", 1), Map.of("dimension", 2), Map.of("dimension", 3))))
                .isEqualTo(1);
    }

    @Test
    void finishedPartsAreNotComputedAgain() throws Exception {
        AtomicInteger computed = new AtomicInteger();
        Cell good = new Cell("good", () -> {
            computed.incrementAndGet();
            return List.of(Map.of("number", 1.5, "name", "x"));
        });
        Cell bad = new Cell("bad", () -> {
            throw new IllegalArgumentException("stopped");
        });
        Work work = new Work(1, StudyProgress.SILENT);
        assertThatThrownBy(() -> StudyCells.rows("parts", folder, List.of(good, bad), work))
                .hasMessage("stopped");
        Cell mended = new Cell("bad", () -> List.of(Map.of("number", 2)));
        assertThat(StudyCells.rows("parts", folder, List.of(good, mended), work))
                .containsExactly(Map.of("number", 1.5, "name", "x"), Map.of("number", 2));
        assertThat(computed).hasValue(1);
    }

    /** The same bits on one thread and on three. */
    @Test
    void threadsChangeNothing() throws IOException, InterruptedException {
        List<Cell> cells = new ArrayList<>();
        CensusNetwork network = CensusNetwork.convolutional("convolution", Activation.TANH);
        for (long seed = 1; seed <= 3; seed++) {
            long own = seed;
            cells.add(new Cell("part-" + seed, () -> CensusOfBatches.rows(network, own)));
        }
        Path one = folder.resolve("one");
        Path three = folder.resolve("three");
        StudyCells.rows("parts", one, cells, new Work(1, StudyProgress.SILENT));
        StudyCells.rows("parts", three, cells, new Work(3, StudyProgress.SILENT));
        for (Cell cell : cells) {
            assertThat(Files.readString(three.resolve(cell.name() + ".json")))
                    .isEqualTo(Files.readString(one.resolve(cell.name() + ".json")));
        }
    }

    @Tag("slow")
    @Test
    void theWholeStudyIsMade() throws IOException, InterruptedException {
        Protocol one = Protocol.QUICK.withSeeds(List.of(101L));
        Study study = new Study(Path.of("..", "examples"), folder, one);
        Made made = PaperResult.CENSUS.make(study, new Work(2, StudyProgress.SILENT));
        assertThat(made.tables().stream().map(ComparedTable::name))
                .containsExactly("census-batch", "census-orbits", "census-training");
        assertThat(made.figures()).hasSize(8);
        assertThat(Arrays.asList(made.tables().get(1).json().split("\n", -1)))
                .filteredOn(line -> line.contains("\"network\""))
                .hasSize(4 * 13);
    }
}
