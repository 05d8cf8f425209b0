/** Flows on the sets on which a model keeps some values: directions, projection, correction, what is seen of a motion. */
@NullMarked
package org.isoloss.flow;

import org.jspecify.annotations.NullMarked;
