package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.isoloss.circuit.Circuit;
import org.isoloss.circuit.CircuitPoint;
import org.isoloss.circuit.CircuitPreservation;
import org.isoloss.circuit.CircuitScalings;
import org.isoloss.circuit.CircuitSeries;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Subspace;
import tools.jackson.databind.node.ObjectNode;

/** A network of any kind, written out. */
final class CircuitSubject implements FieldSubject {
    private final Circuit circuit;
    private final CircuitScalings scalings;
    private final UnknownBlocks blocks;

    CircuitSubject(Circuit circuit) {
        this.circuit = circuit;
        this.scalings = CircuitScalings.of(circuit);
        this.blocks = new CircuitBlocks(circuit.parameterCount(), scalings);
    }

    @Override
    public String label() {
        return "%d tensors, %d inputs, %d outputs, %,d steps"
                .formatted(
                        circuit.parameters().size(),
                        circuit.inputs(),
                        circuit.outputs().size(),
                        circuit.gates().size());
    }

    @Override
    public int parameterCount() {
        return circuit.parameterCount();
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
        List<String> moved = new ArrayList<>();
        int next = 0;
        for (Circuit.Tensor tensor : circuit.parameters()) {
            int end = next + tensor.count();
            for (int a = next; a < end; a++) {
                if (!field.coefficients().row(a).isZero()) {
                    moved.add(tensor.name());
                    break;
                }
            }
            next = end;
        }
        return moved;
    }

    @Override
    public UnknownBlocks blocks() {
        return blocks;
    }

    @Override
    public RecoveryWork work(ConstraintSolver solver, int seeds) {
        return RecoveryWork.of(
                parameterCount(),
                solver,
                seeds,
                () -> blocks.orbits().stream()
                        .map(orbit -> (long) orbit.first().size())
                        .toList());
    }

    @Override
    public ConstraintSolver solver() {
        return ConstraintSolver.GRADED;
    }

    @Override
    public SampledConstraints samples(Sampling sampling, long seed) {
        return new CircuitSamples(circuit, sampling, seed);
    }

    @Override
    public double[] deviations(Sampling sampling) {
        return CircuitSamples.deviations(circuit, sampling);
    }

    @Override
    public Outputs outputs() {
        return (theta, input) -> new CircuitPoint(circuit, theta, input).outputs();
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
        return CircuitSeries.obstacle(circuit);
    }

    @Override
    public Optional<Completeness> bound(Subspace found, long seed) {
        return CircuitBound.of(circuit, blocks, found, seed);
    }

    @Override
    public int version() {
        return Certificate.CIRCUIT_VERSION;
    }

    @Override
    public void describe(ObjectNode network) {
        CircuitText.write(circuit, scalings, network);
    }
}
