package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.isoloss.circuit.Circuit;
import org.isoloss.exact.RationalReconstruction;
import org.isoloss.exact.Subspace;
import org.jspecify.annotations.Nullable;

/**
 * Finds every affine vector field {@code A theta + b} that leaves all outputs of a network unchanged, without being given a
 * basis or its dimension (label {@code app:frontier-recovery} of the paper).
 */
public final class AffineFields {
    /** The extraction seeds of the paper. */
    public static final List<Long> SEEDS = List.of(101L, 102L, 103L);

    private final FieldSubject subject;
    private final @Nullable Sampling sampling;
    private final List<Long> seeds;
    private final @Nullable ConstraintSolver solver;
    private final boolean unlimited;
    private final Progress progress;

    private AffineFields(
            FieldSubject subject,
            @Nullable Sampling sampling,
            List<Long> seeds,
            @Nullable ConstraintSolver solver,
            boolean unlimited,
            Progress progress) {
        this.subject = subject;
        this.sampling = sampling;
        this.seeds = seeds;
        this.solver = solver;
        this.unlimited = unlimited;
        this.progress = progress;
    }

    /** Told how extractions get on. */
    public interface Progress {
        /**
         * Takes note of solved blocks.
         *
         * @param share of all that is to be sampled and solved, in (0, 1]
         */
        void advance(double share);
    }

    /**
     * Asks for the fields of a network, with the paper's seeds, the solver that suits its size, and that solver's sampling.
     *
     * @param architecture the network
     * @return a question, answered by {@link #recover}
     */
    public static AffineFields of(Architecture architecture) {
        return new AffineFields(new DenseSubject(architecture), null, SEEDS, null, false, _ -> {});
    }

    /**
     * Asks for the fields of a network of any kind, with the paper's seeds, by blocks.
     *
     * @param circuit the network, written out
     * @return a question, answered by {@link #recover}
     */
    public static AffineFields of(Circuit circuit) {
        requireParameters(circuit.parameterCount());
        return new AffineFields(new CircuitSubject(circuit), null, SEEDS, null, false, _ -> {});
    }

    /** What is too large to be written down is refused before it is sorted. */
    private static void requireParameters(int count) {
        if (count > CertificateContent.MOST_PARAMETERS) {
            throw new IllegalArgumentException("%d parameters: %d are the most that a certificate is verified for"
                    .formatted(count, CertificateContent.MOST_PARAMETERS));
        }
    }

    /**
     * Samples otherwise.
     *
     * @param other the sampling
     * @return the question with this sampling
     */
    public AffineFields sampling(Sampling other) {
        return new AffineFields(subject, other, seeds, solver, unlimited, progress);
    }

    /**
     * Uses other seeds.
     *
     * @param others at least one, each giving an extraction of its own; not modified
     * @return the question with these seeds
     */
    public AffineFields seeds(long... others) {
        if (others.length == 0) {
            throw new IllegalArgumentException("AffineFields: no seed given, expected at least one");
        }
        return new AffineFields(subject, sampling, Arrays.stream(others).boxed().toList(), solver, unlimited, progress);
    }

    /**
     * Solves in a given way.
     *
     * @param other the solver
     * @return the question with this solver
     */
    public AffineFields solver(ConstraintSolver other) {
        return new AffineFields(subject, sampling, seeds, other, unlimited, progress);
    }

    /**
     * Goes on whatever time it takes.
     *
     * @return the question, answered also where {@link RecoveryWork#isAffordable} says no
     */
    public AffineFields unlimited() {
        return new AffineFields(subject, sampling, seeds, solver, true, progress);
    }

    /**
     * Reports how far extractions are.
     *
     * @param other told from the thread that solves
     * @return the question with this listener
     */
    public AffineFields progress(Progress other) {
        return new AffineFields(subject, sampling, seeds, solver, unlimited, other);
    }

