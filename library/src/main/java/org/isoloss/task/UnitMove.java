package org.isoloss.task;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.NetworkCompensatingAction;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.Support;
import org.isoloss.network.TwoLayerBlock;

/**
 * Hidden units of a dense network that move by a given change while others compensate: the curve t of the closed-form
 * action (corollary {@code cor:subnet-compensating-action} of the paper), with the whole change at t = 1.
 */
public final class UnitMove {
    /** Which weights of the moving units change. */
    public enum Part {
        /** What enters them, biases included: Q of the corollary. */
        INCOMING,
        /** What leaves them: P. */
        OUTGOING,
        /** Both. */
        ALL
    }

    /**
     * Where the change takes place.
     *
     * @param network with its own weights
     * @param hiddenLayer from 0
     * @param inputs the protected batch that the network receives, one input a row
     * @param moving units of the layer, at least one, all different, from 0
     * @param allowed units that may compensate; empty for all
     * @param part which weights of the moving units change
     */
    public record Place(
            DenseNetwork network,
            int hiddenLayer,
            Matrix inputs,
            List<Integer> moving,
            List<Integer> allowed,
            Part part) {
        /** Keeps its own lists. */
        public Place {
            moving = List.copyOf(moving);
            allowed = List.copyOf(allowed);
        }

        /**
         * {@return the weights that change, unit by unit: its row, its bias where the layer has one, its column, as far as
         * {@code part} says}
         */
        public Support moved() {
            ParameterLayout layout = network.layout();
            network.block(hiddenLayer); // refuses a layer that does not exist
            int[] places = moving.stream()
                    .flatMapToInt(unit -> Arrays.stream(ofUnit(layout, unit)))
                    .toArray();
            return Support.indices(layout, places);
        }

        private int[] ofUnit(ParameterLayout layout, int unit) {
            int units = layout.weight(hiddenLayer).rows();
            if (unit < 0 || unit >= units) {
                throw new IllegalArgumentException("unit %d does not exist: hidden layer %d has units 0 to %d"
                        .formatted(unit, hiddenLayer, units - 1));
            }
            int[] all = Support.units(layout, hiddenLayer, unit).indices();
            int outgoing = layout.weight(hiddenLayer + 1).rows();
            return switch (part) {
                case INCOMING -> Arrays.copyOf(all, all.length - outgoing);
                case OUTGOING -> Arrays.copyOfRange(all, all.length - outgoing, all.length);
                case ALL -> all;
            };
        }
    }

    private final Place place;
    private final Support moved;
    private final CompensationSite site;
    private final Matrix change;
    private final double lost;
    private final NetworkCompensatingAction action;

    private UnitMove(Place place, Support moved, CompensationSite site, Matrix change, double lost) {
        this.place = place;
        this.moved = moved;
        this.site = site;
        this.change = change;
        this.lost = lost;
        this.action = NetworkCompensatingAction.along(
                place.network, place.hiddenLayer, place.inputs, site.compensators(), moved, change);
    }

    /**
     * Draws a change of a given size in a random direction.
     *
     * @param place where
     * @param size norm of each unit's change over the norm of its weights that change; negative for the opposite direction
     * @param random the stream to draw from; modified
     * @return one entry for each of {@link Place#moved}
     */
    public static double[] randomChange(Place place, double size, SplittableRandom random) {
        if (!Double.isFinite(size) || size == 0) {
            throw new IllegalArgumentException(
                    "size %s of a move, expected a finite number other than 0".formatted(size));
        }
        double[] weights = place.moved().gather(place.network.parameters());
        double[] change = new double[weights.length];
        Arrays.setAll(change, i -> random.nextGaussian());
        int each = weights.length / place.moving.size();
        for (int i = 0; i < place.moving.size(); i++) {
            double norm = norm(Arrays.copyOfRange(weights, i * each, (i + 1) * each));
            if (norm == 0) {
                throw new IllegalArgumentException(
                        "unit %d: the weights that would change are all zero, so a relative size says nothing; give the change itself"
                                .formatted(place.moving.get(i)));
            }
            double scale = size * norm / norm(Arrays.copyOfRange(change, i * each, (i + 1) * each));
            for (int j = i * each; j < (i + 1) * each; j++) {
                change[j] *= scale;
            }
        }
        return change;
    }

    /**
     * Chooses the compensating units and prepares the move.
     *
     * @param place where
     * @param change of each of {@link Place#moved}, finite; not modified
     * @param types of the tensors as stored, one for each of {@link ParameterLayout#entries}: the change is rounded so that
     *     the moved weights are numbers of these types, and only then compensated
     * @return the move
     * @throws IllegalArgumentException when no units can compensate, or the change does not fit
     */
    public static UnitMove of(Place place, double[] change, List<ElementType> types) {
        Support moved = place.moved();
        if (change.length != moved.size()) {
            throw new IllegalArgumentException("%d numbers for the change, expected %d: %d for each of %d moving units"
                    .formatted(change.length, moved.size(), moved.size() / place.moving.size(), place.moving.size()));
        }
        Matrix.over(1, change.length, change).requireFinite("the change");
        Matrix entering =
                place.network.forward(place.network.parameters(), place.inputs).activations(place.hiddenLayer);
        TwoLayerBlock block = place.network.block(place.hiddenLayer);
        MovingUnits given = new MovingUnits.Given(place.moving);
        CompensationSite site = place.allowed.isEmpty()
                ? CompensationSite.choose(block, entering, given)
                : CompensationSite.choose(
                        block,
                        entering,
                        given,
                        place.allowed.stream().mapToInt(Integer::intValue).toArray());
        double[] storable = storable(place, moved, change, types);
        return new UnitMove(
                place,
                moved,
                site,
                Matrix.over(1, change.length, storable),
                lost(change, storable, place.moving.size()));
    }

