package org.isoloss.affine;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.isoloss.circuit.Circuit;
import org.isoloss.circuit.CircuitPoint;
import org.isoloss.circuit.CircuitPreservation;
import org.isoloss.circuit.CircuitScalings;
import org.isoloss.circuit.CircuitSeries;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Subspace;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A network of any kind, written out. */
final class CircuitSubject implements FieldSubject {
    /** One vector says no more than {@code A theta + b}, however many rows it gives, so there are enough for all of A. */
    private static final int VECTORS = 64;

    private static final int ROWS = 16; // of a vector, at least, where four inputs give as many

    private static final double SECONDS_PER_GATE = 5e-9; // in float64, forward or backward
    private static final double SECONDS_PER_SERIES = 2e-7; // of 13 residues
    private static final int POINTS = 64; // at which series are usually taken

    private final Circuit circuit;
    private @Nullable Reduced known;

    CircuitSubject(Circuit circuit) {
        this.circuit = circuit;
    }

    /** A circuit without what translations make superfluous. */
    private record Reduced(Translations translations, Circuit circuit, CircuitScalings scalings, CircuitBlocks blocks) {
        static Reduced of(Circuit whole) {
            Translations translations = Translations.of(whole);
            Circuit circuit = whole.fixing(translations.pivots());
            CircuitScalings scalings = CircuitScalings.of(circuit);
            return new Reduced(translations, circuit, scalings, new CircuitBlocks(circuit.parameterCount(), scalings));
        }
    }

    /** Found when it is first needed, since what is too large to be solved is refused before. */
    private Reduced reduced() {
        Reduced reduced = known;
        if (reduced == null) {
            reduced = Reduced.of(circuit);
            known = reduced;
        }
        return reduced;
    }

    @Override
    public String label() {
        return "%d tensors, %d inputs, %d outputs, %,d steps"
                .formatted(
                        circuit.tensors().size(),
                        circuit.inputs(),
                        circuit.outputs().size(),
                        circuit.gates().size());
    }

    @Override
    public int parameterCount() {
        return circuit.parameterCount();
    }

    @Override
    public int solvedCount() {
        return reduced().circuit().parameterCount();
    }

    @Override
    public Subspace lifted(Subspace fields) {
        return reduced().translations().lifted(fields);
    }

    @Override
    public List<Integer> fixed() {
        return List.copyOf(new TreeSet<>(reduced().translations().pivots()));
    }

    @Override
    public int inputs() {
        return circuit.inputs();
    }

    @Override
    public List<String> parameterNames() {
        return circuit.parameterNames();
    }

    @Override
    public List<String> moves(AffineField field) {
        Set<String> moved = new LinkedHashSet<>();
        List<Circuit.Tensor> tensors = circuit.tensorOfParameter();
        for (int a = 0; a < tensors.size(); a++) {
            if (!field.coefficients().row(a).isZero()) {
                moved.add(tensors.get(a).name());
            }
        }
        return List.copyOf(moved);
    }

    @Override
    public UnknownBlocks blocks() {
        return reduced().blocks();
    }

    @Override
    public RecoveryWork work(ConstraintSolver solver, int seeds) {
        RecoveryWork solving = RecoveryWork.of(
                parameterCount(), solver, seeds, () -> reduced().blocks().sizes());
        double passes = (double) circuit.gates().size() * circuit.outputs().size();
        return solving.taking(passes
                * (seeds * VECTORS * SECONDS_PER_GATE
                        + POINTS * (circuit.isTranscendental() ? SECONDS_PER_SERIES : 0)));
    }

    @Override
    public ConstraintSolver solver() {
        return ConstraintSolver.GRADED;
    }

    @Override
    public Sampling sampling(ConstraintSolver solver) {
        Sampling usual = Sampling.of(solver);
        int inputs = Math.clamp(
                Math.ceilDiv(ROWS, Math.max(1, reduced().circuit().outputs().size())), 1, usual.inputsPerVector());
        return new Sampling(Math.max(VECTORS, usual.vectors()), inputs, usual.weightScale(), usual.inputScale());
    }

    @Override
    public SampledConstraints samples(Sampling sampling, long seed) {
        return new CircuitSamples(reduced().circuit(), sampling, seed);
    }

    @Override
    public double[] deviations(Sampling sampling) {
        return CircuitSamples.deviations(reduced().circuit(), sampling);
    }

    @Override
    public Outputs outputs() {
        return (theta, input) -> new CircuitPoint(reduced().circuit(), theta, input).outputs();
    }

    @Override
    public List<ReferenceFamily> families() {
        return List.of();
    }

    @Override
    public PreservationProof proof(Subspace span, Catalogue catalogue) {
        for (RationalVector vector : span.basis()) {
            if (!CircuitPreservation.holds(
                    circuit, AffineField.of(parameterCount(), vector).coefficients())) {
                return PreservationProof.NONE;
            }
        }
        return PreservationProof.POLYNOMIAL_IDENTITY;
    }

    @Override
    public Optional<String> boundObstacle() {
        return CircuitSeries.obstacle(reduced().circuit());
    }

    @Override
    public Completeness bound(Subspace found, long seed) {
        return CircuitBound.of(reduced().circuit(), reduced().blocks(), found, seed);
    }

    @Override
    public int version() {
        return Certificate.CIRCUIT_VERSION;
    }

    @Override
    public void describeBound(ObjectNode bound) {
        CircuitText.write(circuit, reduced().circuit(), reduced().scalings(), bound);
    }

    @Override
    public void describe(ObjectNode network) {
        CircuitText.write(circuit, network);
    }
}
