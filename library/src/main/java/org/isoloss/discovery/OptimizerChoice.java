package org.isoloss.discovery;

import java.util.List;
import org.isoloss.autodiff.Adam;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Optimizer;
import org.isoloss.autodiff.Soap;
import org.isoloss.autodiff.Tensor;

/**
 * What makes steps of gradients.
 *
 * @param kind which method
 * @param block for {@link OptimizerKind#SOAP}, rows or columns of a weight matrix that share a basis, at most; at least 1
 */
public record OptimizerChoice(OptimizerKind kind, int block) {
    /** The block of {@link #of}. */
    public static final int BLOCK = 64;

    /** Refuses empty blocks. */
    public OptimizerChoice {
        if (block < 1) {
            throw new IllegalArgumentException("OptimizerChoice: block must be at least 1, got " + block);
        }
    }

    /**
     * Chooses a method with blocks of {@link #BLOCK}.
     *
     * @param kind which method
     * @return the choice
     */
    public static OptimizerChoice of(OptimizerKind kind) {
        return new OptimizerChoice(kind, BLOCK);
    }

    Optimizer record(Graph graph, List<Tensor> weights, double clipNorm) {
        return switch (kind) {
            case ADAM -> new Adam(clipNorm);
            case SOAP -> new Soap(graph, weights, clipNorm, block);
        };
    }
}
