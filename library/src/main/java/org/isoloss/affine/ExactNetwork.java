package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.isoloss.affine.ModularSeries.Series;
import org.isoloss.exact.ModularRank;
import org.isoloss.model.AlgebraReading;
import org.isoloss.model.Differentiation;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;

/**
 * The Jacobian of a network at integer points, without rounding. Networks with transcendental layers are expanded along a ray
 * {@code t -> t theta}; the coefficients lie in a field of rational functions in at most one transcendental number, which is
 * replaced by a residue; the rank can only drop by that.
 */
final class ExactNetwork {
    /** With the 13 coefficients of series up to order 12. */
    private static final int LENGTH = 13;

    private final int length;
    private final boolean pieces;
    private final Value input;
    private final List<Value> parameters;

    /** For each output the gradient of the outputs that chooses it. */
    private final List<Value> chosen = new ArrayList<>();

    /** For each output the gradients of all parameters. */
    private final List<Value> gradients = new ArrayList<>();

    ExactNetwork(Architecture architecture) {
        this.length = architecture.activations().stream().anyMatch(HiddenActivation::isTranscendental) ? LENGTH : 1;
        this.pieces = architecture.activations().stream().anyMatch(HiddenActivation::isPiecewiseLinear);
        Model model = architecture.model(new double[architecture.parameterCount()], 1);
        this.input = model.inputs().firstEntry().getValue();
        this.parameters = List.copyOf(model.parameters().values());
        ModelBuilder builder = model.extended();
        for (int output = 0; output < architecture.outputs(); output++) {
            Value upstream = builder.input("output" + output, 1, architecture.outputs());
            chosen.add(upstream);
            gradients.addAll(
                    Differentiation.gradients(builder, List.of(model.output("y")), List.of(upstream), parameters));
        }
    }

    /** Returns the constraints at a point, or nothing where it lies on a kink, where there is no derivative. */
    Optional<ExactRows> rows(int[] theta, int[] point) {
        ModularSeries algebra = new ModularSeries(length);
        Map<Value, List<Series>> given = new HashMap<>();
        given.put(
                input,
                Arrays.stream(point)
                        .mapToObj(number -> algebra.of(number, 0, pieces))
                        .toList());
        for (int output = 0; output < chosen.size(); output++) {
            int one = output;
            given.put(
                    chosen.get(output),
                    IntStream.range(0, chosen.size())
                            .mapToObj(c -> algebra.of(c == one ? 1 : 0, 0, false))
                            .toList());
        }
        int next = 0;
        for (Value parameter : parameters) {
            int end = next + parameter.shape().count();
            given.put(
                    parameter,
                    IntStream.range(next, end)
                            .mapToObj(a -> algebra.of(theta[a], length == 1 ? 0 : 1, pieces))
                            .toList());
            next = end;
        }
        List<List<Series>> read = AlgebraReading.read(algebra, gradients, given);
        if (algebra.metKink()) {
            return Optional.empty();
        }
        List<List<long[]>> jacobian = new ArrayList<>();
        for (int at = 0; at < read.size(); at += parameters.size()) {
            jacobian.add(read.subList(at, at + parameters.size()).stream()
                    .flatMap(List::stream)
                    .map(Series::coefficients)
                    .toList());
        }
        long[] residues = Arrays.stream(theta)
                .mapToLong(number -> Math.floorMod((long) number, ModularRank.PRIME))
                .toArray();
        return Optional.of(new ExactRows(residues, length, jacobian));
    }
}
