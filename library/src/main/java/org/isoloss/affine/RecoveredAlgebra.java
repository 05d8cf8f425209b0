package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.isoloss.exact.RationalMatrix;
import org.isoloss.exact.Subspace;
import org.isoloss.lie.AlgebraStructure;
import org.isoloss.lie.LieAlgebra;
import org.jspecify.annotations.Nullable;

/** An algebra of affine fields with rational coefficients, and what exact arithmetic says about it. */
public final class RecoveredAlgebra {
    private static final long COMPLETENESS_SEED = 1;

    private final FieldSubject subject;
    private final List<Long> seeds;
    private final Subspace span;
    private final Catalogue catalogue;
    private final PreservationProof proof;
    private final @Nullable LieAlgebra algebra;
    private final @Nullable AlgebraStructure structure;
    private final @Nullable Completeness completeness;
    private final @Nullable String unbounded;
    private final @Nullable String obstacle;

    private RecoveredAlgebra(
            FieldSubject subject,
            List<Long> seeds,
            Subspace span,
            Catalogue catalogue,
            PreservationProof proof,
            @Nullable LieAlgebra algebra,
            @Nullable Completeness completeness,
            @Nullable String unbounded,
            @Nullable String obstacle) {
        this.subject = subject;
        this.seeds = List.copyOf(seeds);
        this.span = span;
        this.catalogue = catalogue;
        this.proof = proof;
        this.algebra = algebra;
        this.structure = algebra == null ? null : algebra.structure();
        this.completeness = completeness;
        this.unbounded = unbounded;
        this.obstacle = obstacle;
    }

    /** Proves what can be proved about flattened fields of the parameters that were solved for. */
    static RecoveredAlgebra of(FieldSubject subject, List<Long> seeds, Subspace solved) {
        Subspace span = subject.lifted(solved);
        Catalogue catalogue = new Catalogue(subject, span);
        PreservationProof proof = subject.proof(span, catalogue);
        LieAlgebra algebra = null;
        String obstacle = null;
        try {
            algebra = LieAlgebra.of(subject.parameterCount() + 1, embedded(subject, span));
        } catch (LieAlgebra.NotClosedException e) {
            obstacle = e.getMessage();
        }
        if (proof == PreservationProof.NONE) {
            obstacle = "a reconstructed field could not be proved to preserve the outputs";
        }
        if (!catalogue.missing().isEmpty()) {
            obstacle = "the %s of hidden layer %d preserve the outputs but were not recovered"
                    .formatted(
                            catalogue.missing().getFirst().kind().words(),
                            catalogue.missing().getFirst().layer() + 1);
        }
        Completeness completeness = null;
        String unbounded = subject.boundObstacle().orElse(null);
        if (obstacle == null && unbounded == null) {
            try {
                completeness = subject.bound(solved, COMPLETENESS_SEED);
            } catch (UnsupportedOperationException e) {
                unbounded = e.getMessage();
            }
        }
        return new RecoveredAlgebra(subject, seeds, span, catalogue, proof, algebra, completeness, unbounded, obstacle);
    }

    private static List<RationalMatrix> embedded(FieldSubject subject, Subspace span) {
        List<RationalMatrix> matrices = new ArrayList<>();
        span.basis()
                .forEach(vector -> matrices.add(
                        AffineField.of(subject.parameterCount(), vector).embedded()));
        return matrices;
    }

    /** {@return the dimension, number of independent fields} */
    public int dimension() {
        return span.dimension();
    }

    /** {@return the name by comparison with the known families, for example {@code gl(2) + gl(2)}} */
    public String name() {
        if (structure == null) {
            return catalogue.name("not closed under brackets");
        }
        Optional<String> own = complete() ? subject.ownName(dimension()) : Optional.empty();
        if (own.isPresent()) {
            return own.get();
        }
        return catalogue.name(subject.families().isEmpty() ? structure.generalLinearName() : structure.name());
    }

    /** {@return the structure of the algebra: nothing when the fields are not closed under brackets} */
    public Optional<AlgebraStructure> structure() {
        return Optional.ofNullable(structure);
    }

    /** {@return the algebra of matrices on {@code (theta, 1)}: nothing when the fields are not closed under brackets} */
    public Optional<LieAlgebra> algebra() {
        return Optional.ofNullable(algebra);
    }

    /** {@return a basis with names, generators of known families first, then what they do not explain} */
    public List<NamedField> generators() {
        return catalogue.basis();
    }

    /**
     * {@return the brackets of {@link #generators} that are not zero, empty for an abelian algebra, and nothing when it is not
     * closed or has more than 64 dimensions}
     */
    public Optional<List<BracketTable.Row>> brackets() {
        return algebra == null || dimension() > BracketTable.LARGEST
                ? Optional.empty()
                : Optional.of(BracketTable.of(generators(), span, algebra.brackets()));
    }

    /** {@return the reconstructed basis, in reduced echelon form: {@link #dimension} fields} */
    public List<AffineField> fields() {
        return span.basis().stream()
                .map(vector -> AffineField.of(subject.parameterCount(), vector))
                .toList();
    }

    /** {@return whether there are known families for networks of its kind: false for one that was written out} */
    public boolean comparesFamilies() {
        return subject.version() == Certificate.VERSION;
    }

    /** {@return the dimension that no known family explains, 0 when the families span everything} */
    public int unexplained() {
        return catalogue.unexplained();
    }

    /** {@return how preservation was proved, the kind of proof} */
    public PreservationProof proof() {
        return proof;
    }

    /**
     * {@return the proved upper bound on the dimension of all preserving affine fields: nothing where none can be computed; without
     * those that are {@link #translations} times functions of the parameters}
     */
    public Optional<Long> upperBound() {
        return Optional.ofNullable(completeness).map(proved -> proved.bound() + translations());
    }

    /**
     * {@return how many of the fields are directions in which parameters move without effect wherever they are: at least 0; any
     * function of the parameters times one of them preserves the outputs too, and is not counted}
     */
    public int translations() {
        return subject.fixed().size();
    }

    /**
     * {@return whether it is proved, not only sampled, that there is no further field: true when the upper bound meets the
     * dimension}
     */
    public boolean complete() {
        return completeness != null && completeness.bound() + translations() == dimension();
    }

    /** {@return why no upper bound could be computed: nothing where there is one} */
    public Optional<String> unbounded() {
        return Optional.ofNullable(unbounded);
    }

    /** {@return what exact arithmetic refused: nothing when independence, preservation and closure are proved} */
    public Optional<String> obstacle() {
        return Optional.ofNullable(obstacle);
    }

    /**
     * Returns the certificate, which {@link CertificateVerifier} checks from its text alone.
     *
     * @return JSON
     * @throws IllegalStateException when there is an obstacle
     */
    public String certificate() {
        if (obstacle != null || algebra == null) {
            throw new IllegalStateException("no certificate for %s: %s".formatted(subject.label(), obstacle));
        }
        return Certificate.text(subject, seeds, span, algebra, catalogue, name(), proof, completeness);
    }
}
