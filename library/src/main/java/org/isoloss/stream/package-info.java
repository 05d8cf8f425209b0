/**
 * Residual streams and what they are multiplied by before they are read: folding the factors of norms into the weights after them, and
 * turning streams by rotations, one tensor at a time.
 */
@NullMarked
package org.isoloss.stream;

import org.jspecify.annotations.NullMarked;
