package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.isoloss.network.Calibration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class EvaluationTest {
    private static final EvaluationGrid SMALL = new EvaluationGrid(List.of(0.1, 0.5), List.of(1, 2), 16);

    private static Evaluator exact() {
        return Evaluator.of(Judged.split(new ShearAction()))
                .grid(SMALL)
                .fresh(new ScalarSite(-2))
                .reference(new ShearAction());
    }

    private static Evaluation everything() {
        return exact().run(new SplittableRandom(1));
    }

    private static Evaluation broken() {
        var breaking = new ShearAction() {
            @Override
            double[] move(double t, double[] point) {
                double[] moved = super.move(t, point);
                moved[ScalarSite.D] = t > 0.4 ? Double.NaN : moved[ScalarSite.D];
                return moved;
            }
        };
        return Evaluator.of(Judged.whole(breaking)).grid(SMALL).run(new SplittableRandom(1));
    }

    @Test
    void anExactActionFits() {
        Evaluation evaluation = everything();
        assertThat(evaluation.fits()).isTrue();
        assertThat(evaluation.missed()).isEmpty();
        assertThat(evaluation.nonFinite()).isEmpty();
        assertThat(evaluation.samples()).isEqualTo(16);
        assertThat(evaluation.orbits()).hasSize(1);
        assertThat(evaluation.cell(0.5, 2).factors()).isEqualTo(2);
        assertThatThrownBy(() -> evaluation.cell(0.5, 3))
                .hasMessage("Evaluation: there is no cell of radius 0.5 and 3 factors");
    }

    @Test
    void leavingAPartOutChangesNoOther() {
        Evaluation all = everything();
        Evaluation less = Evaluator.of(Judged.split(new ShearAction()))
                .grid(SMALL)
                .reference(new ShearAction())
                .run(new SplittableRandom(1));
        assertThat(less.dataDependence()).isEmpty();
        assertThat(less.cells()).isEqualTo(all.cells());
        assertThat(less.orbits()).isEqualTo(all.orbits());
        assertThat(less.referenceSpan()).isEqualTo(all.referenceSpan());
    }

    @Test
    void tolerancesCanBeOthers() {
        var strict = new Tolerances(0.1, 1e-3, 1e-2, 1e-2, 2e-2, 1e-2, 0.5, 0.005, 1e-2);
        assertThat(exact().tolerances(strict).run(new SplittableRandom(1)).missed())
                .containsExactly("motion");
    }

    @Test
    void theKeysAreThoseThatScriptsDependOn() {
        JsonNode json = JsonMapper.shared().readTree(everything().toJson());
        assertThat(json.propertyNames())
                .containsExactly(
                        "format",
                        "calibration",
                        "samples",
                        "cells",
                        "tolerances",
                        "non_finite",
                        "fit",
                        "orbits",
                        "data_dependence",
                        "reference_span");
        JsonNode cell = json.get("cells").get(0);
        assertThat(cell.propertyNames())
                .containsExactly(
                        "radius",
                        "factors",
                        "output",
                        "composition",
                        "inverse",
                        "transport",
                        "subdivision",
                        "cancellation",
                        "motion",
                        "motion_percent",
                        "moving_change");
        assertThat(cell.get("output").propertyNames()).containsExactly("p50", "p95", "max");
        assertThat(cell.get("motion").propertyNames()).containsExactly("p50");
        assertThat(json.get("tolerances").propertyNames())
                .containsExactly(
                        "output",
                        "composition",
                        "inverse",
                        "transport",
                        "subdivision",
                        "motion",
                        "moving_change",
                        "cancellation");
        JsonNode motion = json.get("tolerances").get("motion");
        assertThat(motion.propertyNames()).containsExactly("bound", "limit", "value", "met");
        assertThat(motion.get("bound").stringValue()).isEqualTo("at_least");
        assertThat(motion.get("limit").doubleValue()).isEqualTo(0.05);
        assertThat(motion.get("met").booleanValue()).isTrue();
        assertThat(json.get("fit").booleanValue()).isTrue();
        assertThat(json.get("calibration").propertyNames()).containsExactly("parameter_scale", "output_scale");
        assertThat(json.get("orbits").get(0).get("learned").size()).isEqualTo(61);
        assertThat(json.get("reference_span").get("field_dimension").propertyNames())
                .containsExactly("rank", "tolerance", "spectrum", "at1e4", "at1e6", "at1e8");
    }

    @Test
    void boundsAndAlgebraAreWrittenWhereTheyApplyAndReadBack() {
        BoundCase learned = BoundCase.untrained();
        Calibration scales = Calibration.of(learned.target(), learned.points(), new SplittableRandom(2));
        Evaluator evaluator = Evaluator.of(
                        new JudgedAction(learned.action(), learned.target(), learned.points(), scales))
                .grid(SMALL);
        Evaluation without = evaluator.run(new SplittableRandom(1));
        Evaluation with = evaluator.bounds(learned.target()::jacobian).run(new SplittableRandom(1));

        assertThat(with.cells()).isEqualTo(without.cells());
        assertThat(with.infinitesimalAction()).isEqualTo(without.infinitesimalAction());
        assertThat(without.toJson()).contains("infinitesimal_action").doesNotContain("bounds");
        JsonNode json = JsonMapper.shared().readTree(with.toJson());
        assertThat(json.get("infinitesimal_action").propertyNames())
                .containsExactly(
                        "points",
                        "generators",
                        "algebra_dimension",
                        "kernel_dimension",
                        "effective_dimension",
                        "largest_pointwise_rank",
                        "least_pointwise_rank",
                        "fields",
                        "brackets");
        assertThat(json.get("bounds").propertyNames())
                .containsExactly("samples", "radii", "constants", "composition", "inverse", "output", "curve");
        assertThat(json.get("bounds").get("constants").propertyNames())
                .containsExactly("identity", "transport", "loss", "growth", "output_derivative");
        assertThat(json.get("bounds").get("output").propertyNames())
                .containsExactly("measured", "bound", "sharp", "uniform");
        assertThat(with.bounds().orElseThrow().exceeded()).isZero();
        assertThat(Evaluation.fromJson(with.toJson(), "with")).isEqualTo(with);
    }

    @Test
    void whatDoesNotApplyIsAbsent() {
        String json = Evaluator.of(Judged.whole(new ShearAction()))
                .grid(SMALL)
                .run(new SplittableRandom(1))
                .toJson();
        assertThat(json)
                .doesNotContain("cancellation", "moving_change", "contributions", "data_dependence", "reference_span")
                .doesNotContain("null", "\r");
    }

    @Test
    void theSameStreamGivesTheSameBytesAndTheyAreReadBack(@TempDir Path folder) throws IOException {
        Evaluation evaluation = everything();
        Path file = folder.resolve("evaluation.json");
        evaluation.writeTo(file);
        assertThat(Files.readString(file)).isEqualTo(everything().toJson()).endsWith("}\n");
        assertThat(Evaluation.read(file)).isEqualTo(evaluation);
        assertThat(Evaluation.read(file).toJson()).isEqualTo(evaluation.toJson());
    }

    @Test
    void notANumberIsReportedAndNoFit() {
        Evaluation evaluation = broken();
        assertThat(evaluation.fits()).isFalse();
        assertThat(evaluation.nonFinite())
                .contains("output at radius 0.5, 1 factor", "drift along the curves of generator 1");
        String json = evaluation.toJson();
        assertThat(json).contains("\"NaN\"").contains("\"fit\" : false").doesNotContain(" NaN");
        assertThat(Evaluation.fromJson(json, "broken")).isEqualTo(evaluation);
    }

    static Stream<Arguments> damages() {
        return Stream.of(
                Arguments.of("\"format\" : 1", "\"format\" : 2", "format 2, this version reads format 1"),
                Arguments.of("\"format\" : 1,", "", "format none, this version reads format 1"),
                Arguments.of("\"fit\" : true", "\"fit\" : false", "fit is false, but everything is met"),
                Arguments.of("\"non_finite\" : [ ]", "\"non_finite\" : [ \"output\" ]", "the numbers say []"),
                Arguments.of("\"met\" : true", "\"met\" : false", "met is false, but the value is"),
                Arguments.of("\"samples\" : 16", "\"sample\" : 16", "sample"),
                Arguments.of("\"samples\" : 16,", "", "samples is missing"),
                Arguments.of("\"non_finite\" : [ ],", "", "non_finite"),
                Arguments.of("\"tolerances\" :", "\"tolerance\" :", "tolerance"),
                Arguments.of("\"factors\" : 1,", "", "cells[0].factors is missing"),
                Arguments.of("\"samples\" : 16", "\"samples\" : \"many\"", "many"),
                Arguments.of("\"samples\" : 16", "\"samples\" : 16, \"samples\" : 17", "samples"));
    }

    @ParameterizedTest
    @MethodSource("damages")
    void aDamagedFileIsRefusedInOneLine(String intact, String damaged, String message) {
        String json = everything().toJson();
        assertThat(json).contains(intact);
        String text = json.replaceFirst(Pattern.quote(intact), damaged);
        assertThatThrownBy(() -> Evaluation.fromJson(text, "run/evaluation.json"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("run/evaluation.json: ")
                .hasMessageContaining(message)
                .hasMessageNotContaining("\n");
    }
}
