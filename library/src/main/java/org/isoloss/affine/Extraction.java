package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;

/** The preserving fields that one seed's samples leave possible, in float64. */
public final class Extraction {
    /** The threshold by which a direction is retained, and two coarser ones that must agree with it. */
    public static final List<Double> THRESHOLDS = List.of(1e-4, 1e-6, 1e-8);

    static final double RETAINED = 1e-8;

    private static final double LEAST_CURVED = 0.1;

    private final long seed;
    private final ConstraintSolver solver;
    private final Spectrum spectrum = new Spectrum();
    private final List<FieldEstimate> fields = new ArrayList<>();
    private final SampledConstraints samples;
    private int largestBlock;
    private int leastRowsPerUnknown = Integer.MAX_VALUE;
    private long rows;
    private int vectors;
    private boolean orbitsAgree = true;
    private boolean confirmed = true;

    private Extraction(long seed, ConstraintSolver solver, SampledConstraints samples) {
        this.seed = seed;
        this.solver = solver;
        this.samples = samples;
    }

    static Extraction of(Architecture architecture, Sampling sampling, ConstraintSolver solver, long seed) {
        return of(new DenseSubject(architecture), sampling, solver, seed, _ -> {});
    }

    static Extraction of(
            FieldSubject subject,
            Sampling sampling,
            ConstraintSolver solver,
            long seed,
            AffineFields.Progress progress) {
        SampledConstraints samples = subject.samples(sampling, seed);
        Extraction extraction = new Extraction(seed, solver, samples);
        UnknownBlocks blocks = subject.blocks();
        switch (solver) {
            case DENSE -> {
                extraction.take(BlockSolution.of(blocks.whole(), samples, sampling.vectors(), RETAINED), 1, true);
                progress.advance(1);
            }
            case GRADED -> extraction.solveOrbits(blocks, sampling.vectors(), progress);
        }
        return extraction;
    }

    private void solveOrbits(UnknownBlocks blocks, int leastPoints, AffineFields.Progress progress) {
        List<Grading.Orbit> orbits = blocks.orbits();
        double cubes = orbits.stream().mapToDouble(Extraction::cube).sum();
        for (Grading.Orbit orbit : orbits) {
            BlockSolution first = BlockSolution.of(orbit.first(), samples, leastPoints, RETAINED);
            double least = first.relativeValues()[first.relativeValues().length - 1];
            if (least > THRESHOLDS.getFirst() || orbit.count() == 1) {
                take(first, orbit.count(), true);
            } else {
                for (Grading.Block block : blocks.orbit(orbit.first())) {
                    BlockSolution solution = BlockSolution.of(block, samples, leastPoints, RETAINED);
                    take(
                            solution,
                            1,
                            solution.nullVectors().size() == first.nullVectors().size());
                }
            }
            progress.advance(cube(orbit) / cubes);
        }
    }

    private static double cube(Grading.Orbit orbit) {
        return Math.pow(orbit.first().size(), 3);
    }

    private void take(BlockSolution solution, int multiplicity, boolean agrees) {
        spectrum.add(solution.relativeValues(), multiplicity);
        fields.addAll(solution.nullVectors());
        rows += solution.rows();
        largestBlock = Math.max(largestBlock, solution.block().size());
        leastRowsPerUnknown =
                Math.min(leastRowsPerUnknown, solution.rows() / solution.block().size());
        vectors = Math.max(vectors, solution.points());
        orbitsAgree &= agrees;
        confirmed &= solution.confirmed();
    }

    /** {@return the seed of the samples, as it was given} */
    public long seed() {
        return seed;
    }

    /** {@return how the constraints were solved, dense or by blocks} */
    public ConstraintSolver solver() {
        return solver;
    }

    /** {@return the singular values, of all blocks together} */
    public Spectrum spectrum() {
        return spectrum;
    }

    /**
     * {@return the number of parameter vectors whose constraints were decomposed; others confirmed what was found; at least 1}
     */
    public int vectors() {
        return vectors;
    }

    /**
     * {@return the number of constraint rows that were decomposed, over all blocks: at least twice the unknowns of each block}
     */
    public long rows() {
        return rows;
    }

    /** {@return the size of the largest block of unknowns that was decomposed at once, p (p + 1) for the dense solver} */
    public int largestBlock() {
        return largestBlock;
    }

    /**
     * {@return how close a sampled pre-activation came to a kink: the least magnitude over the largest of its layer; infinite
     * without piecewise linear layers}
     */
    public double nearestKink() {
        return samples.nearestKink();
    }

    /** Unit fields, those of a block together. */
    List<FieldEstimate> fields() {
        return fields;
    }

    /** Why these samples decide nothing, or an empty text. */
    String doubt() {
        if (!orbitsAgree) {
            return "blocks that a permutation of units carries into each other have null spaces of different dimensions";
        }
        if (leastRowsPerUnknown < 2) {
            return "some unknowns met fewer than twice as many nonzero constraints";
        }
        if (!confirmed) {
            return "fresh points keep refuting fields that the points before allowed";
        }
        double curved = samples.curvedShare();
        if (curved < LEAST_CURVED) {
            return "only %.1f %% of the pre-activations of transcendental layers lie between %s and %s, where float64 sees a curve"
                    .formatted(100 * curved, ConstraintSamples.CURVED_FROM, ConstraintSamples.CURVED_TO);
        }
        return spectrum.doubt();
    }
}