    /**
     * Estimates the cost, at once.
     *
     * @return from counts alone
     */
    public RecoveryWork work() {
        return subject.work(chosen(), seeds.size());
    }

    private ConstraintSolver chosen() {
        return solver == null ? subject.solver() : solver;
    }

    /**
     * Refuses, at once, what would cost too much.
     *
     * @throws IllegalArgumentException when it does not fit in memory, could not be verified, or would take too long
     */
    public void requireAffordable() {
        RecoveryWork work = work();
        String advice = "narrow the network, since wider ones have the same families";
        if (work.largestBlock() > BlockSolution.LARGEST_BLOCK) {
            throw refused(work, "%d are the most that can be held: %s".formatted(BlockSolution.LARGEST_BLOCK, advice));
        }
        if (subject.parameterCount() > CertificateContent.MOST_PARAMETERS) {
            throw refused(
                    work,
                    "%d parameters are the most that a certificate is verified for: %s"
                            .formatted(CertificateContent.MOST_PARAMETERS, advice));
        }
        if (!unlimited && !work.isAffordable()) {
            throw refused(
                    work,
                    "more than %.0f minutes are not begun: %s, or go on with --go-on"
                            .formatted(RecoveryWork.MOST_SECONDS / 60, advice));
        }
    }

    /**
     * Extracts, decides, reconstructs and proves.
     *
     * @return a decided or an undecided recovery
     * @throws IllegalArgumentException before anything is sampled, when {@link #requireAffordable} does not hold
     */
    public Recovery recover() {
        requireAffordable();
        ConstraintSolver chosen = chosen();
        Sampling sampling = this.sampling == null ? subject.sampling(chosen) : this.sampling;
        List<Extraction> extractions = new ArrayList<>();
        for (long seed : seeds) {
            extractions.add(
                    Extraction.of(subject, sampling, chosen, seed, share -> progress.advance(share / seeds.size())));
        }
        Optional<String> doubt = doubt(extractions);
        if (doubt.isPresent()) {
            return Recovery.undecided(subject, sampling, extractions, doubt.get());
        }
        List<FiniteCheck> checks = extractions.stream()
                .filter(extraction -> !extraction.fields().isEmpty())
                .map(extraction -> FiniteCheck.of(subject, sampling, extraction))
                .toList();
        List<Subspace> spans = new ArrayList<>();
        for (Extraction extraction : extractions) {
            try {
                spans.add(Reconstruction.of(subject.solvedCount(), extraction.fields())
                        .span());
            } catch (RationalReconstruction.NoSuchFractionException e) {
                return Recovery.unreconstructed(
                        subject,
                        sampling,
                        extractions,
                        checks,
                        "seed %d: %s".formatted(extraction.seed(), e.getMessage()));
            }
        }
        if (spans.stream().distinct().count() > 1) {
            return Recovery.unreconstructed(
                    subject, sampling, extractions, checks, "the seeds reconstruct different spans");
        }
        return Recovery.reconstructed(
                subject, sampling, extractions, checks, RecoveredAlgebra.of(subject, seeds, spans.getFirst()));
    }

    private IllegalArgumentException refused(RecoveryWork work, String why) {
        return new IllegalArgumentException(
                "%s, %d parameters: %s; %s".formatted(subject.label(), work.parameters(), work.words(), why));
    }

    private static Optional<String> doubt(List<Extraction> extractions) {
        for (Extraction extraction : extractions) {
            if (!extraction.doubt().isEmpty()) {
                return Optional.of("seed %d: %s".formatted(extraction.seed(), extraction.doubt()));
            }
        }
        Extraction first = extractions.getFirst();
        for (Extraction other : extractions) {
            long here = first.spectrum().nullity(Extraction.RETAINED);
            long there = other.spectrum().nullity(Extraction.RETAINED);
            if (here != there) {
                return Optional.of("seed %d finds dimension %d, seed %d finds %d"
                        .formatted(first.seed(), here, other.seed(), there));
            }
        }
        return Optional.empty();
    }
}
