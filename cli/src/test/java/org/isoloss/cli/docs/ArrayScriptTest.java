package org.isoloss.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The job array of docs/sweeps.md makes every fit of its sweep. */
class ArrayScriptTest {
    private static final int MINUTES = 5;

    @TempDir
    private Path folder;

    private static String script() {
        List<String> scripts = Pages.blocks(Pages.REPOSITORY.resolve("docs/sweeps.md")).stream()
                .filter(block -> block.info().equals("sh"))
                .map(Block::text)
                .filter(text -> text.contains("#SBATCH"))
                .toList();
        assertThat(scripts).hasSize(1);
        return scripts.getFirst();
    }

    @Test
    void everyJobOfTheArrayMakesItsPartAndTheTableHasAll() throws Exception {
        assertThat(script()).contains("#SBATCH --array=1-2\n");
        try (Shell shell = Shell.in(folder, Pages.REPOSITORY)) {
            Files.writeString(folder.resolve("array.sh"), script());
            for (int job : new int[] {2, 1}) { // in any order
                Shell.Result made = shell.run("SLURM_ARRAY_TASK_ID=%d sh array.sh".formatted(job), MINUTES);
                assertThat(made.code()).as(made.output()).isZero();
                assertThat(made.output()).hasLineCount(4).contains("fit %d (".formatted(job * 4));
            }
            Shell.Result table =
                    shell.run("./isoloss sweep examples/sweeps/linear.yaml --out runs/array --resume --quiet", MINUTES);
            assertThat(table.output()).contains("linear-sweep: 8 of 8 fits made");
            assertThat(folder.resolve("runs/array/tables/sweep.csv")).content().hasLineCount(9);
        }
    }
}
