package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.action.GroupAction;
import org.isoloss.evaluation.PathQuadrature.Integral;
import org.isoloss.evaluation.PathQuadrature.Node;
import org.isoloss.evaluation.PathQuadrature.Rates;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Target;
import org.jspecify.annotations.Nullable;

/**
 * Finite errors of an action, bounded by what is infinitesimally wrong along given paths (section
 * {@code sec:approximate-symmetry} and appendix {@code app:finite-symmetry-errors} of the paper). Along the path the residuals
 * {@code eq:action-transport-residual} and {@code eq:loss-infinitesimal-residual}, the growth between the two compared points
 * and the derivative of the outputs are measured at the nodes of an adaptive quadrature, whose error is added.
 *
 * <p>So each number estimates a bound. Every piece of a path is looked at in 40 places or more, most where rates change fast;
 * a step between two places is covered by the error that is added, a peak of which nothing shows at any place is missed.
 * A measured error above its bound gives such a peak away, for the propositions themselves hold.
 *
 * <p>Each method takes one path, group element and point a row and evaluates all rows together.
 */
public final class ErrorBounds {
    /** What float64 may do to a number of size 1: 256 units in the last place. */
    public static final double ROUNDING = 256 * Math.ulp(1.0);

    /**
     * Distance of the compared points, relative to their size, at which half of their fields' difference counts as growth
     * and half as a source. Below it a quotient of two differences would be one of rounding errors.
     */
    private static final double RESOLUTION = 1e-9;

    private final GroupAction action;
    private final Target target;
    private final OutputJacobian jacobian;

    private ErrorBounds(GroupAction action, Target target, OutputJacobian jacobian) {
        this.action = action;
        this.target = target;
        this.jacobian = jacobian;
    }

    /**
     * Bounds the errors of an action.
     *
     * @param action any smooth map, whose identity and composition may err
     * @param target what it should preserve
     * @param jacobian the derivative of the target
     * @return the bounds
     */
    public static ErrorBounds of(GroupAction action, Target target, OutputJacobian jacobian) {
        if (action.parameterCount() != target.parameterCount()) {
            throw new IllegalArgumentException("ErrorBounds: the action moves %d parameters, the target has %d"
                    .formatted(action.parameterCount(), target.parameterCount()));
        }
        return new ErrorBounds(action, target, jacobian);
    }

    /**
     * Bounds the difference between two steps and their product, {@code ||a(g_2, a(g_1, theta)) - a(g_2 g_1, theta)||}
     * (proposition {@code prop:pathwise-associativity}).
     *
     * @param paths from the identity to g_2
     * @param first the g_1, shape (n, s * s); not modified
     * @param points theta, shape (n, p); not modified
     * @return measured error and bound for each row
     */
    public List<PathBound> composition(List<GroupPath> paths, Matrix first, Matrix points) {
        requireRows("composition", paths, points);
        return composed(paths, first, points, false);
    }

    /**
     * Bounds how far a step and its proposed inverse lead from the start, {@code ||a(g^-1, a(g, theta)) - theta||}
     * (corollary {@code cor:uniform-inverse-error}, along the path itself).
     *
     * @param paths from the identity to g^-1
     * @param elements the g, shape (n, s * s); not modified
     * @param points theta, shape (n, p); not modified
     * @return measured error and bound for each row
     */
    public List<PathBound> inverse(List<GroupPath> paths, Matrix elements, Matrix points) {
        requireRows("inverse", paths, points);
        return composed(paths, elements, points, true);
    }

