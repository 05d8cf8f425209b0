package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SOAP: {@link Adam} in the slowly turning eigenbases of the gradient's second moments (Vyas et al., 2025, algorithm 3).
 * Each weight matrix W (m, n) with gradient G has decaying sums {@code L} of G Gᵀ and {@code R} of Gᵀ G; Adam runs on
 * {@code Q_Lᵀ G Q_R}, where the Q hold their eigenvectors, and its step is turned back. Vectors, and all parameters that
 * were not named, take steps of Adam.
 *
 * <p>Turning there and back costs four products with a basis. Long sides may be cut into runs with bases of their own,
 * which makes Q block diagonal and divides that cost: runs of 64 that of sides of 256 by four.
 */
public final class Soap extends Optimizer {
    /** Steps from one gradient to the next that enters the second moments. */
    static final int SAMPLING = 10;
    /** Steps from one turn of the bases to the next. */
    static final int TURNING = 100;

    /** Decay of the second moment in the bases: shorter than {@link Adam}'s, which remembers over ten of their turns. */
    private static final double SECOND_DECAY = 0.99;

    private final List<RotatedMatrix> matrices = new ArrayList<>();
    /** Products bound to the memory of this program. */
    private @Nullable Program bound;

    private List<RotatedMatrix.Kernel> kernels = List.of();

    /**
     * Creates the optimiser and records what it remembers.
     *
     * @param graph of the parameters, before its first program
     * @param parameters those with several rows and columns are treated as matrices
     * @param clipNorm gradients of a larger norm are scaled down to it; positive
     * @param block rows or columns that share a basis, at most; at least 1
     */
    public Soap(Graph graph, List<Tensor> parameters, double clipNorm, int block) {
        super(clipNorm);
        if (block < 1) {
            throw new IllegalArgumentException("Soap: a basis needs at least 1 row or column, got " + block);
        }
        for (Tensor parameter : parameters) {
            if (parameter.rows() > 1 && parameter.columns() > 1) {
                matrices.add(new RotatedMatrix(graph, parameter, block));
            }
        }
    }

    @Override
    public List<Tensor> state() {
        return matrices.stream().flatMap(matrix -> matrix.state().stream()).toList();
    }

    @Override
    void apply(Program program, int step, double scale, double learningRate) {
        bind(program);
        if (scale != 1) {
            program.scaleGradients(scale);
        }
        if (step % SAMPLING == 1) {
            kernels.forEach(RotatedMatrix.Kernel::sample);
        }
        if (step == 1 || step % TURNING == 0) {
            turn(program, step == 1);
        }
        kernels.forEach(RotatedMatrix.Kernel::rotate);
        double rate = Adam.correctedRate(learningRate, step);
        double correction = Adam.correction(Adam.SECOND_DECAY, step);
        double inBases = Adam.correction(SECOND_DECAY, step);
        int from = 0;
        for (RotatedMatrix rotated : matrices) {
            Tensor matrix = rotated.weights();
            program.adam(from, matrix.offset() - from, 1, rate, correction);
            program.adamSteps(matrix.offset(), matrix.size(), rate, SECOND_DECAY, inBases);
            from = matrix.end();
        }
        program.adam(from, program.parameterCount() - from, 1, rate, correction);
        kernels.forEach(RotatedMatrix.Kernel::add);
    }

    @SuppressWarnings("ReferenceEquality") // the identity of the program is meant
    private void bind(Program program) {
        if (bound != program) {
            kernels = matrices.stream().map(matrix -> matrix.bind(program)).toList();
            bound = program;
        }
    }

    private void turn(Program program, boolean first) {
        double[] moments = program.moments(false);
        kernels.forEach(kernel -> kernel.turn(moments, first));
        program.setFirstMoments(moments);
    }
}
