package org.isoloss.affine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.isoloss.affine.CertificateContent.Part;
import org.isoloss.affine.CertificateContent.Place;

/** Builds each field again from the multiples of known fields that a certificate claims it is. */
final class CertifiedFamilies {
    private final CertificateContent content;
    private final Map<String, Integer> indices = new HashMap<>();

    private CertifiedFamilies(CertificateContent content) {
        this.content = content;
        content.parameterNames.forEach(name -> indices.put(name, indices.size()));
    }

    /** Says which field is not what is claimed, or nothing; every field must be claimed to be something. */
    static String wrongField(CertificateContent content) {
        for (int i = 0; i < content.fields.size(); i++) {
            if (content.combinations.get(i).isEmpty()) {
                return "field %d is not written in known families".formatted(i + 1);
            }
        }
        return wrongCombination(content);
    }

    /** Says which field is not what is claimed, or nothing; a field of which nothing is claimed is passed over. */
    static String wrongCombination(CertificateContent content) {
        CertifiedFamilies families = new CertifiedFamilies(content);
        for (int i = 0; i < content.fields.size(); i++) {
            Map<Place, Fraction> difference = new HashMap<>(content.fields.get(i));
            if (content.combinations.get(i).isEmpty()) {
                continue;
            }
            for (Part part : content.combinations.get(i).get()) {
                String refusal = families.subtract(part, difference);
                if (!refusal.isEmpty()) {
                    return "field %d: %s".formatted(i + 1, refusal);
                }
            }
            if (difference.values().stream().anyMatch(value -> !value.isZero())) {
                return "field %d is not the combination claimed".formatted(i + 1);
            }
        }
        return "";
    }

    private String subtract(Part part, Map<Place, Fraction> difference) {
        int layer = part.layer();
        if (layer < 1 || layer > content.activations.size()) {
            return "there is no hidden layer %d".formatted(layer);
        }
        int width = content.widths.get(layer);
        if (part.to() < 1 || part.to() > width || part.from() < 1 || part.from() > width) {
            return "hidden layer %d has no unit %d or %d".formatted(layer, part.to(), part.from());
        }
        String activation = content.activations.get(layer - 1);
        int degree = degree(activation);
        boolean linear = activation.equals("identity");
        boolean translation = part.kind().equals("hidden translations");
        boolean allowed = switch (part.kind()) {
            case "hidden-unit rescalings" -> degree > 0 && part.to() == part.from();
            case "hidden-basis changes" -> linear;
            case "hidden translations" ->
                linear && part.to() == part.from() && content.biases.get(layer - 1) && content.biases.get(layer);
            default -> false;
        };
        if (!allowed) {
            return "no %s from unit %d to unit %d are known to preserve the outputs at hidden layer %d, which is %s"
                    .formatted(CertificateNode.shown(part.kind()), part.from(), part.to(), layer, activation);
        }
        if (translation) {
            add(
                    difference,
                    bias(layer, part.to()),
                    content.parameterCount(),
                    part.coefficient().negated());
            for (int m = 1; m <= content.widths.get(layer + 1); m++) {
                add(difference, bias(layer + 1, m), weight(layer + 1, m, part.to()), part.coefficient());
            }
            return "";
        }
        for (int k = 1; k <= content.widths.get(layer - 1); k++) {
            add(
                    difference,
                    weight(layer, part.to(), k),
                    weight(layer, part.from(), k),
                    part.coefficient().negated());
        }
        if (content.biases.get(layer - 1)) {
            add(
                    difference,
                    bias(layer, part.to()),
                    bias(layer, part.from()),
                    part.coefficient().negated());
        }
        for (int m = 1; m <= content.widths.get(layer + 1); m++) {
            add(
                    difference,
                    weight(layer + 1, m, part.from()),
                    weight(layer + 1, m, part.to()),
                    part.coefficient().times(Fraction.of(degree)));
        }
        return "";
    }

    /** The degree of homogeneity, 0 where there is none. */
    private static int degree(String activation) {
        if (List.of("identity", "relu", "leaky_relu").contains(activation)) {
            return 1;
        }
        return activation.startsWith("z^") ? activation.charAt(2) - '0' : 0;
    }

    private int weight(int layer, int row, int column) {
        return index("W%d[%d,%d]".formatted(layer, row, column));
    }

    private int bias(int layer, int row) {
        return index("b%d[%d]".formatted(layer, row));
    }

    private int index(String name) {
        return Objects.requireNonNull(indices.get(name), name);
    }

    private static void add(Map<Place, Fraction> sum, int row, int column, Fraction value) {
        sum.merge(new Place(row, column), value, Fraction::plus);
    }
}
