package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class FieldsCommandTest {
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final String LINEAR = EXAMPLES.resolve("linear.yaml").toString();

    @TempDir
    Path folder;

    private static Run fields(String... more) {
        String[] arguments = new String[more.length + 3];
        arguments[0] = "fields";
        arguments[1] = LINEAR;
        arguments[2] = "--quiet";
        System.arraycopy(more, 0, arguments, 3, more.length);
        return Run.of(arguments);
    }

    @Test
    void affineFieldsAreTheRecoveredAlgebra() {
        Run run = fields(
                "--count",
                "4",
                "--affine",
                "--seed",
                "22",
                "--against",
                EXAMPLES.resolve("recover").resolve("linear-2-2-2.yaml").toString(),
                "--out",
                folder.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .contains(
                        "seed 22: a Lie algebra of dimension 4, center 1, derived 3, Killing form (2, 1, 1), as recovered");
        assertThat(folder.resolve("fields-table.csv")).isNotEmptyFile();
        assertThat(folder.resolve("fields.svg")).content().contains("counts as zero");
        assertThat(folder.resolve("provenance.json")).isNotEmptyFile();
    }

    @Test
    void moreFieldsThanThereAreIsSaid() {
        Run run = fields("--count", "5", "--affine", "--seed", "22");
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.out())
                .contains(
                        "seed 22: 5 fields have collapsed onto 4, and at most 4 are independent at a point (the Jacobian leaves 4 directions); ask for fewer");
    }

    @Test
    void fieldsThatAreNotLearnedYetAreNotTakenForALimitOfTheNetwork() {
        Run run = fields("--count", "3", "--affine", "--no-brackets", "--steps", "1");
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.out())
                .contains(
                        "of 3 fields only 2 are independent at a point beyond their errors, though the Jacobian leaves 4 directions; train longer");
    }

    /** After three steps nothing is learned, and that is said with numbers. */
    @Test
    void fieldsThatDoNotCloseAreSaidByHowMuch() {
        Run run = fields("--algebra", "so(3)", "--affine", "--steps", "3", "--format", "json");
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        JsonNode row = JsonMapper.shared().readTree(run.out()).get("rows").get(0);
        assertThat(row.get("brackets").asDouble()).isGreaterThan(0.1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--algebra e8 | algebra 'e8' is not known; expected so(3), sl(2), gl(2), aff(1), heisenberg, R^1 to R^9 or a .yaml file",
                "--count 13 | --count is 13, expected 1 to 12",
                "--steps 0 | --steps is 0, expected at least 1",
                "--algebra gl(2) --count 4 | --algebra says number and brackets; leave out --count, --no-brackets and --dimension",
                "--dimension --affine | --dimension learns free fields in growing number; leave out --count and --affine",
            })
    void wrongOptionsAreRefused(String options, String message) {
        Run run = fields(options.split(" "));
        assertThat(run.code()).isNotEqualTo(ExitCode.DONE);
        assertThat(run.err()).contains(message);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void constantsThatAreNoLieAlgebraAreRefused() throws IOException {
        Path file = folder.resolve("broken.yaml");
        Files.writeString(file, """
                dimension: 3
                brackets:
                  - {of: [1, 2], is: [0, 0, 1]}
                  - {of: [1, 3], is: [0, 1, 0]}
                  - {of: [2, 3], is: [1, 1, 0]}
                """);
        Run run = fields("--algebra", file.toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err())
                .contains(
                        file
                                + ": structure constants: [[e1, e2], e3] and its cyclic shifts add up to [0.0, 0.0, -1.0], expected 0 (Jacobi)");
        assertThat(run.err().strip().lines().count()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dimension: 2 | an algebra is given by 'matrices', or by 'dimension' and 'brackets'",
                "'{dimension: 2, brackets: [{of: [1, 1], is: [0, 1]}]}' | brackets.of is [1, 1], expected two different numbers from 1 to 2",
                "'{dimension: 2, brackets: [{of: [1, 2], is: [1]}]}' | the bracket of [1, 2] has 1 coordinates, expected 2",
                "'{matrices: [[[0, 1], [0]]]}' | matrices: a row has 1 numbers, expected 2, as many as rows",
                "'{matrices: [[[0, 1], [0, 0]], [[0, 0], [1, 0]]]}' | the commutator of matrices 1 and 2 is 1.41 outside their span",
            })
    void wrongAlgebraFilesAreRefused(String text, String message) throws IOException {
        Path file = folder.resolve("algebra.yaml");
        Files.writeString(file, text);
        Run run = fields("--algebra", file.toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains(message);
    }
}
