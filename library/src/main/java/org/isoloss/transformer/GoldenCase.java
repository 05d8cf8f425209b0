package org.isoloss.transformer;

import java.util.List;
import java.util.SortedMap;
import org.isoloss.linalg.Matrix;

/**
 * What another program made of some tokens: numbers to be met.
 *
 * @param name what to call it
 * @param tokens what was run
 * @param outputs one matrix a sequence: logits or last hidden states, or their first columns
 * @param feedForwardInputs by layer, one matrix a sequence
 * @param feedForwardOutputs by layer, one matrix a sequence
 */
public record GoldenCase(
        String name,
        TokenBatch tokens,
        List<Matrix> outputs,
        SortedMap<Integer, List<Matrix>> feedForwardInputs,
        SortedMap<Integer, List<Matrix>> feedForwardOutputs) {}
