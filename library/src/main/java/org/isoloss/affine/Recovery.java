package org.isoloss.affine;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an extraction came to: undecided, decided in floating point alone, or decided and reconstructed exactly. */
public final class Recovery {
    private final FieldSubject subject;
    private final Sampling sampling;
    private final List<Extraction> extractions;
    private final List<FiniteCheck> finiteChecks;
    private final boolean decided;
    private final @Nullable String obstacle;
    private final @Nullable RecoveredAlgebra algebra;

    private Recovery(
            FieldSubject subject,
            Sampling sampling,
            List<Extraction> extractions,
            List<FiniteCheck> finiteChecks,
            boolean decided,
            @Nullable String obstacle,
            @Nullable RecoveredAlgebra algebra) {
        this.subject = subject;
        this.sampling = sampling;
        this.extractions = List.copyOf(extractions);
        this.finiteChecks = List.copyOf(finiteChecks);
        this.decided = decided;
        this.obstacle = obstacle;
        this.algebra = algebra;
    }

    static Recovery undecided(FieldSubject subject, Sampling sampling, List<Extraction> extractions, String reason) {
        return new Recovery(subject, sampling, extractions, List.of(), false, reason, null);
    }

    static Recovery unreconstructed(
            FieldSubject subject,
            Sampling sampling,
            List<Extraction> extractions,
            List<FiniteCheck> checks,
            String reason) {
        return new Recovery(subject, sampling, extractions, checks, true, reason, null);
    }

    static Recovery reconstructed(
            FieldSubject subject,
            Sampling sampling,
            List<Extraction> extractions,
            List<FiniteCheck> checks,
            RecoveredAlgebra algebra) {
        return new Recovery(
                subject, sampling, extractions, checks, true, algebra.obstacle().orElse(null), algebra);
    }

    /** {@return the network in a few words, such as {@code relu (2, 3, 2)}} */
    public String label() {
        return subject.label();
    }

    /** {@return the number of parameters, p, at least 1} */
    public int parameterCount() {
        return subject.parameterCount();
    }

    /** {@return the shape of a dense network: nothing for any other} */
    public Optional<Architecture> architecture() {
        return subject instanceof DenseSubject(Architecture architecture)
                ? Optional.of(architecture)
                : Optional.empty();
    }

    /** {@return how the points were drawn, the least numbers and the scales} */
    public Sampling sampling() {
        return sampling;
    }

    /** {@return the extraction of every seed, at least one} */
    public List<Extraction> extractions() {
        return extractions;
    }

    /** {@return the finite checks, seed by seed: empty when undecided or of dimension 0} */
    public List<FiniteCheck> finiteChecks() {
        return finiteChecks;
    }

    /**
     * {@return whether all seeds and thresholds agree on a dimension with a clear gap: false when there is no dimension to
     * report}
     */
    public boolean decided() {
        return decided;
    }

    /** {@return the dimension of the space of preserving affine fields: nothing when undecided} */
    public Optional<Integer> dimension() {
        return decided
                ? Optional.of(Math.toIntExact(extractions.getFirst().spectrum().nullity(Extraction.RETAINED))
                        + subject.fixed().size())
                : Optional.empty();
    }

    /**
     * {@return whether every exact check succeeded, for the reconstruction of every seed: false when undecided, not
     * reconstructed or not proved}
     */
    public boolean certified() {
        return decided && obstacle == null;
    }

    /** {@return why there is no dimension, or no certificate: nothing when certified} */
    public Optional<String> obstacle() {
        return Optional.ofNullable(obstacle);
    }

    /** {@return the exactly reconstructed algebra: nothing when undecided or not reconstructed} */
    public Optional<RecoveredAlgebra> algebra() {
        return Optional.ofNullable(algebra);
    }

    /** {@return the least gap over the seeds, at least 1} */
    public double gap() {
        return extractions.stream()
                .mapToDouble(extraction -> extraction.spectrum().gap(Extraction.RETAINED))
                .min()
                .orElseThrow();
    }

    /** {@return the median over the seeds of the output error of finite transformations, 0 when there is none to make} */
    public double outputError() {
        return finiteChecks.isEmpty()
                ? 0
                : FiniteCheck.quantile(
                        finiteChecks.stream().mapToDouble(FiniteCheck::output).toArray(), 0.5);
    }

    /**
     * Returns the algebra or refuses.
     *
     * @return the certified algebra
     * @throws IllegalStateException when undecided or not certified; it says why
     */
    public RecoveredAlgebra orThrow() {
        if (!decided || algebra == null || obstacle != null) {
            throw new IllegalStateException(
                    "%s: %s: %s".formatted(subject.label(), decided ? "not certified" : "undecided", obstacle));
        }
        return algebra;
    }
}
