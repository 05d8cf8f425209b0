package org.isoloss.reproduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.ToleranceScore;
import org.isoloss.report.Provenance;
import org.isoloss.report.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few steps of a narrow network: the order of things, not the learning. */
class RecipeSearchTest {
    private static final RecipeSearch.Budget TINY = new RecipeSearch.Budget(2, 4, 2);

    @TempDir
    Path folder;

    private Path task = Path.of("");

    @BeforeEach
    void narrow() throws Exception {
        task = folder.resolve("linear.yaml");
        Files.writeString(
                task,
                Files.readString(Path.of("..", "examples", "linear.yaml"))
                        .replace("recipe:\n", "recipe:\n  width: 8\n  depth: 1\n"));
    }

    private RecipeSearch search(ObjectiveKind objective) {
        return search(objective, RecipeCandidate.of(objective));
    }

    private RecipeSearch search(ObjectiveKind objective, List<RecipeCandidate> candidates) {
        return new RecipeSearch(task, objective, candidates, TINY, List.of(11L, 12L), folder.resolve("out"));
    }

    @Test
    void keepsTheBestTwoOfEachFamilyAndThenTheBest() throws Exception {
        RecipeSearch.Selection selection = search(ObjectiveKind.HYBRID).select(2, StudyProgress.SILENT);
        assertThat(selection.trials().stream().filter(trial -> trial.steps() == 2))
                .hasSize(9);
        List<RecipeSearch.Trial> last =
                selection.trials().stream().filter(trial -> trial.steps() == 4).toList();
        assertThat(last).hasSize(6);
        for (RecipeSearch.Trial kept : last) {
            long better = selection.trials().stream()
                    .filter(trial -> trial.steps() == 2
                            && trial.candidate()
                                    .variant()
                                    .equals(kept.candidate().variant())
                            && trial.ratio() < ratio(selection, kept.candidate(), 2))
                    .count();
            assertThat(better).isLessThan(2);
        }
        assertThat(selection.winners())
                .extracting(winner -> winner.variant().name())
                .containsExactly("paper", "ours", "conjugated");
        for (RecipeCandidate winner : selection.winners()) {
            assertThat(last.stream()
                            .filter(trial -> trial.candidate().variant().equals(winner.variant()))
                            .mapToDouble(RecipeSearch.Trial::ratio)
                            .min())
                    .hasValue(ratio(selection, winner, 4));
        }
    }

    /** Of one seed the search would take what the median of three does not. */
    @Test
    void theMedianOverTheSeedsDecides() {
        RecipeCandidate candidate = RecipeCandidate.changing(List.of()).getFirst();
        RecipeSearch.Trial trial = new RecipeSearch.Trial(
                candidate,
                4,
                List.of(
                        new ToleranceScore(0.1, "output", Map.of("output", 1e-4)),
                        new ToleranceScore(Double.POSITIVE_INFINITY, "diverged", Map.of()),
                        new ToleranceScore(0.7, "output", Map.of("output", 7e-4))));
        assertThat(trial.ratio()).isEqualTo(0.7);
        assertThat(trial.decisive()).isEqualTo("output");
        assertThat(trial.value("output")).isEqualTo(7e-4);
    }

    @Test
    void changesOfATaskFileCompeteWithItAsItIs() throws Exception {
        List<RecipeCandidate> candidates = RecipeCandidate.changing(
                List.of(Map.of("recipe.peak", "1e-9"), Map.of("recipe.peak", "2e-3", "recipe.block", "8")));
        RecipeSearch.Selection selection =
                search(ObjectiveKind.HYBRID, candidates).select(2, StudyProgress.SILENT);
        assertThat(selection.trials())
                .hasSize(5)
                .allSatisfy(trial -> assertThat(trial.scores()).hasSize(2));
        assertThat(selection.winners()).hasSize(1);
        Table trials =
                SearchResult.of("linear", ObjectiveKind.HYBRID, selection).trials();
        assertThat(trials.toText()).contains("of the task file", "recipe.peak=1e-9", "seeds 11, 12");
    }

