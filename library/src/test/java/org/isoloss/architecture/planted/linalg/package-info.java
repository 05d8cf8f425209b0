/** Planted violations. */
@NullMarked
package org.isoloss.architecture.planted.linalg;

import org.jspecify.annotations.NullMarked;
