package org.isoloss.reproduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.isoloss.action.GroupAction;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.Streams;
import org.isoloss.evaluation.FieldAgreement;
import org.isoloss.evaluation.JudgedAction;
import org.isoloss.network.ParameterLayout;
import org.isoloss.report.Axis;
import org.isoloss.report.Figure;
import org.isoloss.report.LineChart;
import org.isoloss.report.Series;
import org.isoloss.task.Setting;

/** Figure 5: learned fields against their projections on the reference directions. */
final class FieldFigure {
    /** The two panels, by the names of our task files. */
    static final List<String> SETTINGS = List.of("linear", "relu");

    private FieldFigure() {}

    static Made make(Study study) throws IOException {
        return Made.of(List.of(
                panel(study, "figure5a", "(a) Linear network", SETTINGS.getFirst()),
                panel(study, "figure5b", "(b) ReLU network", SETTINGS.getLast())));
    }

    private static Figure panel(Study study, String name, String title, String settingName) throws IOException {
        Variant variant = study.protocol().variants().getFirst();
        List<FieldAgreement> agreements = new ArrayList<>();
        List<ParameterLayout.Entry> weights = new ArrayList<>();
        for (FitRequest request : study.requests(settingName, ObjectiveKind.HYBRID, variant)) {
            Setting setting = study.cache().setting(request);
            ParameterLayout layout = setting.dense().network().layout();
            weights.clear();
            for (int layer = 0; layer < layout.layerCount(); layer++) {
                weights.add(layout.weight(layer));
            }
            if (!study.cache().hasDiverged(request)) {
                GroupAction reference = setting.reference().orElseThrow();
                JudgedAction tested = JudgedAction.of(study.cache().action(request), setting.problem());
                agreements.add(FieldAgreement.of(tested, reference, Streams.TEST.stream(request.seed(), 1)));
            }
        }
        List<Series> series = new ArrayList<>();
        double[] ends = {0, 0};
        for (ParameterLayout.Entry weight : weights) {
            series.add(points(weight, agreements, ends));
        }
        series.add(Series.of("y = x", Series.Style.REFERENCE, ends, ends));
        return new Figure(
                name,
                title + ": learned fields and known directions",
                "Each dot is one coordinate of the learned field: up, as learned; across, after orthogonal projection on the tangent space of the known symmetries at the same point. All coordinates at %d points of every seed; dots on the dashed line agree. (%s)"
                        .formatted(FieldAgreement.POINTS, study.protocol().words()),
                new LineChart(
                        Axis.linear("projection on the reference span", ""),
                        Axis.linear("coordinate of the learned field", ""),
                        series));
    }

    private static Series points(ParameterLayout.Entry weight, List<FieldAgreement> agreements, double[] ends) {
        int each = FieldAgreement.POINTS * weight.size();
        double[] x = new double[agreements.size() * each];
        double[] y = new double[x.length];
        int at = 0;
        for (FieldAgreement agreement : agreements) {
            for (int point = 0; point < FieldAgreement.POINTS; point++) {
                for (int i = 0; i < weight.size(); i++) {
                    x[at] = agreement.projected().get(point, weight.offset() + i);
                    y[at] = agreement.learned().get(point, weight.offset() + i);
                    ends[0] = Math.min(ends[0], x[at]);
                    ends[1] = Math.max(ends[1], x[at]);
                    at++;
                }
            }
        }
        return Series.of("weights " + weight.name(), Series.Style.POINTS, x, y);
    }
}
