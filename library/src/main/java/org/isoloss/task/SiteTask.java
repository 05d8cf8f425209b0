package org.isoloss.task;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.discovery.Group;
import org.isoloss.discovery.Problem;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.SiteBlock;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.SitePool;
import org.isoloss.task.Task.Coordinates;
import org.isoloss.task.Task.Moving;
import org.isoloss.task.Task.SiteChoice;

/** What a task with a compensation site asks for, whatever network the site is in. */
final class SiteTask {
    private SiteTask() {}

    static MovingUnits movingUnits(SiteChoice choice) {
        return choice.unit() != null
                ? new MovingUnits.Given(List.of(choice.unit()))
                : choice.moving() == Moving.LARGEST
                        ? new MovingUnits.LargestContribution(1)
                        : new MovingUnits.MostSensitive(1);
    }

    /**
     * Chooses the units of a site for many batches.
     *
     * @param entering the pool as it enters the block
     * @param size of a batch
     * @param grouped whether consecutive inputs belong together
     */
    static SitePool pool(Task task, SiteChoice choice, SiteBlock block, Matrix entering, int size, boolean grouped) {
        return SitePool.choose(
                block,
                entering,
                size,
                grouped,
                choice.coordinates() != Coordinates.PLAIN,
                movingUnits(choice),
                new SplittableRandom(task.seed() == null ? Task.DEFAULT_SEED : task.seed()));
    }

    /** Refuses a site with another number of compensators than the task wants. */
    static SiteCoordinates coordinates(SiteChoice choice, CompensationSite site) {
        Integer wanted = choice.compensators();
        if (wanted != null && wanted != site.compensators().length) {
            throw new IllegalArgumentException(
                    "site: %d compensators asked for, but %d protected inputs take exactly %d"
                            .formatted(wanted, site.inputCount(), site.compensators().length));
        }
        return choice.coordinates() == Coordinates.PLAIN ? SiteCoordinates.plain(site) : SiteCoordinates.reduced(site);
    }

    /**
     * The scales of reduced coordinates are those of appendix {@code app:experimental-pythia-details}: the root mean square
     * of the selected weights, and the norm of the moving unit's contribution.
     */
    static Problem problem(Task task, SiteChoice choice, SiteCoordinates site) {
        if (Boolean.TRUE.equals(task.points().nonsingular())) {
            throw new IllegalArgumentException(
                    "points: 'nonsingular' goes with a 'support' of whole layers, and no layer moves as a whole at a site");
        }
        GaussianPoints points = task.points().around(site.origin(), site.weightScale());
        Group group = SearchClass.of(task.group(), Task.hasLaw(task.action()));
        if (choice.coordinates() != Coordinates.PLAIN) {
            double[] origin = site.origin();
            Matrix contribution = site.movingOutputs(Matrix.of(1, origin.length, origin));
            return new Problem(site, points, group, site.weightScale(), contribution.frobeniusNorm());
        }
        return Problem.calibrated(
                site, points, group, new SplittableRandom(task.seed() == null ? Task.DEFAULT_SEED : task.seed()));
    }
}
