package org.isoloss.affine;

import java.util.List;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.exact.Subspace;
import org.isoloss.lie.LieAlgebra;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes everything that a proof needs into one JSON text, every rational as a string. */
final class Certificate {
    static final String FORMAT = "isoloss-certificate";
    static final int VERSION = 1;

    /** Of certificates whose network is written out as a circuit. */
    static final int CIRCUIT_VERSION = 2;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Certificate() {}

    static String text(
            FieldSubject subject,
            List<Long> seeds,
            Subspace span,
            LieAlgebra algebra,
            Catalogue catalogue,
            String name,
            PreservationProof proof,
            @Nullable Completeness completeness) {
        ObjectNode root = JSON.createObjectNode();
        root.put("format", FORMAT).put("version", subject.version());
        subject.describe(root.putObject("network"));
        ArrayNode seedArray = root.putArray("seeds");
        seeds.forEach(seed -> seedArray.add(seed));
        root.put("name", name);
        root.put("dimension", span.dimension());
        root.put("center", algebra.structure().center());
        root.put("derived", algebra.structure().derived());
        root.put("preservation", proof == PreservationProof.KNOWN_FAMILIES ? "known-families" : "polynomial-identity");
        ArrayNode fields = root.putArray("fields");
        List<String> names = subject.parameterNames();
        for (RationalVector vector : span.basis()) {
            ObjectNode field = fields.addObject();
            writeEntries(names, vector, field.putArray("entries"));
            catalogue
                    .combination(vector)
                    .ifPresent(combination -> writeCombination(catalogue, combination, field.putArray("combination")));
        }
        writeBrackets(algebra, root.putArray("brackets"));
        if (completeness != null && completeness.bound() + subject.fixed().size() == span.dimension()) {
            ObjectNode bound = root.putObject("upper_bound")
                    .put("bound", span.dimension())
                    .put("seed", completeness.seed())
                    .put("points", completeness.points());
            if (subject.version() == CIRCUIT_VERSION) {
                ArrayNode fixed = bound.putArray("fixed");
                subject.fixed().forEach(parameter -> fixed.add(names.get(parameter)));
                subject.describeBound(bound);
            }
        }
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
    }

    /** One array an entry: the parameter that moves, the parameter (or 1) by which it moves, the coefficient. */
    private static void writeEntries(List<String> names, RationalVector vector, ArrayNode entries) {
        int stride = names.size() + 1;
        for (int k = 0; k < vector.count(); k++) {
            int a = vector.index(k) / stride;
            int b = vector.index(k) % stride;
            entries.addArray()
                    .add(names.get(a))
                    .add(b < names.size() ? names.get(b) : "1")
                    .add(Rationals.text(vector.value(k)));
        }
    }

    private static void writeCombination(Catalogue catalogue, RationalVector combination, ArrayNode array) {
        int index = 0;
        for (ReferenceFamily family : catalogue.contained()) {
            for (ReferenceFamily.Generator generator : family.generators()) {
                if (!combination.get(index).isZero()) {
                    array.addObject()
                            .put("kind", family.kind().words())
                            .put("layer", family.layer() + 1)
                            .put("to", generator.to() + 1)
                            .put("from", generator.from() + 1)
                            .put("coefficient", Rationals.text(combination.get(index)));
                }
                index++;
            }
        }
    }

    private static void writeBrackets(LieAlgebra algebra, ArrayNode brackets) {
        for (int i = 0; i < algebra.dimension(); i++) {
            for (int j = i + 1; j < algebra.dimension(); j++) {
                RationalVector bracket = algebra.brackets().bracket(i, j);
                if (!bracket.isZero()) {
                    ObjectNode node = brackets.addObject().put("left", i + 1).put("right", j + 1);
                    ArrayNode value = node.putArray("value");
                    for (int k = 0; k < bracket.count(); k++) {
                        value.addArray().add(bracket.index(k) + 1).add(Rationals.text(bracket.value(k)));
                    }
                }
            }
        }
    }
}
