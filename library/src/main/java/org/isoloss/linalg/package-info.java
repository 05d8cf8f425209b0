/** Dense linear algebra in float64, and the matrix products of float32 training, over OpenBLAS. */
@NullMarked
package org.isoloss.linalg;

import org.jspecify.annotations.NullMarked;
