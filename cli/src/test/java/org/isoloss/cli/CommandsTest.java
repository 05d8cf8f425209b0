package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.isoloss.checkpoint.SafetensorsFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The commands from end to end, with a few steps of a narrow action network. */
class CommandsTest {
    private static final Path EXAMPLES = Path.of("..", "examples");

    @TempDir
    Path folder;

    private static Run done(String... arguments) {
        Run run = Run.of(arguments);
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        return run;
    }

    private static Run discover(String example, Path out, String... more) {
        return Run.of(discovery(example, out, more));
    }

    private static String[] discovery(String example, Path out, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "discover",
                EXAMPLES.resolve(example + ".yaml").toString(),
                "--out",
                out.toString(),
                "--quiet",
                "--set",
                "recipe.steps=12",
                "--set",
                "recipe.width=8"));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private static JsonNode json(Run run) {
        return JsonMapper.shared().readTree(run.out());
    }

    /** The lines of "How to repeat this", without the name of the program. */
    private static List<String> commandsOfThePage(Path page) throws IOException {
        String html = Files.readString(page);
        int start = html.lastIndexOf("<pre><code>") + "<pre><code>".length();
        return html.substring(start, html.indexOf("</code>", start))
                .lines()
                .map(line -> line.substring("isoloss ".length()))
                .toList();
    }

    @Test
    void discoverAndEvaluateSeveralSeeds() throws IOException {
        Path out = folder.resolve("runs");
        JsonNode discovered = json(done(discovery("sigmoid-k1", out, "--seeds", "3..4", "--format", "json")));

        assertThat(discovered.get("task").asString()).isEqualTo("sigmoid-k1");
        assertThat(discovered.get("seeds")).hasToString("[3,4]");
        assertThat(discovered.get("finished").asInt()).isEqualTo(2);
        for (String file : List.of(
                "task.yaml", "metrics.jsonl", "checkpoint.safetensors", "action.safetensors", "base.safetensors")) {
            assertThat(out.resolve("seed-3").resolve(file)).isNotEmptyFile();
        }

        Run text = done("evaluate", out.toString(), "--declared");
        assertThat(text.out()).contains("Seed", "Composition", "median", "0/2", "3, two factors");
        // twelve steps are too few for the field to have grown
        assertThat(text.err())
                .contains("isoloss: warning: seed 3: generator 1 moves", "recipe.beta = 0.5 asks for 1.50e-1");
        assertThat(text.out().lines())
                .anySatisfy(
                        line -> assertThat(line)
                                .matches(
                                        "seed 4 misses output: \\d\\.\\d\\de-?\\d s_F, at most 1\\.0e-3 \\((one|two) factors?\\)"))
                .anySatisfy(line -> assertThat(line).startsWith("what usually helps output: more steps"));
        JsonNode summary = json(done("evaluate", out.toString(), "--declared", "--format", "json"));
        assertThat(summary.propertyNames())
                .contains("task", "seeds", "fits", "motion_percent", "output", "composition", "inverse", "missed");
        JsonNode evaluation = JsonMapper.shared()
                .readTree(Files.readString(out.resolve("seed-4").resolve("evaluation.json")));
        assertThat(evaluation.propertyNames()).contains("tolerances", "fit");
        assertThat(out.resolve("tables").resolve("evaluation.csv")).isNotEmptyFile();
        assertThat(Run.of("evaluate", out.toString(), "--declared", "--require-fit")
                        .code())
                .isEqualTo(ExitCode.UNUSABLE);

        Run compared = done("report", out.toString());
        assertThat(compared.out()).contains("seed-3  ", "seed-4  ", "0 of 2 runs meet every tolerance");
        assertThat(Files.readString(out.resolve("report.html")))
                .contains("side by side", "<title>", "Loss during training")
                .doesNotContain("<script", "http-equiv");
        for (String figure : List.of("errors.svg", "drift.svg", "loss.svg", "errors.csv")) {
            assertThat(out.resolve("figures").resolve(figure)).isNotEmptyFile();
        }
        Path copy = folder.resolve("page");
        JsonNode page =
                json(done("report", out.resolve("seed-3").toString(), "--out", copy.toString(), "--format", "json"));
        assertThat(page.get("runs").asInt()).isEqualTo(1);
        assertThat(Path.of(page.get("page").asString()))
                .isEqualTo(copy.resolve("report.html"))
                .isNotEmptyFile();

        byte[] found = Files.readAllBytes(out.resolve("seed-3/evaluation.json"));
        for (String command : commandsOfThePage(copy.resolve("report.html"))) {
            done(command.split(" "));
        }
        assertThat(out.resolve("seed-3-again/evaluation.json")).hasBinaryContent(found);
        assertThat(out.resolve("seed-3-again/report.html")).isNotEmptyFile();
        done("report", out.resolve("seed-3").toString(), "--figure-width", "3.25in", "--figure-formats", "svg,tex");
        assertThat(out.resolve("seed-3/figures/drift.svg")).content().contains("width=\"3.25in\"");
        assertThat(out.resolve("seed-3/figures/drift.tex")).content().contains("\\label{fig:drift}");
        assertThat(out.resolve("seed-3/figures/drift.pdf")).doesNotExist();

        Run beside = done("evaluate", out.toString(), "--declared", "--yardstick");
        assertThat(beside.out().lines())
                .anySatisfy(line -> assertThat(line).matches("3 flow .*e-1\\d .*"))
                .anySatisfy(line -> assertThat(line).matches("median flow .*/2"));
        assertThat(Files.readString(out.resolve("seed-3").resolve("report.html")))
                .contains("Beside the exact flow");
        assertThat(out.resolve("seed-3").resolve("figures").resolve("yardstick.svg"))
                .isNotEmptyFile();
        JsonNode flow = json(done("evaluate", out.toString(), "--declared", "--yardstick", "--format", "json"))
                .get("yardstick");
        assertThat(flow.get("output").asDouble()).isLessThan(1e-9);
        assertThat(flow.get("stopped").asInt()).isZero();

        done("evaluate", out.toString(), "--declared");
        for (String name : List.of(
                "figures/yardstick.svg", "figures/yardstick.csv", "tables/yardstick.csv", "tables/yardstick.tex")) {
            assertThat(out.resolve("seed-3").resolve(name))
                    .as("of the evaluation before")
                    .doesNotExist();
        }

        Run apply = Run.of(
                "apply",
                out.resolve("seed-3").toString(),
                "--t",
                "0.5",
                "--out",
                folder.resolve("x").toString());
        assertThat(apply)
                .isEqualTo(new Run(
                        1,
                        "",
                        "isoloss: error: the network of task 'sigmoid-k1' was made on the spot, so there is no checkpoint to edit"
                                + System.lineSeparator()));
        assertThat(folder.resolve("x")).doesNotExist();
    }

    /** Also that a task may ask for it, that a finished run says the same again, and that the whole number of steps may not do. */
    @Test
    void discoverEndsWhenItIsGoodEnough() throws IOException {
        Path out = folder.resolve("runs");
        String[] soon = {
            "discover",
            EXAMPLES.resolve("sigmoid-k1.yaml").toString(),
            "--seed",
            "3",
            "--out",
            out.toString(),
            "--quiet",
            "--until-fit",
            "--set",
            "recipe.width=64"
        };
        Run first = done(soon);
        assertThat(first.out())
                .containsPattern(
                        "seed 3: good enough after \\d+ steps: on validation samples the largest error is 0\\.\\d\\d of its limit, at most 0\\.50 was asked for");
        assertThat(Files.readString(out.resolve("task.yaml"))).contains("stop:", "margin: 2.0", "optimizer: \"SOAP\"");
        String provenance = Files.readString(out.resolve("provenance.json"));
        assertThat(provenance).containsPattern("\"ended after\" : \"\\d+ steps, at 0\\.\\d+\"");
        assertThat(json(done("evaluate", out.toString(), "--declared", "--format", "json"))
                        .get("fits")
                        .asInt())
                .isEqualTo(1);

        assertThat(done(soon).out()).isEqualTo(first.out());
        assertThat(Files.readString(out.resolve("provenance.json"))).contains("ended after");

        JsonNode never = json(
                done(discovery("linear", folder.resolve("never"), "--seed", "3", "--until-fit", "--format", "json")));
        assertThat(never.get("margin").asDouble()).isEqualTo(2);
        assertThat(never.get("ends").get("3").get("step").asInt()).isEqualTo(12);
        assertThat(never.get("ends").get("3").get("good_enough").asBoolean()).isFalse();
        assertThat(never.get("ends").get("3").get("validation").asDouble()).isGreaterThan(1);
        assertThat(done(discovery("linear", folder.resolve("never"), "--seed", "3", "--until-fit"))
                        .out())
                .contains("seed 3: all 12 steps done and not good enough: on validation samples the largest error is ");
        assertThat(Files.readString(folder.resolve("never/provenance.json")))
                .contains("ends where validation finds at most")
                .doesNotContain("ended after");

        assertThat(discover("linear", folder.resolve("x"), "--set", "recipe.stop.margin=0.5")
                        .err())
                .contains("recipe.stop.margin is 0.5, expected 1 to 1000000: the limits are divided by it");
        assertThat(folder.resolve("x")).doesNotExist();
        assertThat(Run.of("search", EXAMPLES.resolve("digits.yaml").toString()).err())
                .contains(
                        "'recipe.stop' ends fits at steps of their own, and a search compares equal steps; leave it out");
    }

    @Test
    void evaluateSetsErrorsBesideBounds() throws IOException {
        Path out = folder.resolve("runs");
        done(discovery("linear", out, "--seed", "3", "--set", "group.generators=2"));

        Run plain = done("evaluate", out.toString(), "--declared");
        assertThat(plain.out()).contains("rank at a point").doesNotContain("Path estimate");
        assertThat(Files.readString(out.resolve("evaluation.json"))).doesNotContain("\"bounds\"");

        Run text = done("evaluate", out.toString(), "--declared", "--bounds");
        assertThat(text.out())
                .contains(
                        "Sharp estimate",
                        "Path estimate",
                        "Uniform estimate",
                        "growth, K",
                        "kernel, what moves nothing");
        JsonNode json = json(done("evaluate", out.toString(), "--declared", "--bounds", "--format", "json"));
        assertThat(json.get("bounds").get("3").get("exceeded").asInt()).isZero();
        assertThat(json.get("bounds").get("3").get("kind").asString()).isEqualTo("estimate");
        assertThat(json.get("bounds").get("3").get("medians")).hasSize(9);
        assertThat(json.get("infinitesimal_action").get("3").propertyNames())
                .contains("kernel_dimension", "effective_dimension", "largest_pointwise_rank");
        assertThat(Files.readString(out.resolve("evaluation.json"))).contains("\"bounds\"");
        assertThat(Files.readString(out.resolve("report.html")))
                .contains("What the residuals allow", "How much of the algebra acts", "--declared --bounds");
        assertThat(out.resolve("figures").resolve("bounds.svg")).isNotEmptyFile();
        assertThat(out.resolve("tables").resolve("bounds.csv")).isNotEmptyFile();
    }

    /** Errors of the same cell are the same numbers, whatever else is asked for. */
    @Test
    void evaluateSaysWherePrecisionEnds() throws IOException {
        Path out = folder.resolve("runs");
        done(discovery("linear", out, "--seed", "3", "--set", "group.generators=2"));

        Run text = done("evaluate", out.toString());
        assertThat(text.out())
                .contains("linear: where precision ends, one factor, 512 samples; none of it judges")
                .contains("as trained          2.0", "2 times as wide     2.0", "adjoint residual, largest");
        JsonNode whole = JsonMapper.shared().readTree(Files.readString(out.resolve("evaluation.json")));
        JsonNode rows = json(done("evaluate", out.toString(), "--declared", "--format", "json"))
                .get("beyond");
        JsonNode part = JsonMapper.shared().readTree(Files.readString(out.resolve("evaluation.json")));

        assertThat(whole.get("cells")).hasSize(20);
        assertThat(part.get("cells")).hasSize(2);
        assertThat(part.get("cells").get(0)).isEqualTo(whole.get("cells").get(8));
        assertThat(part.get("cells").get(1)).isEqualTo(whole.get("cells").get(9));
        for (String same : List.of("tolerances", "orbits", "infinitesimal_action", "beyond")) {
            assertThat(part.get(same)).as(same).isEqualTo(whole.get(same));
        }
        assertThat(rows).hasSize(6);
        assertThat(rows.get(0).get("output"))
                .isEqualTo(part.get("cells").get(0).get("output").get("p95"));
        assertThat(rows.get(2).get("output_max"))
                .isEqualTo(part.get("beyond").get("far").get(1).get("output").get("max"));
        assertThat(rows.get(5).get("composition_max"))
                .isEqualTo(
                        part.get("beyond").get("wide").get(2).get("composition").get("max"));
        assertThat(Files.readString(out.resolve("report.html")))
                .contains("Where precision ends", "What is learned is local");
        assertThat(out.resolve("figures").resolve("beyond-output.svg")).isNotEmptyFile();
        assertThat(out.resolve("figures").resolve("beyond-composition.csv")).isNotEmptyFile();
        assertThat(out.resolve("tables").resolve("beyond.csv")).isNotEmptyFile();
    }

    @Test
    void theSeedOfTheCommandLineComesBeforeTheTasks() {
        JsonNode one = json(done(discovery("sigmoid-k1", folder.resolve("run"), "--seed", "9", "--format", "json")));

        assertThat(one.get("seeds")).hasToString("[9]");
    }

    @Test
    void divergenceIsExitCodeThree() {
        Run run = discover("linear", folder.resolve("run"), "--seed", "1", "--set", "recipe.constant=1e30");

        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.err()).hasLineCount(1).contains("seed 1 stopped at step", "became infinite or NaN");
        assertThat(folder.resolve("run").resolve("action.safetensors")).doesNotExist();
    }

    @Test
    void applyTouchesOnlyTheSelectedTensors() throws IOException {
        Path run = folder.resolve("run");
        done(discovery("digits", run));
        Path edited = folder.resolve("edited.safetensors");
        JsonNode result = json(
                done("apply", run.toString(), "--word", "1:0.2,1:0.1", "--out", edited.toString(), "--format", "json"));

        assertThat(result.get("weights_moved").asLong()).isPositive();
        assertThat(result.get("protected_max_relative").asDouble()).isPositive();
        try (SafetensorsFile before =
                        SafetensorsFile.open(EXAMPLES.resolve("digits").resolve("tanh.safetensors"));
                SafetensorsFile after = SafetensorsFile.open(edited)) {
            assertThat(List.copyOf(after.names())).isEqualTo(List.copyOf(before.names()));
            assertThat(after.metadata()).isEqualTo(before.metadata());
            for (String name : before.names()) {
                assertThat(after.tensor(name).type())
                        .isEqualTo(before.tensor(name).type());
                assertThat(after.tensor(name).shape())
                        .isEqualTo(before.tensor(name).shape());
                if (name.equals("2.bias")) {
                    assertThat(after.tensor(name).toDoubles())
                            .as(name)
                            .containsExactly(before.tensor(name).toDoubles());
                }
            }
            // a column of ten for each of the eight compensators; the row and the bias of the moving unit
            assertThat(changed(before, after, "2.weight")).isBetween(1L, 80L);
            assertThat(changed(before, after, "0.weight")).isBetween(1L, 64L);
            assertThat(changed(before, after, "0.bias")).isBetween(0L, 1L);
        }
    }

    @Test
    void suppliedGeneratorsKeepTheirScale() throws IOException {
        Path run = folder.resolve("run");
        done(discovery("digits", run, "--set", "group.supplied=[[[0, 1], [-1, 0]]]"));
        Path thousand = folder.resolve("thousand");
        done(discovery("digits", thousand, "--set", "group.supplied=[[[0, 1000], [-1000, 0]]]"));
        String out = folder.resolve("edited.safetensors").toString();

        Run turn = Run.of("apply", run.toString(), "--t", "6.283185307179586", "--out", out);
        assertThat(turn.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(turn.err())
                .hasLineCount(1)
                .contains("the word 1:6.283185307179586 is the identity of the group, so no weight changed");
        assertThat(turn.out()).contains("t counts in the generator h as supplied, of Frobenius norm 1.414");
        assertThat(Path.of(out))
                .hasSameBinaryContentAs(EXAMPLES.resolve("digits").resolve("tanh.safetensors"));

        JsonNode third = json(done("apply", run.toString(), "--t", "0.3", "--out", out, "--format", "json"));
        JsonNode same = json(done("apply", thousand.toString(), "--t", "0.0003", "--out", out, "--format", "json"));
        // the two fits differ by the rounding of h / |h| to float32, one part in 1e7, and twelve steps of training
        assertThat(same.get("motion_percent").asDouble())
                .isCloseTo(third.get("motion_percent").asDouble(), withinPercentage(0.1));
        assertThat(third.get("generator_norms")).hasToString("[" + Math.sqrt(2) + "]");
        assertThat(third.get("length").asDouble()).isEqualTo(0.3 * Math.sqrt(2));
        assertThat(third.get("output").asDouble()).isPositive();

        assertThat(done("evaluate", thousand.toString(), "--declared").out())
                .contains("a radius bounds |t| ||h||: at 0.5, t of generator 1 with norm 1.41e3 goes to 3.54e-4");
    }

    @Test
    void aRunThatScaledItsGeneratorsSaysSo() throws IOException {
        Path run = folder.resolve("run");
        done(discovery("digits", run, "--set", "group.supplied=[[[0, 1], [0, 0]]]"));
        // as an earlier version left it: the task says 5, the action has the same direction with norm 1
        Path task = run.resolve("task.yaml");
        Files.writeString(task, Files.readString(task).replace("- 1.0\n", "- 5.0\n"));
        String out = folder.resolve("edited.safetensors").toString();

        assertThat(done("apply", run.toString(), "--t", "0.3", "--out", out).out())
                .contains("scaled to Frobenius norm 1, as the version that made this run did");
    }

    private static long changed(SafetensorsFile before, SafetensorsFile after, String name) {
        double[] old = before.tensor(name).toDoubles();
        double[] now = after.tensor(name).toDoubles();
        long changed = 0;
        for (int i = 0; i < old.length; i++) {
            changed += old[i] == now[i] ? 0 : 1;
        }
        return changed;
    }

    @ParameterizedTest
    @ValueSource(strings = {"2:0.1", "1:x", "1", "1:NaN", "0:0.1", ""})
    void wordsThatAreNoneAreRefused(String word) {
        Path run = folder.resolve("run");
        done(discovery("digits", run));
        Run apply = Run.of(
                "apply",
                run.toString(),
                "--word",
                word,
                "--out",
                folder.resolve("x").toString());

        assertThat(apply.code()).isNotEqualTo(0);
        assertThat(apply.err()).hasLineCount(1).contains("group word");
        assertThat(folder.resolve("x")).doesNotExist();
    }

    @Test
    void theDemonstrationWritesItsPageAndItsJson() {
        Path run = folder.resolve("demo");
        JsonNode result = json(done(
                "demo",
                "--out",
                run.toString(),
                "--quiet",
                "--format",
                "json",
                "--set",
                "recipe.steps=12",
                "--set",
                "recipe.width=8"));

        assertThat(result.get("fit").isBoolean()).isTrue();
        assertThat(result.at("/protected/max_relative").isNumber()).isTrue();
        assertThat(result.at("/others/median_relative").isNumber()).isTrue();
        assertThat(result.at("/accuracy/before").asDouble()).isGreaterThan(0.9);
        assertThat(result.at("/accuracy/after").isNumber()).isTrue();
        assertThat(result.get("weights_moved").asLong()).isPositive();
        assertThat(result.get("seconds").isNumber()).isTrue();
        assertThat(result.get("run").asString()).isEqualTo(run.toString());
        for (String file : List.of("report.html", "provenance.json", "evaluation.json", "edited.safetensors")) {
            assertThat(run.resolve(file)).isNotEmptyFile();
        }
        assertThat(run.resolve("figures")).isDirectoryContaining("glob:**drift.svg");
    }
}
