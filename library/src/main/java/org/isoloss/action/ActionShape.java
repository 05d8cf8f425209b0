package org.isoloss.action;

import org.isoloss.network.Activation;

/**
 * Sizes of the network behind a learned action.
 *
 * @param matrixSize rows of the group matrices, at least 1
 * @param generatorCount number of generators, at least 1
 * @param parameterCount number of parameters that the group acts on, at least 1
 * @param width units of each hidden layer, at least 1
 * @param depth number of hidden layers, at least 1
 * @param activation of the hidden layers; the paper uses SiLU
 */
public record ActionShape(
        int matrixSize, int generatorCount, int parameterCount, int width, int depth, Activation activation) {
    /** Refuses sizes below 1. */
    public ActionShape {
        if (Math.min(Math.min(matrixSize, generatorCount), Math.min(parameterCount, Math.min(width, depth))) < 1) {
            throw new IllegalArgumentException(
                    "ActionShape: matrixSize %d, generatorCount %d, parameterCount %d, width %d, depth %d: all must be at least 1"
                            .formatted(matrixSize, generatorCount, parameterCount, width, depth));
        }
    }
}