    private static double ratio(RecipeSearch.Selection selection, RecipeCandidate candidate, int steps) {
        return selection.trials().stream()
                .filter(trial -> trial.steps() == steps && trial.candidate().equals(candidate))
                .findFirst()
                .orElseThrow()
                .ratio();
    }

    @Test
    void aSearchThatGoesOnTrainsNothingTwiceAndEndsTheSame() throws Exception {
        RecipeSearch.Selection first = search(ObjectiveKind.FINITE).select(1, StudyProgress.SILENT);
        List<Long> steps = new ArrayList<>();
        StudyProgress counting = new StudyProgress() {
            @Override
            public void begin(String what, long left) {
                steps.add(left);
            }

            @Override
            public void advance(long done) {}
        };
        assertThat(search(ObjectiveKind.FINITE).select(2, counting)).isEqualTo(first);
        assertThat(steps).isEmpty();
        assertThat(first.winners()).hasSize(2);
    }

    @Test
    void theWinnersAreTrainedAgainWithFreshSeedsAndWritten() throws Exception {
        RecipeSearch search = search(ObjectiveKind.INFINITESIMAL);
        RecipeSearch.Selection selection = search.select(2, StudyProgress.SILENT);
        assertThatThrownBy(() -> search.fresh(selection, List.of(101L, 11L), 1, StudyProgress.SILENT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("seeds 11, 12 choose the recipes; the fits that are reported take others, got 101, 11");
        List<Long> seeds = List.of(101L, 102L);
        var evaluations = search.fresh(selection, seeds, 2, StudyProgress.SILENT);
        assertThat(evaluations)
                .hasSize(2)
                .allSatisfy(winner -> assertThat(winner).hasSize(2));
        SearchResult result = SearchResult.of("linear", ObjectiveKind.INFINITESIMAL, selection)
                .with("linear", ObjectiveKind.INFINITESIMAL, selection, evaluations, seeds, TINY);
        Path written = folder.resolve("written");
        result.write(written, Provenance.here(List.of("isoloss"), Map.of(), List.of(), List.of(), "none"));
        assertThat(written.resolve("search.csv")).content().contains("paper,base 1e-3,2,");
        assertThat(written.resolve("search.json")).content().contains("\"recipe\" : \"base 1e-3\"", "\"ratio\" :");
        assertThat(written.resolve("search-fits.txt")).content().contains("QUICK");
        for (String family : List.of("paper", "ours")) {
            assertThat(written.resolve("search-%s.svg".formatted(family)))
                    .content()
                    .contains("role=\"img\"");
        }
        assertThat(written.resolve("selected.yaml")).content().contains("paper:\n  infinitesimal:\n    linear:\n");
        Files.createDirectory(folder.resolve("recipes"));
        Files.copy(written.resolve("selected.yaml"), folder.resolve("recipes").resolve("selected.yaml"));
        assertThat(SelectedRecipes.in(folder).changes(Variant.OURS, ObjectiveKind.INFINITESIMAL, "linear"))
                .containsKey("recipe.peak");
        assertThat(SelectedRecipes.in(folder).changes(Variant.OURS, ObjectiveKind.HYBRID, "linear"))
                .isEmpty();
    }

    @Test
    void aBudgetIsAShare() {
        assertThat(RecipeSearch.Budget.PAPER.times(0.1)).isEqualTo(new RecipeSearch.Budget(500, 1500, 2));
        assertThatThrownBy(() -> RecipeSearch.Budget.PAPER.times(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the budget is 0.0, expected a share of the whole search above 0, at most 1");
        assertThatThrownBy(() -> new RecipeSearch.Budget(5, 5, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesRecipesOfVariantsThatDoNotExist() throws Exception {
        Path file = Files.createDirectory(folder.resolve("recipes")).resolve("selected.yaml");
        Files.writeString(file, "mine: {hybrid: {linear: {recipe.peak: 1}}}\n");
        assertThatThrownBy(() -> SelectedRecipes.in(folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(
                        "selected.yaml: variant 'mine' is unknown; allowed: ours, conjugated, paper; expected variant, objective, setting, and below them keys of a task");
        Files.writeString(file, "ours: 3\n");
        assertThatThrownBy(() -> SelectedRecipes.in(folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("selected.yaml: ");
    }
}
