package org.isoloss.affine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.isoloss.affine.ReferenceFamily.Kind;
import org.isoloss.exact.RationalMatrix;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Subspace;

/** Compares a recovered span with the known families of its network. */
final class Catalogue {
    private final FieldSubject subject;
    private final Subspace span;
    private final List<ReferenceFamily> contained = new ArrayList<>();
    private final List<ReferenceFamily> missing = new ArrayList<>();
    private final Subspace explained;

    /** The span holds flattened fields. */
    Catalogue(FieldSubject subject, Subspace span) {
        this.subject = subject;
        this.span = span;
        int p = subject.parameterCount();
        Subspace.Builder builder = new Subspace.Builder(span.ambient());
        for (ReferenceFamily family : subject.families()) {
            if (span.contains(family.span(p))) {
                contained.add(family);
                family.generators()
                        .forEach(generator -> builder.add(generator.field().flatten()));
            } else {
                missing.add(family);
            }
        }
        this.explained = builder.subspace();
    }

    /** Families that lie in the span whole. */
    List<ReferenceFamily> contained() {
        return contained;
    }

    /** Families that preserve the outputs but were not all found: a recovery that has any is wrong. */
    List<ReferenceFamily> missing() {
        return missing;
    }

    /** The dimension that no family explains. */
    int unexplained() {
        return span.dimension() - explained.dimension();
    }

    /** Writes a field as a combination of the generators of the contained families, in their order. */
    Optional<RationalVector> combination(RationalVector field) {
        List<RationalVector> columns = new ArrayList<>();
        contained.forEach(family -> family.generators()
                .forEach(generator -> columns.add(generator.field().flatten())));
        if (!explained.contains(field)) {
            return Optional.empty();
        }
        return Subspace.solve(
                RationalMatrix.of(explained.dimension(), coordinates(columns)).transpose(),
                explained.coordinates(field).orElseThrow());
    }

    private List<RationalVector> coordinates(List<RationalVector> vectors) {
        return vectors.stream()
                .map(vector -> explained.coordinates(vector).orElseThrow())
                .toList();
    }

    /** A basis of the span with names: the generators of the families, then what they leave. */
    List<NamedField> basis() {
        List<NamedField> basis = new ArrayList<>();
        Subspace.Builder builder = new Subspace.Builder(span.ambient());
        for (ReferenceFamily family : contained) {
            for (ReferenceFamily.Generator generator : family.generators()) {
                if (builder.add(generator.field().flatten())) {
                    basis.add(new NamedField(generator.name(), generator.field(), subject.moves(generator.field())));
                }
            }
        }
        int number = 0;
        for (RationalVector vector : span.basis()) {
            if (builder.add(vector)) {
                number++;
                AffineField field = AffineField.of(subject.parameterCount(), vector);
                String kind = subject.families().isEmpty() ? "field " : "unexplained field ";
                basis.add(new NamedField(kind + number, field, subject.moves(field)));
            }
        }
        return basis;
    }

    /** Names the span by its families, for example {@code gl(2) + gl(2)} or {@code R^8: hidden-unit rescalings}. */
    String name(String structure) {
        if (span.dimension() == 0) {
            return "0";
        }
        if (subject.families().isEmpty()) {
            return structure;
        }
        int rescalings = contained.stream()
                .filter(family -> family.kind() == Kind.RESCALINGS)
                .mapToInt(ReferenceFamily::dimension)
                .sum();
        List<String> parts = new ArrayList<>();
        Set<String> kinds = new LinkedHashSet<>();
        if (rescalings > 0) {
            parts.add(rescalings == 1 ? "R" : "R^" + rescalings);
            kinds.add(Kind.RESCALINGS.words());
        }
        for (ReferenceFamily family : contained) {
            if (family.kind() == Kind.BASIS_CHANGES) {
                boolean moved = contained.stream()
                        .anyMatch(other -> other.kind() == Kind.TRANSLATIONS && other.layer() == family.layer());
                parts.add((moved ? "aff(" : "gl(") + (int) Math.round(Math.sqrt(family.dimension())) + ")");
                kinds.add(Kind.BASIS_CHANGES.words());
            }
        }
        if (unexplained() > 0) {
            parts.add("an unexplained remainder of dimension " + unexplained());
            return String.join(" + ", parts) + " (as a whole: " + structure + ")";
        }
        boolean only = kinds.size() == 1 && kinds.contains(Kind.BASIS_CHANGES.words());
        return String.join(" + ", parts) + (only ? "" : ": " + String.join(" and ", kinds));
    }
}
