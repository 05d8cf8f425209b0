package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.action.GroupAction;
import org.isoloss.discovery.Problem;
import org.isoloss.model.Target;
import org.isoloss.network.SiteCoordinates;

/**
 * What a task stands for: the function to be preserved, its coordinates, and what is known about their symmetries. Made from
 * the task alone, so the same task gives the same setting.
 */
public sealed interface Setting permits DenseSetting, ModelSetting {
    /**
     * Makes the setting.
     *
     * @param task as read
     * @param folder to which the paths of the task are relative
     * @return the setting
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when something does not fit, in one line
     */
    static Setting of(Task task, Path folder) throws IOException {
        boolean dense = task.network().model() == null && task.network().transformer() == null;
        return dense ? DenseSetting.of(task, folder) : ModelSetting.of(task, folder);
    }

    /** {@return the task, as given} */
    Task task();

    /**
     * {@return what a reader should know about how the files of the task were read, one line each: tensors left aside, names of
     * columns that were skipped, expected outputs that agree}
     */
    List<String> notices();

    /** {@return what a fit needs, target, points, group and scales} */
    Problem problem();

    /** {@return the coordinates of the network's own parameters, length p} */
    double[] origin();

    /**
     * Returns the tensors that coordinates stand for, in the order in which the network's file stores their elements; row by row
     * under the names of layers where the network was made on the spot.
     *
     * @param point coordinates, length p; not modified
     * @return by name, all that hold a number that may move
     */
    Map<String, double[]> tensorsAt(double[] point);

    /** {@return the site, where the task has one: its coordinates} */
    Optional<SiteCoordinates> site();

    /** {@return the batches that an action for many of them is trained and judged on; nothing for other actions} */
    Optional<BatchedSite> batches();

    /**
     * {@return what the network computes on inputs that are not protected, a target over the same coordinates, or nothing where
     * the task names no such inputs}
     */
    Optional<Target> freshTarget();

    /**
     * {@return the closed-form symmetries that a learned action is judged against: hidden-basis changes of linear networks,
     * rescalings of homogeneous ones, compensation at sites; nothing where none is known for what moves}
     */
    Optional<GroupAction> reference();

    /**
     * Returns the setting of a network of dense layers.
     *
     * @return this setting
     * @throws IllegalArgumentException when the network is no such network
     */
    DenseSetting dense();
}
