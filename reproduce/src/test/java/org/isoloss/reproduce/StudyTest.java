package org.isoloss.reproduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.installation.Texts;
import org.isoloss.report.Provenance;
import org.isoloss.task.Recipes;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A few steps of a narrow network: nothing is learned, but everything is carried out. */
class StudyTest {
    private static final Map<String, String> TINY = Map.of("recipe.steps", "4", "recipe.width", "8");

    @TempDir
    Path folder;

    private Path examples = Path.of("");

    /** The students of the deeper settings take seconds to train, so random networks stand in for them. */
    @BeforeEach
    void copyTasks() throws IOException {
        examples = Files.createDirectory(folder.resolve("examples"));
        try (Stream<Path> files = Files.list(Path.of("..", "examples"))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".yaml")).toList()) {
                Files.writeString(
                        examples.resolve(file.getFileName().toString()),
                        Files.readString(file).replace("start: student", "start: random"));
            }
        }
    }

    private static Protocol one(Protocol protocol) {
        return protocol.withVariants(List.of(Variant.OURS));
    }

    private Study study(Path out, Protocol protocol) {
        return new Study(examples, out, protocol.withChanges(TINY));
    }

    private static Made make(Study study, PaperResult... results) throws Exception {
        return study.make(
                List.of(results),
                2,
                StudyProgress.SILENT,
                Provenance.here(List.of("isoloss"), Map.of(), List.of(), List.of(), "none"));
    }

    @Test
    void aProvenanceNamesTheSeedsThatAreUsed() throws Exception {
        Study study = study(folder.resolve("out"), Protocol.FULL);
        assertThat(study.seeds(List.of(PaperResult.TABLE1))).containsExactly(101L, 102L, 103L, 104L, 105L);
        assertThat(study.seeds(List.of(PaperResult.TABLE5))).isEqualTo(Protocol.FULL.seeds());
        Study sites = new Study(examples, folder, Protocol.FULL, Map.of(StudiedModel.MINILM, folder));
        assertThat(sites.seeds(List.of(PaperResult.TABLE7))).containsExactly(101L, 102L, 103L);
    }

    @Test
    void thePapersRecipeHasThePapersWords() throws Exception {
        Study sites = new Study(examples, folder, Protocol.FULL, Map.of(StudiedModel.MINILM, folder));
        assertThat(radius(sites, "minilm-layer3-8", Variant.OURS)).isEqualTo(1);
        assertThat(radius(sites, "minilm-layer3-8", Variant.PAPER)).isEqualTo(0.5);
        assertThat(radius(sites, "sigmoid-k1", Variant.PAPER)).isEqualTo(0.8);
        Protocol asked = Protocol.FULL.withChanges(Map.of("recipe.radius", "0.7"));
        Study changed = new Study(examples, folder, asked, Map.of(StudiedModel.MINILM, folder));
        assertThat(radius(changed, "minilm-layer3-8", Variant.PAPER)).isEqualTo(0.7);
    }

    private static double radius(Study study, String setting, Variant variant) throws IOException {
        Task task = study.request(setting, ObjectiveKind.HYBRID, variant, 101).task();
        return Recipes.of(task).words().radius();
    }

    @Test
    void theMainTableHasARowForEachSettingBesideThePapers() throws Exception {
        Path out = folder.resolve("out");
        make(study(out, one(Protocol.QUICK)), PaperResult.TABLE1);
        JsonNode json = JsonMapper.shared().readTree(Files.readString(out.resolve("table1.json")));
        assertThat(json.get("quick").asBoolean()).isTrue();
        assertThat(json.get("seeds").toString()).isEqualTo("[101,102]");
        assertThat(json.get("caption").asString()).contains("QUICK, not the paper's protocol");
        assertThat(Files.readString(out.resolve("table1.txt"))).contains("QUICK");
        assertThat(Files.readString(out.resolve("table1.tex"))).contains("QUICK", "\\toprule");
        assertThat(Files.readString(out.resolve("table1.html"))).contains("QUICK");
        try (Stream<Path> files = Files.list(out.resolve("evaluations"))) {
            List<Path> evaluations = files.toList();
            assertThat(evaluations).hasSize(2 * 7);
            for (Path file : evaluations) {
                assertThat(file.getFileName().toString())
                        .matches("[a-z0-9-]+-hybrid-displacement-[0-9a-f]{8}-10[12][.]json");
                assertThat(Evaluation.read(file).cells()).hasSize(20);
            }
        }
        JsonNode rows = json.get("rows");
        List<String> settings = new ArrayList<>();
        rows.forEach(row -> settings.add(row.get("setting").asString()));
        assertThat(settings).isEqualTo(FitTables.SETTINGS);
        JsonNode relu = rows.get(1);
        assertThat(relu.propertyNames())
                .containsExactly(
                        "setting",
                        "objective",
                        "recipe",
                        "action",
                        "motion_percent",
                        "motion_percent_paper",
                        "motion_percent_ratio",
                        "output",
                        "output_paper",
                        "output_ratio",
                        "composition",
                        "composition_paper",
                        "composition_ratio",
                        "inverse",
                        "inverse_paper",
                        "inverse_ratio",
                        "fits",
                        "fits_paper",
                        "seeds");
        assertThat(relu.get("output_paper").asDouble()).isEqualTo(8.7e-4);
        assertThat(relu.get("output_ratio").asDouble())
                .isEqualTo(relu.get("output").asDouble() / 8.7e-4);
        assertThat(relu.get("fits").asInt()).isZero();
        assertThat(relu.get("fits_paper").asInt()).isEqualTo(3);
        assertThat(relu.get("seeds").asInt()).isEqualTo(2);
    }

    @Test
    void aStudyThatGoesOnWritesTheSameBytesAndTrainsNothingTwice() throws Exception {
        Protocol one = one(Protocol.FULL).withSeeds(List.of(101L));
        Path out = folder.resolve("again");
        make(study(out, one), PaperResult.TABLE4);
        byte[] first = Files.readAllBytes(out.resolve("table4.json"));
        FitRequest linear = study(out, one).hybrid(List.of("linear")).getFirst();
        Path run = linear.folder(out.resolve("fits"));
        byte[] action = Files.readAllBytes(run.resolve("action.safetensors"));
        Files.delete(run.resolve("evaluation.json"));
        Files.delete(run.resolve("action.safetensors"));
        Files.delete(out.resolve("table4.json"));
        List<Long> begun = new ArrayList<>();
        StudyProgress counting = new StudyProgress() {
            @Override
            public void begin(String what, long steps) {
                begun.add(steps);
            }

            @Override
            public void advance(long steps) {}
        };
        study(out, one)
                .make(
                        List.of(PaperResult.TABLE4),
                        1,
                        counting,
                        Provenance.here(List.of("isoloss"), Map.of(), List.of(), List.of(), "none"));
        assertThat(begun).containsExactly(0L);
        assertThat(run.resolve("action.safetensors")).hasBinaryContent(action);
        assertThat(out.resolve("table4.json")).hasBinaryContent(first);
    }

    /** A folder that cannot be made stands for a full disk, which would fail all fits that come after. */
    @Test
    void afterAFitThatFailsNoneBegins() throws Exception {
        Path out = folder.resolve("out");
        Study study = study(out, one(Protocol.QUICK));
        Path fits = Files.createDirectories(out.resolve("fits"));
        FitRequest first =
                study.requests("linear", ObjectiveKind.HYBRID, Variant.OURS).getFirst();
        Path taken = Files.createFile(first.folder(fits).getParent());
        Provenance provenance = Provenance.here(List.of("isoloss"), Map.of(), List.of(), List.of(), "none");
        assertThatThrownBy(() -> study.make(List.of(PaperResult.TABLE1), 1, StudyProgress.SILENT, provenance))
                .isInstanceOf(IOException.class);
        try (Stream<Path> there = Files.list(fits)) {
            assertThat(there).containsExactly(taken);
        }
    }

    @Test
    void aFitThatStopsOnTheWayEndsWithTheSameBytes() throws Exception {
        Study study = study(folder.resolve("steps"), Protocol.FULL);
        List<FitRequest> linear = List.of(study.hybrid(List.of("linear")).getFirst());
        study.cache().complete("whole", linear, 1, StudyProgress.SILENT);
        FitCache stopped = new FitCache(folder.resolve("stopped"));
        stopped.advance("half", linear, 2, 1, StudyProgress.SILENT);
        Path run = linear.getFirst().folder(folder.resolve("stopped"));
        assertThat(run.resolve("action.safetensors")).doesNotExist();
        stopped.complete("rest", linear, 1, StudyProgress.SILENT);
        Path whole = linear.getFirst().folder(folder.resolve("steps").resolve("fits"));
        for (String file :
                List.of("action.safetensors", "checkpoint.safetensors", "metrics.jsonl", "evaluation.json")) {
            assertThat(run.resolve(file)).hasSameBinaryContentAs(whole.resolve(file));
        }
    }

    @Test
    void variantsMakeRowsOfTheirOwn() throws Exception {
        Protocol both = Protocol.FULL
                .withSeeds(List.of(101L))
                .withVariants(List.of(Variant.OURS, Variant.named("paper"), Variant.CONJUGATED));
        Made made = make(study(folder.resolve("both"), both), PaperResult.TABLE4);
        assertThat(made.tables().getFirst().table().toCsv())
                .contains("linear,hybrid,ours,paper", "linear,hybrid,paper,paper", "linear,hybrid,ours,conjugated");
        assertThat(made.tables().getFirst().json()).contains("\"quick\" : false", "recipe.width");
        assertThatThrownBy(() -> Variant.named("mine"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("variant 'mine' is unknown; allowed: ours, conjugated, paper");
    }

    @Test
    void hostAndCurvesAndFieldsAndGridsAreDrawn() throws Exception {
        Path out = folder.resolve("figures");
        Protocol one = one(Protocol.FULL).withSeeds(List.of(101L));
        Made made = make(
                study(out, one),
                PaperResult.TABLE3,
                PaperResult.TABLE6,
                PaperResult.FIGURE1,
                PaperResult.FIGURE2,
                PaperResult.FIGURE4,
                PaperResult.FIGURE5,
                PaperResult.GRIDS,
                PaperResult.GENERATORS);
        for (String figure : List.of(
                "figure1a",
                "figure1b",
                "figure1c",
                "figure2a",
                "figure2b",
                "figure2c",
                "figure4a",
                "figure4b",
                "figure5a",
                "figure5b",
                "grid-linear-output",
                "grid-tanh-composition")) {
            assertThat(out.resolve(figure + ".svg")).content().contains("role=\"img\"");
            assertThat(out.resolve(figure + ".csv")).isNotEmptyFile();
        }
        assertThat(made.tables())
                .extracting(ComparedTable::name)
                .contains("table3", "table6", "table6-seeds", "grids", "generators");
        JsonNode host = JsonMapper.shared().readTree(Files.readString(out.resolve("table6.json")));
        assertThat(host.get("rows")).hasSize(4);
        assertThat(host.get("rows").get(2).get("full_output_paper").asDouble()).isEqualTo(5.26e-3);
        assertThat(Files.readAllLines(out.resolve("grids.csv"))).hasSize(1 + 7 * 20);
        assertThat(out.resolve("small.html")).content().contains("Table 6", "Figure 5");
    }

    private Study transformers(Path out) {
        Path model = Path.of("..", "examples", "neox-wikitext-1.8m");
        Protocol protocol = Protocol.FULL.withSeeds(List.of(101L)).withChanges(TINY);
        return new Study(examples, out, protocol, Map.of(StudiedModel.NEOX, model));
    }

    @Test
    void aSiteOfATransformerHasItsFigure() throws Exception {
        Path out = folder.resolve("out");
        Study study = transformers(out);
        make(study, PaperResult.FIGURE7);
        assertThat(out.resolve("figure7a.csv")).content().contains("learned", "incoming only", "float32 noise");
        assertThat(out.resolve("figure7b.csv")).content().contains("finite", "hybrid");
        assertThat(out.resolve("figure7a.svg")).content().contains("neox-wikitext-1.8m, neox-layer6-8");
        assertThat(out.resolve("figure7.html")).content().contains("Figure 7");
        assertThat(study.diverged(List.of(PaperResult.FIGURE7))).isZero();
    }

    @Test
    @Tag("slow")
    void transformersHaveTheirTablesAndFigures() throws Exception {
        Path out = folder.resolve("out");
        Study study = transformers(out);
        make(
                study,
                PaperResult.TABLE7,
                PaperResult.TABLE8,
                PaperResult.TABLE9,
                PaperResult.FIGURE3,
                PaperResult.FIGURE7);
        JsonNode nearby = JsonMapper.shared().readTree(Files.readString(out.resolve("table7.json")));
        assertThat(nearby.get("caption").asString()).contains("the paper's column is Pythia-160M's", "seed 101");
        assertThat(nearby.get("rows"))
                .hasSize(4 * 3) // finite, hybrid, and hybrid with a conjugated action
                .allMatch(row -> row.get("model").asString().equals("neox-wikitext-1.8m"));
        JsonNode hybrid = nearby.get("rows").get(1);
        assertThat(hybrid.get("objective").asString()).isEqualTo("hybrid");
        assertThat(hybrid.get("cancellation_paper").asDouble()).isEqualTo(9.98e-3);
        assertThat(hybrid.get("cancellation").asDouble()).isPositive();
        assertThat(hybrid.get("fits_paper").asInt()).isEqualTo(2);
        JsonNode installed = JsonMapper.shared()
                .readTree(Files.readString(out.resolve("table8.json")))
                .get("rows");
        assertThat(installed).hasSize(4 * 2 * 4);
        assertThat(installed.get(0).get("over_learned").asDouble()).isEqualTo(1);
        assertThat(installed.get(1).get("transformation").asString()).isEqualTo("analytic");
        assertThat(installed.get(1).get("relative").asDouble()).isBetween(1e-8, 1e-4);
        assertThat(installed.get(1).get("relative_paper").asDouble()).isEqualTo(8.36e-7);
        assertThat(installed.get(2).get("cancellation").asDouble()).isCloseTo(1, offset(1e-9));
        assertThat(installed.get(3).get("fresh").asDouble()).isPositive();
        assertThat(JsonMapper.shared()
                        .readTree(Files.readString(out.resolve("table9.json")))
                        .get("rows"))
                .hasSize(4 * 3)
                .allMatch(row -> row.get("composition").asDouble() > 0);
        assertThat(out.resolve("figure3a.csv")).content().contains("learned", "incoming only", "float32 noise");
        assertThat(out.resolve("transformers.html")).content().contains("Table 9", "Figure 7");
    }

    @Test
    void transformersTakeThreeSeedsAndTheFoldersThatAreGiven() {
        Study study = new Study(
                examples, folder, Protocol.FULL, Map.of(StudiedModel.named("PYTHIA-160m"), folder.resolve("pythia")));
        assertThat(study.transformerProtocol().seeds()).containsExactly(101L, 102L, 103L);
        assertThat(study.sites()).hasSize(5).endsWith("pythia-160m-layer6-8");
        assertThat(TransformerResults.smallSite(study)).isEqualTo("pythia-160m-layer6-8");
        assertThat(TransformerResults.largeSite(study)).isEqualTo("neox-layer3-16");
        assertThatThrownBy(() -> StudiedModel.named("gpt-4"))
                .hasMessage(
                        "model 'gpt-4' is unknown; allowed: pythia-160m, pythia-1b, all-MiniLM-L6-v2, SmolLM2-135M");
    }

    @Test
    void everyTaskOfATransformerProtectsTheBeginningOfAText() throws IOException {
        for (StudiedModel model : StudiedModel.values()) {
            for (String setting : model.settings()) {
                Task task = TaskFile.read(examples.resolve(setting + ".yaml"), Map.of());
                assertThat(task.name()).isEqualTo(setting);
                Path texts = Path.of("..", "examples")
                        .resolve(model == StudiedModel.NEOX ? model.label() : "texts")
                        .resolve(
                                switch (model) {
                                    case NEOX -> "prefixes.json";
                                    case PYTHIA_160M, PYTHIA_1B -> "pythia.json";
                                    case MINILM -> "all-minilm-l6-v2.json";
                                    case SMOLLM2 -> "smollm2-135m.json";
                                });
                Texts found = Texts.of(Objects.requireNonNull(task.data().tokens()), texts);
                assertThat(found.continued()).as(setting).isPresent();
                assertThat(found.fresh()).hasSize(3);
                assertThat(setting).endsWith("-" + found.prefix().size());
            }
        }
    }
}
