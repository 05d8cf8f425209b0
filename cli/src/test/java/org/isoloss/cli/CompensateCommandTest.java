package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.isoloss.cli.Run.json;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class CompensateCommandTest {
    private static final Path DIGITS = Path.of("..", "examples", "digits");

    @TempDir
    Path folder;

    private Path out() {
        return folder.resolve("edited.safetensors");
    }

    private Run digits(String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "compensate",
                DIGITS.resolve("tanh.safetensors").toString(),
                "--data",
                DIGITS.resolve("digits.csv.gz").toString(),
                "--label",
                "--scale",
                "16",
                "--rows",
                "1347..1355",
                "--fresh-rows",
                "1355..1797",
                "--out",
                out().toString()));
        arguments.addAll(List.of(more));
        return Run.of(arguments.toArray(String[]::new));
    }

    @Test
    void protectedOutputsStayAndOthersMove() {
        JsonNode result = json(digits("--move", "3", "--by", "0.1", "--format", "json"));
        assertThat(result.get("protected_max_relative_unrounded").asDouble()).isLessThan(1e-14);
        assertThat(result.get("protected_max_relative").asDouble()).isBetween(1e-10, 1e-6);
        assertThat(result.get("protected_max_relative_uncompensated").asDouble())
                .isGreaterThan(1e-2);
        assertThat(result.get("others_median_relative").asDouble()).isGreaterThan(1e-3);
        assertThat(result.get("size").asDouble()).isBetween(0.0999999, 0.1000001);
        assertThat(result.get("moving")).hasToString("[3]");
        assertThat(result.get("compensators")).hasSize(8);
        assertThat(result.get("condition").asDouble()).isBetween(1.0, 1e4);
        assertThat(result.get("singular_values")).hasSize(8);
    }

    /** The bits of every weight but those of the moving units and of the compensators stay. */
    @ParameterizedTest
    @ValueSource(strings = {"incoming", "outgoing", "all"})
    void onlySelectedWeightsChange(String part) throws IOException {
        JsonNode result = json(digits(
                "--move",
                "3,5",
                "--by",
                "-0.05",
                "--part",
                part,
                "--format",
                "json",
                "--compensators",
                "0,1,2,4,6,7,8,9,10,11"));
        List<Integer> compensators = new ArrayList<>();
        result.get("compensators").forEach(unit -> compensators.add(unit.asInt()));
        assertThat(compensators).hasSize(8).doesNotContain(3, 5).allMatch(unit -> unit <= 11);
        boolean incoming = !part.equals("outgoing");
        boolean outgoing = !part.equals("incoming");
        try (SafetensorsFile before = SafetensorsFile.open(DIGITS.resolve("tanh.safetensors"));
                SafetensorsFile after = SafetensorsFile.open(out())) {
            assertThat(after.metadata()).isEqualTo(before.metadata());
            assertThat(after.names()).isEqualTo(before.names());
            assertThat(after.tensor("2.bias").toDoubles())
                    .isEqualTo(before.tensor("2.bias").toDoubles());
            double[] bias = after.tensor("0.bias").toDoubles();
            double[] oldBias = before.tensor("0.bias").toDoubles();
            Matrix row = after.tensor("0.weight").toMatrix();
            Matrix oldRow = before.tensor("0.weight").toMatrix();
            Matrix column = after.tensor("2.weight").toMatrix().transpose();
            Matrix oldColumn = before.tensor("2.weight").toMatrix().transpose();
            for (int unit = 0; unit < 32; unit++) {
                boolean moves = unit == 3 || unit == 5;
                assertThat(Arrays.equals(row.row(unit), oldRow.row(unit))).isEqualTo(!(moves && incoming));
                assertThat(bias[unit] == oldBias[unit]).isEqualTo(!(moves && incoming));
                assertThat(Arrays.equals(column.row(unit), oldColumn.row(unit)))
                        .isEqualTo(!(compensators.contains(unit) || (moves && outgoing)));
            }
        }
        assertThat(result.get("protected_max_relative").asDouble()).isLessThan(1e-6);
    }

    /** In every type: what rounding did is in the record, not in another edit. */
    @ParameterizedTest
    @ValueSource(strings = {"F32", "F16", "BF16", "F64"})
    void undoBringsEveryBitBack(String type) throws IOException {
        Path stored = stored(ElementType.valueOf(type));
        Path report = folder.resolve("report");
        json(compensate(stored, "--move", "3,5", "--part", "all", "--by", "0.1", "--report", report.toString()));
        assertThat(Files.mismatch(stored, out())).isNotNegative();
        Path back = folder.resolve("back.safetensors");
        Run undone = Run.of("compensate", out().toString(), "--undo", report.toString(), "--out", back.toString());

        assertThat(undone.code()).as(undone.err()).isEqualTo(ExitCode.DONE);
        assertThat(undone.out()).contains("weights have the bits again that they had before the move");
        assertThat(back).hasSameBinaryContentAs(stored);
    }

    /** The size of --by counts in the weights as they are, so that its opposite is another change on the moved file. */
    @Test
    void theOppositeChangeBringsBackWhatItCanAndTheOppositeSizeDoesNot() throws IOException {
        Path stored = stored(ElementType.F32);
        json(compensate(stored, "--move", "3", "--by", "0.1"));
        Path moved = Files.move(out(), folder.resolve("moved.safetensors"));
        json(compensate(moved, "--move", "3", "--by", "-0.1"));
        assertThat(largestUlps(stored, out(), "0.weight")).isGreaterThan(1000);

        List<String> opposite = new ArrayList<>();
        try (SafetensorsFile before = SafetensorsFile.open(stored);
                SafetensorsFile after = SafetensorsFile.open(moved)) {
            double[] row = before.tensor("0.weight").toMatrix().row(3);
            double[] movedRow = after.tensor("0.weight").toMatrix().row(3);
            for (int i = 0; i < row.length; i++) {
                opposite.add(Double.toString(row[i] - movedRow[i]));
            }
            opposite.add(Double.toString(before.tensor("0.bias").toDoubles()[3]
                    - after.tensor("0.bias").toDoubles()[3]));
        }
        json(compensate(moved, "--move", "3", "--by", String.join(",", opposite)));
        assertThat(largestUlps(stored, out(), "0.weight")).isZero();
        assertThat(largestUlps(stored, out(), "0.bias")).isZero();
        // compensating weights are rounded on the way there and on the way back: here by one unit in the last place
        assertThat(largestUlps(stored, out(), "2.weight")).isLessThanOrEqualTo(4);
    }

    @Test
    void undoRefusesOtherWeightsAndOtherOptions() throws IOException {
        Path stored = stored(ElementType.F32);
        Path report = folder.resolve("report");
        json(compensate(stored, "--move", "3", "--by", "0.1", "--report", report.toString()));
        Path back = folder.resolve("back.safetensors");
        String[] undo = {"compensate", stored.toString(), "--undo", report.toString(), "--out", back.toString()};

        Run other = Run.of(undo);
        assertThat(other.code()).isEqualTo(ExitCode.FAILED);
        assertThat(other.err())
                .hasLineCount(1)
                .contains(
                        "64 of the 64 weights of tensor '0.weight' that the edit changed are not those that it wrote");
        assertThat(back).doesNotExist();
        String[] both = Arrays.copyOf(undo, undo.length + 2);
        both[undo.length] = "--by";
        both[undo.length + 1] = "0.1";
        assertThat(Run.of(both).code()).isEqualTo(ExitCode.USAGE);
        undo[3] = stored.toString();
        assertThat(Run.of(undo).err()).hasLineCount(1).contains("is no record of an edit");
    }

    /** The digits network in another type. */
    private Path stored(ElementType type) throws IOException {
        Path target = folder.resolve("stored.safetensors");
        SafetensorsWriter writer = new SafetensorsWriter();
        try (SafetensorsFile file = SafetensorsFile.open(DIGITS.resolve("tanh.safetensors"))) {
            file.metadata().forEach(writer::metadata);
            for (String name : file.names()) {
                writer.add(
                        name, type, file.tensor(name).shape(), file.tensor(name).toDoubles());
            }
            writer.saveTo(target);
        }
        return target;
    }

    private Run compensate(Path network, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "compensate",
                network.toString(),
                "--data",
                DIGITS.resolve("digits.csv.gz").toString(),
                "--label",
                "--scale",
                "16",
                "--rows",
                "1347..1355",
                "--out",
                out().toString(),
                "--format",
                "json"));
        arguments.addAll(List.of(more));
        return Run.of(arguments.toArray(String[]::new));
    }

    private static long largestUlps(Path first, Path second, String name) throws IOException {
        try (SafetensorsFile before = SafetensorsFile.open(first);
                SafetensorsFile after = SafetensorsFile.open(second)) {
            float[] old = before.tensor(name).toFloats();
            float[] now = after.tensor(name).toFloats();
            long largest = 0;
            for (int i = 0; i < old.length; i++) {
                double unit = Math.max(Math.ulp(old[i]), Math.ulp(now[i]));
                largest = Math.max(largest, Math.round(Math.abs((double) old[i] - now[i]) / unit));
            }
            return largest;
        }
    }

    @Test
    void theSameSeedGivesTheSameBits() throws IOException {
        json(digits("--move", "3", "--by", "0.1", "--seed", "7", "--format", "json"));
        byte[] first = Files.readAllBytes(out());
        json(digits("--move", "3", "--by", "0.1", "--seed", "7", "--format", "json"));
        assertThat(Files.readAllBytes(out())).isEqualTo(first);
        json(digits("--move", "3", "--by", "0.1", "--seed", "8", "--format", "json"));
        assertThat(Files.readAllBytes(out())).isNotEqualTo(first);
    }

    @Test
    void theReportHasTablesAndPictures() throws IOException {
        Path report = folder.resolve("report");
        Run run = digits("--move", "3", "--by", "0.1", "--report", report.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .startsWith("Hidden layer 0: what moves, what compensates, and how well conditioned that is\n")
                .contains("condition of the compensators' features", "protected  without compensation")
                .endsWith("written to %s%n".formatted(out()));
        for (String file :
                List.of("report.html", "provenance.json", "figures/drift.svg", "figures/contributions.svg")) {
            assertThat(report.resolve(file)).isNotEmptyFile();
        }
        assertThat(report.resolve("tables/conditioning.csv")).content().contains("compensating units");
        assertThat(report.resolve("report.html")).content().contains("Unit 3 of hidden layer 0 moved by 10.0 %");
    }

    /** Widths 2, 3, 1. */
    private Path small(ElementType type) throws IOException {
        Path file = folder.resolve("small.safetensors");
        new SafetensorsWriter()
                .add("0.weight", type, Shape.of(3, 2), new double[] {1, 0, 0, 1, 1, -1})
                .add("2.weight", type, Shape.of(1, 3), new double[] {1, 2, 3})
                .saveTo(file);
        Files.writeString(folder.resolve("data.csv"), "1,0.5\n-1,2\n");
        Files.writeString(folder.resolve("many.csv"), "1,0.5\n-1,2\n0.3,0.4\n");
        Files.writeString(folder.resolve("twice.csv"), "1,0.5\n1,0.5\n");
        Files.writeString(folder.resolve("close.csv"), "1,0.5\n1,0.500001\n");
        return file;
    }

    private Run small(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("compensate", folder.resolve("small.safetensors").toString(), "--out", out().toString()));
        boolean data = List.of(more).contains("--data");
        if (!data) {
            arguments.addAll(List.of("--data", folder.resolve("data.csv").toString()));
        }
        if (!List.of(more).contains("--activation")) {
            arguments.addAll(List.of("--activation", "tanh"));
        }
        for (String word : more) {
            arguments.add(
                    word.endsWith(".csv") || word.endsWith(".npz")
                            ? folder.resolve(word).toString()
                            : word);
        }
        return Run.of(arguments.toArray(String[]::new));
    }

    @Test
    void theChangeItselfMayBeGiven() throws IOException {
        small(ElementType.F64);
        new NpzWriter().add("change", Matrix.of(1, 2, 0.25, -0.5)).saveTo(folder.resolve("change.npz"));
        assertThat(small("--move", "2", "--by", "0.25,-0.5").code()).isZero();
        byte[] byNumbers = Files.readAllBytes(out());
        try (SafetensorsFile after = SafetensorsFile.open(out())) {
            assertThat(after.tensor("0.weight").toDoubles()).containsExactly(1, 0, 0, 1, 1.25, -1.5);
            assertThat(after.tensor("2.weight").toDoubles()[2]).isEqualTo(3);
        }
        assertThat(small("--move", "2", "--by", "change.npz").code()).isZero();
        assertThat(Files.readAllBytes(out())).isEqualTo(byNumbers);
    }

    /** Going back by the negative change gives the old weights up to rounding. */
    @Test
    void theNegativeChangeGoesBack() throws IOException {
        Path start = small(ElementType.F64);
        json(small("--move", "1", "--by", "0.5,0.25,-0.125", "--part", "all", "--format", "json"));
        Files.copy(out(), start, StandardCopyOption.REPLACE_EXISTING);
        json(small("--move", "1", "--by", "-0.5,-0.25,0.125", "--part", "all", "--format", "json"));
        try (SafetensorsFile back = SafetensorsFile.open(out())) {
            double[] outgoing = back.tensor("2.weight").toDoubles();
            for (int unit = 0; unit < 3; unit++) {
                assertThat(outgoing[unit]).isCloseTo(unit + 1.0, within(1e-14));
            }
        }
    }

    @Test
    void aChangeThatRoundingUndoesIsExitCodeThree() throws IOException {
        small(ElementType.BF16);
        Run run = small("--move", "2", "--by", "1e-4");
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.err())
                .hasLineCount(1)
                .contains(
                        "--by 1e-4: rounding to the stored type undoes 100 % of the move; nothing was written; use a larger"
                                + " change, or --dtype f32, which writes 32-bit weights");
        assertThat(out()).doesNotExist();
        assertThat(small("--move", "2", "--by", "0,0").err()).contains("--by 0,0: no weight changes");
    }

    /** The weights 1 and -1 move outwards, by units in the last place; a third of one is rounded away, 0.6 are rounded up. */
    @ParameterizedTest
    @CsvSource({"BF16, 0x1p-7", "F16, 0x1p-10", "F32, 0x1p-23"})
    void aMoveThatNearlyVanishesIsExitCodeThreeToo(ElementType type, String unit) throws IOException {
        small(type);
        double ulp = Double.parseDouble(unit);
        for (double[] units : new double[][] {{0.3, 0.3}, {0.6, 0.6}, {16, 16.3}}) {
            Run run = small("--move", "2", "--by", "%s,%s".formatted(units[0] * ulp, -units[1] * ulp));
            boolean kept = units[0] > 1;
            assertThat(run.code()).as(run.err()).isEqualTo(kept ? ExitCode.DONE : ExitCode.UNUSABLE);
            assertThat(run.err().contains("--dtype f32")).isEqualTo(!kept && type != ElementType.F32);
            assertThat(Files.exists(out())).isEqualTo(kept);
        }
    }

    @Test
    void withDtypeF32TheSameMoveIsKept() throws IOException {
        small(ElementType.BF16);
        Run run = small("--move", "2", "--by", "1e-4", "--dtype", "f32");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        try (Checkpoint checkpoint = Checkpoint.open(out())) {
            for (String name : checkpoint.names()) {
                assertThat(checkpoint.tensor(name).type()).as(name).isEqualTo(ElementType.F32);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "--by 0.1; Missing required option: '--move=UNIT'",
                "--move 2; Missing required option: '--by=CHANGE'",
                "--move x --by 0.1; '--move'",
                "--move 3 --by 0.1; unit 3 does not exist: hidden layer 0 has units 0 to 2",
                "--move -1 --by 0.1; unit -1 does not exist",
                "--move 1,1 --by 0.1; --move names a unit twice: [1, 1]",
                "--move 2 --layer 1 --by 0.1; hidden layer 1 does not exist: the network has 1 hidden layers",
                "--move 2 --by 0; size 0.0 of a move, expected a finite number other than 0",
                "--move 2 --by 1e999; size Infinity of a move",
                "--move 2 --by NaN; --by NaN: neither a number, nor numbers separated by commas, nor a file that exists",
                "--move 2 --by 1,,2; '--by': '' is no number",
                "--move 2 --by 1,2,3; 3 numbers for the change, expected 2: 2 for each of 1 moving units",
                "--move 2 --by absent.npz; neither a number",
                "--move 2 --by many.csv; the change has shape (3, 2), expected (1, 2)",
                "--move 2 --by 1e39,0; the change makes a weight of 0.weight 1.0E39, beyond the range of its type F32",
                "--move 2 --by 0.1 --part some; '--part': expected incoming, outgoing or all, got 'some'",
                "--move 2 --by 0.1 --compensators 1; 2 inputs need 2 compensating units, but there are only 1",
                "--move 2 --by 0.1 --compensators 0,7; unit 7 does not exist",
                "--move 2 --by 0.1 --data many.csv; 3 protected inputs need 3 compensating units beside 1 moving, but the layer has 3 hidden units; protect at most 2 inputs",
                "--move 2 --by 0.1 --data twice.csv; inputs 0 and 1 (from 0) are equal here",
                "--move 2 --by 0.1 --data close.csv; at most 1 of these inputs can be protected here, such as ",
                "--move 2 --by 0.1 --data absent.csv; no such file or folder",
                "--move 2 --by 0.1 --activation hat; activation \"hat\" is not known"
            })
    void wrongUseIsRefusedInOneLine(String arguments, String message) throws IOException {
        small(ElementType.F32);
        List<Path> before = files();
        Run run = small(arguments.split(" ", -1));
        assertThat(run.err()).hasLineCount(1).contains(message).doesNotContain("unexpected", "Exception");
        assertThat(run.code()).isIn(ExitCode.FAILED, ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
        assertThat(files()).isEqualTo(before);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.sorted().toList();
        }
    }

    @Test
    void anArchiveOfNumpyIsNoSafetensorsFileAfterwards() throws IOException {
        small(ElementType.F32);
        Path archive = folder.resolve("net.npz");
        new NpzWriter()
                .add("0.weight", Matrix.of(3, 2, 1, 0, 0, 1, 1, -1))
                .add("2.weight", Matrix.of(1, 3, 1, 2, 3))
                .saveTo(archive);
        Run run = Run.of(
                "compensate",
                archive.toString(),
                "--activation",
                "tanh",
                "--data",
                folder.resolve("data.csv").toString(),
                "--move",
                "2",
                "--by",
                "0.1",
                "--out",
                out().toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("an edit keeps the format of its source, and ");
        assertThat(out()).doesNotExist();
    }
}
