package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the name of an algebra again. Independent fields that are combinations of the known families, and as many as these
 * have generators, span all of them; then the network alone says what the algebra is.
 */
final class CertifiedName {
    private CertifiedName() {}

    /**
     * Returns nothing where the known families are not the whole algebra; combinations must have been checked before, and so the
     * dimension of the derived algebra. A network that is written out has no families; its algebra is named where it is abelian.
     */
    static Optional<String> of(CertificateContent content) {
        if (content.circuit.isPresent()) {
            int dimension = content.fields.size();
            return content.derived > 0
                    ? Optional.empty()
                    : Optional.of(dimension == 0 ? "0" : dimension == 1 ? "R" : "R^" + dimension);
        }
        long generators = 0;
        int rescalings = 0;
        List<String> terms = new ArrayList<>();
        for (int layer = 1; layer <= content.activations.size(); layer++) {
            String activation = content.activations.get(layer - 1);
            long width = content.widths.get(layer);
            if (activation.equals("identity")) {
                boolean translated = content.biases.get(layer - 1) && content.biases.get(layer);
                generators += width * width + (translated ? width : 0);
                terms.add((translated ? "aff(%d)" : "gl(%d)").formatted(width));
            } else if (!TaylorSeries.isTranscendental(activation)) {
                generators += width;
                rescalings += (int) width;
            }
        }
        if (content.combinations.stream().anyMatch(Optional::isEmpty) || generators != content.fields.size()) {
            return Optional.empty();
        }
        if (generators == 0) {
            return Optional.of("0");
        }
        if (rescalings == 0) {
            return Optional.of(String.join(" + ", terms));
        }
        String kinds = terms.isEmpty() ? "hidden-unit rescalings" : "hidden-unit rescalings and hidden-basis changes";
        terms.addFirst(rescalings == 1 ? "R" : "R^" + rescalings);
        return Optional.of("%s: %s".formatted(String.join(" + ", terms), kinds));
    }
}
