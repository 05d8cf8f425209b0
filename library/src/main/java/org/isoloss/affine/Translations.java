package org.isoloss.affine;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.circuit.Circuit;
import org.isoloss.circuit.CircuitPreservation;
import org.isoloss.circuit.CircuitScalings;
import org.isoloss.exact.RationalReconstruction;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.exact.Subspace;

/**
 * Directions in which parameters move without any effect, wherever they are: of two biases that are only added one up and the
 * other down, or a parameter that nothing depends on. Any function of the parameters times such a direction preserves the outputs
 * too, so these are split off first. With q of them in echelon form, and their q pivots at 0, the outputs are those of a
 * network of p - q parameters, {@code F(theta) = F'(pi(theta))}, where pi moves along them until the pivots are 0. Let v be a
 * preserving affine field. For every value of the pivots pi v is one of F', and what in it depends on the pivots would move F'
 * along a direction without effect, of which there is none left. So v is the lift of a field of F' and a sum of directions
 * times affine functions.
 *
 * @param directions constant fields, flattened, in the space of all fields of p parameters
 * @param parameters p
 */
record Translations(Subspace directions, int parameters) {
    private static final int SAMPLES = 8;
    private static final long SEED = 7;

    /** Finds them in float64 and proves them; none where they cannot be proved. */
    static Translations of(Circuit circuit) {
        int p = circuit.parameterCount();
        SampledConstraints samples = new CircuitSamples(circuit, Sampling.of(ConstraintSolver.GRADED), SEED);
        Subspace none = Subspace.span(p * (p + 1), List.of());
        List<FieldEstimate> estimates = new ArrayList<>();
        for (Grading.Block block : CircuitBlocks.constants(p, CircuitScalings.of(circuit))) {
            BlockSolution solution = BlockSolution.of(block, samples, SAMPLES, Extraction.RETAINED);
            if (!solution.confirmed()) {
                return new Translations(none, p);
            }
            estimates.addAll(solution.nullVectors());
        }
        if (estimates.isEmpty()) {
            return new Translations(none, p);
        }
        try {
            Subspace found = Reconstruction.of(p, estimates).span();
            boolean proved = found.basis().stream()
                    .allMatch(direction -> CircuitPreservation.holds(
                            circuit, AffineField.of(p, direction).coefficients()));
            return new Translations(proved ? found : none, p);
        } catch (RationalReconstruction.NoSuchFractionException _) {
            return new Translations(none, p);
        }
    }

    /** How many there are, q. */
    int count() {
        return directions.dimension();
    }

    /** The parameters that are fixed at 0, one for each direction. */
    Set<Integer> pivots() {
        return IntStream.range(0, count())
                .mapToObj(i -> directions.pivot(i) / (parameters + 1))
                .collect(Collectors.toSet());
    }

    /** The directions and the fields of p - q parameters as fields of all p. */
    Subspace lifted(Subspace fields) {
        Set<Integer> fixed = pivots();
        List<Integer> kept = IntStream.range(0, parameters)
                .filter(a -> !fixed.contains(a))
                .boxed()
                .toList();
        List<RationalVector> lifted = new ArrayList<>(directions.basis());
        int stride = kept.size() + 1;
        for (RationalVector field : fields.basis()) {
            NavigableMap<Integer, Rational<BigInteger>> entries = new TreeMap<>();
            for (int k = 0; k < field.count(); k++) {
                int row = kept.get(field.index(k) / stride) * (parameters + 1);
                int column = field.index(k) % stride;
                if (column == kept.size()) {
                    entries.merge(row + parameters, field.value(k), Rational::add);
                    continue;
                }
                entries.merge(row + kept.get(column), field.value(k), Rational::add);
                for (int i = 0; i < count(); i++) {
                    Rational<BigInteger> share =
                            directions.basis().get(i).get(kept.get(column) * (parameters + 1) + parameters);
                    if (!share.isZero()) {
                        int pivot = directions.pivot(i) / (parameters + 1);
                        entries.merge(
                                row + pivot, field.value(k).multiply(share).negate(), Rational::add);
                    }
                }
            }
            entries.values().removeIf(Rationals.ZERO::equals);
            lifted.add(RationalVector.of(parameters * (parameters + 1), entries));
        }
        return Subspace.span(parameters * (parameters + 1), lifted);
    }
}
