package org.isoloss.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunPageTest {
    /** A made-up run that misses its output by a factor of 1.2; motion is 0.2 s_theta and 20 %. */
    static void write(Path folder) throws IOException {
        RunPage.write(
                task("support: {tensors: [0.weight, 2.weight]}"),
                VerdictTest.missing(),
                ProvenanceTest.sample(),
                Path.of("runs/linear"),
                folder);
    }

    private static Task task(String moving) {
        return TaskFile.parse("task.yaml", """
                name: linear
                network: {widths: [2, 3, 1], activation: tanh, start: random}
                data: {gaussian: 8}
                %s
                points: {deviation: 0.1}
                """.formatted(moving), Map.of());
    }

    @Test
    void theFirstScreenAnswersWhatMovedWhatStayedByHowMuchAndOnWhichData(@TempDir Path folder) throws IOException {
        write(folder);

        assertThat(folder.resolve("report.html"))
                .content(UTF_8)
                .contains(
                        "It does not fit: 1 of 8 tolerances is missed. output: 1.20e-3 <i>s</i><sub><i>F</i></sub>, at most 1.0e-3 (one factor).",
                        "<dt>What was moved</dt><dd>The weights 0.weight, 2.weight of a tanh network with layers of 2, 3, 1 units, made for this run.</dd>",
                        "<dt>By how much</dt><dd>20 % of their norm, the median of 16 ",
                        "in 95 of 100 cases they change by less than 1.2e-3 of their root-mean-square norm <i>s</i><sub><i>F</i></sub>",
                        "<dd>Protected inputs: 8 drawn from the normal distribution.</dd>",
                        "<dt>cancellation</dt><dd>what is left of that change");
    }

    @Test
    void motionIsInPercentEverywhere(@TempDir Path folder) throws IOException {
        write(folder);

        assertThat(folder.resolve("tables/tolerances.csv")).content(UTF_8).contains("motion,20.0,at least,5.0,%,true");
        assertThat(folder.resolve("report.html")).content(UTF_8).doesNotContain("s_theta");
    }

    @Test
    void theCommandsBeginWithTheTaskOfTheRun(@TempDir Path folder) throws IOException {
        write(folder);

        assertThat(Files.readString(folder.resolve("report.html"), UTF_8))
                .contains("""
                        <pre><code>isoloss discover runs/linear/task.yaml --seed %d --out runs/linear-again
                        isoloss evaluate runs/linear-again --declared
                        isoloss report runs/linear-again</code></pre>
                        """.formatted(ProvenanceTest.sample().seeds().getFirst()));
    }

    @Test
    void everyWayToSayWhatMovesIsReadOut() {
        assertThat(new RunSubject(task("support: {all: true}")).moved()).startsWith("All weights of a tanh network");
        assertThat(new RunSubject(task("support: {unit: [0, 2]}")).moved())
                .startsWith("All weights at one hidden unit, layer 0, unit 2, of");
        assertThat(new RunSubject(task("site: {layer: 0, unit: 1}")).moved())
                .startsWith(
                        "Weights of one hidden unit of layer 0 (unit 1), and those of the units that make up for its change, of");
    }
}
