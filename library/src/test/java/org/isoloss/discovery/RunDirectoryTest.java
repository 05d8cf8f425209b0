package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.action.TrainedAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunDirectoryTest {
    private static final String TASK = "name: x\n";

    @TempDir
    Path folder;

    @Test
    void anActionIsReadBackBitForBit() throws IOException {
        Training training =
                new Training(TinyFit.linear(Group.learned(2, 2)), ObjectiveKind.HYBRID, TinyFit.recipe(5, 8), 1);
        training.step();
        training.step();
        TrainedAction action = training.action();
        RunDirectory run = RunDirectory.create(folder.resolve("run"), TASK, 4);
        run.save(action);
        TrainedAction read = RunDirectory.open(run.folder()).action();

        assertThat(read.description()).isEqualTo(action.description());
        for (int i = 0; i < action.weights().size(); i++) {
            assertThat(read.weights().get(i)).containsExactly(action.weights().get(i));
        }
        for (int i = 0; i < 2; i++) {
            assertThat(read.generators().get(i).entries())
                    .containsExactly(action.generators().get(i).entries());
        }
        assertThat(RunDirectory.open(run.folder()).seed()).isEqualTo(4);
        assertThat(RunDirectory.open(run.folder()).task()).endsWith(TASK);
    }

    @Test
    void suppliedGeneratorsKeepTheirScale() throws IOException {
        Matrix turn = Matrix.of(2, 2, 0, 1e3, -1e3, 0);
        Training training = new Training(
                TinyFit.linear(Group.supplied(Generators.of(List.of(turn)))),
                ObjectiveKind.HYBRID,
                TinyFit.recipe(5, 8),
                1);
        RunDirectory run = RunDirectory.create(folder.resolve("run"), TASK, 4);
        run.save(training.action());

        assertThat(RunDirectory.open(run.folder()).action().generators().get(0).entries())
                .containsExactly(turn.entries());
    }

    @Test
    void aFileIsNoFolder() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");

        assertThatThrownBy(() -> RunDirectory.create(file, TASK, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("%s is a file, expected a folder for the run", file);
        assertThat(file).isEmptyFile();
    }

    @Test
    void aFolderOfOtherThingsIsNoRun() throws IOException {
        Path thesis = Files.writeString(folder.resolve("thesis.tex"), "x");

        assertThatThrownBy(() -> RunDirectory.create(folder, TASK, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("%s is not an isoloss run: it has no task.yaml; give another folder", folder);
        assertThat(folder).isDirectoryContaining(thesis::equals);
        Files.writeString(folder.resolve("task.yaml"), "name: chores\n");
        assertThatThrownBy(() -> RunDirectory.create(folder, TASK, 1))
                .hasMessage(
                        "%s is not an isoloss run: its task.yaml does not begin with '# isoloss run, format'", folder);
        assertThatThrownBy(() -> RunDirectory.open(folder.resolve("absent"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void anotherVersionIsRefused() throws IOException {
        Files.writeString(folder.resolve("task.yaml"), "# isoloss run, format 99, seed 1\n" + TASK);

        assertThatThrownBy(() -> RunDirectory.open(folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "%s is a run of format '99', expected '1'; repeat it with this version, or use the version that made it",
                        folder);
    }

    @Test
    void anotherTaskOrSeedIsRefused() throws IOException {
        RunDirectory.create(folder, TASK, 1);

        assertThat(RunDirectory.create(folder, TASK, 1).seed()).isEqualTo(1);
        String refusal =
                "%s holds a run of another task, recipe or seed; give another --out, or remove it".formatted(folder);
        assertThatThrownBy(() -> RunDirectory.create(folder, TASK, 2)).hasMessage(refusal);
        assertThatThrownBy(() -> RunDirectory.create(folder, "name: y\n", 1)).hasMessage(refusal);
    }

    @Test
    void whatAKilledStartLeftIsNoObstacle() throws IOException {
        Files.writeString(folder.resolve(".task.yaml.17-1.tmp"), "# iso");

        assertThat(RunDirectory.create(folder, TASK, 1).state()).isEmpty();
    }

    @Test
    void anUnfinishedFitHasNoAction() throws IOException {
        RunDirectory run = RunDirectory.create(folder, TASK, 1);

        assertThatThrownBy(run::action)
                .hasMessage(
                        "%s: the fit is not finished; run 'isoloss discover' with the same task and --out to go on",
                        folder);
    }
}
