package org.isoloss.discovery;

import java.util.List;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Optimizer;
import org.isoloss.autodiff.Tensor;

/** What makes steps of gradients. */
public sealed interface OptimizerChoice {
    /** Rows and columns of SOAP's blocks where none are chosen. */
    int BLOCK = 64;

    /** {@return the method} */
    OptimizerKind kind();

    /**
     * Returns what moves weights.
     *
     * @param graph in which they are trained
     * @param weights all of them
     * @param clip largest norm of a gradient
     * @return the optimiser
     */
    Optimizer record(Graph graph, List<Tensor> weights, double clip);

    /**
     * Chooses a method.
     *
     * @param kind which
     * @param block of SOAP; the others have none
     * @return the choice
     */
    static OptimizerChoice of(OptimizerKind kind, int block) {
        return switch (kind) {
            case ADAM -> new Adam();
            case SOAP -> new Soap(block);
        };
    }

    /** Adam: a step for each number, by its own moments. */
    record Adam() implements OptimizerChoice {
        @Override
        public OptimizerKind kind() {
            return OptimizerKind.ADAM;
        }

        @Override
        public Optimizer record(Graph graph, List<Tensor> weights, double clip) {
            return new org.isoloss.autodiff.Adam(clip);
        }
    }

    /**
     * SOAP: Adam in the bases of blocks of the weight matrices.
     *
     * @param block rows or columns of a weight matrix that share a basis, at most; in 1..8192
     */
    record Soap(int block) implements OptimizerChoice {
        /** Refuses blocks out of range. */
        public Soap {
            RecipeNumber.BLOCK.check(block);
        }

        @Override
        public OptimizerKind kind() {
            return OptimizerKind.SOAP;
        }

        @Override
        public Optimizer record(Graph graph, List<Tensor> weights, double clip) {
            return new org.isoloss.autodiff.Soap(graph, weights, clip, block);
        }
    }
}
