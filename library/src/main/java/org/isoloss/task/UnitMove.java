package org.isoloss.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.UnitBlock;
import org.isoloss.model.UnitBlock.Projection;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.SiteBlock;

/**
 * Hidden units of a model that move by a given change while others compensate: the curve t of the closed-form
 * action (corollary {@code cor:subnet-compensating-action} of the paper), with the whole change at t = 1:
 *
 * <pre>
 *   V_C' = V_C + t Q    U_C' = U_C + t P    U_B' = U_B + [U_C sigma(V_C X) - U_C' sigma(V_C' X)] [sigma(V_B X)]^-1
 * </pre>
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

    /** Where the change takes place. */
    public static final class Place {
        private final ModelBatch batch;
        private final int hiddenLayer;
        private final UnitBlock block;
        private final List<Integer> moving;
        private final List<Integer> allowed;
        private final Part part;
        private final List<UnitWeight> moved = new ArrayList<>();

        private Place(
                ModelBatch batch,
                int hiddenLayer,
                UnitBlock block,
                List<Integer> moving,
                List<Integer> allowed,
                Part part) {
            this.batch = batch;
            this.hiddenLayer = hiddenLayer;
            this.block = block;
            this.moving = List.copyOf(moving);
            this.allowed = List.copyOf(allowed);
            this.part = part;
            for (int unit : moving) {
                if (unit < 0 || unit >= block.units()) {
                    throw new IllegalArgumentException("unit %d does not exist: hidden layer %d has units 0 to %d"
                            .formatted(unit, hiddenLayer, block.units() - 1));
                }
                if (part != Part.OUTGOING) {
                    moved.addAll(UnitWeight.entering(block, unit));
                }
                if (part != Part.INCOMING) {
                    moved.addAll(UnitWeight.leaving(block, unit));
                }
            }
        }

        /**
         * Chooses units of a model.
         *
         * @param batch the protected inputs with the model
         * @param hiddenLayer which of its layers of hidden units, from 0
         * @param moving units of the layer, at least one, all different, from 0
         * @param allowed units that may compensate; empty for all
         * @param part which weights of the moving units change
         * @return the place
         */
        public static Place of(
                ModelBatch batch, int hiddenLayer, List<Integer> moving, List<Integer> allowed, Part part) {
            List<UnitBlock> blocks = UnitBlock.of(batch.model());
            if (hiddenLayer < 0 || hiddenLayer >= blocks.size()) {
                throw new IllegalArgumentException("hidden layer %d does not exist: the network has %d hidden layers%s"
                        .formatted(hiddenLayer, blocks.size(), blocks.isEmpty() ? ", each a " + ModelSite.UNITS : ""));
            }
            return new Place(batch, hiddenLayer, blocks.get(hiddenLayer), moving, allowed, part);
        }

        /** {@return the protected inputs with the model} */
        public ModelBatch batch() {
            return batch;
        }

        /** {@return which layer of hidden units, from 0} */
        public int hiddenLayer() {
            return hiddenLayer;
        }

        /** {@return which weights of the moving units change} */
        public Part part() {
            return part;
        }

        /** {@return the tensors that hold what moves and what compensates, by name} */
        public Set<String> tensors() {
            Set<String> names = new LinkedHashSet<>();
            moved.forEach(weight -> names.add(weight.tensor()));
            names.add(block.outgoing().weight());
            return names;
        }

        /**
         * {@return the weights that change as they are, unit by unit: its rows, each with its bias where there is one, its column,
         * as far as {@code part} says}
         */
        public double[] weights() {
            Model model = batch.model();
            Map<String, double[]> tensors = new HashMap<>();
            return moved.stream()
                    .mapToDouble(weight -> tensors.computeIfAbsent(weight.tensor(), model::numbers)[weight.index()])
                    .toArray();
        }
    }

    private final Place place;
    private final CompensationSite site;
    private final double[] change;
    private final double lost;
    private final Matrix incoming;
    private final Matrix outgoing;
    private final Matrix still;
    private final Map<ModelBatch, Function<Map<String, double[]>, Matrix>> outputs = new HashMap<>();

    private UnitMove(Place place, CompensationSite site, double[] change, double lost) {
        this.place = place;
        this.site = site;
        this.change = change;
        this.lost = lost;
        this.incoming = site.block().incoming(site.moving());
        this.outgoing = site.block().outgoing(site.moving());
        this.still = outgoing.times(site.movingFeatures(incoming));
    }

    /**
     * Draws a change of a given size in a random direction.
     *
     * @param place where
     * @param size norm of each unit's change over the norm of its weights that change; negative for the opposite direction
     * @param random the stream to draw from; modified
     * @return one entry for each of {@link Place#weights}
     */
    public static double[] randomChange(Place place, double size, SplittableRandom random) {
        if (!Double.isFinite(size) || size == 0) {
            throw new IllegalArgumentException(
                    "size %s of a move, expected a finite number other than 0".formatted(size));
        }
        double[] weights = place.weights();
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
     * @param change of each of {@link Place#weights}, finite; not modified
     * @param types of the tensors as stored, by name: the change is rounded so that the moved weights are numbers of these types,
     *     and only then compensated
     * @return the move
     * @throws IllegalArgumentException when no units can compensate, or the change does not fit
     */
    public static UnitMove of(Place place, double[] change, Function<String, ElementType> types) {
        int count = place.moved.size();
        if (change.length != count) {
            throw new IllegalArgumentException("%d numbers for the change, expected %d: %d for each of %d moving units"
                    .formatted(change.length, count, count / place.moving.size(), place.moving.size()));
        }
        Matrix.over(1, change.length, change).requireFinite("the change");
        SiteBlock units = ModelSite.units(place.batch.model(), place.block);
        Matrix entering = ModelSite.entering(place.batch.model(), place.batch.batches(), List.of(place.block))
                .getFirst();
        MovingUnits given = new MovingUnits.Given(place.moving);
        CompensationSite site = place.allowed.isEmpty()
                ? CompensationSite.choose(units, entering, given)
                : CompensationSite.choose(
                        units,
                        entering,
                        given,
                        place.allowed.stream().mapToInt(Integer::intValue).toArray());
        double[] storable = storable(place, change, types);
        return new UnitMove(place, site, storable, lost(change, storable, place.moving.size()));
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
    private static double[] storable(Place place, double[] change, Function<String, ElementType> types) {
        double[] weights = place.weights();
        double[] storable = new double[change.length];
        for (int i = 0; i < change.length; i++) {
            String tensor = place.moved.get(i).tensor();
            ElementType type = types.apply(tensor);
            storable[i] = type.nearest(weights[i] + change[i]) - weights[i];
            if (!Double.isFinite(storable[i])) {
                throw new IllegalArgumentException("the change makes a weight of %s %s, beyond the range of its type %s"
                        .formatted(tensor, weights[i] + change[i], type));
            }
        }
        return storable;
    }

    /** {@return where the change takes place, as given} */
    public Place place() {
        return place;
    }

    /** {@return the site with its compensating units and their conditioning} */
    public CompensationSite site() {
        return site;
    }

    /**
     * {@return the size of the move: norm of the change, rounded to the stored types, over the norm of the weights that change;
     * infinite where these are all zero, 0 where rounding undoes the whole change}
     */
    public double size() {
        double size = norm(change);
        return size == 0 ? 0 : size / norm(place.weights());
    }

    /**
     * {@return how much of the move rounding to the stored types took: norm of the difference between the change asked for and
     * the stored one over that of the change asked for, of the unit that lost most; from 0 to 1, as {@link
     * org.isoloss.checkpoint.EditReport} explains}
     */
    public double lost() {
        return lost;
    }

    /** What the move makes of the moving units' own weights and of what they contribute. */
    private record Moved(Matrix outgoing, Matrix contribution) {}

    private Moved moved(double t) {
        Matrix rows = incoming.copy();
        Matrix columns = outgoing.copy();
        int next = 0;
        int units = place.moving.size();
        for (int unit = 0; unit < units; unit++) {
            for (int row = unit; row < rows.rows() && place.part != Part.OUTGOING; row += units) {
                for (int i = 0; i < rows.columns(); i++) {
                    rows.set(row, i, rows.get(row, i) + t * change[next++]);
                }
            }
            for (int output = 0; output < columns.rows() && place.part != Part.INCOMING; output++) {
                columns.set(output, unit, columns.get(output, unit) + t * change[next++]);
            }
        }
        return new Moved(columns, columns.times(site.movingFeatures(rows)));
    }

    /** What the compensating units' outgoing weights change by. */
    private Matrix compensation(double t) {
        return site.features().solve(still.minus(moved(t).contribution));
    }

    /**
     * Returns the tensors at a point of the curve.
     *
     * @param t share of the change
     * @return moved and compensated, in float64, by name, row-major
     */
    public Map<String, double[]> at(double t) {
        Map<String, double[]> tensors = uncompensated(t);
        Matrix outward = compensation(t);
        outward.requireFinite("the moved weights");
        Projection projection = place.block.outgoing();
        double[] numbers = Objects.requireNonNull(tensors.get(projection.weight()));
        int[] compensators = site.compensators();
        for (int i = 0; i < compensators.length; i++) {
            for (int output = 0; output < outward.rows(); output++) {
                numbers[projection.place(compensators[i], output)] += outward.get(output, i);
            }
        }
        return tensors;
    }

    /**
     * Returns the tensors with the moving units alone changed.
     *
     * @param t share of the change
     * @return moved and not compensated, by name, row-major
     */
    public Map<String, double[]> uncompensated(double t) {
        Map<String, double[]> tensors = new LinkedHashMap<>();
        place.tensors()
                .forEach(name ->
                        tensors.put(name, place.batch.model().numbers(name).clone()));
        for (int i = 0; i < change.length; i++) {
            UnitWeight weight = place.moved.get(i);
            Objects.requireNonNull(tensors.get(weight.tensor()))[weight.index()] += t * change[i];
        }
        return tensors;
    }

    /**
     * Returns what the change does to the contributions of the moving and of the compensating units to the layer's output,
     * relative to the norm of that output on the protected batch.
     *
     * @param t share of the change
     * @return two rows, moving and compensating units, each with the change of every output of every input
     */
    public Matrix contributions(double t) {
        SiteBlock block = site.block();
        int[] all = IntStream.range(0, block.units()).toArray();
        double norm = block.outgoing(all)
                .times(block.features(site.augmentedInputs(), all))
                .frobeniusNorm();
        Matrix moving = moved(t).contribution.minus(still);
        Matrix compensating = compensation(t).times(site.features().matrix());
        int count = moving.entries().length;
        double[] both = Arrays.copyOf(moving.entries(), 2 * count);
        System.arraycopy(compensating.entries(), 0, both, count, count);
        return Matrix.over(2, count, both).scaled(norm == 0 ? 1 : 1 / norm);
    }

    /**
     * Measures how far outputs moved, as {@link WeightEdit#relativeDrift} does.
     *
     * @param moved tensors of {@link #at} or {@link #uncompensated}
     * @param inputs with the model as it was
     * @return for each input {@code ||F' - F|| / ||F||}, in float64
     */
    public double[] drift(Map<String, double[]> moved, ModelBatch inputs) {
        Function<Map<String, double[]>, Matrix> edited =
                outputs.computeIfAbsent(inputs, batch -> batch.edited(place.tensors()));
        return WeightEdit.relativeDrift(edited.apply(Map.of()), edited.apply(moved));
    }

    private static double norm(double[] numbers) {
        return Matrix.over(1, numbers.length, numbers).frobeniusNorm();
    }
}
