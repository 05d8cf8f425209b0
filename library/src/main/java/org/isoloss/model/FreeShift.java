package org.isoloss.model;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What may be added to parameters without an output's seeing it, whatever the weights are. */
public sealed interface FreeShift {
    /**
     * Finds what may be added to the parameters of a model.
     *
     * @param model any
     * @return what no output sees, or others make up for
     */
    static List<FreeShift> of(Model model) {
        return new FreeShiftSearch(model).found();
    }

    /** {@return the parameter to which it is added; others make up for it} */
    String tensor();

    /** {@return all parameters that change} */
    default Set<String> tensors() {
        Set<String> tensors = new LinkedHashSet<>(Set.of(tensor()));
        switch (this) {
            case Balanced balanced -> {
                tensors.addAll(balanced.absorbed().keySet());
                tensors.addAll(balanced.turned().keySet());
            }
            case Opposed opposed -> tensors.add(opposed.other());
            case Read read -> {
                String bias = read.bias();
                if (bias != null) {
                    tensors.add(bias);
                }
            }
            case Written _, Entries _ -> {}
        }
        return tensors;
    }

    /** {@return how many numbers can be chosen} */
    int dimension();

    /** {@return how many of them other shifts of the model choose already} */
    int shared();

    /**
     * What a weight writes along ones, which all that read it take away.
     *
     * @param tensor the parameter
     * @param axis of it, along which the same is added
     * @param dimension the product of its other sizes
     * @param shared how many of them are of lines that nothing reads
     */
    record Written(String tensor, int axis, int dimension, int shared) implements FreeShift {}

    /**
     * Entries that nothing sees, or nothing reads.
     *
     * @param tensor the parameter
     * @param places of the entries, row-major
     * @param isRead whether they are used at all
     */
    record Entries(String tensor, List<Integer> places, boolean isRead) implements FreeShift {
        /** Copies the list. */
        public Entries {
            places = List.copyOf(places);
        }

        @Override
        public int dimension() {
            return places.size();
        }

        @Override
        public int shared() {
            return 0;
        }
    }

    /**
     * What a weight reads along a combination of channels that is always the same number: the sum of a centred value over the factors that
     * it was multiplied by.
     *
     * @param tensor the parameter
     * @param axis of it, along which it reads
     * @param dimension the product of its other sizes
     * @param factors that the centred value is multiplied by; null where there are none
     * @param added that is added then; null where there is none
     * @param bias the parameter that makes up for it, one number a row; null where nothing is added
     * @param shared how many it has in common with what the weight writes unseen
     */
    record Read(
            String tensor,
            int axis,
            int dimension,
            @Nullable Value factors,
            @Nullable Value added,
            @Nullable String bias,
            int shared)
            implements FreeShift {}

    /**
     * What is added in one place and taken away in others.
     *
     * @param tensor a bias, or a table to all of whose rows the same is added
     * @param places the entries of the bias, row-major; empty for a table
     * @param width how many numbers
     * @param start the chain that leads from what is added, shape (width), to what is taken away
     * @param absorbed for each parameter that makes up for it what is added to it, in its order
     * @param turned for each weight without a bias that makes up for it, how it reads what is always the same
     * @param shared how many it has in common with what both write unseen
     */
    record Balanced(
            String tensor,
            List<Integer> places,
            int width,
            Value start,
            Map<String, Value> absorbed,
            Map<String, Turned> turned,
            int shared)
            implements FreeShift {
        /** Copies the collections. */
        public Balanced {
            places = List.copyOf(places);
            absorbed = Map.copyOf(absorbed);
            turned = Map.copyOf(turned);
        }

        @Override
        public int dimension() {
            return width;
        }
    }

    /**
     * What a weight must read of a number that is always the same, to take something away.
     *
     * @param taken what is taken away, a number a row
     * @param axis along which the weight reads
     * @param factors that the centred value is multiplied by; null where there are none
     * @param added that is added then, without what is added now
     */
    record Turned(Value taken, int axis, @Nullable Value factors, Value added) {}

    /**
     * What is added to a tensor and taken away from another, where only the sum of both is used.
     *
     * @param tensor the parameter
     * @param places of its entries, row-major
     * @param other the parameter from which it is taken, maybe the same
     * @param others its entries
     * @param ratio what is taken for 1 that is added
     */
    record Opposed(String tensor, List<Integer> places, String other, List<Integer> others, double ratio)
            implements FreeShift {
        /** Copies the lists. */
        public Opposed {
            places = List.copyOf(places);
            others = List.copyOf(others);
        }

        @Override
        public int dimension() {
            return places.size();
        }

        @Override
        public int shared() {
            return 0;
        }
    }
}
