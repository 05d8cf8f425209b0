/**
 * The affine vector fields {@code A theta + b} that leave every output of a network unchanged: extraction, exact proof,
 * structure, names (label {@code app:frontier-recovery} of the paper).
 */
@NullMarked
package org.isoloss.affine;

import org.jspecify.annotations.NullMarked;
