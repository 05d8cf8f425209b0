package org.isoloss.affine;

import java.util.List;
import java.util.Optional;
import org.isoloss.exact.Subspace;
import tools.jackson.databind.node.ObjectNode;

/** A network whose preserving fields are wanted: what sampling, proofs, names and certificates ask about it. */
interface FieldSubject {
    /** Describes the network in a few words. */
    String label();

    /** The number of parameters, p. */
    int parameterCount();

    /** The number of parameters that are sampled and solved for: p less the directions that are known to have no effect. */
    default int solvedCount() {
        return parameterCount();
    }

    /** Fields of the parameters that are solved for as fields of all, with the directions that are known to have no effect. */
    default Subspace lifted(Subspace fields) {
        return fields;
    }

    /** The number of inputs. */
    int inputs();

    /** The name of every parameter in certificates. */
    List<String> parameterNames();

    /** The tensors that a field of all parameters moves. */
    List<String> moves(AffineField field);

    /** The unknowns in blocks that can be solved one by one. */
    UnknownBlocks blocks();

    /** What a solver will cost. */
    RecoveryWork work(ConstraintSolver solver, int seeds);

    /** The solver that suits the size. */
    ConstraintSolver solver();

    /** How points are drawn where nothing else is asked for. */
    default Sampling sampling(ConstraintSolver solver) {
        return Sampling.of(solver);
    }

    /** Points with Jacobians. */
    SampledConstraints samples(Sampling sampling, long seed);

    /** The standard deviation of every parameter of a sampled point, of those that are solved for. */
    double[] deviations(Sampling sampling);

    /** Computes outputs. */
    Outputs outputs();

    /** The known families, if there are any for networks of this kind. */
    List<ReferenceFamily> families();

    /** The name of all fields where it is known from the network and their number, beside the families. */
    default Optional<String> ownName(int dimension) {
        return Optional.empty();
    }

    /** Proves that fields preserve the outputs, if it can. */
    PreservationProof proof(Subspace span, Catalogue catalogue);

    /** Why no upper bound on the number of fields can be proved, or nothing. */
    Optional<String> boundObstacle();

    /**
     * An upper bound on the fields that are solved for, of which some are found.
     *
     * @throws UnsupportedOperationException where it turns out that there is none to be had, with the reason
     */
    Completeness bound(Subspace found, long seed);

    /** The version of its certificates. */
    int version();

    /** The parameters that are at 0 in those that are solved for, if any. */
    default List<Integer> fixed() {
        return List.of();
    }

    /** Writes into a certificate by what the unknowns are sorted, where the verifier does not know it. */
    default void describeBound(ObjectNode bound) {}

    /** Writes the network into a certificate. */
    void describe(ObjectNode network);

    /** Outputs in float64. */
    interface Outputs {
        /** The outputs for parameters that are solved for and one input, neither of them modified. */
        double[] of(double[] theta, double[] input);
    }
}
