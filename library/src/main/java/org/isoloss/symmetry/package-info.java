/**
 * The symmetries of any model at its weights: which changes of its parameters leave every output as it is, found from its
 * graph, named, applied and verified.
 */
@NullMarked
package org.isoloss.symmetry;

import org.jspecify.annotations.NullMarked;
