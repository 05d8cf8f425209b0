package org.isoloss.model;

import java.util.List;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * Hidden units of a model between two contractions with parameters: {@code U sigma(V x + b)}, or gated {@code U [sigma(V_g x +
 * b_g) . (V_u x + b_u)]}. Nothing else reads what the units compute, and nothing else reads their weights. The units of a
 * convolution are its channels; each place of an image is then an input of its own, and each tap of the second window an
 * output.
 */
public final class UnitBlock {
    private final Value entering;
    private final List<Integer> features;
    private final Pointwise activation;
    private final List<Projection> incoming;
    private final Projection outgoing;

    UnitBlock(
            Value entering,
            List<Integer> features,
            Pointwise activation,
            List<Projection> incoming,
            Projection outgoing) {
        this.entering = entering;
        this.features = List.copyOf(features);
        this.activation = activation;
        this.incoming = List.copyOf(incoming);
        this.outgoing = outgoing;
    }

    /**
     * Finds the blocks of a model.
     *
     * @param model any
     * @return in the order of computation; none where units that can be told apart lie nowhere
     */
    public static List<UnitBlock> of(Model model) {
        return new UnitBlockSearch(model).blocks();
    }

    /** {@return what enters: the value that the first contraction reads} */
    public Value entering() {
        return entering;
    }

    /**
     * Puts what enters in rows.
     *
     * @param numbers of {@link #entering}, row-major
     * @return one place a row: for each, the numbers that a unit weighs
     */
    public Matrix inputs(double[] numbers) {
        Dimensions shape = entering.shape();
        int[] strides = shape.strides();
        List<Integer> places = List.of(0);
        List<Integer> weighed = List.of(0);
        for (int axis = 0; axis < strides.length; axis++) {
            if (!features.contains(axis)) {
                places = UnitBlockSearch.spread(places, shape.size(axis), strides[axis]);
            }
        }
        for (int axis : features) {
            weighed = UnitBlockSearch.spread(weighed, shape.size(axis), strides[axis]);
        }
        Matrix rows = Matrix.zeros(places.size(), weighed.size());
        for (int row = 0; row < rows.rows(); row++) {
            for (int column = 0; column < rows.columns(); column++) {
                rows.set(row, column, numbers[places.get(row) + weighed.get(column)]);
            }
        }
        return rows;
    }

    /** {@return the function of the units, of the gate where there is one} */
    public Pointwise activation() {
        return activation;
    }

    /** {@return the weights before the units: one projection, or that of the gate and then the other} */
    public List<Projection> incoming() {
        return incoming;
    }

    /** {@return the weights behind the units} */
    public Projection outgoing() {
        return outgoing;
    }

    /** {@return how many units there are} */
    public int units() {
        return outgoing.units;
    }

    /**
     * Weights of units as they lie in stored tensors.
     *
     * @param weight name of the tensor
     * @param units how many there are
     * @param first place of the first unit's first weight, row-major
     * @param step from unit to unit
     * @param places of one unit's weights, from its first
     * @param bias name of the tensor with one number a unit, or behind the units one an output; null for none
     * @param firstBias place of the first of those
     * @param biasStep from one to the next
     */
    public record Projection(
            String weight,
            int units,
            int first,
            int step,
            List<Integer> places,
            @Nullable String bias,
            int firstBias,
            int biasStep) {
        /** Copies the list. */
        public Projection {
            places = List.copyOf(places);
        }

        /** {@return how many weights a unit has, without its bias} */
        public int width() {
            return places.size();
        }

        /**
         * Finds a weight.
         *
         * @param unit from 0
         * @param index which of its weights, from 0
         * @return its place in the tensor {@link #weight}, row-major
         */
        public int place(int unit, int index) {
            return first + unit * step + places.get(index);
        }

        /**
         * Finds a bias.
         *
         * @param index the unit, or the output, from 0
         * @return its place in the tensor {@link #bias}
         */
        public int biasPlace(int index) {
            return firstBias + index * biasStep;
        }

        /**
         * Reads the weights.
         *
         * @param numbers of the tensor {@link #weight}; not modified
         * @return one unit a row, shape (units, width)
         */
        public Matrix weights(double[] numbers) {
            Matrix rows = Matrix.zeros(units, width());
            for (int unit = 0; unit < units; unit++) {
                for (int i = 0; i < width(); i++) {
                    rows.set(unit, i, numbers[place(unit, i)]);
                }
            }
            return rows;
        }
    }
}
