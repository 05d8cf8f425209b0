package org.isoloss.action;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Sizes of the invertible network behind a conjugated action, and the action that it conjugates.
 *
 * @param latent the fixed action on the coordinates
 * @param parameterCount number of parameters that the group acts on, at least 2
 * @param couplings number of affine couplings, even and at least 2
 * @param width units of each hidden layer of a coupling, at least 1
 * @param depth hidden layers of a coupling, at least 1
 * @param halvesSeed of the random halves of the coordinates
 */
public record ConjugatedShape(
        LatentAction latent, int parameterCount, int couplings, int width, int depth, long halvesSeed) {
    private static final String TRANSLATION = "translation";
    private static final String LINEAR = "linear";

    /** Refuses sizes below the least. */
    public ConjugatedShape {
        if (parameterCount < Math.max(2, latent.moving())) {
            throw new IllegalArgumentException(
                    "ConjugatedShape: %d parameters, expected at least 2 and as many as the %d coordinates that move"
                            .formatted(parameterCount, latent.moving()));
        }
        if (couplings < 2 || couplings % 2 != 0 || width < 1 || depth < 1) {
            throw new IllegalArgumentException(
                    "ConjugatedShape: couplings %d must be even and at least 2, width %d and depth %d at least 1"
                            .formatted(couplings, width, depth));
        }
    }

    /** {@return the tensors of the network, in the order of {@link CouplingNetwork#tensors}} */
    List<WeightTensor> tensors() {
        List<WeightTensor> tensors = new ArrayList<>();
        for (int coupling = 0; coupling < couplings; coupling++) {
            int first = parameterCount / 2;
            int kept = coupling % 2 == 0 ? first : parameterCount - first;
            String name = "couplings.%d.".formatted(coupling);
            for (int layer = 0; layer < depth; layer++) {
                tensors.addAll(WeightTensor.both(name + "layers." + layer, layer == 0 ? kept : width, width));
            }
            tensors.addAll(WeightTensor.both(name + "shift", width, parameterCount - kept));
            tensors.addAll(WeightTensor.both(name + "scale", width, parameterCount - kept));
        }
        return tensors;
    }

    /** All of this by name, as files keep it. */
    Map<String, String> description() {
        Map<String, String> description = new LinkedHashMap<>();
        switch (latent) {
            case LatentAction.Translation translation -> {
                description.put("latent", TRANSLATION);
                description.put("dimension", Integer.toString(translation.dimension()));
                description.put("stride", Double.toString(translation.stride()));
            }
            case LatentAction.Linear linear -> {
                description.put("latent", LINEAR);
                description.put(
                        "offset", linear.offset().stream().map(Object::toString).collect(Collectors.joining(" ")));
            }
        }
        description.put("parameters", Integer.toString(parameterCount));
        description.put("couplings", Integer.toString(couplings));
        description.put("width", Integer.toString(width));
        description.put("depth", Integer.toString(depth));
        description.put("halves_seed", Long.toString(halvesSeed));
        return description;
    }

    /** The shape of a {@link #description}. */
    static ConjugatedShape described(UnaryOperator<String> description) {
        String kind = description.apply("latent");
        LatentAction latent = switch (kind) {
            case TRANSLATION ->
                new LatentAction.Translation(
                        Integer.parseInt(description.apply("dimension")),
                        Double.parseDouble(description.apply("stride")));
            case LINEAR ->
                new LatentAction.Linear(
                        Arrays.stream(description.apply("offset").split(" ", -1))
                                .map(Double::valueOf)
                                .toList());
            default ->
                throw new IllegalArgumentException("ConjugatedShape: the latent action is '%s', expected '%s' or '%s'"
                        .formatted(kind, TRANSLATION, LINEAR));
        };
        return new ConjugatedShape(
                latent,
                Integer.parseInt(description.apply("parameters")),
                Integer.parseInt(description.apply("couplings")),
                Integer.parseInt(description.apply("width")),
                Integer.parseInt(description.apply("depth")),
                Long.parseLong(description.apply("halves_seed")));
    }
}
