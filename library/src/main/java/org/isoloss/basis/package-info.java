/**
 * Changes of basis of the channels of a model: what each class of channels may do, elements of all of them together, and what these make
 * of the weights, computed while they are read.
 */
@NullMarked
package org.isoloss.basis;

import org.jspecify.annotations.NullMarked;
