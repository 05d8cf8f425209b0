package org.isoloss.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.isoloss.action.GroupAction;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.discovery.Fit;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.discovery.Training;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.task.Recipes;
import org.isoloss.task.RunBase;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/run-folder.md computes what isoloss computes, from the run folder alone. */
class RunFolderTest {
    private static final Pattern PROGRAM = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path folder;

    private RunDirectory run(String example, Map<String, String> changes) throws IOException {
        Path examples = Pages.REPOSITORY.resolve("examples");
        Task task = TaskFile.read(examples.resolve(example), changes).resolved(examples);
        Setting setting = Setting.of(task, examples);
        RunDirectory run = RunDirectory.create(folder.resolve("run"), TaskFile.write(task), 5);
        RunBase.keep(setting, run.folder());
        Training training = new Training(setting.problem(), ObjectiveKind.HYBRID, Recipes.of(task), 5);
        Fit.of(training, Recipes.of(task), run).run((step, steps, loss) -> {});
        return run;
    }

    static String program() {
        Matcher page = PROGRAM.matcher(Pages.read(Pages.REPOSITORY.resolve("docs/run-folder.md")));
        assertThat(page.find()).isTrue();
        return page.group(1);
    }

    @Test
    void theProgramOfThePageGivesTheNumbersOfTheAction() throws IOException, InterruptedException {
        Optional<String> python = Optional.ofNullable(System.getProperty("isoloss.python"))
                .or(() -> Optional.ofNullable(System.getenv("ISOLOSS_PYTHON")));
        assumeTrue(
                python.isPresent(),
                "skipped: neither ISOLOSS_PYTHON nor -Disoloss.python names a Python that has numpy");
        RunDirectory run = run("sigmoid-k1.yaml", Map.of("recipe.steps", "30", "recipe.width", "16"));
        Path script = Files.writeString(folder.resolve("act.py"), program());
        Path output = folder.resolve("output.txt");
        int code = new ProcessBuilder(
                        python.orElseThrow(), script.toString(), run.folder().toString(), "0.7")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        String text = Files.readString(output).strip();
        assertThat(code).as(text).isZero();

        GroupAction action = run.action();
        try (SafetensorsFile base = SafetensorsFile.open(run.folder().resolve("base.safetensors"))) {
            double[] origin = base.tensor("theta0").toDoubles();
            double[] element = GroupWord.exp(0.7).matrix(action.generators()).entries();
            double[] moved = action.apply(
                            Matrix.over(1, element.length, element), Matrix.over(1, origin.length, origin))
                    .entries();
            double[] found = Arrays.stream(text.split(" ", -1))
                    .mapToDouble(Double::parseDouble)
                    .toArray();
            double size = Matrix.over(1, moved.length, moved).largestMagnitude();
            assertThat(found).containsExactly(moved, within(1e-12 * size));
            assertThat(Matrix.over(1, moved.length, moved)
                            .minus(Matrix.over(1, origin.length, origin))
                            .largestMagnitude())
                    .as("the action moves")
                    .isGreaterThan(1e-4);
        }
    }
}
