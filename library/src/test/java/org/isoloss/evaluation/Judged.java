package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.isoloss.network.Calibration;

/** Test results of actions on {@link ScalarSite}, and which metrics see something in them. */
final class Judged {
    /** Far above rounding, far below every planted defect. */
    static final double ROUNDING = 1e-12;

    private Judged() {}

    static JudgedAction split(GroupAction action) {
        return on(action, ScalarSite.PROTECTED);
    }

    /** The same function without saying that it is a sum. */
    static JudgedAction whole(GroupAction action) {
        return on(action, new Target() {
            @Override
            public int parameterCount() {
                return 4;
            }

            @Override
            public int outputCount() {
                return 1;
            }

            @Override
            public Matrix outputs(Matrix parameters) {
                return ScalarSite.PROTECTED.outputs(parameters);
            }
        });
    }

    static JudgedAction on(GroupAction action, Target target) {
        Calibration calibration = Calibration.of(target, ScalarSite.points(), new SplittableRandom(1));
        return new JudgedAction(action, target, ScalarSite.points(), calibration);
    }

    static List<ErrorCell> cells(JudgedAction tested) {
        return FiniteActionErrors.run(tested, EvaluationGrid.DECLARED, new SplittableRandom(7));
    }

    /** The error metrics of which the 95th percentile is above rounding in some cell. */
    static List<String> seen(List<ErrorCell> cells) {
        List<String> seen = new ArrayList<>();
        for (ErrorCell cell : cells) {
            note(seen, "output", cell.output());
            note(seen, "composition", cell.composition());
            note(seen, "inverse", cell.inverse());
            note(seen, "transport", cell.transport());
            note(seen, "subdivision", cell.subdivision());
            cell.cancellation().ifPresent(error -> note(seen, "cancellation", error));
        }
        return seen;
    }

    private static void note(List<String> seen, String metric, Quantiles error) {
        if (!(error.p95() <= ROUNDING) && !seen.contains(metric)) {
            seen.add(metric);
        }
    }
}
