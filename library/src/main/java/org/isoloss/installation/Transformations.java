package org.isoloss.installation;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.CompensatingAction;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.SiteCoordinates;

/**
 * The learned action of a site at its original weights and three controls, by the coefficient t (paragraph "Installed
 * weights" of appendix {@code app:experimental-pythia-details} of the paper). The analytic one moves along the mean learned
 * direction of the incoming weights; its scale, and that of the random translation, make the root-mean-square motion over
 * validation coefficients that of the learned action. Incoming-only is not scaled: it moves less.
 */
final class Transformations {
    /** Where motions are matched: the largest radius that is trained. */
    private static final double VALIDATION_RADIUS = 0.5;

    private static final int SCALING_STEPS = 100;
    private static final double SCALING_TOLERANCE = 1e-10;

    private final SiteCoordinates site;
    private final GroupAction learned;
    private final double[] origin;
    private final GroupAction analytic;
    private final double analyticSpeed;
    private final double[] velocity;

    private Transformations(
            SiteCoordinates site, GroupAction learned, GroupAction analytic, double analyticSpeed, double[] velocity) {
        this.site = site;
        this.learned = learned;
        this.origin = site.origin();
        this.analytic = analytic;
        this.analyticSpeed = analyticSpeed;
        this.velocity = velocity;
    }

    /** Fixes directions and scales; draws from {@code validation}. */
    static Transformations of(SiteCoordinates site, GroupAction learned, SplittableRandom validation) {
        double[] times = Coefficients.draw(validation).first(VALIDATION_RADIUS);
        double[] origin = site.origin();
        Matrix moved = moved(learned, learned.generators().normalised(), times, origin);
        double motion = motion(moved, origin);
        double[] incoming = new double[origin.length];
        for (int row = 0; row < times.length; row++) {
            for (int i = site.outgoingCount(); i < origin.length; i++) {
                incoming[i] += times[row] * (moved.get(row, i) - origin[i]);
            }
        }
        double norm = norm(incoming);
        if (!(norm > 0) || !Double.isFinite(motion)) {
            throw new IllegalArgumentException(
                    "the learned action does not move the incoming weights of the site, or moves them out of the numbers, so controls cannot be matched to it");
        }
        Arrays.setAll(incoming, i -> incoming[i] / norm);
        GroupAction analytic = CompensatingAction.along(site, List.of(site.incomingPart(incoming)));
        double[] random = new double[origin.length];
        Arrays.setAll(random, i -> validation.nextGaussian());
        double root = norm(times) / Math.sqrt(times.length);
        double speed = motion / root / norm(random);
        Arrays.setAll(random, i -> random[i] * speed);
        return new Transformations(site, learned, analytic, speed(analytic, times, origin, motion), random);
    }

    /** The factor of t with which an action moves as far as is wanted. */
    private static double speed(GroupAction action, double[] times, double[] origin, double wanted) {
        double root = norm(times) / Math.sqrt(times.length);
        double speed = wanted / root;
        for (int step = 0; step < SCALING_STEPS; step++) {
            double factor = speed;
            double[] scaled = Arrays.stream(times).map(t -> factor * t).toArray();
            double ratio = wanted / motion(moved(action, action.generators(), scaled, origin), origin);
            speed *= ratio;
            if (Math.abs(ratio - 1) < SCALING_TOLERANCE) {
                break;
            }
        }
        return speed;
    }

    /** The coordinates at t, starting from the original weights. */
    double[] at(Transformation kind, double t) {
        return switch (kind) {
            case LEARNED -> learned(t, origin);
            case ANALYTIC -> analytic(t, origin);
            case INCOMING_ONLY -> {
                double[] point = origin.clone();
                double[] whole = at(Transformation.LEARNED, t);
                System.arraycopy(
                        whole, site.outgoingCount(), point, site.outgoingCount(), point.length - site.outgoingCount());
                yield point;
            }
            case RANDOM -> {
                double[] point = origin.clone();
                Arrays.setAll(point, i -> origin[i] + t * velocity[i]);
                yield point;
            }
        };
    }

    /** What {@code exp(t h)} of the learned action makes of any point, with h of norm 1. */
    double[] learned(double t, double[] point) {
        return moved(learned, learned.generators().normalised(), new double[] {t}, point)
                .row(0);
    }

    /** What the analytic action makes of any point, at the speed at which it moves the original as far as the learned one. */
    double[] analytic(double t, double[] point) {
        return moved(analytic, analytic.generators(), new double[] {analyticSpeed * t}, point)
                .row(0);
    }

    /** What {@code exp(t h)} with the first of some generators makes of a point, one row for each t. */
    static Matrix moved(GroupAction action, Generators generators, double[] times, double[] point) {
        int area = generators.size() * generators.size();
        Matrix elements = Matrix.zeros(times.length, area);
        Matrix points = Matrix.zeros(times.length, point.length);
        for (int row = 0; row < times.length; row++) {
            double[] element = GroupWord.exp(times[row]).matrix(generators).entries();
            System.arraycopy(element, 0, elements.entries(), row * area, area);
            System.arraycopy(point, 0, points.entries(), row * point.length, point.length);
        }
        return action.apply(elements, points);
    }

    private static double motion(Matrix moved, double[] origin) {
        double sum = 0;
        for (int row = 0; row < moved.rows(); row++) {
            for (int i = 0; i < origin.length; i++) {
                double change = moved.get(row, i) - origin[i];
                sum += change * change;
            }
        }
        return Math.sqrt(sum / moved.rows());
    }

    private static double norm(double[] numbers) {
        return Matrix.over(1, numbers.length, numbers).frobeniusNorm();
    }
}
