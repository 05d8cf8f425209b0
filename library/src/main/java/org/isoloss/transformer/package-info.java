/** Transformers that run: causal decoders and encoders, their feed-forward blocks, and what enters and leaves these. */
@NullMarked
package org.isoloss.transformer;

import org.jspecify.annotations.NullMarked;
