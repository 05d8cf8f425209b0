/** Planted violations. */
@NullMarked
package org.isoloss.architecture.planted.lie;

import org.jspecify.annotations.NullMarked;
