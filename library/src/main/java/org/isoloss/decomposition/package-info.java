/** Transformations that keep the outputs of a layer, taken apart into transformations of small subnetworks. */
@NullMarked
package org.isoloss.decomposition;

import org.jspecify.annotations.NullMarked;