    /**
     * Bounds the change of the outputs, {@code ||F(a(g, theta)) - F(theta)||} (proposition {@code prop:pathwise-loss-drift}).
     *
     * @param paths from the identity to g
     * @param points theta, shape (n, p), finite; not modified
     * @return measured error and bound for each row
     */
    public List<PathBound> outputChange(List<GroupPath> paths, Matrix points) {
        requireRows("outputChange", paths, points);
        int count = paths.size();
        Matrix ends = apply(ends(paths, null), points);
        Matrix identities = apply(starts(paths), points);
        Matrix before = outputs(points);
        Matrix after = outputs(ends);
        double[] initial = Rows.distances(before, outputs(identities), 1);
        double[] identity = Rows.distances(points, identities, 1);
        double[] rounding = new double[count];
        double[] sizes = Rows.norms(points, 1);
        double[] derivatives = new double[count];
        Arrays.setAll(derivatives, row -> operatorNorm(jacobian.at(points.row(row))));
        double[] normsBefore = Rows.norms(before, 1);
        double[] normsAfter = Rows.norms(after, 1);
        // outputs are sums that may cancel: rounding a point is what rounding their terms is
        Arrays.setAll(
                rounding,
                row -> ROUNDING * larger(larger(normsBefore[row], normsAfter[row]), sizes[row] * derivatives[row]));
        // between theta and a(I, theta) the outputs change as fast as they did on the whole
        Arrays.setAll(
                derivatives,
                row -> identity[row] == 0
                        ? derivatives[row]
                        : Math.max(derivatives[row], initial[row] / identity[row]));
        Largest[] largest = Largest.of(identity, derivatives);
        List<Integral> integrals = PathQuadrature.along(pieces(paths), 2, rounding, nodes -> {
            Along along = new Along(nodes, paths, null, points);
            Rates rates = new Rates(nodes.size(), 2);
            for (int i = 0; i < nodes.size(); i++) {
                if (!Rows.isFinite(along.at, i)
                        || !Rows.isFinite(along.field, i)
                        || !Rows.isFinite(along.residual, i)) {
                    largest[nodes.get(i).path()].note(along.speeds[i], Double.NaN, Double.NaN, 0, Double.NaN);
                    rates.set(i, 0, Double.NaN, Double.NaN);
                    continue;
                }
                Matrix derivative = jacobian.at(along.at.row(i));
                double norm = operatorNorm(derivative);
                Matrix lossRate = derivative.times(column(along.field, i));
                Matrix leaving = derivative.times(column(along.residual, i));
                double loss = lossRate.frobeniusNorm();
                double transport = norm(along.residual, i);
                largest[nodes.get(i).path()].note(along.speeds[i], transport, loss, 0, norm);
                rates.set(i, 0, loss + norm * transport, lossRate.plus(leaving).frobeniusNorm());
            }
            return rates;
        });
        double[] measured = Rows.distances(before, after, 1);
        List<PathBound> bounds = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            bounds.add(bound(
                    paths.get(row), measured[row], initial[row], 0, integrals.get(row), rounding[row], largest[row]));
        }
        return List.copyOf(bounds);
    }

    private List<PathBound> composed(List<GroupPath> paths, Matrix first, Matrix points, boolean back) {
        int count = paths.size();
        Matrix moved = apply(first, points);
        Matrix together = apply(ends(paths, first), points);
        Matrix inSteps = apply(ends(paths, null), moved);
        Matrix identities = apply(starts(paths), moved);
        double[] identity = Rows.distances(moved, identities, 1);
        // u(0) = a(g_1, theta) is computed as moved, w(0) as the identity at moved
        double[] measured = back ? Rows.distances(points, inSteps, 1) : Rows.distances(together, inSteps, 1);
        double[] extra = back ? Rows.distances(points, together, 1) : new double[count];
        double[] rounding = new double[count];
        double[][] norms = {Rows.norms(points, 1), Rows.norms(moved, 1), Rows.norms(together, 1), Rows.norms(inSteps, 1)
        };
        Arrays.setAll(rounding, row -> {
            double most = 0;
            for (double[] norm : norms) {
                most = larger(most, norm[row]);
            }
            return ROUNDING * most;
        });
        double[] identityErrors = identity.clone();
        if (back) {
            double[] atStart = Rows.distances(points, apply(starts(paths), points), 1);
            Arrays.setAll(identityErrors, row -> Math.max(identity[row], atStart[row]));
        }
        Largest[] largest = Largest.of(identityErrors, new double[count]);
        List<Integral> integrals = PathQuadrature.along(pieces(paths), 2, rounding, nodes -> {
            Along u = new Along(nodes, paths, first, points);
            Along w = new Along(nodes, paths, null, moved);
            Rates rates = new Rates(nodes.size(), 2);
            double[] distances = Rows.distances(u.at, w.at, 1);
            double[] spreads = Rows.distances(u.field, w.field, 1);
            double[] sizes = Rows.norms(u.at, 1);
            double[] differences = Rows.distances(u.residual, w.residual, 1);
            for (int i = 0; i < nodes.size(); i++) {
                double resolution = RESOLUTION * sizes[i];
                double weight = distances[i] * distances[i] + resolution * resolution;
                double growth = weight == 0 ? 0 : spreads[i] * distances[i] / weight;
                double spread = weight == 0 ? spreads[i] : spreads[i] * resolution * resolution / weight;
                double transportAtU = norm(u.residual, i);
                double transportAtW = norm(w.residual, i);
                largest[nodes.get(i).path()].note(u.speeds[i], Math.max(transportAtU, transportAtW), 0, growth, 0);
                rates.set(i, growth, transportAtU + transportAtW + spread, differences[i] + spread);
            }
            return rates;
        });
        List<PathBound> bounds = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            bounds.add(bound(
                    paths.get(row),
                    measured[row],
                    identity[row],
                    extra[row],
                    integrals.get(row),
                    rounding[row],
                    largest[row]));
        }
        return List.copyOf(bounds);
    }

    private static PathBound bound(
            GroupPath path,
            double measured,
            double start,
            double extra,
            Integral integral,
            double rounding,
            Largest largest) {
        double sum = integral.grown(start) + extra;
        double initial = Double.isNaN(sum) ? Double.POSITIVE_INFINITY : sum;
        double sharp = initial + integral.source(1) + integral.error(1, start) + rounding;
        return new PathBound(
                path.length(),
                measured,
                initial,
                integral.source(0),
                sharp,
                integral.error(0, start),
                rounding,
                largest.constants());
    }

    /** The curve {@code a(gamma(t) g, theta)} at nodes, with its field and its transport residual there. */
    private final class Along {
        final Matrix at;
        final Matrix field;
        final Matrix residual;
        final double[] speeds;

        Along(List<Node> nodes, List<GroupPath> paths, @Nullable Matrix first, Matrix points) {
            int size = action.generators().size();
            int area = size * size;
            Matrix elements = Matrix.zeros(nodes.size(), area);
            Matrix directions = Matrix.zeros(nodes.size(), area);
            Matrix tangents = Matrix.zeros(nodes.size(), area);
            Matrix starts = Matrix.zeros(nodes.size(), points.columns());
            speeds = new double[nodes.size()];
            for (int i = 0; i < nodes.size(); i++) {
                Node node = nodes.get(i);
                GroupPath path = paths.get(node.path());
                Matrix element = path.element(node.piece(), node.time());
                if (first != null) {
                    element = element.times(Matrix.over(size, size, first.row(node.path())));
                }
                Matrix velocity = path.velocity(node.piece(), node.time());
                speeds[i] = velocity.frobeniusNorm();
                Rows.set(elements, i, element.entries());
                Rows.set(directions, i, velocity.entries());
                Rows.set(tangents, i, velocity.times(element).entries());
                Rows.set(starts, i, points.row(node.path()));
            }
            at = apply(elements, starts);
            field = JudgedAction.whereFinite(at, finite -> action.field(directions, finite));
            residual = JudgedAction.whereFinite(starts, finite -> action.derivative(elements, tangents, finite))
                    .minus(field);
        }
    }

    /** The constants of one path as they are met. */
    private static final class Largest {
        private UniformBounds constants;

        Largest(double identity, double derivative) {
            constants = new UniformBounds(orInfinite(identity), 0, 0, 0, orInfinite(derivative));
        }

        static Largest[] of(double[] identity, double[] derivatives) {
            Largest[] largest = new Largest[identity.length];
            Arrays.setAll(largest, row -> new Largest(identity[row], derivatives[row]));
            return largest;
        }

        /** Takes what is met at a speed; where a path stands still there is nothing to take. */
        void note(double speed, double transport, double loss, double growth, double derivative) {
            if (speed > 0) {
                constants = new UniformBounds(
                        constants.identity(),
                        Math.max(constants.transport(), orInfinite(transport / speed)),
                        Math.max(constants.loss(), orInfinite(loss / speed)),
                        Math.max(constants.growth(), orInfinite(growth / speed)),
                        Math.max(constants.outputDerivative(), orInfinite(derivative)));
            }
        }

        UniformBounds constants() {
            return constants;
        }

        private static double orInfinite(double number) {
            return Double.isNaN(number) ? Double.POSITIVE_INFINITY : number;
        }
    }

    private Matrix apply(Matrix elements, Matrix points) {
        return JudgedAction.whereFinite(points, finite -> action.apply(elements, finite));
    }

    private Matrix outputs(Matrix points) {
        return JudgedAction.whereFinite(points, target::outputs);
    }

    /** The ends of the paths, times the first elements where there are some. */
    private Matrix ends(List<GroupPath> paths, @Nullable Matrix first) {
        int size = action.generators().size();
        Matrix ends = Matrix.zeros(paths.size(), size * size);
        for (int row = 0; row < paths.size(); row++) {
            Matrix end = paths.get(row).end();
            Rows.set(ends, row, (first == null ? end : end.times(Matrix.over(size, size, first.row(row)))).entries());
        }
        return ends;
    }

    private Matrix starts(List<GroupPath> paths) {
        return Rows.repeated(Matrix.identity(action.generators().size()).entries(), paths.size());
    }

    private static int[] pieces(List<GroupPath> paths) {
        return paths.stream().mapToInt(GroupPath::pieces).toArray();
    }

    private static void requireRows(String what, List<GroupPath> paths, Matrix points) {
        if (paths.size() != points.rows()) {
            throw new IllegalArgumentException("ErrorBounds.%s: %d paths for %d points, expected one for each"
                    .formatted(what, paths.size(), points.rows()));
        }
    }

    private static double operatorNorm(Matrix derivative) {
        boolean finite = Arrays.stream(derivative.entries()).allMatch(Double::isFinite);
        return finite ? Svd.valuesOf(derivative)[0] : Double.NaN;
    }

    private static Matrix column(Matrix rows, int row) {
        return Matrix.over(rows.columns(), 1, rows.row(row));
    }

    private static double norm(Matrix rows, int row) {
        return rows.rows(row, row + 1).frobeniusNorm();
    }

    /** The larger of two numbers, leaving out NaN: an error that is none has a bound of its own. */
    private static double larger(double a, double b) {
        return Double.isNaN(b) || a >= b ? a : b;
    }
}
