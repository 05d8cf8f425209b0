package org.isoloss.affine;

import java.util.List;
import java.util.Optional;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Subspace;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A dense network, given by its shape.
 *
 * @param architecture the shape
 */
record DenseSubject(Architecture architecture) implements FieldSubject {
    /** Above this many multiplications of terms, fields that known families explain are not expanded as polynomials. */
    private static final double AFFORDABLE = 1e5;

    @Override
    public String label() {
        return architecture.label();
    }

    @Override
    public int parameterCount() {
        return architecture.parameterCount();
    }

    @Override
    public int inputs() {
        return architecture.inputs();
    }

    @Override
    public List<String> parameterNames() {
        return architecture.parameters().stream().map(Parameter::name).toList();
    }

    @Override
    public List<String> moves(AffineField field) {
        return field.moves(architecture);
    }

    @Override
    public UnknownBlocks blocks() {
        return Grading.of(architecture);
    }

    @Override
    public RecoveryWork work(ConstraintSolver solver, int seeds) {
        return RecoveryWork.of(architecture, solver, seeds);
    }

    @Override
    public ConstraintSolver solver() {
        return ConstraintSolver.choose(architecture);
    }

    @Override
    public SampledConstraints samples(Sampling sampling, long seed) {
        return new ConstraintSamples(architecture, sampling, seed);
    }

    @Override
    public double[] deviations(Sampling sampling) {
        return ConstraintSamples.deviations(architecture, sampling);
    }

    @Override
    public Outputs outputs() {
        DrawnNetwork network = new DrawnNetwork(architecture, 1);
        return (theta, input) -> network.sums(theta, input).getLast();
    }

    @Override
    public List<ReferenceFamily> families() {
        return ReferenceFamily.of(architecture);
    }

    /**
     * A linear network of one input and one output shows the hidden weights v and w by v . w alone, if no bias joins w: a quadratic form of
     * signature (n, n), which the n (2n - 1) fields of so(n, n) preserve and no other linear ones.
     */
    @Override
    public Optional<String> ownName(int dimension) {
        boolean form = architecture.layerCount() == 2
                && architecture.inputs() == 1
                && architecture.outputs() == 1
                && architecture.activations().getFirst().equals(HiddenActivation.IDENTITY)
                && !architecture.biased().getFirst();
        int n = architecture.widths().get(1);
        return form && n > 1 && dimension == n * (2 * n - 1)
                ? Optional.of("so(%d, %d): all that preserves the product of the two layers".formatted(n, n))
                : Optional.empty();
    }

    @Override
    public PreservationProof proof(Subspace span, Catalogue catalogue) {
        boolean polynomial = architecture.activations().stream().allMatch(HiddenActivation::isPower);
        boolean explained = catalogue.unexplained() == 0;
        double cost = Preservation.cost(architecture);
        if (explained && (!polynomial || cost > AFFORDABLE || cost * span.dimension() > AFFORDABLE * 10)) {
            return PreservationProof.KNOWN_FAMILIES;
        }
        if (cost > AFFORDABLE) {
            return PreservationProof.NONE;
        }
        Preservation preservation = new Preservation(architecture);
        for (RationalVector vector : span.basis()) {
            if (!preservation.holdsFor(AffineField.of(architecture.parameterCount(), vector))) {
                return PreservationProof.NONE;
            }
        }
        return PreservationProof.POLYNOMIAL_IDENTITY;
    }

    @Override
    public Optional<String> boundObstacle() {
        return Completeness.obstacle(architecture);
    }

    @Override
    public Completeness bound(Subspace found, long seed) {
        return Completeness.of(architecture, found, seed);
    }

    @Override
    public int version() {
        return Certificate.VERSION;
    }

    @Override
    public void describe(ObjectNode network) {
        ArrayNode widths = network.putArray("widths");
        architecture.widths().forEach(widths::add);
        ArrayNode activations = network.putArray("activations");
        architecture.activations().forEach(activation -> activations.add(activation.label()));
        ArrayNode biases = network.putArray("biases");
        architecture.biased().forEach(biases::add);
    }
}