    /** The largest share, over the units, of the norm of a change that rounding takes. */
    private static double lost(double[] change, double[] storable, int units) {
        double[] difference = new double[change.length];
        Arrays.setAll(difference, i -> storable[i] - change[i]);
        int each = change.length / units;
        double largest = 0;
        for (int i = 0; i < change.length; i += each) {
            double meant = norm(Arrays.copyOfRange(change, i, i + each));
            double taken = norm(Arrays.copyOfRange(difference, i, i + each));
            largest = Math.max(largest, meant == 0 ? 0 : taken / meant);
        }
        return largest;
    }

    /** The change to the nearest weights that can be stored. */
    private static double[] storable(Place place, Support moved, double[] change, List<ElementType> types) {
        double[] weights = place.network.parameters();
        int[] places = moved.indices();
        double[] storable = new double[change.length];
        for (int i = 0; i < change.length; i++) {
            int entry = entryOf(place.network.layout(), places[i]);
            double weight = weights[places[i]];
            storable[i] = types.get(entry).nearest(weight + change[i]) - weight;
            if (!Double.isFinite(storable[i])) {
                throw new IllegalArgumentException("the change makes a weight of %s %s, beyond the range of its type %s"
                        .formatted(
                                place.network.layout().entries().get(entry).name(),
                                weight + change[i],
                                types.get(entry)));
            }
        }
        return storable;
    }

    private static int entryOf(ParameterLayout layout, int index) {
        int entry = 0;
        while (index
                >= layout.entries().get(entry).offset()
                        + layout.entries().get(entry).size()) {
            entry++;
        }
        return entry;
    }

    /** {@return where the change takes place, as given} */
    public Place place() {
        return place;
    }

    /** {@return the site with its compensating units and their conditioning, the site} */
    public CompensationSite site() {
        return site;
    }

    /**
     * {@return the size of the move: norm of the change, rounded to the stored types, over the norm of the weights that change;
     * infinite where these are all zero, 0 where rounding undoes the whole change}
     */
    public double size() {
        double size = change.frobeniusNorm();
        return size == 0 ? 0 : size / norm(moved.gather(place.network.parameters()));
    }

    /**
     * {@return how much of the move rounding to the stored types took: norm of the difference between the change asked for and
     * the stored one over that of the change asked for, of the unit that lost most; from 0 to 1, as {@link
     * org.isoloss.checkpoint.EditReport} explains}
     */
    public double lost() {
        return lost;
    }

    /**
     * Returns the network at a point of the curve.
     *
     * @param t share of the change
     * @return moved and compensated, in float64
     */
    public DenseNetwork at(double t) {
        double[] origin = place.network.parameters();
        Matrix element = GroupWord.exp(t).matrix(action.generators());
        Matrix point = action.apply(
                Matrix.over(1, element.entries().length, element.entries()), Matrix.over(1, origin.length, origin));
        point.requireFinite("the moved weights");
        return place.network.withParameters(point.entries());
    }

    /**
     * Returns the network with the moving units alone changed.
     *
     * @param t share of the change
     * @return moved and not compensated
     */
    public DenseNetwork uncompensated(double t) {
        double[] parameters = place.network.parameters();
        int[] places = moved.indices();
        for (int i = 0; i < places.length; i++) {
            parameters[places[i]] += t * change.get(0, i);
        }
        return place.network.withParameters(parameters);
    }

    /**
     * Returns what the change does to the contributions of the moving and of the compensating units to the layer's output,
     * relative to the norm of that output on the protected batch.
     *
     * @param t share of the change
     * @return two rows, moving and compensating units, each with the change of every output of every input
     */
    public Matrix contributions(double t) {
        TwoLayerBlock before = place.network.block(place.hiddenLayer);
        TwoLayerBlock after = at(t).block(place.hiddenLayer);
        Matrix augmented = site.augmentedInputs();
        int[] all = new int[before.units()];
        Arrays.setAll(all, unit -> unit);
        double norm = contribution(before, augmented, all).frobeniusNorm();
        Matrix moving =
                contribution(after, augmented, site.moving()).minus(contribution(before, augmented, site.moving()));
        Matrix compensating = contribution(after, augmented, site.compensators())
                .minus(contribution(before, augmented, site.compensators()));
        int count = moving.entries().length;
        double[] both = Arrays.copyOf(moving.entries(), 2 * count);
        System.arraycopy(compensating.entries(), 0, both, count, count);
        return Matrix.over(2, count, both).scaled(norm == 0 ? 1 : 1 / norm);
    }

    private static Matrix contribution(TwoLayerBlock block, Matrix augmented, int[] units) {
        return block.outgoing(units).times(block.features(augmented, units));
    }

    /**
     * Measures how far outputs moved, as {@link WeightEdit#relativeDrift} does.
     *
     * @param moved a network of the same outputs
     * @param inputs one input a row
     * @return for each input {@code ||F' - F|| / ||F||}, in float64
     */
    public double[] drift(DenseNetwork moved, Matrix inputs) {
        return WeightEdit.relativeDrift(place.network, moved, inputs);
    }

    private static double norm(double[] numbers) {
        return Matrix.over(1, numbers.length, numbers).frobeniusNorm();
    }
}
