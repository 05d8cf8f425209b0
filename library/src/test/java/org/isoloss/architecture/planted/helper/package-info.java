/** Planted violations. */
@NullMarked
package org.isoloss.architecture.planted.helper;

import org.jspecify.annotations.NullMarked;
