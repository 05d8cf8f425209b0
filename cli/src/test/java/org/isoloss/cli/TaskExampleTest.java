package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.isoloss.task.NetworkSource;
import org.isoloss.task.RecipeChoice;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import org.junit.jupiter.api.Test;

/** The task file that the help of {@code discover} shows. */
class TaskExampleTest {
    private static final int WIDTH = 79;

    @Test
    void isATask() {
        Task task = TaskFile.parse("task-example.yaml", TaskExample.text(), Map.of());

        assertThat(task.name()).isEqualTo("my-network");
        assertThat(task.seeds()).containsExactly(101L, 102L, 103L);
        assertThat(task.network().names()).hasSize(2);
    }

    @Test
    void showsEveryKey() {
        List<String> keys = Stream.concat(
                        Stream.of(Task.class, NetworkSource.class, NetworkSource.LayerName.class, RecipeChoice.class),
                        Arrays.stream(Task.class.getDeclaredClasses()))
                .filter(Class::isRecord)
                .flatMap(type -> Arrays.stream(type.getRecordComponents()))
                .map(component -> component.getName())
                .toList();

        assertThat(keys).hasSizeGreaterThan(40);
        assertThat(keys)
                .allSatisfy(key -> assertThat(TaskExample.text()).containsPattern("(?m)(^|[ #])" + key + ": *\\S*"));
    }

    @Test
    void everyCommentedAlternativeIsAllowedToo() {
        assertThat(TaskFile.parse("example", alternatives(), Map.of()).support())
                .isNotNull();
    }

    /** The other ways that the comments of the example name, put together. */
    private static String alternatives() {
        return """
                name: other
                network: {widths: [2, 4, 2], activation: relu, biases: false, start: random}
                data: {gaussian: 16}
                fresh: {identity: true}
                support: {unit: [0, 3]}
                points: {deviation: 0.2, unit: absolute}
                group: {supplied: [[[0, 1], [-1, 0]]]}
                objective: infinitesimal
                recipe: {base: paper-strong, constant: 1e-3}
                """;
    }

    @Test
    void standsBelowTheHelpAsItIs() {
        Run run = Run.of("discover", "--help");

        assertThat(run.code()).isZero();
        assertThat(run.out().lines().map(String::stripTrailing).toList())
                .containsSubsequence(TaskExample.text().lines().toList())
                .anyMatch(line -> line.startsWith("A task file with every key"));
        assertThat(TaskExample.text().lines()).allMatch(line -> line.length() <= WIDTH);
    }
}
