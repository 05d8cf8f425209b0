/** Planted violations. */
@NullMarked
package org.isoloss.architecture.planted.network;

import org.jspecify.annotations.NullMarked;
