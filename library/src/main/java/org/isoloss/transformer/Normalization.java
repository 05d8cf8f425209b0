package org.isoloss.transformer;

import org.jspecify.annotations.Nullable;

/**
 * A norm of each hidden state: {@code x / sqrt(mean(x^2) + epsilon)} times {@code offset + weight}. A layer norm, which is
 * one with a bias, takes the mean off first and adds the bias last.
 *
 * @param weight one factor a coordinate
 * @param bias null for a root-mean-square norm
 * @param offset what the weight is added to: 1 for Gemma, otherwise 0
 * @param epsilon above 0
 */
record Normalization(Parameter weight, @Nullable Parameter bias, double offset, double epsilon) {}
